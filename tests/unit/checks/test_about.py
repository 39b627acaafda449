"""Rules that have to do with a function: they name it, or are about what it stores and why that can be None."""

from __future__ import annotations

from textwrap import dedent

from codepath.app.rule_tests import in_memory
from codepath.checks.about import about
from codepath.checks.rules import read_rule
from codepath.model.checks import Rule

_TEXT = dedent("""
    _layout = None


    class Small: ...


    class Large:
        @classmethod
        def rows_of(cls):
            return 1


    MODELS = {"small": Small, "large": Large}


    def made(name):
        cls = MODELS[name]
        if hasattr(cls, "rows_of"):
            return cls.rows_of()
        return None


    def set_layout(value):
        global _layout
        _layout = value


    def start(name):
        set_layout(made(name))


    def other(): ...
""")


def _rule(name: str, kind: str, settings: str) -> Rule:
    head = f'id = "{name}"\nkind = "{kind}"\nseverity = "error"\nsummary = "s"\n\n[{kind}]\n'
    return read_rule((head + settings).encode(), f"{name}/rule.toml", name)


_RULES = (
    _rule("layout", "never-none", 'variable = ["_layout"]\n'),
    _rule("rows", "hook-required", 'hook = ["rows_of"]\n'),
    _rule("reach", "never-reach", 'from = ["other"]\nto = ["set_layout"]\n'),
)


def _told(symbol: str) -> list[str]:
    with in_memory({"m.py": _TEXT}) as tree:
        return [rule.id for rule in about(_RULES, (symbol,), tree.checked(()))]


def test_what_a_setter_stores_and_why_it_is_none() -> None:
    assert _told("set_layout") == ["layout", "rows", "reach", "watched"]


def test_a_function_that_a_rule_names() -> None:
    assert _told("other") == ["reach", "watched"]
