"""An AttributeError: a class that lacks an attribute, or one that has it only once some method has run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from codepath.analysis.traces.orders import standing
from codepath.analysis.traces.site import Ground, Site, conditions_said, plain_function, short
from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.model.hooks import Holder, HookAnswer, StoredClass
from codepath.model.trace import Cause, Evidence
from codepath.program.guards import Guards

_OBJECT = re.compile(r"'([\w.]{1,200})' object has no attribute '(\w{1,200})'")
_CLASS = re.compile(r"type object '([\w.]{1,200})' has no attribute '(\w{1,200})'")
_MODULE = re.compile(r"(?:partially initialized )?module '([\w.]{1,200})' has no attribute '(\w{1,200})'")
_SHOWN = 3


def none_attribute(message: str) -> str:
    """Return the attribute that was asked of None, "" for another message."""
    found = _OBJECT.match(message)
    return found[2] if found is not None and found[1] == "NoneType" else ""


def attribute_cause(site: Site, message: str) -> Cause | None:
    """Return why an attribute was missing, None where the message or the tree do not tell."""
    module = _MODULE.match(message)
    if module is not None:
        return _of_module(site, module[1], module[2])
    on_class, on_object = _CLASS.match(message), _OBJECT.match(message)
    found = on_class or on_object
    if found is None or found[1] == "NoneType":
        return None
    on = "class" if on_class is not None else "instance"
    cls = _class_named(site, found[1], found[2], on)
    if cls is None:
        return None
    holder = site.ground.hooks.holder(cls.name, found[2], on)
    return _lacks(site, holder, found[2], on) if holder.has is not True else _unset(site, holder, found[2])


def attribute_causes(ground: Ground, message: str) -> Iterator[Cause]:
    """Yield why an attribute was missing of which a log shows no frame, at the places that ask a class of its family."""
    found = _CLASS.match(message) or _OBJECT.match(message)
    answer = ground.hooks.one(found[2]) if found is not None else None
    if found is None or answer is None or all(short(c.cls) != short(found[1]) for c in answer.classes):
        return
    for lookup in answer.lookups[:_SHOWN]:
        cause = attribute_cause(Site(ground, lookup.place.function, lookup.place.file, lookup.place.line), message)
        if cause is not None:
            yield replace(cause, certain=False)


def _of_module(site: Site, module: str, name: str) -> Cause | None:
    bodies = site.ground.bodies
    if not bodies.tree.is_module(module):
        return None
    meaning = bodies.member(module, name)
    if meaning.values or meaning.cells:
        return None
    evidence = (Evidence(site.place, f"reads `{name}` of the module `{module}`"),)
    return Cause("unset", f"the module `{module}` binds no `{name}`", evidence, evidence, score=0.8)


def _class_named(site: Site, name: str, attribute: str, on: str) -> StoredClass | None:
    """Return the class of the tree that a message names; of several the one that the place is about, or that lacks it."""
    ground = site.ground
    found = [c for c in ground.facts.by_name.values() if short(c.name) == short(name)]
    if len(found) < 2:
        return found[0] if found else None
    around = [c for c in found if site.function.startswith(f"{c.name}.")]
    known = [c for c in found if c.name in ground.models]
    lacking = [c for c in found if ground.hooks.holder(c.name, attribute, on).has is not True]
    return next((group[0] for group in (around, known, lacking) if len(group) == 1), found[0])


# --- the class has no such attribute ---------------------------------------------------------------------------------


def _lacks(site: Site, holder: Holder, attribute: str, on: str) -> Cause:
    ground = site.ground
    cls = short(holder.cls)
    answer = ground.hooks.one(attribute, place=(site.file, site.line))
    defined = Evidence(
        Place(holder.file, holder.line, 0, holder.cls), f"`{cls}` is defined here, without `{attribute}`"
    )
    used = Evidence(_use(site, attribute), f"asks {'the class' if on == 'class' else 'an instance'} for `{attribute}`")
    evidence = [used, defined, *_bases(ground, holder), *_elsewhere(answer, holder)]
    claim = f"`{cls}` has no attribute `{attribute}`"
    if holder.has is None:
        claim = f"`{cls}` has no attribute `{attribute}` of its own, and {holder.why}"
    claim += _compared(ground, answer, holder)
    near = _similar(ground, holder.cls, attribute)
    if near:
        claim += f"; it has `{near[0][0]}`"
        evidence.append(Evidence(near[0][1], f"`{near[0][0]}`, which looks like it"))
    commands = [("hooks", attribute, "--missing"), ("reach", f"{site.file}:{site.line}")]
    fix = (defined, used)
    return Cause("missing-hook", claim, tuple(evidence), fix, tuple(commands), _guards(site, attribute), score=0.95)


def _compared(ground: Ground, answer: HookAnswer | None, holder: Holder) -> str:
    """Return what other classes have, in words."""
    found = next((c for c in answer.classes if c.cls == holder.cls), None) if answer is not None else None
    if answer is None or found is None or not answer.have:
        return ""
    if found.wraps:
        return f", although the {short(found.wraps)} that it can make has it"
    verb = "has" if answer.have == 1 else "have"
    return f", which {answer.have} of {len(answer.classes)} classes of {answer.family} {verb}"


def _bases(ground: Ground, holder: Holder) -> Iterator[Evidence]:
    for name in holder.bases[:_SHOWN]:
        base = ground.facts.by_name.get(name)
        if base is not None:
            place = Place(base.file, ir.line_of(base.at), ir.column_of(base.at), base.name)
            yield Evidence(place, f"its base `{short(name)}` has none either")


def _elsewhere(answer: HookAnswer | None, holder: Holder) -> Iterator[Evidence]:
    """Yield some classes that have the attribute, the one that the class wraps first."""
    if answer is None:
        return
    found = next((c for c in answer.classes if c.cls == holder.cls), None)
    having = [c for c in answer.classes if c.has is True and c.provider is not None]
    if found is not None and found.wraps:
        having.sort(key=lambda c: c.cls != found.wraps)
    seen: set[Place] = set()
    for other in having:
        assert other.provider is not None
        if other.provider.place not in seen and len(seen) < _SHOWN:
            seen.add(other.provider.place)
            yield Evidence(other.provider.place, f"`{short(other.cls)}` has it from here")


def _similar(ground: Ground, name: str, attribute: str) -> list[tuple[str, Place]]:
    """Return the attributes of a class that look like one it lacks: a name that was changed."""
    cls = ground.facts.by_name.get(name)
    found: dict[str, Place] = {}
    for one in ground.facts.order(cls)[:8] if cls is not None else ():
        for known, place in _own_attributes(ground, one):
            found.setdefault(known, place)
    close = get_close_matches(attribute, found, n=1, cutoff=0.75)
    return [(name, found[name]) for name in close]


def _own_attributes(ground: Ground, cls: StoredClass) -> Iterator[tuple[str, Place]]:
    body = ground.find(cls.name)
    for expr in body[1].exprs if body is not None else ():
        if isinstance(expr, ir.Bind):
            yield expr.id, Place(cls.file, ir.line_of(expr.at), ir.column_of(expr.at), cls.name)
    made = ground.find(f"{cls.name}.__init__")
    for expr in made[1].exprs if made is not None else ():
        if isinstance(expr, ir.StoreAttr):
            yield expr.id, Place(cls.file, ir.line_of(expr.at), ir.column_of(expr.at), f"{cls.name}.__init__")


# --- the class has it only sometimes ---------------------------------------------------------------------------------


def _unset(site: Site, holder: Holder, attribute: str) -> Cause | None:
    provider = holder.provider
    if provider is None or provider.how != "instance":
        return None
    stores = list(_stores(site.ground, holder, attribute))
    where = stores[0] if stores else (Evidence(provider.place, "the only store"), ())
    order = [standing(site.ground, e.place.function, e.place, guards) for e, guards in stores]
    told = [found.evidence for found in order if found is not None]
    is_late = bool(stores) and all(found is not None and not found.before for found in order)
    claim = _late_claim(holder, attribute, told[0]) if is_late else _unset_claim(holder, attribute, stores)
    reads = Evidence(_use(site, attribute), f"reads `{attribute}`")
    evidence = (reads, *dict.fromkeys((*(e for e, _ in stores), *told)))
    last = stores[0][0].place.function if stores else holder.cls
    commands: list[tuple[str, ...]] = [("values", f"{short(holder.cls)}.{attribute}"), ("reach", last)]
    if is_late:
        commands.insert(0, ("order", last, site.function))
    kind = "order" if is_late else "unset"
    return Cause(kind, claim, evidence, (where[0],), tuple(commands), where[1], score=0.9 if is_late else 0.85)


def _late_claim(holder: Holder, attribute: str, call: Evidence) -> str:
    return f"`{short(holder.cls)}.{attribute}` is read before it is stored: {call.reason}"


def _unset_claim(holder: Holder, attribute: str, stores: Sequence[tuple[Evidence, tuple[Guard, ...]]]) -> str:
    """Return in words under what an attribute is stored that was not there."""
    name = f"`{short(holder.cls)}.{attribute}`"
    conditions = [g for _, guards in stores for g in guards]
    if len(stores) == 1 and conditions:
        return f"{name} is stored only where {conditions_said(conditions)}"
    if stores and all(guards for _, guards in stores):
        return f"{name} is stored only under conditions, of which none held"
    if stores and short(stores[0][0].place.function) != "__init__":
        return f"{name} is stored only by `{plain_function(stores[0][0].place.function)}`, which had not run"
    return f"{name} is read before anything has stored it"


def _stores(ground: Ground, holder: Holder, attribute: str) -> Iterator[tuple[Evidence, tuple[Guard, ...]]]:
    """Yield the stores of an attribute on `self` in the classes of an object, with their guards."""
    order = {holder.cls, *holder.bases}
    for function, owner in ground.graph.stores_of(attribute):
        found = ground.find(function) if owner in order else None
        if found is None:
            continue
        path, scope = found
        guards = Guards(scope)
        site = Site(ground, function, path, 0)
        for index, expr in enumerate(scope.exprs):
            if isinstance(expr, ir.StoreAttr) and expr.id == attribute:
                conditions = tuple(g for g in site.said(guards.of(index)) if g.kind != "try")
                under = f" where {conditions_said(conditions)}" if conditions else ""
                yield Evidence(site.at(expr.at), f"stored by `{plain_function(function)}`{under}"), conditions


def _use(site: Site, attribute: str) -> Place:
    index = _read(site, attribute)
    return site.at(site.exprs[index].at) if index >= 0 else site.place


def _guards(site: Site, attribute: str) -> tuple[Guard, ...]:
    return site.guards_of(_read(site, attribute))


def _read(site: Site, attribute: str) -> int:
    """Return the expression of a line that reads an attribute, -1 where none does."""
    for index in site.on_line():
        expr = site.exprs[index]
        if isinstance(expr, ir.Attr) and expr.id == attribute:
            return index
    return next(
        (
            i
            for i, e in enumerate(site.exprs)
            if isinstance(e, ir.Attr) and e.id == attribute and ir.line_of(e.end) == site.line
        ),
        -1,
    )
