"""`codepath family`, and what `values` says of attributes that are not set, on small trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program, write

_SOURCE = """\
class Root:
    def __init__(self):
        self.parameters = {}


class Big(Root):
    def __init__(self, settings, kind=None):
        super().__init__()
        self.settings = settings
        self.layers = [1, 2]
        self.use_index = settings.get("index")
        if kind == "tree" or kind == "hidden":
            self.drafter = make()

    def forward(self, x):
        return x + 1 if self.use_index else x

    def warm(self, kind):
        if kind == "tree" or kind == "plain" or kind == "hidden":
            self.drafter.run()
        return self.never


class Helper(Big):
    def __init__(self, settings):
        Root.__init__(self)
        self.settings = settings
        self.layers = [1]


class Options:
    kernel = None


_OPTIONS = Options()


def get_options():
    return _OPTIONS


class Runner:
    def __init__(self, kernel, is_draft=False):
        self.place = self.kernel
        self.kernel = kernel
        get_options().kernel = kernel


def make():
    return Runner("a"), Runner("b", is_draft=True)
"""


@pytest.fixture
def small(tmp_path: Path) -> Program:
    tree = tmp_path / "tree" / "app"
    tree.mkdir(parents=True)
    (tree / "models.py").write_text(_SOURCE, encoding="utf-8")
    return Program(tmp_path / "tree", tmp_path / "cache")


def test_what_a_class_loses(small: Program) -> None:
    document = small.document("family", "Helper")
    found = {(gap["kind"], gap["attribute"]): gap for gap in document["gaps"]}
    gap = found["override-gap", "use_index"]
    assert (gap["class"], gap["base"], gap["method"]) == ("app.models.Helper", "app.models.Big", "__init__")
    assert (gap["place"]["line"], gap["precision"]) == (16, "high")
    assert ("unset-read", "never") in found
    (member,) = document["members"]
    (replaced,) = member["replaced"]
    assert replaced["sets"] == ["drafter", "layers", "settings", "use_index"]


def test_the_family_of_a_base_holds_what_is_below(small: Program) -> None:
    document = small.document("family", "app.models.Root")
    assert [m["class"].rpartition(".")[2] for m in document["members"]] == ["Root", "Big", "Helper"]


def test_a_family_as_text(small: Program) -> None:
    text = small.text("family", "Helper")
    assert "LOST: " in text
    assert "Helper never sets `use_index`, which `forward` reads" in text
    assert "app/models.py:16" in text


def test_no_such_class(small: Program) -> None:
    assert "did you mean" in small.error("family", "Helpr")


def test_an_attribute_that_nothing_sets(small: Program) -> None:
    document = small.document("values", "Big.never")
    assert document["writers"] == []
    assert [(gap["kind"], gap["form"]) for gap in document["gaps"][:1]] == [("unset-read", "never")]
    assert "NEVER WRITTEN" in small.text("values", "Big.never")


def test_an_attribute_that_is_read_first(small: Program) -> None:
    document = small.document("values", "Runner.kernel")
    assert [gap["kind"] for gap in document["gaps"]] == ["order-contract"]
    assert document["gaps"][0]["place"]["line"] == 44


def test_under_which_conditions_it_is_used(small: Program) -> None:
    document = small.document("values", "Big.drafter", "--guards")
    assert [(use["what"], use["when"]) for use in document["uses"]] == [
        ("store", "kind == 'tree' or kind == 'hidden'"),
        ("run", "kind == 'tree' or kind == 'plain' or kind == 'hidden'"),
    ]
    assert [gap["kind"] for gap in document["gaps"]] == ["guard-mismatch"]
    assert "kind == 'plain'" in small.text("values", "Big.drafter", "--guards")


def test_which_instances_write_it(small: Program) -> None:
    document = small.document("values", "Options.kernel", "--instances")
    (one,) = document["instances"]
    assert (one["class"], one["flag"], one["shared"], one["holder"]) == (
        "app.models.Runner",
        "is_draft",
        True,
        "get_options()",
    )
    assert [place["line"] for place in one["passing"]] == [50]
    assert "every Runner writes it" in small.text("values", "Options.kernel", "--instances")


def test_conditions_of_nothing(small: Program) -> None:
    assert "nothing is seen to store or read" in small.error("values", "Big.absent", "--guards")


_CHOSEN = """\
import sys


class Worker:
    def __init__(self, kind):
        self.kind = kind
        self.usage = kind


class Alone(Worker):
    def __init__(self, kind):
        self.kind = kind


def width(worker):
    {before}
    return worker.usage


width(Alone(sys.argv) if sys.argv else Worker(1))
"""


@pytest.mark.parametrize(
    ("before", "precision"),
    [
        ("print(worker.kind)", "medium"),
        ("if not sys.argv: return", "medium"),
        ("if worker.kind.is_alone(): return None", "low"),
        ("if sys.argv and not worker.kind: return None", "low"),
        ("if not worker.usage: return None", "medium"),
    ],
)
def test_a_read_that_first_asks_its_object_chooses_it(tmp_path: Path, before: str, precision: str) -> None:
    folder = write(tmp_path / "tree", {"app/__init__.py": "", "app/m.py": _CHOSEN.replace("{before}", before)})
    document = Program(folder, tmp_path / "cache").document("family", "Alone", "--all")
    assert [(g["attribute"], g["precision"]) for g in document["gaps"]] == [("usage", precision)]
