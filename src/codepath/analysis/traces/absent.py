"""Log lines that are not there: where the tree would print a text, under which guards, and what decides them by default.

A text that stands in the source as it is counts alone; else a line of a log is fitted to what calls print, holes and all.

Approximates: under (a text that is put together elsewhere than in the call is found by its constant parts alone).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from codepath.analysis.traces.site import Ground, Site, short
from codepath.analysis.traces.templates import said, templates_of
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.trace import AbsentLine, Evidence
from codepath.program.guards import Literal
from codepath.program.lookups import written
from codepath.program.subtrees import children, first_of

_LEVELS = frozenset("debug info warning warn error exception critical fatal log print write echo".split())
_MOST = 100
_MOST_OWNERS = 3
_LONGEST = 160
_WORD = re.compile(r"[A-Za-z_]+")
_HEAD = re.compile(r"[A-Za-z_][A-Za-z_ ]*[=:]")
_LONG_WORD = 4
_MOST_WORDS = 40


def absent_lines(ground: Ground, text: str, scopes: Iterable[tuple[str, str]]) -> tuple[AbsentLine, ...]:
    """Return the places that print a text, by file and line; `scopes` are the files and names of the scopes to look in."""
    found: dict[Place, AbsentLine] = {}
    for path, name in scopes:
        for line in _in_scope(ground, name, path, text):
            found.setdefault(line.place, line)
        if len(found) >= _MOST:
            break
    return tuple(sorted(found.values(), key=lambda a: (a.place.file, a.place.line, a.place.column)))


def fitting_lines(ground: Ground, text: str, scopes: Iterable[tuple[str, str]]) -> tuple[AbsentLine, ...]:
    """Return the places that print what a line of a log can be: those whose constants say as much of it as any do."""
    best = 0
    found: dict[Place, AbsentLine] = {}
    for path, name in scopes:
        for line, says in _fitted(ground, name, path, text):
            if says > best:
                best, found = says, {}
            if says == best and len(found) < _MOST:
                found.setdefault(line.place, line)
    return tuple(sorted(found.values(), key=lambda a: (a.place.file, a.place.line, a.place.column)))


def words_of(text: str) -> tuple[str, ...]:
    """Return the pieces of a line of a log of which its source must hold some: what a value follows, pairs of words, words."""
    words = text.split()
    pairs = (f"{one} {other}" for one, other in pairwise(words) if one.isalpha() and other.rstrip(".,:").isalpha())
    longs = (word for word in _WORD.findall(text) if len(word) >= _LONG_WORD)
    heads = (head.strip() for head in _HEAD.findall(text))
    return tuple(dict.fromkeys((*heads, *pairs, *longs)))[:_MOST_WORDS]


def _fitted(ground: Ground, name: str, path: str, text: str) -> Iterator[tuple[AbsentLine, int]]:
    found = ground.find(name)
    if found is None or found[1].form == "class":
        return
    site = Site(ground, name, path, 0)
    for index, expr in enumerate(site.exprs):
        level = _level(site, expr) if isinstance(expr, ir.Call) else ""
        if not level:
            continue
        assert isinstance(expr, ir.Call)
        for template in templates_of(found[1], expr, level == "print"):
            says = said(template, text)
            if says:
                yield _line(site, index, "".join("..." if part is None else part for part in template)), says
                break


def _in_scope(ground: Ground, name: str, path: str, text: str) -> Iterator[AbsentLine]:
    found = ground.find(name)
    if found is None or found[1].form == "class":
        return
    site = Site(ground, name, path, 0)
    parents: dict[int, int] = {}
    for index, expr in enumerate(site.exprs):
        parents.update(dict.fromkeys(children(expr), index))
    seen: set[int] = set()
    for index, expr in enumerate(site.exprs):
        if not (isinstance(expr, ir.Const) and isinstance(expr.value, str) and text in expr.value):
            continue
        call = _printing(site, index, parents)
        if call >= 0 and call not in seen:
            seen.add(call)
            yield _line(site, call, expr.value)


def _printing(site: Site, index: int, parents: dict[int, int]) -> int:
    """Return the call around a constant that prints it, -1 where none does."""
    while index >= 0:
        expr = site.exprs[index]
        if isinstance(expr, ir.Call) and _level(site, expr):
            return index
        index = parents.get(index, -1)
    return -1


def _level(site: Site, expr: ir.Call) -> str:
    func = site.exprs[expr.func]
    last = func.id if isinstance(func, (ir.Attr, ir.Name)) else ""
    words = last.lower().split("_")
    return last if last and not _LEVELS.isdisjoint(words) else ""


def _line(site: Site, call: int, text: str) -> AbsentLine:
    expr = site.exprs[call]
    assert isinstance(expr, ir.Call)
    defaults = dict.fromkeys(e for literal in _literals(site, call) for e in _defaults(site, literal))
    guards = tuple(g for g in site.guards_of(call) if g.kind != "try")
    return AbsentLine(site.at(expr.at), text[:_LONGEST], _level(site, expr), guards, tuple(defaults))


def _literals(site: Site, index: int) -> tuple[Literal, ...]:
    return site.guards.of(index) if site.guards is not None else ()


def _defaults(site: Site, literal: Literal) -> Iterator[Evidence]:
    """Yield what the attributes and environment variables that a condition reads are by default."""
    if literal.test < 0 or site.scope is None:
        return
    for index in range(first_of(site.exprs, literal.test), literal.test + 1):
        expr = site.exprs[index]
        if isinstance(expr, ir.Attr):
            yield from _of_attribute(site.ground, expr.id)
        elif isinstance(expr, ir.Call):
            yield from _of_environment(site, expr)


def _of_attribute(ground: Ground, name: str) -> Iterator[Evidence]:
    """Yield the value that a class body gives an attribute, where few classes do."""
    owners = [
        owner for owner, member in ground.facts.members(name).items() if member.form in ("attribute", "annotation")
    ]
    for owner in owners if len(owners) <= _MOST_OWNERS else ():
        found = ground.find(owner)
        for expr in found[1].exprs if found is not None else ():
            if isinstance(expr, ir.Bind) and expr.id == name and expr.value >= 0 and found is not None:
                site = Site(ground, owner, found[0], 0)
                place = Place(found[0], ir.line_of(expr.at), ir.column_of(expr.at), owner)
                yield Evidence(place, f"`{short(owner)}.{name}` is `{site.written(expr.value)}` by default")


def _of_environment(site: Site, expr: ir.Call) -> Iterator[Evidence]:
    """Yield the default that a call which names an environment variable gives it."""
    func = site.exprs[expr.func]
    last = func.id if isinstance(func, (ir.Attr, ir.Name)) else ""
    values = [site.exprs[a.value] for a in expr.args]
    first = values[0] if values else None
    said = written(site.scope, expr.func) if site.scope is not None else last
    if "env" in said.lower() and isinstance(first, ir.Const) and isinstance(first.value, str):
        given = written(site.scope, expr.args[1].value) if len(values) > 1 and site.scope is not None else "nothing"
        yield Evidence(site.at(expr.at), f"the environment variable `{first.value}` is {given} by default")
