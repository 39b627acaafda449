"""The paths of `reach` as a sheet: a box a function, an arrow a call with its conditions."""

from __future__ import annotations

from dataclasses import dataclass, field

from codepath.model.answers import Guard, Path, Place, ReachAnswer, Step
from codepath.model.sheets import Arrow, Box, Sheet
from codepath.report.draw.words import conditions
from codepath.report.names import Names
from codepath.report.view import count

_WORDS = {"open": "can happen", "unknown": "not known", "blocked": "cannot happen"}
_RANKS = ("blocked", "before", "unknown", "open")
_STARTED = frozenset(["spawn-process", "spawn-thread", "executor", "task"])


@dataclass(slots=True)
class Call:
    """A call on some path: the best verdict of the paths through it, and the guard that is false there on those blocked.

    The verdict is `before` for what lies, on blocked paths alone, before the place that makes the guard false.
    """

    step: Step
    verdict: str
    stopped: Guard | None = None


@dataclass(slots=True)
class PathGraph:
    """The functions on the paths of an answer, numbered as they are met, and the calls between them."""

    answer: ReachAnswer
    names: Names
    functions: dict[str, int] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    calls: dict[tuple[str, str, str, int, int], Call] = field(default_factory=dict)

    def kind(self, function: str) -> str:
        """Return what a function is: `entry`, `target` or `function`."""
        if any(path.steps and path.steps[-1].callee == function for path in self.answer.paths):
            return "target"
        return "entry" if function in self.entries else "function"

    def title(self, function: str) -> str:
        """Return the name of a function, with that of the way in that it is."""
        name = self.names.short(function)
        return f"{name} ({self.entries[function]})" if function in self.entries else name


def path_graph(answer: ReachAnswer) -> PathGraph:
    """Return the graph of the paths of an answer."""
    graph = PathGraph(answer, Names())
    graph.names.learn(
        symbols=(answer.target,), entries=answer.entries, steps=(s for p in answer.paths for s in p.steps)
    )
    for path in answer.paths:
        if path.steps:
            entry = answer.entries[path.entry]
            graph.entries.setdefault(path.steps[0].caller, entry.name)
        at_fault = _at_fault(path)
        for number, step in enumerate(path.steps):
            for function in (step.caller, step.callee):
                graph.functions.setdefault(function, len(graph.functions))
            _add(graph, step, "before" if number < at_fault else path.feasible, path)
    return graph


def _at_fault(path: Path) -> int:
    """Return the first step of a path that has to do with why it is blocked, 0 for one that is not."""
    if path.contradiction is None:
        return 0
    because = path.contradiction.because.function
    made = (n for n, step in enumerate(path.steps) if step.caller == because)
    denied = (n for n, step in enumerate(path.steps) if _has(step, path.contradiction.guard))
    return next(made, next(denied, 0))


def _has(step: Step, guard: Guard) -> bool:
    return any((g.text, g.line, g.file) == (guard.text, guard.line, guard.file) for g in step.guards)


def _add(graph: PathGraph, step: Step, verdict: str, path: Path) -> None:
    key = (step.caller, step.callee, step.file, step.line, step.column)
    known = graph.calls.setdefault(key, Call(step, verdict))
    if _RANKS.index(verdict) > _RANKS.index(known.verdict):
        known.verdict = verdict
    if path.contradiction is not None and _has(step, path.contradiction.guard):
        known.stopped = path.contradiction.guard


def _said(call: Call) -> list[str]:
    """Return what an arrow says."""
    step = call.step
    found = [f"{step.file.rpartition('/')[2]}:{step.line}"]
    if step.kind in _STARTED:
        found.append({"spawn-process": "in a process", "spawn-thread": "in a thread"}.get(step.kind, "in a task"))
    found += conditions(step.guards)
    if call.verdict == "blocked" and call.stopped is not None:
        found.append("cannot happen: this condition does not hold")
    elif call.verdict == "unknown":
        found.append("not known whether it can happen")
    return found


def paths_sheet(answer: ReachAnswer) -> Sheet:
    """Return the paths to a function as a sheet."""
    found = path_graph(answer)
    places = _places(answer)
    boxes = tuple(
        Box(
            key=function,
            kind=found.kind(function),
            title=found.title(function),
            lines=(_short_place(places[function]),) if function in places else (),
            place=places.get(function),
            more=(("Name", (function,)),),
        )
        for function in found.functions
    )
    arrows = tuple(_arrow(call, found) for call in found.calls.values())
    verdicts = [path.feasible for path in answer.paths]
    said = [f"{verdicts.count(v)} {_WORDS[v]}" for v in ("open", "unknown", "blocked") if v in verdicts]
    return Sheet(
        about="paths to",
        name=answer.target.name,
        place=answer.target.place,
        caption=f"{count(len(answer.paths), 'path')} shown, {', '.join(said)}"
        if answer.paths
        else "no path leads there",
        boxes=boxes,
        arrows=arrows,
        truncated=answer.truncated,
        way_out="--paths 1",
    )


def _places(answer: ReachAnswer) -> dict[str, Place]:
    """Return where functions are defined, as far as the answer says; else where they are first called from."""
    found = {answer.target.name: answer.target.place}
    found.update((entry.function, entry.place) for entry in answer.entries if entry.place is not None)
    return found


def _short_place(place: Place) -> str:
    return f"{place.file.rpartition('/')[2]}:{place.line}"


def _arrow(call: Call, graph: PathGraph) -> Arrow:
    step = call.step
    return Arrow(
        tail=graph.functions[step.caller],
        head=graph.functions[step.callee],
        key=f"{step.caller} {step.callee}",
        kind=call.verdict,
        lines=tuple(_said(call)),
        place=Place(step.file, step.line, step.column, step.caller),
    )
