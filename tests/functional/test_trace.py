"""`codepath trace`: the example server's own failures, and small trees that fail in one way each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from codepath.cli.root import root
from tests.functional.running import EXAMPLE, Program, validator, write

LOGS = EXAMPLE / "logs"
HOOK = "get_layout_config"


def places(cause: dict[str, Any], key: str = "evidence") -> list[str]:
    return [f"{e['file'].rpartition('/')[2]}:{e['line']}" for e in cause[key]]


def traced(folder: Path, files: dict[str, str], log: str, *words: str) -> dict[str, Any]:
    """Return the answer about a log of a tree that is written now; `{line:TEXT}` in the log is where a text stands."""
    content: dict[str, str | bytes] = {**files}
    write(folder, content)
    program = Program(folder, folder.parent / f"{folder.name}-cache")
    (folder / "log.txt").write_text(log, encoding="utf-8")
    return program.document("trace", "log.txt", *words)


def log_of(files: dict[str, str], frames: list[tuple[str, str, str]], raised: str, root: str = "/srv/app/") -> str:
    """Return a traceback through lines of files, each given as (file, function, source line)."""
    rows = ["Traceback (most recent call last):"]
    for file, function, text in frames:
        lines = [line.strip() for line in files[file].splitlines()]
        rows += [f'  File "{root}{file}", line {lines.index(text) + 1}, in {function}', f"    {text}"]
    return "\n".join([*rows, raised, ""])


# --- the example server --------------------------------------------------------------------------------------------------


def test_the_whole_log(example: Program) -> None:
    found = example.document("trace", "logs/start_failure_full.log")
    assert (found["status"], found["exception"], found["message"]) == ("matched", "AssertionError", "")
    assert all(f["match"] == "exact" for f in found["frames"])
    assert found["frames"][-1]["place"]["function"] == "mini_server.layout.route.RouteInfo.init_new"
    assert found["failing_expression"] == "layout is not None"
    assert {"name": "model", "value": "WrappedForCausalLM", "source": "the log"} in found["assumed"]
    first = found["causes"][0]
    assert (first["rank"], first["kind"], first["certain"]) == (1, "missing-hook", True)
    assert first["claim"].startswith(f"`WrappedForCausalLM` has no `{HOOK}`")
    assert {"wrapped.py:28", "expert_layout.py:22", "expert_layout.py:25", "model_runner.py:51", "route.py:22"} <= set(
        places(first)
    )
    assert "wrapped.py:28" in places(first, "fix_places")
    assert ["hooks", HOOK, "--missing"] in first["commands"]


def test_the_last_lines_cut_off_in_a_path(example: Program) -> None:
    found = example.document("trace", "logs/start_failure.log")
    assert (found["exception"], found["starts"]) == (None, False)
    assert [f["match"] for f in found["frames"]][-1] == "cut"
    first = found["causes"][0]
    assert first["kind"] == "missing-hook"
    assert not first["certain"]
    assert "`WrappedForCausalLM` has no `get_layout_config`" in [e["reason"] for e in first["evidence"]]
    named = example.document("trace", "logs/start_failure.log", "--assume", "model=WrappedForCausalLM")
    assert named["causes"][0]["claim"].startswith(f"`WrappedForCausalLM` has no `{HOOK}`")


def test_a_model_that_has_the_hook_is_not_blamed(example: Program) -> None:
    found = example.document("trace", "logs/start_failure_full.log", "--assume", "model=NextForCausalLM")
    assert not found["causes"][0]["claim"].startswith("`NextForCausalLM` has no")


def test_text_starts_with_the_answer(example: Program) -> None:
    lines = example.text("trace", "logs/start_failure_full.log").splitlines()
    assert lines[0].startswith(f"`WrappedForCausalLM` has no `{HOOK}`")
    assert any(line.startswith("next: codepath hooks") for line in lines)
    cut = example.text("trace", "logs/start_failure.log")
    assert "cut off" in cut
    assert "The exception's own line is not in the log." in cut


def test_from_standard_input(example: Program) -> None:
    text = (LOGS / "start_failure_full.log").read_text(encoding="utf-8")
    environment = {"CODEPATH_CACHE_DIR": str(example.cache), "CODEPATH_WORKERS": "1"}
    words = ["trace", "-", "--format", "json", "--source", str(EXAMPLE)]
    result = CliRunner().invoke(root, [*words, "-q"], input=text, env=environment)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    validator("trace").validate(document)
    assert document["exception"] == "AssertionError"


# --- logs that say little --------------------------------------------------------------------------------------------------


def test_no_traceback(example: Program, tmp_path: Path) -> None:
    log = tmp_path / "quiet.log"
    log.write_text("loading\nKilled\n", encoding="utf-8")
    assert example.document("trace", str(log))["status"] == "no-traceback"
    assert example.text("trace", str(log)).startswith("No traceback in 2 lines.")


def test_another_project(example: Program, tmp_path: Path) -> None:
    log = tmp_path / "other.log"
    log.write_text('Traceback (most recent call last):\n  File "/x/other/a.py", line 3, in f\n    g()\nKeyError: 1\n')
    assert example.document("trace", str(log))["status"] == "other-project"
    assert example.text("trace", str(log)).startswith("The log is not of this tree")


def test_a_hostile_log_forges_nothing(example: Program, tmp_path: Path) -> None:
    log = tmp_path / "hostile.log"
    evil = "\u202e\x1b[2J\x07::error::x"
    log.write_text(
        f'Traceback (most recent call last):\n  File "/a/mini_server/launch.py{evil}", line 3, in f{evil}\n'
        f'  File "/a/mini_server/launch.py", line 29, in <module>\n    main(){evil}\nValueError: {evil}\n',
        encoding="utf-8",
    )
    for text in (example.text("trace", str(log)), example.text("trace", str(log), "--all")):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\x07" not in text
        assert not any(line.startswith("::") for line in text.splitlines())
    example.document("trace", str(log))


def test_usage(example: Program) -> None:
    example.error("trace")
    example.error("trace", "log", "--absent", "text")
    example.error("trace", "--absent", " ")
    example.error("trace", "logs/start_failure.log", "--assume", "model")
    assert "cannot be read" in example.error("trace", "no-such.log")


def test_absent(example: Program) -> None:
    found = example.document("trace", "--absent", "the scheduler failed")
    (line,) = found["lines"]
    assert line["place"]["file"] == "mini_server/runtime/scheduler.py"
    assert line["level"] in ("error", "exception")
    assert example.text("trace", "--absent", "no such line").startswith("Nothing in this tree is seen to print")


# --- one failure each ------------------------------------------------------------------------------------------------------

TABLE = {
    "pkg/__init__.py": "",
    "pkg/sizes.py": "SIZES = {\n    9: {2: 1},\n    10: {2: 2},\n}\n",
    "pkg/comm.py": """\
from pkg.sizes import SIZES


class Comm:
    def __init__(self, size):
        self.capability = probe()[0]
        if self.capability < 9:
            return
        self.limit = SIZES[self.capability]


def probe():
    return (12, 0)


def main():
    Comm(2)


if __name__ == "__main__":
    main()
""",
}


def test_a_key_that_a_table_lacks(tmp_path: Path) -> None:
    frames = [("pkg/comm.py", "main", "Comm(2)"), ("pkg/comm.py", "__init__", "self.limit = SIZES[self.capability]")]
    found = traced(tmp_path / "t", TABLE, log_of(TABLE, frames, "KeyError: 12"))
    first = found["causes"][0]
    assert (first["kind"], first["certain"]) == ("arch-table", True)
    assert first["claim"] == "`SIZES` has no row for 12: its keys are 9, 10"
    assert places(first) == ["sizes.py:1", "comm.py:9", "comm.py:7", "comm.py:6"]
    assert "which lets it through" in first["evidence"][2]["reason"]


def test_a_row_that_lacks_a_key(tmp_path: Path) -> None:
    files = {
        **TABLE,
        "pkg/comm.py": TABLE["pkg/comm.py"].replace("SIZES[self.capability]", "SIZES[self.capability][size]"),
    }
    frames = [("pkg/comm.py", "__init__", "self.limit = SIZES[self.capability][size]")]
    found = traced(tmp_path / "t", files, log_of(files, frames, "KeyError: 7"))
    assert "SIZES" in found["causes"][0]["claim"]


CLASSES = {
    "pkg/__init__.py": "",
    "pkg/m.py": """\
class Base:
    def run(self):
        return self.go_on()


class One(Base):
    def go_on(self):
        return 1


class Two(Base):
    def go_onto(self):
        return 2


class Three(Base):
    def __init__(self, flag):
        if flag:
            self.extra = 1

    def go_on(self):
        return self.extra


def main(kind):
    x = kind()
    return x.run()


if __name__ == "__main__":
    main(One)
    main(Two)
    main(Three)
""",
}


def test_a_class_that_lacks_a_method(tmp_path: Path) -> None:
    frames = [("pkg/m.py", "main", "return x.run()"), ("pkg/m.py", "run", "return self.go_on()")]
    raised = "AttributeError: 'Two' object has no attribute 'go_on'"
    found = traced(tmp_path / "t", CLASSES, log_of(CLASSES, frames, raised))
    first = found["causes"][0]
    assert first["kind"] == "missing-hook"
    assert first["claim"].startswith("`Two` has no attribute `go_on`")
    assert "go_onto" in first["claim"]
    assert "m.py:11" in places(first)


def test_an_attribute_that_is_stored_only_sometimes(tmp_path: Path) -> None:
    frames = [("pkg/m.py", "run", "return self.go_on()"), ("pkg/m.py", "go_on", "return self.extra")]
    raised = "AttributeError: 'Three' object has no attribute 'extra'"
    found = traced(tmp_path / "t", CLASSES, log_of(CLASSES, frames, raised))
    first = found["causes"][0]
    assert (first["kind"], first["claim"]) == ("unset", "`Three.extra` is stored only where `flag`")
    assert "m.py:19" in places(first)


def test_a_method_that_lacks_a_parameter(tmp_path: Path) -> None:
    text = """\
class Base:
    def forward(self, x): ...


class Plain(Base):
    def forward(self, x): ...


class Mixed(Base):
    def forward(self, x, mixed=None): ...


def run(backend: Base):
    return backend.forward(1, mixed=2)
"""
    files = {"pkg/__init__.py": "", "pkg/s.py": text}
    log = log_of(files, [("pkg/s.py", "run", "return backend.forward(1, mixed=2)")], "")
    raised = "TypeError: Plain.forward() got an unexpected keyword argument 'mixed'"
    first = traced(tmp_path / "t", files, f"{log.rstrip()}\n{raised}\n")["causes"][0]
    assert first["claim"] == "`Plain.forward` takes no `mixed`, which 1 other definition of `forward` takes"
    assert places(first) == ["s.py:14", "s.py:6", "s.py:10"]


NONES = {
    "pkg/__init__.py": "",
    "pkg/v.py": """\
_state = None


def set_state(value):
    global _state
    _state = value


def make(flag):
    if flag:
        return [1]
    return None


def use():
    size = _state.size
    return size


def use_again():
    count = len(_state)
    for item in _state:
        print(item)
    return _state[0], count


def main():
    set_state(make(False))
    use()
    use_again()


if __name__ == "__main__":
    main()
""",
}


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        ("count = len(_state)", "TypeError: object of type 'NoneType' has no len()"),
        ("for item in _state:", "TypeError: 'NoneType' object is not iterable"),
        ("return _state[0], count", "TypeError: 'NoneType' object is not subscriptable"),
        ("size = _state.size", "AttributeError: 'NoneType' object has no attribute 'size'"),
    ],
)
def test_a_none_where_a_value_was_needed(tmp_path: Path, text: str, raised: str) -> None:
    first = traced(
        tmp_path / "t", NONES, log_of(NONES, [("pkg/v.py", "use" if "size" in text else "use_again", text)], raised)
    )["causes"]
    assert {c["kind"] for c in first} == {"none-flow"}
    assert any({"v.py:12", "v.py:6"} <= set(places(c)) for c in first)
    assert any(["values", "_state"] in c["commands"] for c in first)


NAMES = {
    "pkg/__init__.py": "",
    "pkg/n.py": """\
def choose(kind):
    if kind == "a":
        size = 1
    elif kind == "b":
        size = 2
    return size


def check(value):
    if value < 0:
        raise ValueError(f"{value} is negative")
    return TABLE[0]


TABLE = {}
choose("c")
check(-1)
""",
}


def test_a_name_that_nothing_has_bound(tmp_path: Path) -> None:
    raised = "UnboundLocalError: cannot access local variable 'size' where it is not associated with a value"
    found = traced(tmp_path / "t", NAMES, log_of(NAMES, [("pkg/n.py", "choose", "return size")], raised))
    first = found["causes"][0]
    assert first["kind"] == "unset"
    assert places(first) == ["n.py:6", "n.py:3", "n.py:5"]


def test_a_raise_under_a_guard(tmp_path: Path) -> None:
    frames = [("pkg/n.py", "check", 'raise ValueError(f"{value} is negative")')]
    found = traced(tmp_path / "t", NAMES, log_of(NAMES, frames, "ValueError: -1 is negative"))
    first = found["causes"][0]
    assert (first["kind"], first["claim"]) == ("guard", "`check` raises it on purpose, where `value < 0`")


def test_lines_that_have_moved(tmp_path: Path) -> None:
    log = log_of(
        NAMES, [("pkg/n.py", "check", 'raise ValueError(f"{value} is negative")')], "ValueError: -1 is negative"
    )
    moved = {**NAMES, "pkg/n.py": "# one\n# two\n" + NAMES["pkg/n.py"]}
    (frame,) = traced(tmp_path / "t", moved, log)["frames"]
    assert (frame["match"], frame["line"], frame["place"]["line"]) == ("moved", 11, 13)
    other = {**NAMES, "pkg/n.py": NAMES["pkg/n.py"].replace("is negative", "is below zero")}
    (frame,) = traced(tmp_path / "u", other, log)["frames"]
    assert (frame["match"], frame["place"]["function"]) == ("function", "pkg.n.check")


@pytest.mark.parametrize("root", ["/usr/lib/python3/site-packages/", "C:\\\\app\\\\", "", "./"])
def test_roots_of_other_machines(tmp_path: Path, root: str) -> None:
    log = log_of(NAMES, [("pkg/n.py", "choose", "return size")], "NameError: x", root)
    (frame,) = traced(tmp_path / "t", NAMES, log)["frames"]
    assert (frame["match"], frame["place"]["file"]) == ("exact", "pkg/n.py")


def test_a_file_of_an_installed_package_of_another_name(tmp_path: Path) -> None:
    log = log_of(NAMES, [("pkg/n.py", "choose", "return size")], "NameError: x", "/usr/site-packages/torch/")
    (frame,) = traced(tmp_path / "t", NAMES, log.replace("torch/pkg/n.py", "torch/n.py"))["frames"]
    assert frame["match"] == "outside"


def test_printed_settings_are_assumed(tmp_path: Path) -> None:
    files = {
        **NAMES,
        "pkg/conf.py": "from dataclasses import dataclass\n\n@dataclass\nclass RunConf:\n    tp: int = 1\n    path: str = ''\n",
    }
    log = "server_args=RunConf(tp=8, path='a,b(c', extra=[1, (2, 3)], flag=True)\n"
    log += log_of(files, [("pkg/n.py", "choose", "return size")], "NameError: x")
    found = traced(tmp_path / "t", files, log)
    values = {a["name"]: a["value"] for a in found["assumed"]}
    assert values == {"tp": "8", "path": "'a,b(c'", "extra": "[1, (2, 3)]", "flag": "True"}
    given = traced(tmp_path / "t", files, log, "--launch-args", "--tp 2 --lazy")["assumed"]
    assert {(a["name"], a["value"], a["source"]) for a in given} >= {
        ("tp", "2", "--launch-args"),
        ("lazy", "True", "--launch-args"),
    }


def test_several_ranks_count_as_one(tmp_path: Path) -> None:
    log = log_of(NAMES, [("pkg/n.py", "choose", "return size")], "NameError: x")
    ranks = "".join(f"[rank{n}]: {line}\n" for line in log.splitlines() for n in (0, 1, 2))
    found = traced(tmp_path / "t", NAMES, ranks)
    assert (found["log"]["tracebacks"], found["log"]["different"]) == (3, 1)
    assert len(found["log"]["streams"]) == 3


def test_the_root_of_a_chain_counts(tmp_path: Path) -> None:
    inner = log_of(NAMES, [("pkg/n.py", "choose", "return size")], "NameError: x")
    outer = log_of(NAMES, [("pkg/n.py", "check", "if value < 0:")], "RuntimeError: failed")
    between = "\nThe above exception was the direct cause of the following exception:\n\n"
    assert traced(tmp_path / "t", NAMES, inner + between + outer)["exception"] == "NameError"


def test_a_consequence_does_not_count_where_there_is_more(tmp_path: Path) -> None:
    first = log_of(NAMES, [("pkg/n.py", "check", "if value < 0:")], "EOFError")
    second = log_of(NAMES, [("pkg/n.py", "choose", "return size")], "NameError: x")
    assert traced(tmp_path / "t", NAMES, first + second)["exception"] == "NameError"
