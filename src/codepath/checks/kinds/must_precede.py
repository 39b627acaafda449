"""`must-precede`: in some functions one thing must run before another, on every path."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.bypasses import overridden
from codepath.analysis.skips import UNKNOWN
from codepath.checks.names import condition, conditions, holds, named, required
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree, Ordered
from codepath.model.answers import Place, Skip
from codepath.model.checks import Draft, Fact, Note


def _frames(settings: Settings, tree: CheckedTree) -> list[str]:
    found = list(required(tree, settings["in"]))
    if settings["subclasses"]:
        found += [name for method in tuple(found) for name in overridden(tree.graph, method)]
    return list(dict.fromkeys(found))


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    second = required(tree, settings["second"])
    first = named(tree, settings["first"])
    for frame in _frames(settings, tree):
        ordered = tree.order(frame, first, second)
        if ordered is not None and ordered.runs_second:
            yield from _judge(settings, tree, frame, ordered)


def _judge(settings: Settings, tree: CheckedTree, frame: str, ordered: Ordered) -> Iterator[Draft]:
    first, second = (_titles(settings[key]) for key in ("first", "second"))
    subject = (tree.short(frame), first, second)
    where = tree.short(frame)
    if not ordered.runs_first:
        place = tree.place(frame)
        if place is not None:
            yield Draft(f"{where} runs {second}, and nothing in it runs {first}", place, (*subject, "never"))
        return
    for context in ordered.contexts:
        notes = (Note(context.then_site, f"runs {second}"),)
        if context.verdict == "after":
            message = f"{first} runs after {second} in {where}"
            yield Draft(message, context.first_site, (*subject, "after"), notes=notes)
            return
        if context.verdict == "either":
            message = f"{first} can run after {second} in {where}"
            yield Draft(message, context.first_site, (*subject, "either"), notes=notes)
            return
        if context.verdict != "before" or not ordered.is_skipped:
            continue
        for skip in context.skips:
            if _is_told(skip) and not _is_excused(skip, settings["unless"]):
                text = " and ".join(conditions(skip))
                message = f"{second} runs without {first} in {where} when {text}"
                guards = tuple(Note(Place(g.file, g.line, 0, frame), f"`{condition(g)}`") for g in skip[:4])
                yield Draft(message, context.then_site, (*subject, text), notes=guards)


def _titles(patterns: tuple[str, ...]) -> str:
    return " or ".join(p.rpartition(".")[2].strip("*") or p for p in patterns)


def _is_told(skip: Skip) -> bool:
    return bool(conditions(skip)) and not any(g.text == UNKNOWN for g in skip)


def _is_excused(skip: Skip, unless: tuple[str, ...]) -> bool:
    return any(holds(condition(guard), pattern) for guard in skip for pattern in unless)


def _facts(settings: Settings, tree: CheckedTree) -> Iterator[Fact]:
    second, first = required(tree, settings["second"]), named(tree, settings["first"])
    title = " before ".join(_titles(settings[key]) for key in ("first", "second"))
    for frame in _frames(settings, tree):
        ordered = tree.order(frame, first, second)
        if ordered is not None and ordered.runs_second:
            place = ordered.contexts[0].then_site if ordered.contexts else tree.place(frame)
            verdict = ordered.verdict if ordered.runs_first else "first never runs"
            yield Fact("order", f"{title} in {tree.short(frame)}", (verdict,), place)


KIND = Kind(
    "must-precede",
    "One thing must have run before another, in each of some functions and on every path.",
    (
        Key("first", "texts", "what must run before: functions or an event, any of them", required=True),
        Key("second", "texts", "what must not run without it", required=True),
        Key("in", "texts", "the functions that are looked at, with all that they run", required=True),
        Key("subclasses", "flag", "whether overrides of these functions are looked at too"),
        Key("unless", "texts", "conditions under which the second may run without the first"),
    ),
    _find,
    _facts,
)
