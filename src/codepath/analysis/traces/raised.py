"""Failures that the failing line itself explains: a raise or an assertion under guards, a name that nothing has bound."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codepath.analysis.traces.site import Site, conditions_said, plain_function
from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.model.trace import Cause, Evidence

_UNBOUND = re.compile(
    r"(?:cannot access local variable '(\w{1,200})' where|local variable '(\w{1,200})' referenced before"
    r"|cannot access free variable '(\w{1,200})' where|free variable '(\w{1,200})' referenced before)"
)
_IMPORT = re.compile(r"cannot import name '(\w{1,200})' from (?:partially initialized module )?'([\w.]{1,200})'")
_SHOWN = 4


def raised_cause(site: Site, exception: str, message: str) -> Cause | None:
    """Return what a `raise` or `assert` of the line says, with its guards."""
    region = site.region()
    if isinstance(region, ir.Raise):
        guards = site.guards_of(region.exc if region.exc >= 0 else region.start)
        shown = [g for g in guards if g.kind != "try"]
        claim = f"`{plain_function(site.function)}` raises it on purpose"
        if shown:
            claim += f", where {conditions_said(shown)}"
        places = tuple(Evidence(_guard_place(site, g), f"{_said(g)}") for g in shown[-_SHOWN:])
        evidence = (Evidence(site.at(region.at), "raised here"), *places)
        return Cause("guard", claim, evidence, places[-1:], (("reach", f"{site.file}:{site.line}"),), guards, True, 0.6)
    if isinstance(region, ir.Assert):
        evidence = (Evidence(site.at(region.at), f"demands `{region.text}`"), *_bound(site, region))
        claim = f"`{region.text}` is false in `{plain_function(site.function)}`"
        guards = site.guards_of(region.test)
        return Cause(
            "guard", claim, evidence, evidence[1:2], (("reach", f"{site.file}:{site.line}"),), guards, True, 0.45
        )
    return None


def _bound(site: Site, region: ir.Assert) -> Iterator[Evidence]:
    """Yield where the names of a test were bound in the function."""
    scope = site.scope
    assert scope is not None
    seen: set[int] = set()
    for expr in scope.exprs[region.start : region.test + 1]:
        if isinstance(expr, ir.Name):
            for number in scope.uses[expr.use]:
                bind = scope.definitions[number].bind if number >= 0 else -1
                value = getattr(scope.exprs[bind], "value", -1) if bind >= 0 else -1
                if value >= 0 and bind not in seen and len(seen) < _SHOWN:
                    seen.add(bind)
                    yield Evidence(site.at(scope.exprs[bind].at), f"`{expr.id}` is `{site.written(value)}`")


def unbound_cause(site: Site, exception: str, message: str) -> Cause | None:
    """Return under which guards a local name is bound that a line read unbound."""
    found = _UNBOUND.match(message) if exception in ("UnboundLocalError", "NameError") else None
    name = next((g for g in found.groups() if g), "") if found is not None else ""
    scope = site.scope
    if not name or scope is None:
        return None
    evidence = [Evidence(site.place, f"reads `{name}`")]
    conditions: list[Guard] = []
    for definition in scope.definitions:
        if definition.id == name and definition.bind >= 0:
            guards = [g for g in site.guards_of(definition.bind) if g.kind != "try"]
            under = f", where {conditions_said(guards)}" if guards else ""
            evidence.append(Evidence(site.at(definition.at), f"`{name}` is bound here{under}"))
            conditions += guards
    if len(evidence) == 1:
        return None
    claim = f"`{name}` is bound only under conditions, none of which held"
    if len(evidence) == 2 and conditions:
        claim = f"`{name}` is bound only where {conditions_said(conditions)}"
    commands = (("reach", f"{site.file}:{site.line}"),)
    return Cause("unset", claim, tuple(evidence), tuple(evidence[1:2]), commands, tuple(conditions), True, 0.9)


def import_cause(site: Site, exception: str, message: str) -> Cause | None:
    """Return that a module of the tree binds no such name."""
    found = _IMPORT.match(message) if exception == "ImportError" else None
    bodies = site.ground.bodies
    if found is None or not bodies.tree.is_module(found[2]):
        return None
    meaning = bodies.member(found[2], found[1])
    evidence = (Evidence(site.place, f"imports `{found[1]}` from `{found[2]}`"),)
    if meaning.values or meaning.cells:
        claim = f"`{found[2]}` was not yet run when `{found[1]}` was imported from it: the two import each other"
        return Cause("order", claim, evidence, evidence, (), (), False, 0.7)
    claim = f"the module `{found[2]}` binds no `{found[1]}`"
    return Cause("unset", claim, evidence, evidence, (("symbols", found[1]),), (), True, 0.9)


def _guard_place(site: Site, guard: Guard) -> Place:
    return Place(guard.file, guard.line, 0, site.function)


def _said(guard: Guard) -> str:
    return f"{conditions_said([guard])} held"
