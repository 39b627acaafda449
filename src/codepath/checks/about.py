"""Which rules have to do with some functions: those that name them, and those about what they store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codepath.checks.names import fits
from codepath.checks.schema import IdleError, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Rule
from codepath.model.values import Writer


def about(rules: Sequence[Rule], symbols: tuple[str, ...], tree: CheckedTree) -> list[Rule]:
    """Return the rules that have to do with some functions, and one that watches these.

    A rule about a variable has to do with the functions that store it, and one about an attribute that classes must have with
    those whose value is None where the attribute is lacking.
    """
    watching = {"function": symbols, "aspects": ("guards", "paths"), "except": ()}
    watched = Rule("watched", "unchanged", "warning", "high", "A watched function.", "", "any", (watching,), "")
    stores = [writer for rule in rules for writer in _stores(rule, symbols, tree)]
    passing = {hop.place.function for writer in stores for hop in writer.none_chain}
    told = [
        rule
        for rule in rules
        if rule.kind != "unchanged"
        and (
            any(_names(rule, symbol) for symbol in symbols)
            or any(True for _ in _stores(rule, symbols, tree))
            or _is_asked_in(rule, passing, tree)
        )
    ]
    return [*told, watched]


def _names(rule: Rule, symbol: str) -> bool:
    values = [value for table in rule.tables for value in table.values()]
    texts = [text for value in values if isinstance(value, tuple) for text in value]
    return any(fits(text, symbol) or fits(symbol, text) for text in texts)


def _texts(table: Settings, key: str) -> tuple[str, ...]:
    found = table.get(key)
    return found if isinstance(found, tuple) else ()


def _stores(rule: Rule, symbols: Sequence[str], tree: CheckedTree) -> Iterable[Writer]:
    """Yield the stores of a rule's variables by some functions."""
    for variable in (name for table in rule.tables for name in _texts(table, "variable")):
        try:
            answer = tree.values(variable, unset=False)
        except IdleError:
            continue
        for writer in answer.writers if answer is not None else ():
            if any(
                fits(name, symbol) for name in (writer.through, writer.place.function) if name for symbol in symbols
            ):
                yield writer


def _is_asked_in(rule: Rule, functions: Iterable[str], tree: CheckedTree) -> bool:
    """Tell whether an attribute that a rule demands is looked up in one of some functions."""
    functions = frozenset(functions)
    hooks = [(h, str(t.get("within", ""))) for t in rule.tables for h in _texts(t, "hook")] if functions else []
    answers = (tree.hooks.one(hook, "", within) for hook, within in hooks)
    return any(
        lookup.place.function in functions for answer in answers if answer is not None for lookup in answer.lookups
    )
