"""What a call does, by the kind of the value that is called: callees, arguments passed on, results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.model.knowledge import Dispatch
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import WRITTEN, Arguments, takes
from codepath.program.frame import MAX_INDEX, Frame
from codepath.program.instantiated import Instantiated
from codepath.program.optional import Absence, Giving
from codepath.program.tables import written_keys
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, OPAQUE, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver


Slot = tuple[c.Key, bool]
"""The cell of a parameter, and whether all that is passed counts or only what its annotation leaves open."""
Layout = tuple[list["Slot | None"], dict[str, "Slot | None"]]


class Calls:
    """Calls on values. Each method joins what the call passes on and returns what it gives."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.cells = solver.cells
        self.classes = solver.classes
        self.tree = solver.tree
        self._specials: set[str] = set()
        self._declared = 0
        self.instantiated: Instantiated | None = None
        self._dispatched: dict[tuple[ScopeId, str], tuple[Dispatch, ...]] = {}
        self._layouts: dict[ScopeId, Layout] = {}
        self._called: set[Value] = set()
        self._inner: dict[Values, Values] = {}
        self._always: dict[tuple[ScopeId, ScopeId], bool] = {}

    def forget(self) -> None:
        """Drop what is kept of parameter lists and arguments."""
        self._layouts.clear()
        self._inner.clear()
        self._always.clear()

    def call(self, frame: Frame, index: int, value: Value, arguments: Arguments, kind: str = "call") -> Values:
        """Return what calling `value` at expression `index` gives."""
        what = value[0]
        if what == v.FUNCTION:
            return self._function(frame, index, value, None, 0, arguments, kind)
        if what == v.BOUND:
            return self._function(frame, index, value, value[2], value[3], arguments, kind)
        if what in (v.CLASS, v.OPEN_CLASS):
            return self.solver.construction.call(
                frame, index, value, arguments, "construct" if kind == "call" else kind
            )
        if what == v.OUTSIDE:
            return self.solver.outside.call(frame, index, value[1], arguments, kind)
        if what == v.OUTER:
            return self.solver.outside.call(frame, index, value[1], arguments, kind, value[2])
        if what == v.RESULT:
            return self.solver.outside.call_result(frame, index, value[1], arguments)
        if what in (v.INSTANCE, v.OPEN):
            return self._object(frame, index, value, arguments, kind)
        if what == v.PARTIAL:
            before = [NOTHING] * value[2]
            is_made = arguments.is_made and not before
            given = [*before, *arguments.positional]
            shifted = Arguments(given, arguments.keywords, arguments.stars, is_made=is_made, has_more=True)
            return self.call(frame, index, value[1], shifted, kind)
        if what == v.MEMBER:
            return self.solver.members.call(frame, index, value, arguments)
        if what == v.CALLED_MEMBER:
            return self.solver.members.call_method(frame, index, value, arguments)
        if what == v.REFERENCE:
            return frozenset([value[1]])
        if what == v.ATTRIBUTE_LIKE:
            return self.solver.patterns.call(frame, index, value, arguments, kind)
        if what == v.BUILTIN_METHOD and value[1][0] == v.STARTED:
            return self._resume(frame, index, value, arguments)
        if what == v.BUILTIN_METHOD and value[1][0] == v.NAMESPACE:
            return self.solver.namespaces.call_method(frame, index, value, arguments)
        if what == v.BUILTIN_METHOD and value[1][0] != v.CONTAINER:
            return self.solver.patterns.call_method(frame, index, value, arguments)
        if what == v.BUILTIN_METHOD:
            return self.solver.collections.call_method(frame, index, value, arguments)
        if what in (v.STATIC, v.CLASSMETHOD):
            return self.call(frame, index, value[1], arguments, kind)
        return NOTHING

    def _function(
        self,
        frame: Frame,
        index: int,
        value: Value,
        receiver: Value | None,
        family: int,
        arguments: Arguments,
        kind: str,
    ) -> Values:
        fn: ScopeId = value[1]
        skip = 0 if receiver is None else 1
        if not (family and kind in WRITTEN and not self.fit(frame, arguments, self.tree.scopes[fn], skip)) and (
            self.instantiated is None or receiver is None or self._can_run(frame, index, fn, receiver)
        ):
            frame.note(index, fn, kind, bool(family))
        if receiver is not None and receiver[0] == v.OPEN and not self._runs_always(fn, receiver[1]):
            self.cells.doubt()
        if receiver is None and arguments.positional:
            self._lend_self(self.tree.scopes[fn], arguments.positional[0])
        self.bind(frame, self.tree.scopes[fn], arguments, skip)
        wrapping = self.solver.wrapping
        if fn in wrapping.forwards:
            return wrapping.run(frame, value, receiver, arguments)
        found = self.result(frame, fn, receiver, arguments)
        return wrapping.tell_apart(self.tree.scopes[fn], found, arguments, skip) if fn in wrapping.makers else found

    def fit(self, frame: Frame, arguments: Arguments, callee: ScopeInfo, skip: int) -> bool:
        """Tell whether a function can be called so, as far as what is written of `**x` tells."""
        if not arguments.fit(callee, skip):
            return False
        given = (values for values in arguments.double_stars if values)
        return all(
            any(takes(callee, skip, written_keys(frame.scope, frame.info.sid, o)) for o in values) for values in given
        )

    def _lend_self(self, callee: ScopeInfo, values: Values) -> None:
        """Let a method that is called through its class run with objects of other classes as its `self`."""
        owner = callee.outer
        if callee.form != "function" or owner < 0 or self.tree.scopes[owner].form != "class":
            return
        foreign = [o for o in values if o[0] in (v.INSTANCE, v.OPEN) and owner not in self.classes.mro(o[1])]
        if foreign:
            self.solver.lend_self(callee, frozenset(foreign))

    def _can_run(self, frame: Frame, index: int, fn: ScopeId, receiver: Value) -> bool:
        if receiver[0] != v.OPEN or self.instantiated is None or self.instantiated.can_run(fn, receiver[1]):
            return True
        expr = frame.exprs[index]
        func = frame.exprs[expr.func] if isinstance(expr, ir.Call) else None
        return isinstance(func, ir.Attr) and any(value[0] == v.SUPER for value in frame.values[func.value])

    def _object(self, frame: Frame, index: int, value: Value, arguments: Arguments, kind: str) -> Values:
        """Call an object; one whose `__call__` may be itself gives no more than its other `__call__` do."""
        if value in self._called:
            return NOTHING
        self._called.add(value)
        try:
            return self._instance(frame, index, value, arguments, kind)
        finally:
            self._called.discard(value)

    def _runs_always(self, fn: ScopeId, cls: ScopeId) -> bool:
        """Tell whether calling a method on an instance of `cls` or of a subclass runs it, whichever of them have instances."""
        key = (fn, cls)
        found = self._always.get(key)
        if found is None:
            info = self.tree.scopes[fn]
            first = self.classes.find(cls, info.id)
            is_method = self.tree.class_around(info) is not None
            found = not is_method or (
                first is not None and first.owner == info.outer and not self.classes.overrides(cls, info.id)
            )
            self._always[key] = found
        return found

    def _instance(self, frame: Frame, index: int, value: Value, arguments: Arguments, kind: str) -> Values:
        if self.classes.find(value[1], "__call__") is not None:
            return self.call_method(frame, index, value, "__call__", arguments, kind)
        for dispatch in self.dispatched(value[1], "__call__")[:1]:
            found: set[Value] = set()
            for name in dispatch.runs:
                found |= self.call_method(frame, index, value, name, arguments, "dispatch")
            return frozenset(found)
        if value[0] == v.OPEN:
            return self.call_method(frame, index, value, "__call__", arguments, kind)
        return NOTHING

    # --- methods -----------------------------------------------------------------------------------------------------

    def method(self, frame: Frame, index: int, value: Value, name: str, arguments: list[Values], kind: str) -> Values:
        """Return what `value.name(*arguments)` gives, where Python itself makes the call."""
        return self.call_method(frame, index, value, name, Arguments(arguments), kind)

    def call_method(self, frame: Frame, index: int, value: Value, name: str, arguments: Arguments, kind: str) -> Values:
        """Call what the class of an instance binds `name` to."""
        found: set[Value] = set()
        for bound in self.solver.attributes.of_class_body(frame, index, value, name):
            found |= self.call(frame, index, bound, arguments, kind)
        return frozenset(found)

    def set_property(self, frame: Frame, index: int, value: Value, name: str, values: Values) -> None:
        """Run the setter where `name` is a property, and `__set__` where it is a descriptor."""
        found = self.classes.find(value[1], name)
        if found is None:
            return
        for held in frame.meaning(found.meaning):
            if held[0] == v.SETTER:
                frame.note(index, held[1], "property")
                self.hand(frame, (v.FUNCTION, held[1]), value, Arguments([values]))
            elif held[0] == v.INSTANCE and self.classes.find(held[1], "__set__") is not None:
                self.method(frame, index, held, "__set__", [frozenset([value]), values], "property")

    def is_defined(self, name: str) -> bool:
        """Tell whether a class of the tree binds a special method."""
        if self._declared != len(self.tree.scopes):
            self._declared = len(self.tree.scopes)
            self._specials = {
                n for info in self.tree.scopes if info.form == "class" for n in info.names if n.startswith("__")
            }
        return name in self._specials

    def is_special(self, cls: ScopeId, name: str) -> bool:
        """Tell whether a class has a special method from the tree."""
        if self.classes.on_ask is None and not self.is_defined(name):
            return False
        return self.classes.find(cls, name) is not None

    def derives(self, cls: ScopeId, dotted: str) -> bool:
        """Tell whether a base outside the tree is `dotted`, by any name of it."""
        return any(self.solver.meant(base) == dotted for base in self.classes.outside_bases(cls))

    def dispatched(self, cls: ScopeId, name: str) -> tuple[Dispatch, ...]:
        """Return what the models say of calling the method `name` of the outside bases of a class."""
        known = self.solver.dispatches.get(name)
        if known is None:
            return ()
        key = (cls, name)
        found = self._dispatched.get(key)
        if found is None:
            before = self.solver.lexical.misses
            found = tuple(d for d in known if self.derives(cls, d.cls))
            if self.solver.lexical.misses == before and self.classes.on_ask is None:
                self._dispatched[key] = found
        return found

    # --- arguments and results ---------------------------------------------------------------------------------------

    def hand(self, frame: Frame, function: Value, receiver: Value | None, arguments: Arguments) -> None:
        """Join the arguments of a call into the parameters of a function, and of what that wraps."""
        self.bind(frame, self.tree.scopes[function[1]], arguments, 0 if receiver is None else 1)
        if function[1] in self.solver.wrapping.forwards:
            self.solver.wrapping.run(frame, function, receiver, arguments)

    def bind(self, frame: Frame, callee: ScopeInfo, arguments: Arguments, skip: int) -> None:
        """Join the arguments of a call into the parameters of the function called."""
        if self.cells.is_frozen:
            return
        layout = self._layouts.get(callee.sid)
        plain, named = layout if layout is not None else self._layout(callee)
        position = skip
        for values in arguments.positional:
            if values:
                if position < len(plain):
                    self._join_param(plain[position], values)
                else:
                    self._give(frame, callee, plain, position, skip, values)
            position += 1
        for name, values in arguments.keywords.items():
            if values:
                self._give_named(frame, callee, named, name, values)
        for values in arguments.stars:
            self._spread(frame, callee, plain, position, skip, values)
        for values in arguments.tail:
            if values:
                self._give_rest(frame, callee, c.ANY, values)
        for values in arguments.double_stars:
            for value in values:
                if value[0] == v.CONTAINER:
                    for key, held in list(self.cells.table((c.ELEMENT, value)).items()):  # giving may add to it
                        self._give_named(frame, callee, named, key, held)

    def _layout(self, callee: ScopeInfo) -> Layout:
        """Return the parameters that positions reach, in order, and those that keywords reach."""
        before = self.solver.lexical.misses
        slots = [self._slot(callee, number) for number in range(len(callee.params))]
        pairs = list(zip(callee.params, slots, strict=True))
        plain = [slot for p, slot in pairs if p.form in ("positional", "normal")]
        named = {p.id: slot for p, slot in pairs if p.form in ("normal", "keyword")}
        if self.solver.lexical.misses == before:
            self._layouts[callee.sid] = (plain, named)
        return plain, named

    def _slot(self, callee: ScopeInfo, number: int) -> Slot | None:
        """Return the cell of a parameter and whether all that is passed counts; None where nothing does."""
        fixed = self.solver.fixed_param(callee, number)
        if fixed is not None and not fixed.open:
            return None
        return (c.PARAM, callee.sid, number), fixed is None

    def _give(
        self, frame: Frame, callee: ScopeInfo, plain: list[Slot | None], position: int, skip: int, values: Values
    ) -> None:
        if position < len(plain):
            self._join_param(plain[position], values)
        else:
            self._give_rest(frame, callee, position - max(len(plain), skip), values)

    def _give_rest(self, frame: Frame, callee: ScopeInfo, key: int | str, values: Values) -> None:
        """Pass on what no parameter of its own takes."""
        if isinstance(key, int) and key >= MAX_INDEX:
            key = c.ANY  # a function that hands its own `*args` on behind others would need ever more
        for number, param in enumerate(callee.params):
            if param.form == "star":
                frame.put(self.solver.star_container(callee, number), key, values)

    def _give_named(
        self, frame: Frame, callee: ScopeInfo, named: dict[str, Slot | None], name: str, values: Values
    ) -> None:
        if name in named:
            self._join_param(named[name], values)
            return
        for number, param in enumerate(callee.params):
            if param.form == "double-star":
                frame.put(self.solver.star_container(callee, number), name, values)

    def _spread(
        self, frame: Frame, callee: ScopeInfo, plain: list[Slot | None], offset: int, skip: int, values: Values
    ) -> None:
        for value in values:
            if value[0] != v.CONTAINER:
                continue
            for key, held in list(self.cells.table((c.ELEMENT, value)).items()):  # giving may add to it
                if isinstance(key, int) and not isinstance(key, bool):
                    self._give(frame, callee, plain, offset + key, skip, held)
                else:
                    for slot in plain[offset:]:
                        self._join_param(slot, held)
                    self._give_rest(frame, callee, c.ANY, held)

    def _join_param(self, slot: Slot | None, values: Values) -> None:
        if slot is None:
            return
        key, is_all = slot
        if is_all:
            self.cells.join(key, self.solver.passed(values))
        else:
            self.cells.join(key, self._of_tree(values))

    def _of_tree(self, values: Values) -> Values:
        """Return the values that are not what anything outside the tree gives."""
        found = self._inner.get(values)
        if found is None:
            found = frozenset([value for value in values if value[0] not in _FROM_OUTSIDE])
            self._inner[values] = found
        return found

    def result(self, frame: Frame, fn: ScopeId, receiver: Value | None, arguments: Arguments | None = None) -> Values:
        """Return what calling a function gives, its own arguments where it gives them back."""
        info = self.tree.scopes[fn]
        if info.is_generator or info.is_async:
            return frozenset([(v.STARTED, fn, receiver)])
        giving = self.solver.giving.get(fn)
        skip = 0 if receiver is None else 1
        given = self._given(frame, info, giving, arguments, skip) if giving and arguments else None
        found = self.solver.returned(fn, receiver, self.cells.read((c.RETURN, fn)) if given is None else given)
        member = self.solver.members.given(fn)
        return found if member is None else found | {member}

    def _given(self, frame: Frame, info: ScopeInfo, giving: Giving, arguments: Arguments, skip: int) -> Values | None:
        """Return what this call of a function gives, None where it is not to be told from others."""
        own = _arguments(info, giving.back, arguments, skip)
        if own is None:
            return None
        values = self.cells.read((c.MADE, info.sid)) | own
        for number, how in giving.taken:
            item = _arguments(info, (number,), arguments, skip)
            for step in how:
                if item is None or any(value[0] not in _HOLDING for value in item):
                    return None
                item = frame.take(item, (step,)) if step == ir.ITERATE else _items(frame, item)
            values |= item or NOTHING
        for absence in giving.absences:
            if not _excludes(info, absence, arguments, skip):
                values |= self.cells.read((c.MADE, info.sid, *absence))
        return values

    def _resume(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what a method of a generator gives: `send` makes `yield` give its argument."""
        generator, name = value[1], value[2]
        frame.note(index, f"builtins.generator.{name}", "call")
        for values in arguments.positional if name in ("send", "asend") else ():
            self.cells.join((c.SENT, generator[1]), self.solver.passed(values))
        return self.cells.read((c.YIELD, generator[1]))


_FROM_OUTSIDE = (v.RESULT, v.TEXT, v.TEXT_LIKE, v.OUTSIDE)
_HOLDING = (v.CONTAINER, v.RESULT, v.OUTSIDE, v.TEXT, v.TEXT_LIKE)
"""Kinds of values of whose items all is known: collections that the solver follows, and what is not of the tree."""


def _items(frame: Frame, values: Values) -> Values:
    """Return what collections hold."""
    held = [frame.elements(value) for value in values if value[0] == v.CONTAINER]
    return OPAQUE.union(*held) if len(held) < len(values) else NOTHING.union(*held)


def _arguments(info: ScopeInfo, numbers: Iterable[int], arguments: Arguments, skip: int) -> Values | None:
    """Return what a call gives some parameters, None where that is not plain to see."""
    if arguments.stars or arguments.double_stars or arguments.tail:
        return None
    found: Values = NOTHING
    for number in numbers:
        values = arguments.given_to(info, number, skip)
        if values is None and (arguments.has_more or not info.params[number].absent):
            return None
        found |= values or NOTHING
    return found


def _excludes(info: ScopeInfo, absence: Absence, arguments: Arguments, skip: int) -> bool:
    """Tell whether what a call passes makes the condition of some returns certainly false."""
    values = arguments.given_to(info, absence.number, skip)
    if values is None:
        return not absence.is_none and not arguments.has_more and info.params[absence.number].absent == "none"
    return absence.is_none and arguments.is_made and absence.number == skip
