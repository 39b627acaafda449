"""`codepath trace`: what ran before a failure, what the settings of a run decide, and the GPU it ran on."""

from __future__ import annotations

from pathlib import Path

from tests.functional.test_trace import log_of, places, traced

ORDER = {
    "pkg/__init__.py": "",
    "pkg/state.py": """\
POOL = None


def set_pool(value):
    global POOL
    POOL = value


def get_pool():
    return POOL
""",
    "pkg/runner.py": """\
from pkg.state import get_pool, set_pool


class Runner:
    def __init__(self):
        self.load()
        self.device = "cuda"
        set_pool([1])
        self.warm()

    def load(self):
        self.place = self.device
        get_pool().append(2)

    def warm(self):
        get_pool().append(2)


def main():
    Runner()


if __name__ == "__main__":
    main()
""",
}
LOAD = ("pkg/runner.py", "__init__", "self.load()")


def test_an_attribute_that_is_stored_only_later(tmp_path: Path) -> None:
    frames = [("pkg/runner.py", "main", "Runner()"), LOAD, ("pkg/runner.py", "load", "self.place = self.device")]
    log = log_of(ORDER, frames, "AttributeError: 'Runner' object has no attribute 'device'")
    first = traced(tmp_path, ORDER, log)["causes"][0]
    assert (first["kind"], first["certain"]) == ("order", True)
    assert first["claim"].startswith("`Runner.device` is read before it is stored")
    assert "runner.py:7" in places(first)


def test_a_global_that_is_set_only_later(tmp_path: Path) -> None:
    lines = {
        **ORDER,
        "pkg/runner.py": ORDER["pkg/runner.py"].replace(
            "get_pool().append(2)\n\n    def warm", "get_pool().append(3)\n\n    def warm"
        ),
    }
    frames = [LOAD, ("pkg/runner.py", "load", "get_pool().append(3)")]
    log = log_of(lines, frames, "AttributeError: 'NoneType' object has no attribute 'append'")
    first = traced(tmp_path, lines, log)["causes"][0]
    assert first["kind"] == "order"
    assert "`POOL` is stored only later" in first["claim"]
    assert "runner.py:8" in places(first)
    assert first["commands"][0][0] == "order"


def test_a_global_that_was_set_before_is_not_blamed_on_its_first_value(tmp_path: Path) -> None:
    lines = {**ORDER, "pkg/runner.py": ORDER["pkg/runner.py"].replace("set_pool([1])", "set_pool(pick())")}
    lines["pkg/runner.py"] += "\n\ndef pick(kind=0):\n    if kind:\n        return [kind]\n    return None\n"
    frames = [("pkg/runner.py", "__init__", "self.warm()"), ("pkg/runner.py", "warm", "get_pool().append(2)")]
    log = log_of(lines, frames, "AttributeError: 'NoneType' object has no attribute 'append'")
    log = log.replace("line 13, in warm", "line 16, in warm")
    first, *others = traced(tmp_path, lines, log)["causes"]
    assert first["kind"] == "none-flow"
    assert any("`Runner.__init__` calls `set_pool` before this" in e["reason"] for e in first["evidence"])
    assert all("the initial value" not in first["claim"] for _ in others)


NAMES = {
    "pkg/__init__.py": "",
    "pkg/kernel.py": """\
FAST = False
if FAST:
    import fastlib
try:
    import otherlib
except ImportError:
    pass


def run():
    return fastlib.go()


def other():
    return otherlib.go()


def nothing():
    return nowhere
""",
}


def test_a_name_that_a_module_binds_under_a_condition(tmp_path: Path) -> None:
    log = log_of(NAMES, [("pkg/kernel.py", "run", "return fastlib.go()")], "NameError: name 'fastlib' is not defined")
    first = traced(tmp_path, NAMES, log)["causes"][0]
    assert (first["kind"], first["claim"]) == ("unset", "`fastlib` is bound only where `FAST`")
    assert "kernel.py:3" in places(first)


def test_a_name_that_a_failed_import_leaves_unbound(tmp_path: Path) -> None:
    frames = [("pkg/kernel.py", "other", "return otherlib.go()")]
    first = traced(tmp_path, NAMES, log_of(NAMES, frames, "NameError: name 'otherlib' is not defined"))["causes"][0]
    assert first["claim"] == "`otherlib` is bound only where nothing in the `try` of line 4 raised"


def test_a_name_that_nothing_binds(tmp_path: Path) -> None:
    frames = [("pkg/kernel.py", "nothing", "return nowhere")]
    first = traced(tmp_path, NAMES, log_of(NAMES, frames, "NameError: name 'nowhere' is not defined"))["causes"][0]
    assert first["claim"] == "nothing binds `nowhere` in `pkg.kernel`"


GPU = {
    "pkg/__init__.py": "",
    "pkg/gpu.py": """\
import torch

SIZES = {9: 64, 10: 128}


def limits(capability):
    major, minor = capability
    if major == 8:
        return 4
    elif major == 9:
        return 8
    else:
        raise ValueError(f"no limits for {major}.{minor}")


def size():
    major = torch.cuda.get_device_capability()[0]
    return SIZES[major]


def main():
    return limits(torch.cuda.get_device_capability()), size()


if __name__ == "__main__":
    main()
""",
}
RAISES = ("pkg/gpu.py", "limits", 'raise ValueError(f"no limits for {major}.{minor}")')


def test_a_branch_that_leaves_an_architecture_out(tmp_path: Path) -> None:
    log = log_of(GPU, [RAISES], "ValueError: no limits for 12.0")
    first = traced(tmp_path, GPU, log)["causes"][0]
    assert (first["kind"], first["certain"]) == ("arch-table", True)
    assert first["claim"] == "`limits` fails on sm120: it takes sm89 and sm90"
    assert ["arch", "--target", "sm120"] in first["commands"]


def test_the_device_tells_the_architecture(tmp_path: Path) -> None:
    log = "gpu 0: NVIDIA RTX PRO 6000 Blackwell\n" + log_of(GPU, [RAISES], "ValueError: no limits")
    assert traced(tmp_path, GPU, log)["causes"][0]["claim"].startswith("`limits` fails on sm120:")
    first = traced(tmp_path, GPU, log_of(GPU, [RAISES], "ValueError: no limits"), "--assume", "gpu=sm103")["causes"][0]
    assert first["claim"].startswith("`limits` fails on sm103:")


def test_a_key_of_which_nothing_else_is_left(tmp_path: Path) -> None:
    found = traced(tmp_path, GPU, "went down\nKeyError: 12\n")
    assert (found["status"], found["causes"][0]["kind"]) == ("matched", "arch-table")
    assert found["causes"][0]["claim"].startswith("`SIZES` has no row for sm120 and sm121")


def test_a_line_of_another_version_without_its_text(tmp_path: Path) -> None:
    log = 'Traceback (most recent call last):\n  File "/srv/pkg/gpu.py", line 9, in limits\nValueError: no limits for 12.0\n'
    assert traced(tmp_path, GPU, log)["failing_place"]["line"] == 13


BELOW = {
    "pkg/__init__.py": "",
    "pkg/step.py": """\
class Step:
    def __init__(self, fast):
        self.fast = fast

    def go(self, x):
        if self.fast:
            quick(x)
        slow(x)


def quick(x):
    assert x.rows > 1


def slow(x):
    assert x.rows > 2


def main(flags):
    step = Step(flags.fast)
    step.go(flags)


if __name__ == "__main__":
    main(None)
""",
}


def test_what_is_assumed_rules_out_a_cause(tmp_path: Path) -> None:
    log = log_of(BELOW, [("pkg/step.py", "main", "step.go(flags)")], "")
    before = traced(tmp_path, BELOW, log)["causes"]
    assert [c["claim"] for c in before] == ["`assert x.rows > 1` fails", "`assert x.rows > 2` fails"]
    after = traced(tmp_path, BELOW, log, "--assume", "fast=False")["causes"]
    assert after[0]["claim"] == "`assert x.rows > 2` fails"
    assert after[1]["claim"].endswith("(but `self.fast` does not hold in this run)")
    assert [g["value"] for g in after[1]["guards"]] == ["false"]
