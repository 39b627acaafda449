"""A KeyError on a table that is written out in the tree: its keys, the look-up, and the guards that let the key through.

Approximates: under (a table that code fills has no known keys, and nothing is claimed of it).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from codepath.analysis.traces.site import Ground, Site, plain_function
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.trace import Cause, Evidence
from codepath.program.lookups import written

_LONGEST = 300
_SHOWN = 12
_UNKNOWN = object()


@dataclass(frozen=True)
class Table:
    """A dict display: its name and place, and its keys as far as they are constants; `is_whole` tells whether all are."""

    name: str
    place: Place
    keys: tuple[Any, ...]
    is_whole: bool
    site: Site
    index: int


def key_cause(site: Site, message: str) -> Cause | None:
    """Return why a look-up on a line raised KeyError."""
    key = _key_of(message)
    if key is _UNKNOWN:
        return None
    for index in site.on_line():
        expr = site.exprs[index]
        if not isinstance(expr, ir.Subscript):
            continue
        environment = _environment(site, expr, key)
        if environment is not None:
            return environment
        for table in tables_of(site, expr.value):
            if key not in table.keys:
                return _lacking(site, index, expr, table, key)
    return None


def _key_of(message: str) -> Any:
    message = message.partition("\n")[0]
    if len(message) > _LONGEST:
        return _UNKNOWN
    try:
        key = ast.literal_eval(message)
        hash(key)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _UNKNOWN
    return key


def _environment(site: Site, expr: ir.Subscript, key: Any) -> Cause | None:
    if site.scope is None or written(site.scope, expr.value) not in ("os.environ", "environ"):
        return None
    evidence = (Evidence(site.at(expr.at), f"reads the environment variable `{key}`"),)
    return Cause("unset", f"the environment variable `{key}` is not set", evidence, evidence, guards=(), score=0.9)


def _lacking(site: Site, index: int, expr: ir.Subscript, table: Table, key: Any) -> Cause:
    keys = ", ".join(repr(k) for k in table.keys[:_SHOWN]) + (", ..." if len(table.keys) > _SHOWN else "")
    lookup = site.at(expr.at)
    evidence = [
        Evidence(table.place, f"its keys are {keys}"),
        Evidence(lookup, f"`{site.written(index)}` looks {key!r} up"),
    ]
    evidence += _let_through(site, index, expr)
    evidence += _born(site, expr.index)
    sure = "" if table.is_whole else " among those that are written out"
    return Cause(
        kind="arch-table" if not isinstance(key, str) else "unset",
        claim=f"`{table.name}` has no row for {key!r}{sure}: its keys are {keys}",
        evidence=tuple(evidence),
        fix_places=(
            Evidence(table.place, f"add a row for {key!r}"),
            Evidence(lookup, "look it up with `.get` and take None"),
        ),
        commands=(("reach", f"{site.file}:{site.line}"), ("callers", site.function)),
        guards=site.guards_of(index),
        certain=table.is_whole,
        score=0.95 if table.is_whole else 0.6,
    )


def _let_through(site: Site, index: int, expr: ir.Subscript) -> Iterator[Evidence]:
    """Yield the guards of a look-up that test the very key, and did not keep it out."""
    if site.scope is None:
        return
    asked = written(site.scope, expr.index)
    for guard in site.guards_of(index):
        if asked and asked in guard.text:
            truth = "" if guard.polarity else "not "
            place = Place(guard.file, guard.line, 0, site.function)
            yield Evidence(
                place, f"the only test of the key: `{guard.text}` is {truth}true here, which lets it through"
            )


def _born(site: Site, index: int) -> Iterator[Evidence]:
    """Yield where a key got its value, as far as the function itself tells."""
    key = site.exprs[index]
    scope = site.scope
    if scope is None:
        return
    for number, expr in enumerate(scope.exprs):
        same = isinstance(key, ir.Attr) and isinstance(expr, ir.StoreAttr) and expr.id == key.id
        same = same or (isinstance(key, ir.Name) and isinstance(expr, ir.Bind) and expr.id == key.id)
        value = getattr(expr, "value", -1)
        if same and number < index and value >= 0:
            name = key.id if isinstance(key, (ir.Attr, ir.Name)) else ""
            yield Evidence(site.at(expr.at), f"`{name}` is `{site.written(value)}`")


# --- tables ----------------------------------------------------------------------------------------------------------


def tables_of(site: Site, index: int) -> Iterator[Table]:
    """Yield the dict displays that an expression can be."""
    expr = site.exprs[index]
    if isinstance(expr, ir.Subscript):
        for table in tables_of(site, expr.value):
            yield from _rows(table)
    elif isinstance(expr, ir.Dict):
        yield _table(site, index, "the table")
    elif isinstance(expr, ir.Name):
        yield from _named(site, expr)
    elif isinstance(expr, ir.Attr):
        yield from _attribute(site, expr)


def _rows(table: Table) -> Iterator[Table]:
    display = table.site.exprs[table.index]
    if isinstance(display, ir.Dict):
        for key, value in zip(display.keys, display.values, strict=True):
            if isinstance(table.site.exprs[value], ir.Dict):
                label = written(table.site.scope, key) if table.site.scope is not None and key >= 0 else "..."
                yield _table(table.site, value, f"{table.name}[{label}]")


def _named(site: Site, expr: ir.Name) -> Iterator[Table]:
    scope = site.scope
    assert scope is not None
    reaching = [d for d in scope.uses[expr.use] if d >= 0]
    for number in reaching:
        bind = scope.definitions[number].bind
        if bind >= 0:
            yield from _bound(site, bind, expr.id)
    if not reaching:
        info = site.ground.bodies.scope(site.function)
        if info is not None:
            yield from _cells(site.ground, site.ground.bodies.meaning(info, expr.id).cells)


def _attribute(site: Site, expr: ir.Attr) -> Iterator[Table]:
    """Yield the displays that an attribute of a module, a class or of `self` is bound to."""
    scope, ground = site.scope, site.ground
    assert scope is not None
    info = ground.bodies.scope(site.function)
    if info is None:
        return
    receiver = site.exprs[expr.value]
    if isinstance(receiver, ir.Name) and not scope.uses[receiver.use]:
        for value in ground.bodies.meaning(info, receiver.id).values:
            if isinstance(value[1], str) and ground.bodies.tree.is_module(value[1]):
                yield from _cells(ground, ground.bodies.member(value[1], expr.id).cells)
    members = ground.facts.members(expr.id)
    around = site.function.rpartition(".")[0]
    cls = ground.facts.by_name.get(around)
    for one in ground.facts.order(cls) if cls is not None else ():
        if one.name in members:
            yield from _of_scope(ground, one.name, expr.id, f"{plain_function(one.name)}.{expr.id}")
        function = ground.facts.stores(expr.id).get(one.name)
        if function:
            yield from _of_scope(ground, function, expr.id, f"self.{expr.id}")


def _cells(ground: Ground, cells: tuple[tuple[Any, str], ...]) -> Iterator[Table]:
    for sid, name in cells:
        info = ground.bodies.tree.scopes[sid]
        yield from _of_scope(ground, info.name, name, name)


def _of_scope(ground: Ground, scope_name: str, name: str, shown: str) -> Iterator[Table]:
    found = ground.find(scope_name)
    if found is None:
        return
    path, scope = found
    site = Site(ground, scope_name, path, 0)
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, (ir.Bind, ir.StoreAttr)) and expr.id == name:
            yield from _bound(site, index, shown)


def _bound(site: Site, index: int, name: str) -> Iterator[Table]:
    bind = site.exprs[index]
    if isinstance(bind, (ir.Bind, ir.StoreAttr)) and bind.value >= 0 and not bind.how:
        value = site.exprs[bind.value]
        if isinstance(value, ir.Dict):
            yield _table(site, bind.value, name, bind.at)
        elif isinstance(value, ir.Name) and isinstance(bind, ir.Bind):
            yield from _named(site, value)


def _table(site: Site, index: int, name: str, at: int = 0) -> Table:
    display = site.exprs[index]
    assert isinstance(display, ir.Dict)
    keys = [_constant(site, key) for key in display.keys]
    known = tuple(k for k in keys if k is not _UNKNOWN)
    return Table(name, site.at(at or display.at), known, len(known) == len(keys), site, index)


def _constant(site: Site, index: int) -> Any:
    """Return a key that is a constant or a tuple of constants."""
    expr = site.exprs[index] if index >= 0 else None
    if isinstance(expr, ir.Const) and not expr.form:
        return expr.value
    if isinstance(expr, ir.Unary) and expr.op == "-":
        value = _constant(site, expr.value)
        return -value if isinstance(value, (int, float)) else _UNKNOWN
    if isinstance(expr, ir.Sequence) and expr.form == "tuple":
        items = tuple(_constant(site, item) for item in expr.items)
        return _UNKNOWN if any(item is _UNKNOWN for item in items) else items
    return _UNKNOWN
