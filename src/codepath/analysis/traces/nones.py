"""A None where a value was needed: which expression it was, and the chain of places by which it got there.

Approximates: over (`NoneFlow` tells what can be None, not what was); a chain through a look-up of a hook is made certain by the
class that the log names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from codepath.analysis.nulls.cells import INITIAL
from codepath.analysis.traces.attributes import none_attribute
from codepath.analysis.traces.orders import standing
from codepath.analysis.traces.site import Ground, Site, plain_function, short
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.hooks import Holder, HookAnswer
from codepath.model.trace import Cause, Evidence
from codepath.program.lookups import asked

_SAYS_NONE = re.compile(
    r"'NoneType' object (?:is not|cannot be|does not support|can't be) "
    r"|object of type 'NoneType' has no len|argument of type 'NoneType' is not"
    r"|cannot unpack non-iterable NoneType|unsupported operand type\(s\) for .{1,20}: .{0,120}'NoneType'"
    r"|.{0,60} not supported between instances of .{0,120}'NoneType'|.{0,80}argument .{0,80}NoneType"
)
_STARTS = re.compile(rf"{INITIAL} `(\w{{1,200}})`")
_STORED = re.compile(r"stored in `(\w{1,200})`")
_COMPARED = " not supported between instances of "
_MOST_CHAINS = 4
_NAMED = 10


def is_about_none(exception: str, message: str) -> bool:
    """Tell whether an exception says that something was None."""
    if exception == "TypeError":
        return _SAYS_NONE.match(message) is not None
    return exception == "AttributeError" and bool(none_attribute(message))


def none_causes(site: Site, message: str, is_assert: bool, *, is_seen: bool = True) -> list[Cause]:
    """Return why an expression of a line was None, the likeliest first; `is_seen` tells that a log shows it was."""
    region = site.region()
    if is_assert and isinstance(region, ir.Assert):
        wanted = list(dict.fromkeys(_tested(site, region.test)))
    else:
        wanted = _used(site, none_attribute(message), message)
    found: list[Cause] = []
    flows = {index: site.ground.none_flow(site.function, index) for index in wanted}
    for index, chains in flows.items():
        found.extend(_from_chain(site, index, chain) for chain in (chains or ())[:_MOST_CHAINS])
    if is_seen:  # of what cannot be None nothing is said, unless it is all there is
        bare = [index for index, chains in flows.items() if chains is None] or ([] if found else wanted)
        found.extend(_bare(site, index) for index in bare)
    return sorted(found, key=lambda c: -c.score)


def _tested(site: Site, index: int) -> Iterator[int]:
    """Yield the expressions that must not be None for a test to hold."""
    expr = site.exprs[index]
    if isinstance(expr, ir.Bool) and expr.op == "and":
        for value in expr.values:
            yield from _tested(site, value)
    elif isinstance(expr, ir.Compare):
        right = site.exprs[expr.rights[0]]
        if expr.ops == ("is not",) and isinstance(right, ir.Const) and right.value is None:
            yield expr.left
    elif isinstance(expr, (ir.Name, ir.Attr, ir.Call)):
        yield index


def _used(site: Site, attribute: str, message: str) -> list[int]:
    """Return the expressions of a line that would fail if they were None; with `attribute` those of which it is read."""
    whole = "iter" in message
    found: dict[int, None] = {}
    for index in site.on_line():
        expr = site.exprs[index]
        if isinstance(expr, ir.Attr) and (not attribute or expr.id == attribute):
            if attribute:
                found[expr.value] = None
        elif attribute:
            continue
        elif isinstance(expr, ir.Subscript):
            found[expr.value] = None
        elif isinstance(expr, ir.Call):
            found[expr.func] = None
            if " len" in message or "argument " in message:
                found.update(dict.fromkeys(a.value for a in expr.args))
        elif whole and isinstance(expr, (ir.Name, ir.Attr)):
            found[index] = None
        elif isinstance(expr, ir.Binary):
            found.update({expr.left: None, expr.right: None})
        elif isinstance(expr, ir.Compare) and expr.ops[0] in ("<", ">", "<=", ">=", "in", "not in"):
            found.update({expr.left: None, expr.rights[0]: None})
    if attribute and not found:
        found = {
            e.value: None
            for e in site.exprs
            if isinstance(e, ir.Attr) and e.id == attribute and ir.line_of(e.end) == site.line
        }
    if not found and _COMPARED in message:
        found = dict.fromkeys(_handed(site))
    return [i for i in found if isinstance(site.exprs[i], (ir.Name, ir.Attr, ir.Subscript, ir.Call))]


def _handed(site: Site) -> Iterator[int]:
    """Yield the arguments on a line: a built-in function compares them, and the line of its call may be another."""
    arguments = {a.value for e in site.exprs if isinstance(e, ir.Call) for a in e.args}
    yield from (index for index in site.on_line() if index in arguments)


def _bare(site: Site, index: int) -> Cause:
    text = site.written(index)
    evidence = (Evidence(site.place, f"`{text}` is None here"), *_bound(site, index))
    return Cause("none-flow", f"`{text}` is None here", evidence, (), (), site.guards_of(index), False, 0.5)


def _bound(site: Site, index: int) -> Iterator[Evidence]:
    """Yield where a local name was bound."""
    expr = site.exprs[index]
    if isinstance(expr, ir.Name) and site.scope is not None:
        for number in site.scope.uses[expr.use]:
            bind = site.scope.definitions[number].bind if number >= 0 else -1
            value = getattr(site.exprs[bind], "value", -1) if bind >= 0 else -1
            if value >= 0:
                yield Evidence(site.at(site.exprs[bind].at), f"`{expr.id}` is `{site.written(value)}`")


# --- chains ----------------------------------------------------------------------------------------------------------


def _from_chain(site: Site, index: int, chain: Sequence[Evidence]) -> Cause:
    text = site.written(index)
    failing = Evidence(site.place, f"`{text}` is None here")
    hops = tuple(e for e in chain if (e.place.file, e.place.line) != (site.file, site.line))
    hook = _hook_in(site.ground, hops)
    last = hops[-1] if hops else failing
    commands = (*_stores(site.ground, hops), ("reach", last.place.function))
    plain = Cause(
        kind="none-flow",
        claim=f"`{text}` is None here: {hops[0].reason if hops else 'it can be None'}",
        evidence=(*hops, failing),
        fix_places=hops[:1],
        commands=commands,
        guards=site.guards_of(index),
        certain=False,
        score=0.7 - 0.01 * len(hops),
    )
    if hops and hops[0].reason.startswith(INITIAL):
        return _of_initial(site, plain, text, hops[0])
    ran = _ran_before(site.ground, hops)
    plain = replace(plain, evidence=(*plain.evidence, *ran))
    return plain if hook is None else _of_hook(site, plain, text, *hook)


def _ran_before(ground: Ground, hops: Sequence[Evidence]) -> Iterator[Evidence]:
    """Yield that a store which a chain passes ran before the failure, as far as the traceback tells."""
    for hop in hops:
        if _STORED.match(hop.reason):
            found = standing(ground, hop.place.function, hop.place)
            if found is not None and found.before:
                yield found.evidence


def _of_initial(site: Site, plain: Cause, text: str, hop: Evidence) -> Cause:
    """Return a cause for a first value that is still there: its writers come later, were skipped, or did run."""
    found = _STARTS.match(hop.reason)
    name = found[1] if found is not None else ""
    writers = list(_writers(site.ground, hop.place.function, name))
    order = [standing(site.ground, place.function, place) for place in writers]
    told = tuple(dict.fromkeys(one.evidence for one in order if one is not None))
    if writers and all(one is not None and not one.before for one in order):
        claim = f"`{text}` is None here: `{name}` is stored only later: {told[0].reason}"
        commands = (("order", writers[0].function, site.function), *plain.commands)
        evidence = (*plain.evidence, *told)
        return replace(
            plain, kind="order", claim=claim, evidence=evidence, fix_places=told, commands=commands, score=0.92
        )
    if any(one is not None and one.before and not one.guards for one in order):
        return replace(plain, evidence=(*plain.evidence, *told), score=0.3)
    return replace(plain, evidence=(*plain.evidence, *told))


def _writers(ground: Ground, module: str, name: str) -> Iterator[Place]:
    """Yield the places where functions of a module store a global of it."""
    if ground.bodies.scope(module) is None or not ground.bodies.tree.is_module(module):
        return
    for info in ground.bodies.holding(module, name):
        scope = ground.bodies.of(info).scope
        for expr in scope.exprs if info.form == "function" and name in scope.globals else ():
            if isinstance(expr, ir.Bind) and expr.id == name:
                yield Place(info.module.path, ir.line_of(expr.at), ir.column_of(expr.at), info.name)


def _stores(ground: Ground, hops: Sequence[Evidence]) -> Iterator[tuple[str, ...]]:
    """Yield the questions about a global that a chain passes: who sets it, and what it can hold."""
    for hop in hops:
        found = _STORED.match(hop.reason)
        scope = ground.find(hop.place.function) if found is not None else None
        if found is not None and scope is not None and found[1] in scope[1].globals:
            yield ("reach", plain_function(hop.place.function))
            yield ("values", found[1])
            return


def _hook_in(ground: Ground, hops: Sequence[Evidence]) -> tuple[str, Evidence] | None:
    """Return the first look-up of an attribute that a chain passes, and its place."""
    for hop in hops:
        found = ground.find(hop.place.function)
        for one in asked(found[1]) if found is not None else ():
            if one.name and ir.line_of(found[1].exprs[one.expression].at) == hop.place.line:  # type: ignore[index]
                return one.name, hop
    return None


def _of_hook(site: Site, plain: Cause, text: str, hook: str, hop: Evidence) -> Cause:
    """Return a cause that names the classes without the hook."""
    ground = site.ground
    answer = ground.hooks.one(hook)
    if answer is None:
        return plain
    lacking = [c for c in answer.classes if c.has is False]
    model = next((m for m in ground.models if any(c.cls == m for c in answer.classes)), "")
    chosen = next((c for c in lacking if c.cls == model), None)
    then = _stored_as(plain, text)
    commands = (("hooks", hook, "--missing"), *plain.commands)
    if chosen is not None:
        cls = short(chosen.cls)
        wraps = f" (the {short(chosen.wraps)} that it can make has it)" if chosen.wraps else ""
        defined = Evidence(Place(chosen.file, chosen.line, 0, chosen.cls), f"`{cls}` is defined here, without `{hook}`")
        return replace(
            plain,
            kind="missing-hook",
            claim=f"`{cls}` has no `{hook}`{wraps}: {then}",
            evidence=(defined, *plain.evidence),
            fix_places=(defined, hop),
            commands=commands,
            certain=chosen.cls == ground.known_model,
            score=1.0,
        )
    if model:  # the class that ran has the hook: this is not how the None came about
        return replace(plain, score=0.2, claim=f"{plain.claim} (but `{short(model)}` has `{hook}`)")
    return _listed(ground, answer, then, replace(plain, kind="missing-hook", commands=commands, score=0.9), hop)


def _listed(ground: Ground, answer: HookAnswer, then: str, plain: Cause, hop: Evidence) -> Cause:
    """Return a cause for a chain of which the log does not tell the class: the classes without the hook that make what the
    traceback runs in are listed, where none do all of them."""
    lacking = [c for c in answer.classes if c.has is False]
    made, likely = _running(ground, lacking)
    places = tuple(
        Evidence(Place(c.file, c.line, 0, c.cls), f"`{short(c.cls)}` has no `{answer.hook}`") for c in likely or lacking
    )
    claim = f"{len(lacking)} of {len(answer.classes)} classes of {answer.family} have no `{answer.hook}`"
    if likely:
        claim += f", among them {_named(likely)}, which can make a `{short(made)}`"
    evidence = (*places, *plain.evidence) if likely else (*plain.evidence, *places)
    return replace(plain, claim=f"{claim}: for them {then}", evidence=evidence, fix_places=(hop, *places[:12]))


def _running(ground: Ground, lacking: Sequence[Holder]) -> tuple[str, list[Holder]]:
    """Return the innermost class of the traceback that tells the classes apart, and those that make it."""
    for owner in ground.owners:
        likely = [c for c in lacking if ground.hooks.makes(c.cls, owner)]
        if 0 < len(likely) < len(lacking):
            return owner, likely
    return "", []


def _named(holders: Sequence[Holder]) -> str:
    """Return the names of some classes as a list of words."""
    names = [f"`{short(c.cls)}`" for c in holders]
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _stored_as(plain: Cause, text: str) -> str:
    """Return in words what becomes of the None."""
    for one in reversed(plain.evidence):
        if one.reason.startswith("stored in"):
            return f"None is {one.reason} by `{plain_function(one.place.function)}`, and `{text}` is None here"
    return f"`{text}` is None here"
