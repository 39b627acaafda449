"""A method that a call on `self` runs is that of the class that was made, on paths and in orders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program, solved

SOURCE = """\
def target():
    pass


def capture():
    pass


class Runner:
    def __init__(self, **options):
        self.options = options
        self.initialize()
        capture()

    def initialize(self):
        target()


class Stub(Runner):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)

    def initialize(self):
        pass


class Worker:
    def __init__(self, size):
        self.size = size
        self.make()

    def make(self):
        self.runner = Runner()


class StubWorker(Worker):
    def make(self):
        self.runner = Stub()


def plain():
    Worker(1)


def stub():
    StubWorker(1)


def main(flag):
    if flag:
        stub()
    else:
        plain()


if __name__ == "__main__":
    main(True)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Program:
    return solved(tmp_path, {"app.py": SOURCE})


def test_no_path_takes_the_method_of_another_class(tree: Program) -> None:
    paths = tree.document("reach", "app.target", "--from", "app.main", "--all")["paths"]
    ways = [[step["callee"] for step in path["steps"]] for path in paths]
    assert ways == [
        [
            "app.plain",
            "app.Worker.__init__",
            "app.Worker.make",
            "app.Runner.__init__",
            "app.Runner.initialize",
            "app.target",
        ]
    ]


def test_a_subclass_that_bypasses_a_step_has_no_path(tree: Program) -> None:
    assert tree.document("reach", "app.target", "--from", "app.stub", "--all")["paths"] == []


def test_the_order_of_a_subclass_is_its_own(tree: Program) -> None:
    document = tree.document("reach", "app.target", "--from", "app.plain", "--event", "app.capture")
    assert [one["verdict"] for path in document["paths"] for one in path["order"]] == ["before"]
