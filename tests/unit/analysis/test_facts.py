"""What blocks a path, kind by kind: each program runs into `target`, so none of its paths may be blocked."""

from __future__ import annotations

import pytest

from tests.property.asking import Answers

HEAD = "def target():\n    pass\n\n\n"

RUNS = {
    "`is` asks for the very object, `==` for an equal one": """\
def run(flag):
    if flag is False:
        return
    target()


def main():
    run(0)
""",
    "a function inside may bind a local name again": """\
def run(flag):
    def change():
        nonlocal flag
        flag = True
    change()
    if flag:
        target()


def main():
    run(False)
""",
    "an attribute is passed on as it is at the call, not as it was at the start": """\
class Base:
    def __init__(self, flag):
        if flag:
            target()


class Sub(Base):
    def __init__(self, flag):
        self.flag = flag
        super().__init__(self.flag)


class Lowest(Sub):
    def __init__(self):
        self.flag = False
        super().__init__(not self.flag)


def main():
    Lowest()
""",
    "a local keeps what an attribute was when it was bound": """\
class Runner:
    def __init__(self):
        self.flag = True
        before = self.flag
        self.flag = False
        self.go(before)

    def go(self, flag):
        if flag:
            target()


def main():
    Runner()
""",
    "a context manager may swallow what is raised under it": """\
from contextlib import suppress


def main():
    run(True)


def run(flag):
    with suppress(ValueError):
        if flag:
            raise ValueError
    target()
""",
    "the `else` of a loop is passed over by `break`": """\
def main():
    run(True)


def run(flag):
    while flag:
        break
    else:
        if flag:
            return
    target()
""",
}


@pytest.mark.parametrize("kind", RUNS)
def test_what_runs_is_not_blocked(kind: str) -> None:
    paths = Answers(HEAD + RUNS[kind]).reach("m.target").paths
    assert paths
    assert {path.feasible for path in paths} == {"open"}
