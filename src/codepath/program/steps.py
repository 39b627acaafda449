"""From a solved scope to its steps: callees of each call site with tier and guards, and why the rest is unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from msgspec import structs

from codepath.model import ir
from codepath.model.solution import DECORATOR, StoredGap, StoredGuard, StoredStep
from codepath.program import values as v
from codepath.program.cells import MANY
from codepath.program.choices import Choices, common
from codepath.program.frame import Frame
from codepath.program.guards import Guards, Literal, Literals
from codepath.program.outside import ANY_MODULE
from codepath.program.rows import SITES
from codepath.program.solver import Solver
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId, Value, Values

_NAMED = frozenset(["call", "construct", "super"])
"""Kinds of steps whose callee the call itself names."""
_NEVER = "TYPE_CHECKING"
"""A condition that is false when the program runs."""
IMPLICIT = frozenset(["operator", "property", "context", "decorator", "import"])
"""Kinds of steps that a call may have beside that of its callee."""
_BY_CALL = frozenset(["call", "construct", "super", "dispatch"])
_RANK = {"exact": 0, "inferred": 1, "family": 2, "by-name": 3}
BY_NAME_LIMIT = 5
FROM_OUTSIDE = "a call outside the tree gave the object of"
"""Begins the reason of a call site whose object came from outside, while the tree has a method of its name."""
MANY_BODIES = 4
"""Bodies of one method in one family of classes at one expression, from which overrides there count as the family's."""


@dataclass(slots=True)
class Emitted:
    """The steps and gaps of one code scope, with its table of guards.

    `placed` has the expression and the resolution, a position in `SITES`, of each call site where that is asked for.
    """

    steps: list[StoredStep] = field(default_factory=list)
    gaps: list[StoredGap] = field(default_factory=list)
    guards: list[StoredGuard] = field(default_factory=list)
    call_sites: int = 0
    sites: list[int] = field(default_factory=lambda: [0] * len(SITES))
    placed: list[tuple[int, int]] | None = None
    _numbers: dict[StoredGuard, int] = field(default_factory=dict)

    def number(self, guard: StoredGuard) -> int:
        """Return the position of a guard in the table, added where it is new."""
        found = self._numbers.get(guard)
        if found is None:
            found = self._numbers[guard] = len(self.guards)
            self.guards.append(guard)
        return found


class Emitter:
    """Turns solved scopes into steps. `methods_named` gives the functions of the tree with a name, for the last tier."""

    def __init__(self, solver: Solver, methods_named: Callable[[str], tuple[ScopeId, ...]]) -> None:
        self._solver = solver
        self._methods_named = methods_named
        self.choices = Choices(solver)

    def emit(self, info: ScopeInfo, scope: ir.Scope, out: Emitted, around: Literals) -> tuple[Frame, Guards]:
        """Add the steps of a scope; `around` are guards of the place where a class body runs. Return what ran."""
        found: dict[int, dict[tuple[ScopeId | str, str], bool]] = {}

        def record(index: int, callee: ScopeId | str, kind: str, family: bool) -> None:
            if index >= 0:
                known = found.setdefault(index, {})
                key = (callee, kind)
                known[key] = known.get(key, True) and family

        frame = self._solver.retelling.of(info, scope, record)
        if frame is None:
            frame = Frame(self._solver, info, scope, record)
            frame.run()
        guards = Guards(scope)
        _Site(self, frame, guards, out, around).emit_all(found)
        return frame, guards

    def name_of(self, callee: ScopeId | str) -> str:
        """Return the dotted name of a callee."""
        return callee if isinstance(callee, str) else self._solver.tree.scopes[callee].name

    def named(self, name: str) -> tuple[ScopeId, ...]:
        """Return the methods of the tree with a name."""
        return self._methods_named(name)


class _Site:
    """The call sites of one scope."""

    def __init__(self, emitter: Emitter, frame: Frame, guards: Guards, out: Emitted, around: Literals) -> None:
        self.emitter = emitter
        self.frame = frame
        self.exprs = frame.exprs
        self.guards = guards
        self.out = out
        self.around = around
        self._numbers: dict[Literal, int] = {}
        self._of_range: dict[int, tuple[int, ...]] = {}
        self._never: dict[tuple[int, ...], bool] = {}

    def emit_all(self, found: dict[int, dict[tuple[ScopeId | str, str], bool]]) -> None:
        """Add the steps and gaps of all expressions, by place."""
        calls = [index for index, expr in enumerate(self.exprs) if expr.__class__ is ir.Call]
        for index in sorted({*calls, *found}):
            position = self.guards.range_of(index)
            if position < 0:
                continue
            numbers = self._guards(index, position)
            if numbers and self._never_runs(numbers):
                continue
            expr = self.exprs[index]
            notes = found.get(index)
            tiers = self._resolved(index, expr, notes, numbers) if notes else set()
            if isinstance(expr, ir.Call):
                self.out.call_sites += 1
                best = min(tiers, key=SITES.index) if tiers else self._unresolved(index, expr, numbers)
                self.out.sites[SITES.index(best)] += 1
                if self.out.placed is not None:
                    self.out.placed.append((index, SITES.index(best)))

    def _never_runs(self, numbers: tuple[int, ...]) -> bool:
        found = self._never.get(numbers)
        if found is None:
            guards = (self.out.guards[n] for n in numbers)
            found = any(g.polarity and g.text.rpartition(".")[2] == _NEVER for g in guards)
            self._never[numbers] = found
        return found

    def _resolved(
        self,
        index: int,
        expr: ir.Expr,
        notes: dict[tuple[ScopeId | str, str], bool],
        numbers: tuple[int, ...],
    ) -> set[str]:
        """Add the steps of an expression; return how the call itself, if it is one, was resolved."""
        tiers: set[str] = set()
        lexical = self._is_lexical(expr.func) if isinstance(expr, ir.Call) else False
        called = "super" if self._is_super(expr) else "call"
        chosen: dict[bool, list[int]] = {}
        overrides = self._open_overrides(notes) if len(notes) >= MANY_BODIES else ()
        for (callee, kind), family in notes.items():
            kind = called if kind == "call" else kind
            tier = self._tier(callee, kind, family or callee in overrides, lexical)
            step = StoredStep(self.emitter.name_of(callee), expr.at, kind, tier, numbers)
            self.out.steps.append(self._wrapped(expr, callee, self._chosen(index, expr, callee, step, chosen)))
            if kind not in IMPLICIT:
                tiers.add("outside" if isinstance(callee, str) else tier)
        return tiers

    def _chosen(
        self, index: int, expr: ir.Expr, callee: ScopeId | str, step: StoredStep, chosen: dict[bool, list[int]]
    ) -> StoredStep:
        """Add to a step where its callee was chosen and under which guards; `chosen` keeps where there is a choice."""
        if not isinstance(expr, ir.Call) or step.kind in IMPLICIT or step.kind == "registry":
            return step
        choices = self.emitter.choices
        is_named = step.kind in _BY_CALL
        sources = chosen.get(is_named)
        if sources is None:
            given = [expr.func] if is_named else [a.value for a in expr.args]
            sources = chosen[is_named] = [source for source in given if choices.is_chosen(self.frame, source)]
        entries = [e for source in sources for e in choices.of(self.frame, self.guards, source, callee)]
        if not entries:
            return step
        own = {(g.at, g.text, g.polarity) for g in self.guards.of(index)}
        here = self.frame.info.sid
        placed = [p for p in common(entries) if not (p[0] == here and (p[1].at, p[1].text, p[1].polarity) in own)]
        numbers = (*step.guards, *(self._chosen_guard(sid, literal) for sid, literal in placed))
        first = entries[0]
        step = structs.replace(step, guards=tuple(dict.fromkeys(numbers)))
        if not first.how or any((e.scope, e.at) != (first.scope, first.at) for e in entries):
            return step
        info = self.frame.solver.tree.scopes[first.scope]
        file = "" if info.module is self.frame.info.module else info.module.path
        return structs.replace(step, how=first.how, how_file=file, how_at=first.at, how_function=info.name)

    def _wrapped(self, expr: ir.Expr, callee: ScopeId | str, step: StoredStep) -> StoredStep:
        """Add to a step into a wrapper which functions it wraps there, where they are known."""
        if isinstance(callee, str) or not isinstance(expr, ir.Call) or step.how:
            return step
        called = self.frame.values[expr.func]
        if step.kind == "construct":
            called = frozenset(held for value in called for held in self._constructors(value))
        meant = [value for value in called if value[0] in (v.FUNCTION, v.BOUND) and value[1] == callee]
        wrapped = [v.wrapped_by(value) for value in meant]
        if not wrapped or not all(inner and inner[0] for inner in wrapped):
            return step
        scopes = self.frame.solver.tree.scopes
        first, *others = sorted((scopes[inner[0][1]] for inner in set(wrapped)), key=lambda info: info.name)
        file = "" if first.module is self.frame.info.module else first.module.path
        wraps = tuple(dict.fromkeys((first.name, *(info.name for info in others))))
        return structs.replace(
            step, how=DECORATOR, how_file=file, how_at=first.at, how_function=first.name, wraps=wraps
        )

    def _constructors(self, value: Value) -> Values:
        """Return what a class has for its `__init__`."""
        got = self.frame.solver.classes.find(value[1], "__init__") if value[0] in (v.CLASS, v.OPEN_CLASS) else None
        return self.frame.meaning(got.meaning) if got is not None else v.NOTHING

    def _chosen_guard(self, sid: ScopeId, literal: Literal) -> int:
        module = self.frame.solver.tree.scopes[sid].module
        file = "" if module is self.frame.info.module else module.path
        when = tuple(self._chosen_guard(sid, inner) for inner in literal.when)
        line = ir.line_of(literal.at)
        return self.out.number(StoredGuard(literal.text, literal.polarity, literal.kind, line, file, when, True))

    def _open_overrides(self, notes: Iterable[tuple[ScopeId | str, str]]) -> set[ScopeId | str]:
        """Return the overrides among the bodies of one method that an expression runs, where it runs many of one family.

        The values followed to it then tell little more than the family does.
        """
        solver = self.frame.solver
        bodies: dict[tuple[str, str, ScopeId], dict[ScopeId, ScopeId]] = {}
        for callee, kind in notes:
            info = solver.tree.scopes[callee] if not isinstance(callee, str) and kind != "construct" else None
            owner = solver.tree.class_around(info) if info is not None else None
            if info is not None and owner is not None:
                bodies.setdefault((kind, info.id, solver.classes.root(owner.sid)), {})[info.sid] = owner.sid
        return {
            callee
            for (_, name, _), owners in bodies.items()
            if len(owners) >= MANY_BODIES
            for callee, owner in owners.items()
            if solver.classes.find(owner, name, after=owner) is not None
        }

    def _tier(self, callee: ScopeId | str, kind: str, family: bool, lexical: bool) -> str:
        if family:
            return "family"
        return "exact" if lexical and kind in _NAMED else "inferred"

    def _is_super(self, expr: ir.Expr) -> bool:
        func = self.exprs[expr.func] if isinstance(expr, ir.Call) else None
        return isinstance(func, ir.Attr) and any(value[0] == v.SUPER for value in self.frame.values[func.value])

    def _is_lexical(self, index: int) -> bool:
        """Tell whether names alone, or a known class around, say what an expression is."""
        expr = self.exprs[index]
        if isinstance(expr, ir.Name):
            return self._is_lexical_name(expr)
        if isinstance(expr, ir.Attr):
            base = self.exprs[expr.value]
            if self._is_own(base):
                return all(value[0] == v.BOUND for value in self.frame.values[index]) and (self._is_in_class(expr.id))
            if isinstance(base, ir.Call) and self._is_lexical(base.func):
                return all(value[0] in (v.INSTANCE, v.SUPER) for value in self.frame.values[expr.value])
            kinds = {value[0] for value in self.frame.values[expr.value]}
            return kinds <= {v.MODULE, v.CLASS, v.OUTSIDE} and self._is_lexical(expr.value)
        return False

    def _is_in_class(self, name: str) -> bool:
        """Tell whether the class around binds a name."""
        owner = self.frame.solver.tree.class_around(self.frame.info)
        return owner is not None and self.frame.solver.classes.find(owner.sid, name) is not None

    def _is_lexical_name(self, expr: ir.Name) -> bool:
        scope = self.frame.scope
        reaching = scope.uses[expr.use]
        solver, info = self.frame.solver, self.frame.info
        if reaching:
            return all(d >= 0 and scope.definitions[d].form in _LEXICAL_FORMS for d in reaching)
        meaning = (
            solver.lexical.free(info, expr.id) if info.form != "module" else solver.lexical.global_name(info, expr.id)
        )
        return bool(meaning.values) and not meaning.cells

    def _is_own(self, base: ir.Expr) -> bool:
        """Tell whether an expression is the `self` or `cls` of the method."""
        if not isinstance(base, ir.Name) or self.frame.info.form != "function":
            return False
        solver, info = self.frame.solver, self.frame.info
        return (
            self.frame.scope.uses[base.use] == (0,) and bool(info.params) and solver.tree.class_around(info) is not None
        )

    # --- unresolved --------------------------------------------------------------------------------------------------

    def _unresolved(self, index: int, expr: ir.Call, numbers: tuple[int, ...]) -> str:
        """Note a call site whose callee is not known; return what it counts as."""
        func = self.exprs[expr.func]
        values = self.frame.values[expr.func]
        text = self._text(expr.func)
        is_opaque = any(value[0] in (v.RESULT, v.OUTSIDE) for value in values)
        if is_opaque and any(value[1] for value in values if value[0] in (v.RESULT, v.OUTSIDE)):
            return self._gap(expr, text, "result of a call outside the tree", outside=True)
        if isinstance(func, ir.Attr):
            candidates = self.emitter.named(func.id)
            if candidates and is_opaque:
                return self._gap(expr, text, f"{FROM_OUTSIDE} `{func.id}`")
            if self.frame.values[func.value] == ANY_MODULE:
                return self._gap(expr, text, "a module whose name is not known")
            if not candidates:
                return self._gap(expr, text, f"no class of the tree defines `{func.id}`", outside=True)
            if len(candidates) <= BY_NAME_LIMIT:
                for callee in candidates:
                    name = self.emitter.name_of(callee)
                    self.out.steps.append(StoredStep(name, expr.at, "call", "by-name", numbers))
                return "by-name"
        return self._gap(expr, text, "what a call outside the tree gave" if is_opaque else self._reason(expr.func))

    def _gap(self, expr: ir.Call, text: str, reason: str, outside: bool = False) -> str:
        self.out.gaps.append(StoredGap(expr.at, text, reason, outside))
        return "outside" if outside else "unresolved"

    def _reason(self, index: int) -> str:
        expr = self.exprs[index]
        values = self.frame.values[index]
        if values and values <= MANY:
            return "too many values"
        if isinstance(expr, ir.Name):
            reaching = self.frame.scope.uses[expr.use]
            forms = {self.frame.scope.definitions[d].form for d in reaching if d >= 0}
            if "param" in forms:
                return f"no known argument for the parameter `{expr.id}`"
            return f"no known value for `{expr.id}`"
        if isinstance(expr, ir.Attr):
            receiver = self.frame.values[expr.value]
            if not receiver:
                return f"no known type for the receiver `{self._text(expr.value)}`"
            return f"no known value for the attribute `{expr.id}`"
        if isinstance(expr, ir.Subscript):
            return "an element of a collection that is not known"
        if isinstance(expr, ir.Call):
            return "the result of a call that is not known"
        return "an expression that is not followed"

    def _text(self, index: int) -> str:
        expr = self.exprs[index]
        if isinstance(expr, ir.Name):
            return expr.id
        if isinstance(expr, ir.Attr):
            return f"{self._text(expr.value)}.{expr.id}"
        if isinstance(expr, ir.Call):
            return f"{self._text(expr.func)}()"
        if isinstance(expr, ir.Subscript):
            return f"{self._text(expr.value)}[...]"
        return "..."

    # --- guards ------------------------------------------------------------------------------------------------------

    def _guards(self, index: int, position: int) -> tuple[int, ...]:
        """Return the numbers of the guards of an expression in a range."""
        numbers = self._of_range.get(position)
        if numbers is None:
            numbers = self._of_range[position] = self._numbered((*self.around, *self.guards.of_range(position)))
        inside = self.guards.inside(index, position)
        return tuple(dict.fromkeys((*numbers, *self._numbered(inside)))) if inside else numbers

    def _numbered(self, literals: Literals) -> tuple[int, ...]:
        return tuple(dict.fromkeys(map(self._number, literals))) if literals else ()

    def _number(self, literal: Literal) -> int:
        found = self._numbers.get(literal)
        if found is None:
            when = tuple(self._number(inner) for inner in literal.when)
            line = ir.line_of(literal.at)
            stored = StoredGuard(literal.text, literal.polarity, literal.kind, line, "", when)
            found = self._numbers[literal] = self.out.number(stored)
        return found


_LEXICAL_FORMS = frozenset(["import", "function", "class"])
