"""What can raise below a call of which the log shows no more: assertions and raises, nearest first.

Approximates: over (guards are listed, not decided); functions more than `_DEPTH` steps away are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.traces.nones import none_causes
from codepath.analysis.traces.site import Ground, Site, plain_function
from codepath.model import ir
from codepath.model.answers import Place, Step
from codepath.model.trace import Cause, Evidence
from codepath.program.regions import every_region

_DEPTH = 5
_MOST_FUNCTIONS = 300
_MOST_RAISES = 40
_MOST_FLOWS = 12
_CERTAIN = ("exact", "inferred")
_RUNS = frozenset(
    ["call", "construct", "super", "property", "dispatch", "registry", "context", "operator", "decorator"]
)


@dataclass(frozen=True, slots=True)
class _Reached:
    """A function below, and the steps to it."""

    name: str
    steps: tuple[Step, ...]


def below_causes(site: Site, begins: Sequence[str]) -> list[Cause]:
    """Return what can raise below the calls of a line, of those that lead into one of the files `begins`, if any do."""
    first = _calls(site)
    into = [s for s in first if _file_of(site.ground, s.callee) in begins]
    chosen = into or first
    found: list[Cause] = []
    flows = 0
    for reached in _reached(site.ground, chosen):
        for cause, is_flow in _raises(site.ground, reached, flows < _MOST_FLOWS):
            flows += is_flow
            found.append(_below(cause, reached))
        if len(found) >= _MOST_RAISES:
            break
    return found


def steps_on(site: Site) -> list[Step]:
    """Return the steps of the calls of a line."""
    return _calls(site)


def _calls(site: Site) -> list[Step]:
    steps = [s for s in site.ground.graph.steps(site.function) if s.line == site.line and s.resolution != "by-name"]
    marked = site.marked
    if marked is not None:
        inside = [s for s in steps if marked[0] <= s.column < marked[1]]
        steps = inside or steps
    return [s for s in steps if s.kind in _RUNS]


def _file_of(ground: Ground, function: str) -> str:
    row = ground.graph.function(function)
    return row.file if row is not None else ""


def _reached(ground: Ground, first: Sequence[Step]) -> Iterator[_Reached]:
    """Yield the functions below some steps, nearest first."""
    level = [_Reached(s.callee, (s,)) for s in first]
    seen: set[str] = set()
    for _ in range(_DEPTH):
        ground.graph.fetch([r.name for r in level])
        following: list[_Reached] = []
        for reached in level:
            if reached.name in seen or ground.graph.function(reached.name) is None:
                continue
            seen.add(reached.name)
            yield reached
            if len(seen) >= _MOST_FUNCTIONS:
                return
            following.extend(
                _Reached(step.callee, (*reached.steps, step))
                for step in ground.graph.steps(reached.name)
                if step.kind in _RUNS and step.resolution in _CERTAIN and step.callee not in seen
            )
        level = following


def _raises(ground: Ground, reached: _Reached, may_flow: bool) -> Iterator[tuple[Cause, bool]]:
    """Yield the causes that the assertions of a function can be, and whether None was followed for one."""
    found = ground.find(reached.name)
    if found is None:
        return
    path, scope = found
    for region in every_region(scope.body):
        if isinstance(region, ir.Assert):
            site = Site(ground, reached.name, path, ir.line_of(region.at))
            causes = none_causes(site, "", True, is_seen=False) if may_flow else []
            if causes:
                yield causes[0], True
            else:
                evidence = (Evidence(site.at(region.at), f"demands `{region.text}`"),)
                yield (
                    Cause(
                        "guard",
                        f"`assert {region.text}` fails",
                        evidence,
                        (),
                        (),
                        site.guards_of(region.test),
                        False,
                        0.3,
                    ),
                    False,
                )
        elif isinstance(region, ir.Raise) and region.exc >= 0:
            site = Site(ground, reached.name, path, ir.line_of(region.at))
            evidence = (Evidence(site.at(region.at), f"raises `{site.written(region.exc)}`"),)
            claim = f"`{plain_function(reached.name)}` raises `{site.written(region.exc)}`"
            yield Cause("guard", claim, evidence, (), (), site.guards_of(region.exc), False, 0.2), False


def _below(cause: Cause, reached: _Reached) -> Cause:
    """Return a cause with the steps that lead to it, less certain the farther it is."""
    way = tuple(Evidence(_place(s), f"calls `{plain_function(s.callee)}`") for s in reached.steps)
    commands = cause.commands or (("reach", reached.name),)
    guards = (*(g for s in reached.steps for g in s.guards), *cause.guards)
    score = cause.score - 0.03 * len(reached.steps)
    return replace(
        cause, evidence=(*cause.evidence, *way), commands=commands, certain=False, guards=guards, score=score
    )


def _place(step: Step) -> Place:
    return Place(step.file, step.line, step.column, step.caller)
