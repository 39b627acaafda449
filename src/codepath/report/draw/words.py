"""What a picture says in words, the same in every form: the kinds of steps, their conditions, their remarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codepath.model.answers import Guard
from codepath.model.pictures import Lane, Picture, PictureStep
from codepath.report.draw.looks import CHANGES
from codepath.report.names import guard_text, is_shown, without_module

MAX_GUARDS = 2
MAX_SETS = 2
MAX_INSIDE = 2
_MAX_TEXT = 72
_CHECKS = frozenset(["assert", "early-raise"])
_LOOPS = frozenset(["for", "while", "comprehension"])
KINDS = {
    "event": ("■", "an event of the project"),
    "step": ("●", "runs, as far as can be told"),
    "maybe": ("○", "runs under a condition"),
    "skipped": ("✗", "cannot run here"),
    "repeats": ("↺", "runs what another step runs, drawn there"),
    "later": ("◌", "handed over here, runs later or in part"),
    "starts": ("▶", "starts a process, a thread or a task"),
}
"""The kinds of steps, with the sign and the meaning that the legend gives."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a step says.

    Args:
        kind: A key of `KINDS`.
        title: What runs.
        way: The calls on the way to it, outermost first.
        conditions: Under which conditions it runs, loops included.
        remarks: What it does or why it does not run.
        is_other: Whether it runs instead of a step before it.
    """

    kind: str
    title: str
    way: tuple[str, ...]
    conditions: tuple[str, ...]
    remarks: tuple[str, ...]
    is_other: bool


def label(step: PictureStep, picture: Picture) -> Label:
    """Return what a step says."""
    return Label(
        kind=kind_of(step),
        title=step.title,
        way=tuple(_last(h.ran) for h in step.hops[:-1]),
        conditions=() if is_skipped(step) else tuple(conditions(step.guards)),
        remarks=tuple(_remarks(step, picture)),
        is_other=bool(step.excludes),
    )


def is_skipped(step: PictureStep) -> bool:
    """Tell whether a step cannot run, by what is passed on or assumed."""
    return step.blocked is not None or bool(step.denied)


def kind_of(step: PictureStep) -> str:
    """Return the kind of a step."""
    if is_skipped(step):
        return "skipped"
    if step.events:
        return "event"
    if step.how == "aside":
        return "starts"
    if step.how in ("later", "partial"):
        return "later"
    if step.repeats:
        return "repeats"
    is_sure = step.choices == 1 and all(_holds(g) for g in _telling(step.guards))
    return "step" if is_sure else "maybe"


def _holds(guard: Guard) -> bool:
    return guard.value != "unknown" and (guard.value == "true") == guard.polarity


def _telling(guards: Iterable[Guard]) -> list[Guard]:
    """Leave out checks that raise where they fail, and that nothing was raised: what follows is no branch."""
    return [g for g in guards if is_shown(g) and g.kind not in _CHECKS and (g.kind != "except" or g.polarity)]


def conditions(guards: Iterable[Guard]) -> list[str]:
    """Return conditions as text: the innermost, and how many more there are."""
    telling = _telling(guards)
    shown = telling[-MAX_GUARDS:]
    found = [f"and {len(telling) - len(shown)} more"] if len(telling) > len(shown) else []
    return [_condition(guard) for guard in shown] + found


def _condition(guard: Guard) -> str:
    text = short(guard_text(guard))
    if guard.kind in _LOOPS and guard.polarity:
        return f"in a loop: {text}" if guard.kind != "while" else f"in a loop: while {text}"
    if guard.kind == "except" or text.startswith("case "):
        return text
    if guard.value == "unknown":
        return f"if {text}"
    return f"if {text}: {'holds' if _holds(guard) else 'does not hold'}"


def short(text: str, most: int = _MAX_TEXT) -> str:
    """Return a text cut to a number of characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _remarks(step: PictureStep, picture: Picture) -> Iterable[str]:
    if step.change:
        yield CHANGES[step.change] + (f": was {short(step.was)}" if step.was else "")
    yield from step.events
    if step.choices > 1:
        yield f"one of {step.choices}"
    if step.blocked is not None:
        because = step.blocked.because
        place = f"{because.file.rpartition('/')[2]}:{because.line}" if because.file else "what is assumed"
        yield f"skipped by {place}: needs `{short(guard_text(step.blocked.guard))}`"
    elif step.denied:
        yield f"left out: {short(step.denied)} is assumed"
    elif step.sets:
        names = [name.rpartition(".")[2] for name in step.sets]
        yield f"sets {_some(names, MAX_SETS)}"
    if step.reads and not is_skipped(step):
        yield f"reads {_some([name.rpartition('.')[2] for name in step.reads], MAX_SETS)}"
    if step.rules and not (step.events or step.sets):
        yield f"{'rule' if len(step.rules) == 1 else 'rules'} {_some(step.rules, 1)}"
    if step.shown and not step.events:
        yield "asked for"
    if step.how == "aside":
        yield f"in {_article(picture.lanes[step.lane].kind)}"
    elif step.how == "later":
        yield "runs later"
    elif step.how == "partial":
        yield "runs in parts"
    if step.repeats:
        yield f"as step {step.repeats}"
    if step.inside and not is_skipped(step):
        yield f"leads to {_some(step.inside, MAX_INSIDE)}"
    if step.skips:
        yield f"skips {_some(step.skips, 1)}"
    if step.hidden:
        yield f"+{step.hidden} more"


def _some(names: Sequence[str], most: int) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{rest}"


def _article(kind: str) -> str:
    return _STARTED.get(kind, "a task of its own")


_STARTED = {
    "spawn-process": "a process of its own",
    "spawn-thread": "a thread of its own",
    "executor": "a thread or process of a pool",
}


def lane_title(lane: Lane) -> str:
    """Return the heading of a lane."""
    kinds = {"start": "main", "spawn-process": "process", "spawn-thread": "thread", "executor": "pool"}
    return f"{kinds.get(lane.kind, 'task')}: {lane.title}"


def _last(callee: str) -> str:
    """Return the last name of a function, its class where it is the constructor."""
    parts = callee.split(".")
    return f"{parts[-2]}()" if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def legend(steps: Sequence[PictureStep]) -> list[tuple[str, str, str]]:
    """Return the kinds of steps that a picture has, each with its sign and meaning."""
    present = {kind_of(step) for step in steps}
    return [(kind, *said) for kind, said in KINDS.items() if kind in present]


def root_title(picture: Picture) -> str:
    """Return the name of the function that is drawn, without its module; that of a module in full."""
    root = picture.root
    return root.name if root.kind == "module" else without_module(root.name, root.place.file)


def depths(picture: Picture) -> dict[int, int]:
    """Return how deep each step lies, 1 for the steps of the function itself."""
    found = {0: 0}
    for step in picture.steps:
        found[step.number] = found[step.parent] + 1
    return found


def left_out(picture: Picture) -> int:
    """Return how many of the steps that were found are not shown, neither alone nor on the way to one that is."""
    shown = {(h.step.file, h.step.line, h.step.column, s.number) for s in picture.steps for h in s.hops}
    return max(0, picture.total - len(shown))


def summary(picture: Picture) -> str:
    """Return what a picture holds, in a line."""
    events = sum(1 for s in picture.steps if kind_of(s) == "event")
    skipped = sum(1 for s in picture.steps if is_skipped(s))
    parts = [_count(len(picture.steps), "step"), _count(events, "event")]
    if skipped:
        parts.append(f"{skipped} skipped")
    changes = [step.change for step in picture.steps]
    parts += [f"{changes.count(c)} {c}" for c in CHANGES if c in changes]
    if picture.versions and not any(changes):
        parts.append("nothing changed")
    if len(picture.lanes) > 1:
        parts.append(_count(len(picture.lanes), "lane"))
    return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
