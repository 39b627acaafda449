"""Who has an attribute that is looked up by name, and what happens where it is missing."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codepath.analysis.hooks import Hooks
from codepath.model.hooks import Holder, HookAnswer
from codepath.program.hook_facts import HookFacts
from tests.support import graph_of


def answer(hook: str, **files: str) -> HookAnswer:
    """Ask about a hook of modules by name."""
    graph = graph_of({f"{name}.py": dedent(text) for name, text in files.items()})
    found = Hooks(HookFacts(graph, ()), lambda function, attribute: None).one(hook)
    assert found is not None
    return found


def holders(found: HookAnswer) -> dict[str, bool | None]:
    return {c.cls.rpartition(".")[2]: c.has for c in found.classes}


def holder(found: HookAnswer, name: str) -> Holder:
    return next(c for c in found.classes if c.cls.endswith(f".{name}"))


def if_missing(body: str) -> tuple[str, str, int]:
    """Return what happens where `x.hook` is missing in a function of `x`, an instance of `A`."""
    text = "class A:\n    pass\n\nclass B(A):\n    hook = 1\n\ndef f(x: A):\n" + "".join(
        f"    {line}\n" for line in dedent(body).strip().splitlines()
    )
    (lookup,) = (one for one in answer("hook", m=text).lookups if one.style != "call")
    where = lookup.missing_place.line - 7 if lookup.missing_place is not None else 0
    return lookup.if_missing, lookup.missing, where


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if hasattr(x, 'hook'):\n    return 1\nelse:\n    return None", ("other-branch", "return None", 4)),
        ("if hasattr(x, 'hook'):\n    print(x)", ("skipped", "", 0)),
        ("if not hasattr(x, 'hook'):\n    raise ValueError('no')\nreturn 1", ("raises", "ValueError(...)", 2)),
        ("if hasattr(x, 'hook'):\n    return 1\nreturn 2", ("other-branch", "return 2", 3)),
        ("if x and hasattr(x, 'hook'):\n    print(1)\nelif x:\n    print(2)", ("other-branch", "", 3)),
        ("assert hasattr(x, 'hook')", ("raises", "AssertionError", 1)),
        ("return x.hook if hasattr(x, 'hook') else 0", ("default", "0", 1)),
        ("return getattr(x, 'hook', None)", ("default", "None", 1)),
        ("return getattr(x, 'hook')", ("raises", "AttributeError", 1)),
        ("for y in [x]:\n    if not hasattr(x, 'hook'):\n        continue\n    print(1)", ("skipped", "continue", 3)),
        ("try:\n    return x.hook\nexcept AttributeError:\n    return 0", ("other-branch", "return 0", 4)),
        ("try:\n    x.hook\nexcept (KeyError, AttributeError):\n    pass", ("skipped", "", 3)),
        ("try:\n    x.hook\nexcept AttributeError:\n    raise TypeError", ("raises", "TypeError", 4)),
    ],
)
def test_what_happens_where_it_is_missing(body: str, expected: tuple[str, str, int]) -> None:
    assert if_missing(body) == expected


FAMILY = """
    class Base:
        def known(self): ...

    class Has(Base):
        def hook(self): ...

    class Inherits(Has):
        pass

    class Lacks(Base):
        pass

    class Sets(Base):
        def __init__(self):
            self.hook = 1

    class Annotates(Base):
        hook: int

    class Asks(Base):
        def __getattr__(self, name):
            return getattr(self.inner, name)
"""


def test_a_family_asked_on_an_instance() -> None:
    found = answer("hook", m=FAMILY + "\n    def f(x: Base):\n        return hasattr(x, 'hook')\n")
    expected = {"Base": False, "Has": True, "Inherits": True, "Lacks": False, "Sets": True, "Annotates": False}
    assert holders(found) == {**expected, "Asks": None}
    assert [one.on for one in found.lookups] == ["instance"]
    provider = holder(found, "Inherits").provider
    assert provider is not None
    assert (provider.cls, provider.how) == ("m.Has", "method")
    provider = holder(found, "Sets").provider
    assert provider is not None
    assert provider.how == "instance"
    assert "__getattr__" in holder(found, "Asks").why
    assert (found.have, found.lack, found.unknown) == (3, 3, 1)


def test_instance_attributes_do_not_count_on_a_class() -> None:
    text = FAMILY + "\n    def f(x: type[Base]):\n        return hasattr(x, 'hook')\n"
    found = answer("hook", m=text)
    assert found.lookups[0].on == "class"
    assert holders(found)["Sets"] is False
    assert holders(found)["Asks"] is False
    assert holders(found)["Has"] is True


def test_a_field_of_a_dataclass_is_an_attribute_of_its_instances() -> None:
    text = """
        from dataclasses import dataclass

        @dataclass
        class Args:
            hook: int

        def f(x: Args):
            return getattr(x, "hook", 0)
    """
    assert holders(answer("hook", m=text)) == {"Args": True}


def test_abstract_classes_are_no_receivers() -> None:
    text = """
        from abc import ABC, abstractmethod

        class Base(ABC):
            @abstractmethod
            def run(self): ...

        class One(Base):
            def run(self): ...
            @property
            def hook(self): ...

        class Two(Base):
            def run(self): ...

        def f(x: Base):
            return getattr(x, "hook", None)
    """
    found = answer("hook", m=text)
    assert holders(found) == {"One": True, "Two": False}
    provider = holder(found, "One").provider
    assert provider is not None
    assert provider.how == "property"


def test_a_plain_call_on_a_family_some_of_which_lack_it() -> None:
    found = answer("hook", m=FAMILY + "\n    def f(x: Base):\n        x.hook()\n")
    assert [(one.style, one.if_missing, one.place.line) for one in found.lookups] == [("call", "raises", 26)]
    assert holders(found)["Lacks"] is False


def test_a_call_behind_a_test_is_no_look_up_of_its_own() -> None:
    text = FAMILY + "\n    def f(x: Base):\n        if hasattr(x, 'hook'):\n            x.hook()\n"
    assert [one.style for one in answer("hook", m=text).lookups] == ["hasattr"]
    text = text.replace("hasattr(x, 'hook')", "callable(getattr(x, 'hook', None))")
    assert [one.style for one in answer("hook", m=text).lookups] == ["getattr-default"]


def test_a_name_from_a_table_of_constants() -> None:
    text = FAMILY + "\n    def f(x: Base):\n        return any(hasattr(x, n) for n in ('hook', 'other'))\n"
    assert [one.style for one in answer("hook", m=text).lookups] == ["hasattr"]


def test_an_unknown_receiver_is_met_by_name() -> None:
    found = answer("hook", m=FAMILY, n="def f(x):\n    return hasattr(x, 'hook')\n")
    assert "by the name of the attribute alone" in found.family
    assert "Base" in found.family
    assert {name for name, has in holders(found).items() if has} == {"Has", "Inherits", "Sets"}


def test_hooks_of_modules_are_left_out() -> None:
    graph = graph_of({"m.py": "import os\n\ndef f():\n    return hasattr(os, 'fork')\n"})
    facts = HookFacts(graph, ())
    assert facts.hooks == ()
    every = Hooks(facts, lambda function, attribute: None).every()
    assert every.hooks == ()


def test_a_plain_read_on_one_of_several_classes() -> None:
    text = """
        class One:
            def go(self): ...

        class Two:
            def come(self): ...

        class Three:
            def go(self): ...

        def f(flag):
            x = One() if flag else Two()
            x.go()
            y = One() if flag else Three()
            y.go()
    """
    found = answer("go", m=text)
    assert [(one.style, one.place.line) for one in found.lookups] == [("call", 13)]
    assert holders(found) == {"One": True, "Two": False}
