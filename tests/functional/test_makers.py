"""Objects of one class that were made with other functions: each runs its own."""

from __future__ import annotations

from pathlib import Path

from tests.functional.running import Program, write

DISPATCHER = """\
class Dispatcher:
    def __init__(self, pairs):
        self.table = dict(pairs)
        self.other = None

    def fall_back(self, run):
        self.other = run

    def __iadd__(self, more):
        self.table.update(more.table)
        return self

    def __call__(self, message):
        found = self.find(message)
        return found(message)

    def find(self, message):
        run = self.table[type(message)]
        run(message)
        return self.other


def target(message):
    pass


class B:
    def __init__(self):
        self.dispatch = Dispatcher([(int, self.on_b), (str, target)])

    def loop(self):
        self.dispatch(1)

    def on_b(self, message):
        pass


"""
OWN = """\
class A:
    def __init__(self):
        self.dispatch = Dispatcher([(int, self.on_a)])
{more}
    def loop(self):
        self.dispatch(1)

    def on_a(self, message):
        pass

    def others(self):
        return Dispatcher([(bool, target)])


if __name__ == "__main__":
    A().loop()
    B().loop()
"""


def starts(tmp_path: Path, more: str = "") -> set[str]:
    text = DISPATCHER + OWN.format(more=f"        {more}\n" if more else "")
    tree = Program(write(tmp_path / "tree", {"m.py": text}), tmp_path / "cache")
    paths = tree.document("reach", "m.target", "--all")["paths"]
    return {step["caller"] for path in paths if path["feasible"] != "blocked" for step in path["steps"]}


def test_a_function_that_another_object_was_made_with_is_not_run(tmp_path: Path) -> None:
    found = starts(tmp_path)
    assert "m.B.loop" in found
    assert "m.A.loop" not in found


def test_what_is_added_to_an_object_is_run(tmp_path: Path) -> None:
    assert "m.A.loop" in starts(tmp_path, "self.dispatch += self.others()")


def test_what_may_hold_anything_may_run_anything(tmp_path: Path) -> None:
    assert "m.A.loop" in starts(tmp_path, "self.dispatch = make()")


INHERITED = """\
def target():
    pass


class A:
    asks = False

    def __init__(self):
        if self.asks:
            target()


class B(A):
    asks = True


def main(): {call}


if __name__ == "__main__":
    main()
"""


def verdicts(tmp_path: Path, call: str) -> list[str]:
    tree = Program(write(tmp_path / call / "tree", {"m.py": INHERITED.format(call=call)}), tmp_path / "cache")
    return [path["feasible"] for path in tree.document("reach", "m.target", "--from", "main")["paths"]]


def test_a_class_that_inherits_its_constructor_keeps_its_own_attributes(tmp_path: Path) -> None:
    assert verdicts(tmp_path, "A()") == ["blocked"]
    assert verdicts(tmp_path, "B()") == ["open"]
