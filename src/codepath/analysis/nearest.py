"""Why nothing leads from A to B: the guard that stops every path, or the calls that nobody knows between the two parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codepath.analysis.cone import Cone
from codepath.model.answers import NearestMiss, Path, Unresolved
from codepath.program.graph import CallGraph, gaps_of

SHOWN = 3
_FAR = 1_000_000


def stopped(paths: Sequence[Path], cone: Cone) -> NearestMiss | None:
    """Return the guard that stops the path that comes nearest, None where a path is not blocked."""
    if any(p.contradiction is None for p in paths):
        return None
    nearest = min(paths, key=_left)
    assert nearest.contradiction is not None
    forward = len({s.caller for p in paths for s in p.steps})
    contradiction = nearest.contradiction
    return NearestMiss(forward, len(cone.next_step), (), 0, contradiction.guard, contradiction.because, ())


def _left(path: Path) -> tuple[int, int]:
    """Return how many steps are left behind the guard that blocks a path, and its steps."""
    assert path.contradiction is not None
    guard = path.contradiction.guard
    stopped_at = next((n for n, s in enumerate(path.steps) if guard in s.guards), 0)
    return len(path.steps) - stopped_at, len(path.steps)


def no_chain(graph: CallGraph, cone: Cone, starts: Iterable[str]) -> NearestMiss:
    """Return how far each side goes, and the calls of unknown target that are likeliest to lead from one to the other."""
    distances = _forward(graph, starts)
    towards = _towards(cone)
    ranked: list[tuple[tuple[object, ...], Unresolved]] = []
    for name, distance in distances.items():
        row = graph.function(name)
        for gap in gaps_of(name, row) if row is not None else ():
            near = min((d for d, _ in towards.get(_last(gap.text), ())), default=_FAR)
            ranked.append(((near, distance, gap.file, gap.line, gap.column), gap))
    ranked.sort(key=lambda item: item[0])
    frontier = tuple(gap for _, gap in ranked[:SHOWN])
    return NearestMiss(
        len(distances), len(cone.next_step), frontier, len(ranked), None, None, _teach(frontier, towards, cone)
    )


def _last(text: str) -> str:
    return text.removesuffix("()").rpartition(".")[2]


def _towards(cone: Cone) -> dict[str, list[tuple[int, str]]]:
    """Return the functions of a cone by the name that a call gives them, each with its steps to the target."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in cone.functions():
        owner, _, last = name.rpartition(".")
        called = owner.rpartition(".")[2] if last == "__init__" else last
        found.setdefault(called, []).append((len(cone.tail(name)), name))
    return {called: sorted(names) for called, names in found.items()}


def _forward(graph: CallGraph, starts: Iterable[str]) -> dict[str, int]:
    """Return the functions that some lead to, each with the fewest steps to it."""
    seen = dict.fromkeys(starts, 0)
    level = list(seen)
    distance = 0
    while level:
        distance += 1
        graph.fetch(level)
        following: dict[str, None] = {}
        for name in level:
            row = graph.function(name)
            for step in row.steps if row is not None else ():
                if step.resolution != "by-name" and step.callee not in seen:
                    seen[step.callee] = distance
                    following[step.callee] = None
        level = list(following)
    return {name: d for name, d in seen.items() if graph.function(name) is not None}


def _teach(frontier: Sequence[Unresolved], towards: dict[str, list[tuple[int, str]]], cone: Cone) -> tuple[str, ...]:
    """Return the lines of codepath.toml that would tell what the likeliest call runs."""
    if not frontier:
        return ()
    gap = frontier[0]
    named = towards.get(_last(gap.text), ())
    tops = [name for name in cone.functions() if not cone.steps_in.get(name)]
    target = named[0][1] if named else (tops or list(cone.functions()))[-1]
    why = f"{gap.file}:{gap.line} calls {gap.text}"
    return ("[[edges]]", f"from = {_quoted(gap.caller)}", f"to = {_quoted(target)}", f"why = {_quoted(why)}")


def _quoted(text: str) -> str:
    """Return a text as a TOML string."""
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'
