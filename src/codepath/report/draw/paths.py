"""The paths of `reach` as a graph: a box a function, an arrow a call with its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from codepath.model.answers import Guard, Path, ReachAnswer, Step
from codepath.report.draw.mermaid import within_limits
from codepath.report.draw.quoting import lines_of, mermaid_text, quoted
from codepath.report.draw.words import conditions
from codepath.report.names import Names
from codepath.report.view import View

_RANKS = ("blocked", "before", "unknown", "open")
_ARROWS = {
    "open": {"color": "#1b6b35", "fontcolor": "#1b6b35"},
    "unknown": {"color": "#8a6100", "fontcolor": "#8a6100", "style": "dashed"},
    "before": {"color": "#333333", "fontcolor": "#333333"},
    "blocked": {"color": "#6b6b6b", "fontcolor": "#6b6b6b", "style": "dotted", "arrowhead": "tee"},
}
_MERMAID = {"open": "-->", "unknown": "-.->", "before": "---->", "blocked": "-.-x"}
_STARTED = frozenset(["spawn-process", "spawn-thread", "executor", "task"])
_SHAPES = {
    "entry": {"shape": "ellipse", "fillcolor": "#e3f7e8"},
    "target": {"shape": "doubleoctagon", "fillcolor": "#ffd8a8"},
    "function": {"shape": "box", "fillcolor": "#ffffff"},
}


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


def paths_dot(answer: ReachAnswer, view: View) -> Iterator[str]:
    """Write the paths to a function as a DOT graph."""
    import pydot

    found = path_graph(answer)
    graph = pydot.Dot("paths", graph_type="digraph")
    caption = f"paths to {answer.target.name}: green open, dashed not known, dotted blocked, black before that"
    graph.obj_dict["attributes"].update(quoted(rankdir="TB", fontname="Helvetica", label=caption, labelloc="t"))
    graph.set_node_defaults(**quoted(fontname="Helvetica", fontsize="11", style="filled"))
    graph.set_edge_defaults(**quoted(fontname="Helvetica", fontsize="11"))
    for function, number in found.functions.items():
        graph.add_node(pydot.Node(f"f{number}", **quoted(label=found.title(function), **_SHAPES[found.kind(function)])))
    for (caller, callee, *_), call in found.calls.items():
        place = view.place(call.step.file, call.step.line)
        more = {"URL": place.link} if place.link else {}
        tail, head = f"f{found.functions[caller]}", f"f{found.functions[callee]}"
        said = quoted(label=lines_of(_said(call)), tooltip=place.text, **_ARROWS[call.verdict], **more)
        graph.add_edge(pydot.Edge(tail, head, **said))
    yield graph.to_string()


def paths_mermaid(answer: ReachAnswer, view: View) -> Iterator[str]:
    """Write the paths to a function as a Mermaid flowchart.

    Raises:
        QueryError: They are more than Mermaid draws.
    """
    found = path_graph(answer)
    lines = ["flowchart TD"]
    for function, number in found.functions.items():
        left, right = {"entry": ("([", "])"), "target": ("{{", "}}")}.get(found.kind(function), ("[", "]"))
        lines.append(f'  f{number}{left}"{mermaid_text(found.title(function))}"{right}')
    for (caller, callee, *_), call in found.calls.items():
        said = "<br/>".join(mermaid_text(line) for line in _said(call))
        arrow = _MERMAID[call.verdict]
        lines.append(f'  f{found.functions[caller]} {arrow}|"{said}"| f{found.functions[callee]}')
    yield within_limits(lines, len(found.calls), "--paths 1")
