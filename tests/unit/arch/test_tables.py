"""Keys times look-up times guard: what becomes of a table that lacks an architecture."""

from __future__ import annotations

import pytest

from tests.unit.arch.asking import evaluated, only, rows_of

TABLE = """
import torch

SIZES = {9: {2: 64, 4: 128}, 10: {2: 64, 4: 128}}

def size(world):
    major = torch.cuda.get_device_capability()[0]
"""


def with_lines(*lines: str) -> str:
    return TABLE + "".join(f"    {line}\n" for line in lines)


def test_an_unguarded_look_up_crashes() -> None:
    row = only(with_lines("return SIZES[major]"))
    assert row.name == "SIZES"
    assert (row.place.line, row.kind, row.severity) == (4, "table", "error")
    assert row.keys == ("9", "10")
    assert dict(row.verdicts) == {
        "sm89": "crash",
        "sm90": "covered",
        "sm100": "covered",
        "sm103": "covered",
        "sm120": "crash",
        "sm121": "crash",
    }
    assert [(lookup.place.line, lookup.style) for lookup in row.lookups] == [(8, "[]")]


def test_a_lower_bound_is_no_guard() -> None:
    row = next(
        r for r in rows_of(with_lines("if major < 9:", "    return None", "return SIZES[major]")) if r.kind == "table"
    )
    assert row.verdict("sm120") == "crash"
    assert row.verdict("sm89") == "excluded"


def test_a_test_of_the_inner_key_is_no_guard() -> None:
    row = only(with_lines("if world not in SIZES[major]:", "    return None", "return SIZES[major][world]"))
    assert row.verdict("sm120") == "crash"


@pytest.mark.parametrize(
    "lines",
    [
        ["if major in SIZES:", "    return SIZES[major]", "return None"],
        ["if major not in SIZES:", "    return None", "return SIZES[major]"],
        ["return SIZES.get(major)"],
        ["return SIZES.get(major, ())"],
        ["try:", "    return SIZES[major]", "except KeyError:", "    return None"],
    ],
)
def test_what_guards_the_key_falls_back(lines: list[str]) -> None:
    rows = rows_of(with_lines(*lines))
    assert [(r.kind, r.verdict("sm120"), r.severity) for r in rows if r.kind == "table"] == [
        ("table", "fallback", "info")
    ]


def test_a_default_of_another_architecture_is_silent() -> None:
    row = only(with_lines("return SIZES.get(major, SIZES[9])"))
    assert (row.verdict("sm120"), row.severity) == ("silent", "warning")


def test_a_sibling_table_that_returned_first_guards() -> None:
    rows = rows_of("""
        import torch

        class Group:
            FIRST = {9: 1, 10: 2}
            SECOND = {9: [4], 10: [6]}

            def __init__(self):
                self.disabled = True
                self.major = torch.cuda.get_device_capability()[0]
                if self.major not in self.FIRST:
                    return
                self.disabled = False

            def run(self):
                return self.SECOND[self.major]
    """)
    assert {r.name: r.verdict("sm120") for r in rows if r.kind == "table"} == {
        "FIRST": "fallback",
        "SECOND": "fallback",
    }


def test_a_constructor_that_raises_guards_nothing() -> None:
    rows = rows_of("""
        import torch

        class Group:
            FIRST = {9: 1, 10: 2}
            SECOND = {9: [4], 10: [6]}

            def __init__(self):
                if not torch.enabled:
                    return
                self.major = torch.cuda.get_device_capability()[0]
                self.size = self.FIRST[self.major]
                self.disabled = False

            def run(self):
                return self.SECOND[self.major]
    """)
    assert {r.name: r.verdict("sm120") for r in rows} == {"FIRST": "crash", "SECOND": "crash"}


@pytest.mark.parametrize(
    "key",
    [
        "torch.cuda.get_device_capability()[0] * 10 + torch.cuda.get_device_capability()[1]",
        "SM",
        "sm_of(*torch.cuda.get_device_capability())",
        "Capability(*torch.cuda.get_device_capability()).to_int()",
        "cached()",
        "Device().sm",
        "numbered(part=torch.cuda.get_device_capability())",
        "int(''.join(str(n) for n in torch.cuda.get_device_capability()))",
    ],
)
def test_keys_are_followed(key: str) -> None:
    row = only(f"""
        import torch
        from functools import lru_cache, partial
        from typing import NamedTuple

        TABLE = {{90: 1, 100: 2, 103: 3}}

        MAJOR, MINOR = torch.cuda.get_device_capability()
        SM = MAJOR * 10 + MINOR

        def sm_of(major, minor=0):
            return major * 10 + minor

        def by_base(base, part):
            return part[0] * base + part[1]

        numbered = partial(by_base, 10)

        class Capability(NamedTuple):
            major: int
            minor: int

            def to_int(self):
                return self.major * 10 + self.minor

        @lru_cache(maxsize=1)
        def cached():
            major, minor = torch.cuda.get_device_capability()
            return sm_of(major, minor)

        class Device:
            def __init__(self):
                self.capability = torch.cuda.get_device_capability()

            @property
            def sm(self):
                return sm_of(*self.capability)

        def look():
            return TABLE[{key}]
    """)
    assert (row.verdict("sm103"), row.verdict("sm120"), row.verdict("sm121")) == ("covered", "crash", "crash")


def test_exact_keys_tell_minors_apart() -> None:
    row = only("""
        import torch

        def look():
            major, minor = torch.cuda.get_device_capability()
            table = {"9.0": 1, "10.0": 2, "12.0": 3}
            return table[f"{major}.{minor}"]
    """)
    assert [v for _, v in row.verdicts] == ["crash", "covered", "covered", "crash", "covered", "crash"]


def test_a_key_comes_through_a_parameter_of_another_module() -> None:
    files = {
        "pkg/tables.py": """
            LIMITS = {9: 1, 10: 2}

            def limit(capability):
                major, minor = capability
                return LIMITS[major]
        """,
        "pkg/start.py": """
            import torch
            from pkg.tables import limit

            def start(device):
                return limit(torch.cuda.get_device_capability(device))
        """,
    }
    (row,) = evaluated(files).answer().rows
    assert (row.name, row.verdict("sm120")) == ("LIMITS", "crash")
    assert [e.place.file for e in row.evidence if e.place is not None][:1] == ["pkg/start.py"]


@pytest.mark.parametrize(
    "text",
    [
        "WORLD = {2: 1, 4: 2}\n\ndef f(world):\n    return WORLD[world]\n",
        "import torch\n\ndef f():\n    return torch.version.cuda >= '12.3'\n",
        "import torch\nBITS = {4: 1, 8: 2}\n\ndef f(bits):\n    return BITS[bits]\n",
        "import torch\n\ndef f():\n    release = torch.__version__\n    return release[:3] == (2, 9, 1)\n",
        "import torch\n\ndef f():\n"
        "    if torch.version.hip is not None:\n        return torch.cuda.get_device_capability() >= (9, 4)\n",
        "import torch\n\nclass K:\n    arch = 90\n\n    def f(self):\n        return 1 if self.arch >= 90 else 2\n",
        "import torch\n\ndef f():\n    major, minor = torch.cuda.get_device_capability()\n    assert 0 <= minor < 10\n",
        "import torch\n\nIDS = [[10, 11, 12] for _ in range(4)]\n",
        "import torch\n\ndef f():\n"
        "    name = torch.cuda.get_device_properties(0).gcnArchName\n    return 1 if 'gfx94' in name else 2\n",
        "import torch\n\nUNUSED = torch.cuda.get_device_capability()[0] == 10\n",
    ],
)
def test_look_alikes_are_not_reported(text: str) -> None:
    assert rows_of(text) == []


@pytest.mark.parametrize(
    "lines",
    [
        ["self.most = SIZES.get(major, {}).get(world, 0)", "if self.most == 0:", "    return None"],
        ["sizes = SIZES.get(major, {})", "if world not in sizes:", "    return None"],
        ["sizes = SIZES.get(major) or {}", "if len(sizes) == 0:", "    return None"],
        ["sizes = SIZES.get(major, ())", "if not len(sizes):", "    return None"],
    ],
)
def test_an_empty_default_of_another_table_guards(lines: list[str]) -> None:
    text = TABLE.replace(
        "def size(world):", "WORLDS = {9: {4}, 10: {4, 6}}\n\nclass Group: ...\n\ndef size(self: Group, world):"
    )
    rows = rows_of(text + "".join(f"    {line}\n" for line in [*lines, "return WORLDS[major]"]))
    assert {r.name: r.verdict("sm120") for r in rows if r.kind == "table"} == {
        "SIZES": "fallback",
        "WORLDS": "excluded",
    }
