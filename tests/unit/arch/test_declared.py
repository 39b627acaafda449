"""What code declares to be supported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program, write

_CONFIG = """
[[requirements]]
function = "kernels.registry.flags"
argument = "majors"
of = "major"

[[requirements]]
function = "kernels.registry.supported"
argument = 0
of = "sm"
missing = "excluded"

[[requirements]]
function = "kernels.registry.register"
argument = "min_sm"
of = "sm"
form = "least"
"""
_REGISTRY = """
def flags(majors=None):
    return majors


def supported(numbers):
    return lambda function: function


def register(min_sm):
    return lambda function: function
"""
_USES = """
from kernels.registry import flags, register, supported


def communication():
    return flags(majors=[9, 10])


def every():
    return flags(majors=[9, 10, 12])


def sm103_only():
    return flags(majors=[10])


def commented():
    # SM12x is excluded here on purpose.
    return flags(majors=[9, 10])


def any_of_them():
    return flags(majors=None)


@supported([100, 103])
def decorated():
    return 1


@register(min_sm=90)
def newer():
    return 2
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("declared")
    files = {"kernels/__init__.py": "", "kernels/registry.py": _REGISTRY, "kernels/uses.py": _USES}
    write(folder / "tree", {**files, "codepath.toml": _CONFIG})
    return Program(folder / "tree", folder / "cache")


def _verdicts(program: Program, arch: str) -> dict[str, str]:
    tables = program.document("arch", "--target", arch)["tables"]
    return {t["name"].partition(":")[0]: t["verdicts"][arch] for t in tables}


def test_what_is_declared(program: Program) -> None:
    assert _verdicts(program, "sm120") == {
        "communication": "crash",
        "every": "covered",
        "sm103_only": "excluded",
        "commented": "excluded",
        "decorated": "excluded",
        "newer": "covered",
    }


def test_what_is_not_reached_by_the_least_one(program: Program) -> None:
    assert _verdicts(program, "sm89")["newer"] == "excluded"
    assert _verdicts(program, "sm100")["decorated"] == "covered"


def test_it_is_a_table_with_keys_and_a_place(program: Program, tmp_path: Path) -> None:
    tables = program.document("arch", "--target", "sm120")["tables"]
    row = next(t for t in tables if t["name"] == "communication: flags")
    assert (row["kind"], row["keys"], row["severity"]) == ("table", ["9", "10"], "error")
    assert (row["place"]["file"], row["place"]["line"]) == ("kernels/uses.py", 6)
    assert row["reasons"]["sm120"] == "raises: only 9, 10 are declared"
