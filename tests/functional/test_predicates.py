"""Guards that ask a function, a method or a property that chooses a constant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.functional.running import Program, write

RUN = """\
ROLE = "target"


def is_draft(role, forced=False):
    if forced:
        return True
    kind = role
    return kind == "draft"


def load():
    pass


class Runner:
    def __init__(self, role):
        self.role = role
        self.start()

    def is_other(self, role):
        return self.role != role

    @property
    def is_alone(self):
        if self.is_other("target"):
            return True
        return is_draft(self.role, forced=False)

    def start(self):
        self.by_function()
        self.by_method()
        self.by_property()

    def by_function(self):
        if is_draft(self.role):
            load()

    def by_method(self):
        if self.is_other("draft"):
            return
        load()

    def by_property(self):
        if self.is_alone:
            load()


{more}
if __name__ == "__main__":
    Runner("target")
"""
BELOW = """\
class Special(Runner):
    def is_other(self, role):
        return False


def make(cls):
    return cls("target")


def patched():
    runner = make(Special)
    runner.is_draft = lambda role: True


"""


def verdicts(folder: Path, more: str = "") -> dict[str, str]:
    """Return by the function that calls the target whether the path through `Runner("target")` is blocked."""
    tree = write(folder / "tree", {"run.py": RUN.replace("{more}", more)})
    program = Program(tree, folder / "cache")
    program.run("index")
    answer: dict[str, Any] = program.document("reach", "load", "--all")
    last = ((path["steps"][-1]["caller"].rpartition(".")[2], path["feasible"]) for path in answer["paths"])
    return {caller: "blocked" if verdict == "blocked" else "open" for caller, verdict in last}


def test_what_chooses_a_constant_is_followed(tmp_path: Path) -> None:
    assert verdicts(tmp_path) == {"by_function": "blocked", "by_method": "blocked", "by_property": "blocked"}


def test_nothing_is_said_where_another_may_stand_in_its_place(tmp_path: Path) -> None:
    found = verdicts(tmp_path, BELOW)
    assert found["by_function"] == "open"  # `is_draft` is stored on some object, which may be the module
