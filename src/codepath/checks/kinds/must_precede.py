"""`must-precede`: in some functions one thing must run before another, on every path."""

from __future__ import annotations

from collections.abc import Iterator, Set

from codepath.analysis.bypasses import overridden
from codepath.analysis.skips import UNKNOWN
from codepath.checks.names import condition, conditions, holds, named, negated, required
from codepath.checks.routes import shortest
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree, Ordered
from codepath.model.answers import Place, Skip
from codepath.model.checks import Draft, Fact, Note
from codepath.model.orders import OrderContext


def _frames(settings: Settings, tree: CheckedTree) -> list[str]:
    found = list(required(tree, settings["in"]))
    if settings["subclasses"]:
        found += [name for method in tuple(found) for name in overridden(tree.graph, method)]
    return list(dict.fromkeys(found))


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    second = required(tree, settings["second"])
    first = required(tree, settings["first"])
    ordered = {frame: tree.order(frame, first, second) for frame in _frames(settings, tree)}
    running = {frame: one for frame, one in ordered.items() if one is not None and one.runs_second}
    for frame, one in running.items():
        if not _leads(tree, frame, running.keys() - {frame}):
            yield from _judge(settings, tree, frame, one)


def _leads(tree: CheckedTree, frame: str, inner: Set[str]) -> bool:
    """Tell whether a frame runs another one in which the second runs: that is looked at, and says the same nearer to it.

    Approximates: under (the second may run in the outer one also beside the inner one).
    """
    return bool(inner) and shortest(tree, frame, inner) is not None


def _judge(settings: Settings, tree: CheckedTree, frame: str, ordered: Ordered) -> Iterator[Draft]:
    first, second = (_titles(tree, settings[key]) for key in ("first", "second"))
    subject = (tree.short(frame), first, second)
    where = tree.short(frame)
    if not ordered.runs_first:
        place = tree.place(frame)
        if place is not None:
            steps = shortest(tree, frame, named(tree, settings["second"])) or ()
            notes = tuple(Note(Place(s.file, s.line, s.column, s.caller), f"leads to {second}") for s in steps[:1])
            message = f"{where} runs {second}, and nothing in it runs {first}"
            help = f"run {first} before it, or call the method that {where} overrides"
            yield Draft(message, place, (*subject, "never"), notes=notes, steps=steps, help=help)
        return
    for context in ordered.contexts:
        notes = (Note(context.then_site, f"runs {second}"),)
        if context.verdict == "after":
            message = f"{first} runs after {second} in {where}"
            yield Draft(message, context.first_site, (*subject, "after"), notes=notes)
            return
        if context.verdict == "either":
            message = f"{first} can run after {second} in {where}"
            yield Draft(message, _late(context), (*subject, "either"), notes=notes)
            return
        if context.verdict != "before" or not ordered.is_skipped:
            continue
        for skip in context.skips:
            if _is_told(skip) and not _is_excused(skip, settings["unless"]):
                text = " and ".join(conditions(skip))
                message = f"{second} runs without {first} in {where} when {text}"
                guards = tuple(Note(Place(g.file, g.line, 0, frame), f"`{condition(g)}`") for g in skip[:4])
                yield Draft(message, context.then_site, (*subject, text), notes=guards)


def _late(context: OrderContext) -> Place:
    """Return a place of the first that stands behind one of the second, the first place of all where none does."""
    then = context.then_site
    late = (
        p for p in context.first_sites if p.file == then.file and p.line > then.line and p not in context.then_sites
    )
    return next(late, context.first_site)


def _titles(tree: CheckedTree, patterns: tuple[str, ...]) -> str:
    """Return how findings name a side: events, and those patterns that mean something, by their last names."""
    there = [p for p in patterns if tree.events(p) or tree.functions(p)] or list(patterns)
    return " or ".join(p if tree.events(p) else p.rpartition(".")[2].strip("*") or p for p in there)


def _is_told(skip: Skip) -> bool:
    """Tell whether an alternative says something that can be in a run where nothing is raised.

    All of it must be known, and no condition stand beside its opposite.
    """
    texts = conditions(skip)
    if any(text.startswith("except") for text in texts):
        return False
    opposed = any(negated(text) in texts for text in texts)
    return bool(texts) and not opposed and not any(g.text == UNKNOWN for g in skip)


def _is_excused(skip: Skip, unless: tuple[str, ...]) -> bool:
    return any(holds(condition(guard), pattern) for guard in skip for pattern in unless)


def _facts(settings: Settings, tree: CheckedTree) -> Iterator[Fact]:
    second, first = (required(tree, settings[key]) for key in ("second", "first"))
    title = " before ".join(_titles(tree, settings[key]) for key in ("first", "second"))
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
        Key(
            "in",
            "texts",
            "the functions that are looked at, with all that they run; of those that run one another the inner ones",
            required=True,
        ),
        Key("subclasses", "flag", "whether overrides of these functions are looked at too"),
        Key("unless", "texts", "conditions under which the second may run without the first"),
    ),
    _find,
    _facts,
)
