"""`signature-drift`: calls whose arguments no longer fit the callee, and overrides that calls through the base do not fit.

Forms: `count`, `keyword`, `twice` and `missing` for a call that Python refuses; `position` for one whose arguments stand where
the parameters of each other's names are; `override` for a method that a call in a base refuses.

Approximates: under (a callee whose signature something may change, and a call that one of its possible callees may accept, are
left out).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.families import Family
from codepath.analysis.detect.fitting import Misfit, misfit, passed_by, swapped
from codepath.analysis.detect.signatures import Signatures
from codepath.analysis.detect.tables import Method, Site
from codepath.analysis.detect.trying import catches
from codepath.model import ir
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.model.solution import StoredFunction, StoredStep
from codepath.program.annotations import term_of
from codepath.program.bodies import Body
from codepath.program.classes import is_private
from codepath.program.tree import Parameter, ScopeInfo
from codepath.program.values import MODULE

KIND = "signature-drift"
_KINDS = ("call", "construct", "super")
_SURE = ("exact", "inferred")
_FORGET_EVERY = 3000
"""Functions."""


@dataclass(frozen=True, slots=True)
class _Callee:
    """What a call runs: its parameters without those that the receiver takes, and whether this is certain.

    `also` are its parameters where the receiver may be the class itself.
    """

    info: ScopeInfo
    params: tuple[Parameter, ...]
    is_sure: bool
    also: tuple[Parameter, ...] | None = None


class Drift:
    """Finds calls and overrides whose parameters drifted apart."""

    def __init__(self, evidence: Evidence) -> None:
        self._families = evidence.families
        self._tree = self._families.tree
        self._bodies = self._tree.bodies
        self._signatures = Signatures(self._bodies)
        self._guard_values = evidence.guard_values
        self._runs = evidence.runs

    def everywhere(self) -> Iterator[Detected]:
        """Yield what does not fit in the whole tree."""
        classes = self._tree.classes()
        for number, (name, row) in enumerate(self._rows(), 1):
            yield from self.calls(name, row)
            if number % _FORGET_EVERY == 0:
                self._bodies.forget()
        for info in self._tree.each(classes):
            yield from self.overrides(info)

    def _rows(self) -> Iterator[tuple[str, StoredFunction]]:
        """Yield the functions and modules that are asked for with their rows."""
        if self._tree.within is None:
            yield from self._tree.graph.everything()
            return
        for info in [info for module in list(self._tree.everything()) for info in self._tree.asked(module)]:
            row = self._tree.graph.function(info.name)
            if row is not None and row.at == info.at:
                yield info.name, row

    def of(self, name: str) -> Iterator[Detected]:
        """Yield what does not fit a function, or the constructor of a class."""
        names = [name, f"{name}.__init__"]
        callers = sorted({caller for one in names for caller in self._tree.graph.callers(one)})
        for caller in callers:
            row = self._tree.graph.function(caller)
            if row is not None:
                yield from (d for d in self.calls(caller, row) if d.base in names)
        owner = self._bodies.scope(name.rpartition(".")[0])
        if owner is not None and owner.form == "class":
            self._tree.load_below(owner.id)
            yield from self._override(owner, name.rpartition(".")[2])

    # --- calls -------------------------------------------------------------------------------------------------------

    def calls(self, name: str, row: StoredFunction) -> Iterator[Detected]:
        """Yield the calls of one function that do not fit."""
        steps: dict[int, list[StoredStep]] = {}
        for step in row.steps:
            steps.setdefault(step.at, []).append(step)
        wanted = {at: found for at, found in steps.items() if self._is_meant(found)}
        module = self._bodies.module_at(row.file) if wanted else None
        caller = next((i for i in module.scopes if i.at == row.at and i.name == name), None) if module else None
        if caller is None:
            return
        body = self._bodies.of(caller)
        sites: dict[int, list[int]] = {}
        for index, expr in enumerate(body.scope.exprs):
            if isinstance(expr, ir.Call) and expr.at in wanted:
                sites.setdefault(expr.at, []).append(index)
        unknown = {gap.at for gap in row.gaps}
        for at, found in sites.items():
            if at not in unknown:
                yield from self._at(body, found, wanted[at])

    def _is_meant(self, steps: list[StoredStep]) -> bool:
        return any(s.kind in _KINDS and s.resolution in _SURE and not s.how for s in steps)

    def _at(self, body: Body, sites: list[int], steps: list[StoredStep]) -> Iterator[Detected]:
        """Yield the calls at one place that all their callees refuse."""
        named: dict[str, list[int]] = {}
        for index in sites:
            named.setdefault(_called(body.scope, index), []).append(index)
        groups: dict[int, list[StoredStep]] = {}
        for step in (s for s in steps if s.kind not in ("property", "operator")):
            found = named.get(_last(step), ())
            if len(found) != 1:
                return
            groups.setdefault(found[0], []).append(step)
        for index, group in groups.items():
            one = self._call(body, index, group)
            if one is not None:
                yield one

    def _call(self, body: Body, index: int, steps: list[StoredStep]) -> Detected | None:
        call = body.scope.exprs[index]
        assert isinstance(call, ir.Call)
        if any(s.kind not in _KINDS or s.resolution == "by-name" for s in steps):
            return None
        callees = [self._callee(body, call, step) for step in steps]
        known = [c for c in callees if c is not None]
        if len(known) < len(callees) or not known:
            return None
        passed = passed_by(call)
        misfits = [misfit(passed, c.params) for c in known]
        found = [m for m in misfits if m is not None]
        if any(c.also is not None and misfit(passed, c.also) is None for c in known):
            return None
        if len(found) < len(misfits):
            return self._swapped(body, index, call, steps, known[0]) if len(known) == 1 else None
        if catches(body.scope, index, "TypeError") or _is_tested(body, index):
            return None
        is_sure = all(c.is_sure for c in known) and all(s.resolution in _SURE for s in steps)
        return self._detected(body, call, steps[0], known[0], found[0], "high" if is_sure else "medium")

    def _swapped(
        self, body: Body, index: int, call: ir.Call, steps: list[StoredStep], callee: _Callee
    ) -> Detected | None:
        pair = swapped(body.scope.exprs, call, callee.params)
        if pair is None or body.info.id == callee.info.id:
            return None
        text = f"takes `{pair[1]}` before `{pair[0]}`"
        order = [p.id for p in callee.params]
        if order.index(pair[1]) > order.index(pair[0]):
            text = f"takes `{pair[0]}` before `{pair[1]}`"
        found = Misfit("position", f"{text}, and they are passed the other way round")
        return self._detected(body, call, steps[0], callee, found, "medium")

    def _detected(
        self, body: Body, call: ir.Call, step: StoredStep, callee: _Callee, found: Misfit, precision: str
    ) -> Detected:
        shown = _shown(self._tree.info(callee.info.outer), callee.info)
        place = self._tree.place(body.info, call.at)
        return Detected(
            kind=KIND,
            form=found.form,
            owner=body.info.module.name,
            name=callee.info.id,
            message=f"`{shown}` {found.text}",
            place=place,
            precision=precision,
            surprise=0.9 if found.form != "position" else 0.4,
            notes=(Note(self._tree.place(callee.info, callee.info.at), f"{callee.info.id} is defined here"),),
            base=step.callee,
            method=body.info.id,
        )

    # --- callees -----------------------------------------------------------------------------------------------------

    def _callee(self, body: Body, call: ir.Call, step: StoredStep) -> _Callee | None:
        info = self._bodies.scope(step.callee)
        if info is None or sum(1 for i in info.module.scopes if i.name == info.name) != 1:
            return None
        if step.kind == "construct" or info.form == "class":
            return self._constructed(body, call, info)
        params = self._signatures.function(info)
        if params is None or self._is_replaced(info):
            return None
        func = body.scope.exprs[call.func]
        form = self._signatures.form(info)
        if form == "function":
            is_name = self._is_plain(body, func) if isinstance(func, ir.Name) else self._is_module(body, call.func)
            return _Callee(info, params, True) if is_name else None
        if not isinstance(func, ir.Attr):
            return None
        return self._bound(body, func, info, params, form, step)

    def _bound(
        self, body: Body, func: ir.Attr, info: ScopeInfo, params: tuple[Parameter, ...], form: str, step: StoredStep
    ) -> _Callee | None:
        """Return a method as it is met through a receiver."""
        owner = self._tree.info(info.outer)
        if self._families.classes.is_protocol(owner.sid):
            return None
        if form == "static":
            return _Callee(info, params, True)
        rest = params[1:] if params and params[0].form in ("positional", "normal") else params
        if form == "class" or step.kind == "super":
            return _Callee(info, rest, True)
        receiver = body.scope.exprs[func.value]
        if isinstance(receiver, ir.Name) and body.scope.uses[receiver.use] == (0,) and body.info.params:
            is_method = (
                self._bodies.tree.class_around(body.info) is not None and self._signatures.form(body.info) == "method"
            )
            return _Callee(info, rest, True) if is_method else None
        term = term_of(body.scope.exprs, func.value)
        if isinstance(receiver, (ir.Name, ir.Attr)) and self._bodies.term_values(body.info, term):
            return _Callee(info, params, False) if self._signatures.meant(body.info, term) is not None else None
        if self._is_stub(info) or not (self._is_made_here(body, func.value) or self._all_refuse(body, func, info)):
            return None
        return _Callee(info, rest, True, params if not isinstance(receiver, ir.Attr) else None)

    def _is_stub(self, info: ScopeInfo) -> bool:
        """Tell whether a method is there to be replaced."""
        names = {e.id for e in self._bodies.of(info).scope.exprs if isinstance(e, ir.Name)}
        return "NotImplementedError" in names or any("abstract" in str(d) for d in info.decorators)

    def _is_made_here(self, body: Body, receiver: int) -> bool:
        """Tell whether an object was made by calling a class of the tree, in the same function."""
        scope, expr = body.scope, body.scope.exprs[receiver]
        made = [receiver]
        if isinstance(expr, ir.Name):
            found = [scope.definitions[d].bind for d in scope.uses[expr.use] if d >= 0]
            binds = [scope.exprs[b] for b in found if b >= 0]
            is_plain = len(binds) == len(scope.uses[expr.use]) > 0
            made = [b.value for b in binds if isinstance(b, ir.Bind) and not b.how] if is_plain else [-1]
        calls = [scope.exprs[i] for i in made if i >= 0]
        terms = [term_of(scope.exprs, c.func) for c in calls if isinstance(c, ir.Call)]
        return len(terms) == len(made) > 0 and all(self._signatures.meant(body.info, t) is not None for t in terms)

    def _all_refuse(self, body: Body, func: ir.Attr, info: ScopeInfo) -> bool:
        """Tell whether every method of the name in the tree refuses a call: the flow alone tells the class of its object."""
        call = next(e for e in body.scope.exprs if isinstance(e, ir.Call) and body.scope.exprs[e.func] is func)
        passed = passed_by(call)
        for name in self._tree.graph.named(info.id):
            other = self._bodies.scope(name.name)
            if other is None or other.form != "function" or self._bodies.tree.class_around(other) is None:
                continue
            params = self._signatures.function(other)
            if (
                params is None
                or misfit(passed, params if self._signatures.form(other) == "static" else params[1:]) is None
            ):
                return False
        return True

    def _constructed(self, body: Body, call: ir.Call, info: ScopeInfo) -> _Callee | None:
        cls = self._signatures.meant(body.info, term_of(body.scope.exprs, call.func))
        func = body.scope.exprs[call.func]
        if (
            cls is None
            or not self._signatures.is_plain(cls)
            or (isinstance(func, ir.Name) and not self._is_plain(body, func))
        ):
            return None
        if info.form == "class":
            found = self._signatures.constructor(info) if info is cls else None
            return _Callee(info, found, True) if found is not None else None
        params = self._signatures.function(info)
        order = self._families.classes.mro(cls.sid)
        before = order[: order.index(info.outer)] if info.outer in order else order
        is_made = any(self._tree.info(sid).decorators for sid in before)
        if params is None or info.id != "__init__" or is_made or self._is_replaced(info):
            return None
        return _Callee(info, params[1:], True)

    def _is_plain(self, body: Body, name: ir.Name) -> bool:
        """Tell whether imports and definitions alone bind a name where it is read."""
        info = body.info
        while True:
            found = [d.form for d in self._bodies.of(info).scope.definitions if d.id == name.id]
            if found or info.outer < 0:
                return all(form in ("import", "function", "class") for form in found)
            info = self._tree.info(info.outer)

    def _is_module(self, body: Body, func: int) -> bool:
        expr = body.scope.exprs[func]
        term = term_of(body.scope.exprs, expr.value) if isinstance(expr, ir.Attr) else ""
        values = self._bodies.term_values(body.info, term) if term else ()
        return bool(values) and all(value[0] == MODULE for value in values)

    def _is_replaced(self, info: ScopeInfo) -> bool:
        """Tell whether code of the tree stores something under the name of a function on another object."""
        return bool(self._tree.graph.all_stores_of(info.id))

    # --- overrides ---------------------------------------------------------------------------------------------------

    def overrides(self, info: ScopeInfo) -> Iterator[Detected]:
        """Yield the methods of a class that calls in the methods which it inherits do not fit."""
        if len(self._families.classes.mro(info.sid)) > 1:
            for name in sorted(self._families.table(info.sid).methods):
                yield from self._override(info, name)

    def _override(self, info: ScopeInfo, name: str) -> Iterator[Detected]:
        classes = self._families.classes
        method = self._families.table(info.sid).methods.get(name)
        found = classes.find(info.sid, name, after=info.sid) if method is not None else None
        if method is None or found is None or is_private(name) or name in ("__init__", "__new__"):
            return
        base = self._families.table(found.owner).methods.get(name)
        params, others = self._rest(method), self._rest(base) if base is not None else None
        if params is None or others is None or self._is_replaced(method.info):
            return
        family = self._families.of(info)
        for owner, one in family.live:
            if owner is info or (one.form == "class") != (method.form == "class"):
                continue
            for asked in one.asked:
                if asked.method == name and not asked.through:
                    wrong = self._refused(asked.site, params, others)
                    if wrong is not None and self._runs_for(family, one, asked.site):
                        yield self._overriding(family, method, owner, one, asked.site, wrong)
                        return

    def _rest(self, method: Method) -> tuple[Parameter, ...] | None:
        """Return the parameters of a method as its own object calls it."""
        params = self._signatures.function(method.info)
        if params is None or method.form == "static" or method.form == "property":
            return params if method.form == "static" else None
        return params[1:] if params and params[0].form in ("positional", "normal") else params

    def _refused(self, site: Site, params: tuple[Parameter, ...], others: tuple[Parameter, ...]) -> Misfit | None:
        """Return why a call that fits the method of the base does not fit the one that replaces it."""
        scope = self._bodies.of(self._tree.info(site.sid)).scope
        call = scope.exprs[site.expr]
        if not isinstance(call, ir.Call) or catches(scope, site.expr, "TypeError"):
            return None
        passed = passed_by(call)
        return misfit(passed, params) if misfit(passed, others) is None else None

    def _runs_for(self, family: Family, method: Method, site: Site) -> bool:
        return self._runs.can_run(family, method) and not self._guard_values.is_excluded(family, method, site)

    def _overriding(
        self, family: Family, method: Method, owner: ScopeInfo, by: Method, site: Site, wrong: Misfit
    ) -> Detected:
        info = family.cls
        is_sure = self._runs.is_made(info) and by.info.sid == site.sid and self._runs.is_asked(family, by)
        is_sure = is_sure and not self._guard_values.guards(site)
        where = self._tree.place(self._tree.info(site.sid), site.at)
        return Detected(
            kind=KIND,
            form="override",
            owner=info.name,
            name=method.info.id,
            message=f"`{info.id}.{method.info.id}` {wrong.text}, by `{owner.id}.{by.info.id}`, which calls it",
            place=self._tree.place(method.info, method.info.at),
            precision="high" if is_sure else "medium",
            surprise=0.8,
            notes=(Note(where, f"{by.info.id} calls it"),),
            base=owner.name,
            method=method.info.id,
        )


def _called(scope: ir.Scope, index: int) -> str:
    call = scope.exprs[index]
    func = scope.exprs[call.func] if isinstance(call, ir.Call) else None
    return func.id if isinstance(func, (ir.Name, ir.Attr)) else ""


def _last(step: StoredStep) -> str:
    """Return the name by which a step is written: that of the class where it makes an object."""
    name, _, last = step.callee.rpartition(".")
    return name.rpartition(".")[2] if step.kind == "construct" and last == "__init__" else last


def _is_tested(body: Body, index: int) -> bool:
    """Tell whether a call runs under a condition that asks what its callee is or takes."""
    words = ("signature", "isinstance", "hasattr", "version", "callable")
    return any(word in literal.text for literal in body.guards.of(index) for word in words)


def _shown(owner: ScopeInfo, info: ScopeInfo) -> str:
    if info.id == "__init__":
        return owner.id
    return f"{owner.id}.{info.id}" if owner.form == "class" else info.id
