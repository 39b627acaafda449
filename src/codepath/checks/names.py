"""Patterns of names and conditions in rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from codepath.checks.schema import IdleError
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Guard

_NAME = re.compile(r"(not )?[\w.]+(\(\))?")


@lru_cache(maxsize=256)
def _regex(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", pattern)
    return re.compile("".join(".*" if p == "**" else "[^.]*" if p == "*" else re.escape(p) for p in parts))


def fits(name: str, pattern: str) -> bool:
    """Tell whether a dotted name, or its end from some dot on, is of a pattern."""
    if "*" not in pattern:
        return name == pattern or name.endswith(f".{pattern}")
    regex = _regex(pattern)
    return regex.fullmatch(name) is not None or any(
        regex.fullmatch(name, found.end()) is not None for found in re.finditer(r"\.", name)
    )


def condition(guard: Guard) -> str:
    """Return a guard as the condition that holds where its step runs."""
    if guard.polarity:
        return guard.text
    if guard.text.startswith("not ") and _NAME.fullmatch(guard.text):
        return guard.text[4:]
    return f"not {guard.text}" if _NAME.fullmatch(guard.text) else f"not ({guard.text})"


def conditions(guards: Iterable[Guard]) -> tuple[str, ...]:
    """Return the conditions of guards, sorted; loops, that nothing was raised, who chose a callee and constants are none."""
    return tuple(sorted({condition(g) for g in guards if _is_condition(g)}))


def implied(guards: Iterable[Guard]) -> tuple[str, ...]:
    """Return the conditions of guards, and the parts of `and` and `or` that must hold with them, sorted."""
    found = {part for guard in guards if _is_condition(guard) for part in (condition(guard), *_parts(guard))}
    return tuple(sorted(found))


def _parts(guard: Guard) -> Iterator[str]:
    if " and " not in guard.text and " or " not in guard.text:
        return
    try:
        yield from _must_hold(guard.text, ast.parse(guard.text, mode="eval").body, guard.polarity)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # a cut text, or one made to be hostile: what is whole counts as it stands


def _must_hold(text: str, node: ast.expr, polarity: bool) -> Iterator[str]:
    """Yield the conditions that hold where an expression is true, or false."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _must_hold(text, node.operand, not polarity)
    elif isinstance(node, ast.BoolOp):
        for value in node.values if isinstance(node.op, ast.And) == polarity else ():
            yield from _must_hold(text, value, polarity)
    else:
        part = ast.get_source_segment(text, node) or ""
        yield part if polarity else negated(part)


def _is_condition(guard: Guard) -> bool:
    if guard.kind in ("try", "for") or guard.choice or guard.text in ("True", "1"):
        return False
    return guard.polarity or not guard.text.startswith("except")


def negated(text: str) -> str:
    """Return the opposite of a condition."""
    if text.startswith("not (") and text.endswith(")"):
        return text[5:-1]
    if text.startswith("not ") and _NAME.fullmatch(text):
        return text[4:]
    return f"not {text}" if _NAME.fullmatch(text) else f"not ({text})"


def holds(found: str, wanted: str) -> bool:
    """Tell whether a condition is of a pattern: the same text, the end of a dotted name, or with `*` for any text."""
    if found == wanted:
        return True
    if "*" in wanted:
        return re.fullmatch(".*".join(map(re.escape, wanted.split("*"))), found) is not None
    negated, plain = wanted.startswith("not "), wanted.removeprefix("not ")
    if found.startswith("not ") != negated or not _NAME.fullmatch(found) or not _NAME.fullmatch(wanted):
        return False
    return found.removeprefix("not ").endswith(f".{plain}")


def named(tree: CheckedTree, patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the functions, or those of the event, that any of some patterns means, each once."""
    found = (name for pattern in patterns for name in tree.events(pattern) or tree.functions(pattern))
    return tuple(dict.fromkeys(found))


def required(tree: CheckedTree, patterns: Iterable[str]) -> tuple[str, ...]:
    """Return what `named` does.

    Raises:
        IdleError: There is nothing of these names.
    """
    patterns = tuple(patterns)
    found = named(tree, patterns)
    if not found:
        raise IdleError(f"nothing in this tree is called {' or '.join(f'`{p}`' for p in patterns)}")
    return found


def stable(tree: CheckedTree, function: str) -> str:
    """Return a function's name for fingerprints: without its module, and "" for the code of a module itself."""
    row = tree.graph.function(function)
    return "" if row is not None and row.kind == "module" else tree.short(function)
