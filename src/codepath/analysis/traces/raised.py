"""Failures that the failing line itself explains: a raise or an assertion under guards, a name that nothing has bound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from codepath.analysis.traces.site import Site, conditions_said, plain_function
from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.model.trace import Cause, Evidence

_UNBOUND = re.compile(
    r"(?:cannot access local variable '(\w{1,200})' where|local variable '(\w{1,200})' referenced before"
    r"|cannot access free variable '(\w{1,200})' where|free variable '(\w{1,200})' referenced before)"
)
_UNDEFINED = re.compile(r"(?:global )?name '(\w{1,200})' is not defined")
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
                is_import = value >= 0 and isinstance(scope.exprs[value], (ir.Import, ir.ImportFrom))
                if value >= 0 and not is_import and bind not in seen and len(seen) < _SHOWN:
                    seen.add(bind)
                    yield Evidence(site.at(scope.exprs[bind].at), f"`{expr.id}` is `{site.written(value)}`")


def unbound_cause(site: Site, exception: str, message: str) -> Cause | None:
    """Return under which guards a name is bound, in the function or in its module, that a line read unbound."""
    if exception not in ("UnboundLocalError", "NameError") or site.scope is None:
        return None
    found, missing = _UNBOUND.match(message), _UNDEFINED.match(message)
    if found is not None:
        name = next((g for g in found.groups() if g), "")
        binds = list(_binds(site, name))
        return _unbound(site, name, binds) if binds else None
    if missing is None or missing[1] is None:
        return None
    name = missing[1]
    bodies = site.ground.bodies
    info = bodies.scope(site.function)
    if info is None:
        return None
    module = Site(site.ground, info.module.name, info.module.path, 0)
    binds = [*_binds(module, name), *_later(site, info.module.name, name)]
    if binds:
        return _unbound(site, name, binds)
    evidence = (Evidence(site.place, f"reads `{name}`"),)
    return Cause("unset", f"nothing binds `{name}` in `{info.module.name}`", evidence, evidence, (("symbols", name),))


def _binds(site: Site, name: str) -> Iterator[tuple[Evidence, tuple[Guard, ...]]]:
    """Yield the places where a scope binds a name, with their guards; a `try` counts where its failure is caught."""
    for definition in site.scope.definitions if site.scope is not None else ():
        if definition.id == name and definition.bind >= 0:
            guards = site.guards_of(definition.bind)
            under = f", where {_under(guards)}" if guards else ""
            yield Evidence(site.at(definition.at), f"`{name}` is bound here{under}"), guards


def _under(guards: Sequence[Guard]) -> str:
    """Return in words what must hold for code under some guards to run to its end."""
    conditions = [g for g in guards if g.kind != "try"]
    if conditions:
        return conditions_said(conditions)
    return f"nothing in the `try` of line {guards[-1].line} raised"


def _later(site: Site, module: str, name: str) -> Iterator[tuple[Evidence, tuple[Guard, ...]]]:
    """Yield the places where functions of a module bind a global of it."""
    for info in site.ground.bodies.holding(module, name):
        other = Site(site.ground, info.name, info.module.path, 0)
        if info.form == "function" and other.scope is not None and name in other.scope.globals:
            for evidence, guards in _binds(other, name):
                yield Evidence(evidence.place, f"`{plain_function(info.name)}` binds `{name}` here"), guards


def _unbound(site: Site, name: str, binds: Sequence[tuple[Evidence, tuple[Guard, ...]]]) -> Cause:
    conditions = tuple(guard for _, guards in binds for guard in guards)
    claim = f"`{name}` is bound only under conditions, none of which held"
    if len(binds) == 1 and conditions:
        claim = f"`{name}` is bound only where {_under(conditions)}"
    elif not conditions:
        claim = f"`{name}` is read before it is bound"
    evidence = (Evidence(site.place, f"reads `{name}`"), *(e for e, _ in binds))
    commands = (("reach", f"{site.file}:{site.line}"),)
    return Cause("unset", claim, evidence, evidence[1:2], commands, conditions, True, 0.9)


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
