"""`never-none`: a variable in which None must never be stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codepath.analysis.variables.question import is_initial
from codepath.analysis.variables.rules import never_none
from codepath.checks.names import condition, conditions, fits, holds, stable
from codepath.checks.schema import IdleError, Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place
from codepath.model.checks import Draft, Fact, Note
from codepath.model.values import ValuesAnswer, VariableFinding

_MAX_NOTES = 8


def answers(settings: Settings, tree: CheckedTree, *, unset: bool = False) -> Iterator[ValuesAnswer]:
    """Yield what is known of the variables of a rule, with `unset` also the ways to reads before any write.

    Raises:
        IdleError: The tree has none of them.
    """
    found = [answer for name in settings["variable"] if (answer := tree.values(name, unset=unset)) is not None]
    if not found:
        raise IdleError(f"no variable of this tree is called {' or '.join(f'`{v}`' for v in settings['variable'])}")
    yield from found


def draft(tree: CheckedTree, answer: ValuesAnswer, found: VariableFinding) -> Draft:
    """Return a finding about a variable as rules have it."""
    variable = tree.short(answer.variable)
    hops = tuple(Note(hop.place, hop.reason) for hop in found.hops[:_MAX_NOTES])
    cause = (stable(tree, found.hops[0].place.function), found.hops[0].reason) if found.hops else ()
    subject = (variable, stable(tree, found.place.function), *cause)
    return Draft(found.message.replace(answer.variable, variable), found.place, subject, notes=hops, steps=found.steps)


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    for answer in answers(settings, tree):
        needed = _needed(settings, answer)
        if settings["needed-in"] and not needed:
            continue
        notes = tuple(Note(place, "needs it whatever the configuration") for place in needed[:1])
        for found in never_none(answer):
            if not any(holds(condition(g), pattern) for g in found.guards for pattern in settings["unless"]):
                one = draft(tree, answer, found)
                yield replace(one, notes=(*notes, *one.notes))


def _needed(settings: Settings, answer: ValuesAnswer) -> list[Place]:
    """Return the reads in the functions of a rule that fail on None and stand under no condition."""
    reads = (r for r in answer.needed if any(fits(r.place.function, p) for p in settings["needed-in"]))
    return [read.place for read in reads if not conditions(read.guards)]


def _facts(settings: Settings, tree: CheckedTree) -> Iterator[Fact]:
    for answer in answers(settings, tree):
        variable = tree.short(answer.variable)
        for writer in answer.writers:
            if writer.how in ("store", "setter") and not is_initial(writer) and writer.may_be_none is not None:
                causes = sorted({f"{tree.short(c[0].place.function)}: {c[0].reason}" for c in writer.causes if c})
                where = tree.short(writer.place.function)
                values = tuple(causes) if writer.may_be_none else ()
                yield Fact("none", f"{variable} stored by {where}", values, writer.place)


KIND = Kind(
    "never-none",
    "A global or attribute in which None must never be stored.",
    (
        Key("variable", "texts", "the variables: module.name or Class.attribute", required=True),
        Key("unless", "texts", "conditions under which it may be None"),
        Key(
            "needed-in",
            "texts",
            "functions one of which must fail on None under no condition, for a store to count; each does where it is absent",
        ),
    ),
    _find,
    _facts,
)
