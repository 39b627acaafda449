"""A call that does not fit what it calls: the function, its parameters, and the overrides that take them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codepath.analysis.traces.site import Ground, Site, plain_function, short
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.trace import Cause, Evidence

_UNEXPECTED = re.compile(r"([\w.<>]{1,200})\(\) got an unexpected keyword argument '(\w{1,200})'")
_MISSING = re.compile(
    r"([\w.<>]{1,200})\(\) missing \d{1,3} required (?:positional|keyword-only) arguments?: '(\w{1,200})'"
)
_MOST = 4


def signature_cause(site: Site, exception: str, message: str) -> Cause | None:
    """Return which function of a call on the line does not take, or was not given, an argument."""
    unexpected, missing = _UNEXPECTED.match(message), _MISSING.match(message)
    found = unexpected or missing
    if exception != "TypeError" or found is None:
        return None
    callee = _callee(site, short(found[1]), found[1])
    place = _defined(site.ground, callee) if callee else None
    if place is None:
        return None
    name, said = found[2], plain_function(callee)
    claim = f"`{said}` takes no `{name}`" if unexpected is not None else f"`{said}` is called without its `{name}`"
    evidence = [Evidence(site.place, "the call"), Evidence(place, f"`{said}` is defined here")]
    wanted = frozenset([name]) if unexpected is not None else _given(site, short(callee))
    others = list(_overrides(site.ground, callee, wanted)) if wanted else []
    if others:
        which = "1 other definition" if len(others) == 1 else f"{len(others)} other definitions"
        takes = "takes" if len(others) == 1 else "take"
        claim += f", which {which} of `{short(callee)}` {takes}" if unexpected is not None else ""
        claim += f"; {which} of `{short(callee)}` {takes} what it is given here" if missing is not None else ""
    evidence += others[:_MOST]
    commands = (("callers", callee), ("hooks", short(callee)))
    return Cause("missing-hook", claim, tuple(evidence), (evidence[1], evidence[0]), commands, (), True, 0.8)


def _callee(site: Site, last: str, full: str) -> str:
    """Return the function of the tree that a message means: a callee of the line, else the one of that name."""
    steps = [
        s.callee for s in site.ground.graph.steps(site.function) if s.line == site.line and short(s.callee) == last
    ]
    exact = [c for c in steps if c.endswith(f".{full}")]
    named = [
        n.name
        for n in site.ground.graph.named(last)
        if n.name.endswith(f".{full}") and n.kind in ("function", "method")
    ]
    for group in (exact, steps, named):
        distinct = list(dict.fromkeys(group))
        if len(distinct) == 1:
            return distinct[0]
    return ""


def _defined(ground: Ground, function: str) -> Place | None:
    row = ground.graph.function(function)
    return Place(row.file, ir.line_of(row.at), ir.column_of(row.at), function) if row is not None else None


def _given(site: Site, name: str) -> frozenset[str]:
    """Return the keywords that the call of a function on the line gives."""
    for index in site.on_line():
        expr = site.exprs[index]
        func = site.exprs[expr.func] if isinstance(expr, ir.Call) else None
        if isinstance(expr, ir.Call) and isinstance(func, (ir.Name, ir.Attr)) and func.id == name:
            return frozenset(a.name for a in expr.args if a.name)
    return frozenset()


def _overrides(ground: Ground, function: str, parameters: frozenset[str]) -> Iterator[Evidence]:
    """Yield the methods of the same name in classes related to the function's that take some parameters by name."""
    owner, _, last = function.rpartition(".")
    cls = ground.facts.by_name.get(owner)
    if cls is None:
        return
    related = {c.name: c for base in ground.facts.order(cls) for c in ground.facts.below(base.name)}
    members = ground.facts.members(last)
    shown = ", ".join(f"`{name}`" for name in sorted(parameters))
    for name in sorted(set(related) & set(members)):
        found = ground.find(f"{name}.{last}")
        if name != owner and found is not None and parameters <= {p.id for p in found[1].params}:
            place = _defined(ground, f"{name}.{last}")
            if place is not None:
                yield Evidence(place, f"`{short(name)}.{last}` takes {shown}")
