"""What a call does, by the kind of the value that is called: callees, arguments passed on, results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.model.knowledge import Dispatch
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments, takes
from codepath.program.frame import MAX_INDEX, Frame
from codepath.program.instantiated import Instantiated
from codepath.program.optional import Absence, Giving
from codepath.program.tables import written_keys
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values
from codepath.program.wrapping import rewrapped

if TYPE_CHECKING:
    from codepath.program.solver import Solver

_ELSE = (v.RESULT, v.CONTAINER, v.STARTED)
_WRITTEN = ("call", "construct")
"""Kinds of steps whose arguments stand in the call."""
OPAQUE: Values = frozenset([(v.RESULT, "")])
_PLAIN_BASES = frozenset(
    [
        "builtins.object",
        "abc.ABC",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Protocol",
        "typing.NamedTuple",
    ]
)
_FIELDLESS = _PLAIN_BASES - {"typing.NamedTuple"}


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
        self.constructed: set[tuple[int, ScopeId]] = set()
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
            return self._construct(frame, index, value, arguments, "construct" if kind == "call" else kind)
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
        if not (family and kind in _WRITTEN and not self._fit(frame, arguments, self.tree.scopes[fn], skip)) and (
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

    def _fit(self, frame: Frame, arguments: Arguments, callee: ScopeInfo, skip: int) -> bool:
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

    # --- construction ------------------------------------------------------------------------------------------------

    def _construct(self, frame: Frame, index: int, value: Value, arguments: Arguments, kind: str) -> Values:
        cls: ScopeId = value[1]
        if value[0] == v.CLASS or not _is_own_class(frame, index):
            self.constructed.add((value[0], cls))
        is_open = value[0] == v.OPEN_CLASS
        found = self._initialise(frame, index, cls, arguments, kind, False, is_open=is_open)
        metaclass = self.solver.creation.metaclass(cls)
        if metaclass is not None and self.is_special(metaclass, "__call__"):
            self.call_method(frame, index, (v.INSTANCE, metaclass), "__call__", arguments, kind)
        if value[0] == v.CLASS:
            return frozenset([(v.INSTANCE, cls), *found])
        overrides = self.classes.overrides(cls, "__init__")
        if overrides:
            self.cells.doubt()
        for other in overrides:
            if self.instantiated is None or self.instantiated.constructs(frame, index, value, other.owner):
                self._initialise(frame, index, other.owner, arguments, kind, True, is_open=True)
        return frozenset([(v.OPEN, cls), *found])

    def construct(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what making an object of a class gives, as its metaclass asks for it; only constructors of the tree count."""
        self.constructed.add((value[0], value[1]))
        family = value[0] == v.OPEN_CLASS
        index = index if any(self.is_special(value[1], name) for name in ("__new__", "__init__")) else -1
        found = set(self._initialise(frame, index, value[1], arguments, "construct", family, is_open=family))
        for other in self.classes.overrides(value[1], "__init__") if family else ():
            self._initialise(frame, index, other.owner, arguments, "construct", True, is_open=True)
        return frozenset([(v.OPEN if family else v.INSTANCE, value[1]), *found])

    def _initialise(
        self, frame: Frame, index: int, cls: ScopeId, arguments: Arguments, kind: str, family: bool, *, is_open: bool
    ) -> Iterable[Value]:
        """Run the constructor; return what `__new__` gives that is of another class.

        Where the class is one of several that may be meant (`is_open`), it is another if its constructor cannot be called so.
        """
        ran = False
        made: set[Value] = set()
        for name in ("__new__", "__init__"):
            found = self.classes.find(cls, name)
            if found is None:
                continue
            for held in frame.meaning(found.meaning):
                if held[0] == v.FUNCTION:
                    ran = ran or name == "__init__"
                    if not is_open or kind not in _WRITTEN or self._fit(frame, arguments, self.tree.scopes[held[1]], 1):
                        frame.note(index, held[1], kind, family)
                    self.hand(frame, held, (v.INSTANCE if name == "__init__" else v.CLASS, cls), arguments)
                    if name == "__new__":
                        given = self.result(frame, held[1], (v.CLASS, cls))
                        made |= {value for value in given if value[0] in (v.INSTANCE, v.OPEN) and value[1] != cls}
        if not ran:
            self._initialise_plain(frame, index, cls, arguments, kind, family)
        return made

    def _initialise_plain(
        self, frame: Frame, index: int, cls: ScopeId, arguments: Arguments, kind: str, family: bool
    ) -> None:
        """A class without an `__init__` in the tree: fields of a dataclass, or an outside base's constructor."""
        bases = self.outside_constructors(cls)
        frame.note(index, f"{bases[0]}.__init__" if bases else cls, kind, family)
        fields = [
            (name, owner) for owner in reversed(self.classes.mro(cls)) for name, _ in self.tree.scopes[owner].fields
        ]
        if not fields or not self._takes_fields(cls):
            return
        names = list(dict.fromkeys(name for name, _ in fields))
        given = dict(zip(names, arguments.positional, strict=False))
        given.update({name: values for name, values in arguments.keywords.items() if name in names})
        for name, values in given.items():
            self.cells.join_table((c.ATTRIBUTE, self.classes.root(cls), name), cls, self.solver.passed(values))
        if self.classes.find(cls, "__post_init__") is not None:
            self.call_method(frame, index, (v.INSTANCE, cls), "__post_init__", Arguments(), kind)

    def _takes_fields(self, cls: ScopeId) -> bool:
        """Tell whether something can have made a constructor of the annotated names of a class: a decorator, a base outside."""
        if any(self.tree.scopes[owner].decorators for owner in self.classes.mro(cls)):
            return True
        bare = all(base in _FIELDLESS for base in self.classes.outside_bases(cls))
        return not bare or self.solver.creation.metaclass(cls) is not None

    def outside_constructors(self, cls: ScopeId) -> list[str]:
        """Return the bases outside the tree that bring methods of their own."""
        return [b for b in self.classes.outside_bases(cls) if b not in _PLAIN_BASES]

    def index_class(self, frame: Frame, index: int, value: Value) -> None:
        """Subscribe a class: `__class_getitem__`, or the `__getitem__` of its metaclass."""
        if self.is_special(value[1], "__class_getitem__"):
            found = self.classes.find(value[1], "__class_getitem__")
            for held in frame.meaning(found.meaning) if found is not None else ():
                inner = held[1] if held[0] == v.CLASSMETHOD else held
                if inner[0] == v.FUNCTION:
                    frame.note(index, inner[1], "operator")
        metaclass = self.solver.creation.metaclass(value[1])
        if metaclass is not None and self.is_special(metaclass, "__getitem__"):
            self.method(frame, index, (v.INSTANCE, metaclass), "__getitem__", [], "operator")

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

    # --- steps of a store --------------------------------------------------------------------------------------------

    def step(self, frame: Frame, index: int, values: Values, step: int, *, awaited: bool = False) -> Values:
        """Return what one step of `ir.Bind.how` takes from values, in its awaited form if `awaited`."""
        names = ("__aiter__", "__anext__") if awaited else ("__iter__", "__next__")
        if step == ir.ITERATE and not awaited and any(value[0] in _ELSE and value in OPAQUE for value in values):
            index = -1  # something else may be iterated: nothing is claimed of `__iter__`
        found: set[Value] = set()
        for value in values:
            if step == ir.ITERATE:
                found.update(self._iterate(frame, index, value, names))
            else:
                found.update(self._step(frame, index, value, step))
        return frozenset(found)

    def _step(self, frame: Frame, index: int, value: Value, step: int) -> Iterable[Value]:
        if step >= 0:
            return self._unpack(frame, index, value, step)
        if step == ir.ENTER:
            return self.enter(frame, index, value)
        if step == ir.CAUGHT:
            return self._caught(frame, value)
        if step == ir.CAPTURED:
            return NOTHING
        return (value,)

    def _unpack(self, frame: Frame, index: int, value: Value, position: int) -> Iterable[Value]:
        if value[0] == v.CONTAINER:
            return frame.elements(value, position)
        if value[0] == v.MEMBER:
            return (value,)
        if value[0] == v.PIECES:
            return self.solver.text(value[1][position]) if position < len(value[1]) else NOTHING
        if value[0] in (v.INSTANCE, v.OPEN):
            fields = self.tree.scopes[value[1]].fields
            if position < len(fields) and self.classes.find(value[1], "__iter__") is None:
                return self.solver.attributes.of_instance(frame, index, value, fields[position][0])
        return self._iterate(frame, index, value)

    def _iterate(
        self, frame: Frame, index: int, value: Value, names: tuple[str, str] = ("__iter__", "__next__")
    ) -> Iterable[Value]:
        kind = value[0]
        if kind == v.CONTAINER:
            return frame.keys(value) if value[4] == "builtins.dict" else frame.elements(value)
        if kind == v.STARTED:
            return self.cells.read((c.YIELD, value[1]))
        if kind in (v.INSTANCE, v.OPEN):
            return self._iterate_instance(frame, index, value, *names)
        if kind in (v.CLASS, v.OPEN_CLASS):
            return (*self._iterate_class(frame, index, value, names[0]), (v.INSTANCE, value[1]))
        return OPAQUE if kind in (v.RESULT, v.OUTSIDE, v.OUTER) else NOTHING

    def _iterate_class(self, frame: Frame, index: int, value: Value, start: str) -> Iterable[Value]:
        """Iterate a class as its metaclass has it."""
        metaclass = self.solver.creation.metaclass(value[1])
        if metaclass is None or not self.is_special(metaclass, start):
            return NOTHING
        return self._iterate(frame, index, (v.INSTANCE, metaclass))

    def _iterate_instance(self, frame: Frame, index: int, value: Value, start: str, following: str) -> Iterable[Value]:
        if start == "__iter__" and self._is_indexed(value[1]):
            return self.method(frame, index, value, "__getitem__", [], "operator")
        found: set[Value] = set()
        for iterator in self.method(frame, index, value, start, [], "operator"):
            if iterator[0] == v.STARTED:
                found |= self.cells.read((c.YIELD, iterator[1]))
            elif iterator[0] in (v.INSTANCE, v.OPEN):
                found |= frame.awaited(self.method(frame, index, iterator, following, [], "operator"))
            elif iterator[0] == v.CONTAINER:
                found |= frame.elements(iterator)
        return found

    def _is_indexed(self, cls: ScopeId) -> bool:
        """Tell whether objects of a class are iterated by index, as sequences were before PEP 234."""
        if self.classes.find(cls, "__iter__") is not None or not self.is_special(cls, "__getitem__"):
            return False
        return not self.outside_constructors(cls)

    def _resume(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what a method of a generator gives: `send` makes `yield` give its argument."""
        generator, name = value[1], value[2]
        frame.note(index, f"builtins.generator.{name}", "call")
        for values in arguments.positional if name in ("send", "asend") else ():
            self.cells.join((c.SENT, generator[1]), self.solver.passed(values))
        return self.cells.read((c.YIELD, generator[1]))

    def following(self, frame: Frame, index: int, value: Value, name: str) -> Iterable[Value]:
        """Return what `next(value)` gives, `name` being `__next__` or `__anext__`."""
        if value[0] in (v.INSTANCE, v.OPEN):
            return self.method(frame, index, value, name, [], "operator")
        return self._iterate(frame, index, value)

    def enter(self, frame: Frame, index: int, value: Value) -> Iterable[Value]:
        """Enter a context manager."""
        kind = value[0]
        if kind in (v.INSTANCE, v.OPEN):
            found: set[Value] = set()
            for name in ("__enter__", "__aenter__"):
                found |= frame.awaited(self.method(frame, index, value, name, [], "context"))
            for name in ("__exit__", "__aexit__"):
                self.method(frame, index, value, name, [], "context")
            return found
        if kind == v.STARTED:
            return self.cells.read((c.YIELD, value[1]))
        if kind == v.RESULT and self.solver.is_modelled(value[1]):
            return (value,)  # a pool, an executor, a group of tasks
        return OPAQUE if kind in (v.RESULT, v.OUTSIDE, v.OUTER) else (value,)

    def _caught(self, frame: Frame, value: Value) -> Iterable[Value]:
        if value[0] in (v.CLASS, v.OPEN_CLASS):
            return ((v.OPEN, value[1]),)
        if value[0] == v.OUTSIDE:
            return ((v.RESULT, value[1]),)
        if value[0] == v.CONTAINER:
            return {got for held in frame.elements(value) for got in self._caught(frame, held)}
        return NOTHING

    # --- decorators --------------------------------------------------------------------------------------------------

    def decorate(self, frame: Frame, decorator: int, values: Values) -> Values:
        """Return what a decorator makes of values; a decorator from outside gives its argument back."""
        called = frame.values[decorator]
        expr = frame.exprs[decorator]
        if isinstance(expr, ir.Attr) and expr.id in ("setter", "deleter", "getter"):
            held = {p for p in frame.values[expr.value] if p[0] in (v.PROPERTY, v.SETTER)}
            if held:
                own = {f[1] for f in values if f[0] == v.FUNCTION}
                if expr.id == "getter":
                    return frozenset([*(h for h in held if h[0] == v.SETTER), *((v.PROPERTY, fn) for fn in own)])
                return frozenset(held | {(v.SETTER, fn) for fn in own} if expr.id == "setter" else held)
        if not called or isinstance(expr, ir.Call):
            self.cells.doubt()
        if not called:
            is_unknown = self.solver.emitting or self.solver.is_unknown(frame.info, decorator)
            return values if is_unknown else NOTHING
        if self.solver.emitting and isinstance(expr, ir.Call):
            called = _decorators(called)
        found: set[Value] = set()
        for value in called:
            if value[0] == v.OUTSIDE:
                found |= self.solver.outside.decorate(frame, decorator, value[1], values)
            elif value[0] == v.RESULT:
                self.solver.outside.run_decorated(frame, decorator, self.solver.meant(value[1]), values)
                found |= (
                    values
                    if value[1] != "functools.cached_property"
                    else {(v.PROPERTY, f[1]) for f in values if f[0] == v.FUNCTION}
                )
            elif value[0] == v.PROPERTY:
                found.add(value)
            else:
                made = self.call(frame, decorator, value, Arguments([values], is_made=True), "decorator")
                found.update(self._wrapping(made, values))
        return frozenset(found)

    def _wrapping(self, made: Values, values: Values) -> Iterable[Value]:
        """Return what a decorator gives for values: a wrapper that it gives wraps them, not what others were made of."""
        functions = [value for value in values if value[0] in (v.FUNCTION, v.BOUND)]
        for value in made:
            if (
                functions
                and value not in values
                and value[0] == v.FUNCTION
                and value[1] in self.solver.wrapping.forwards
            ):
                yield from (rewrapped(value, function) for function in functions)
            else:
                yield value


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


def _decorators(values: Values) -> Values:
    """Return what `@make(...)` decorates with: where it gives functions, its classes are what it gives called with a class.

    Only while emitting: leaving values out is not monotone.
    """
    functions = frozenset(value for value in values if value[0] in (v.FUNCTION, v.BOUND, v.PARTIAL))
    return values if not functions else frozenset(value for value in values if value[0] not in (v.CLASS, v.OPEN_CLASS))


def _is_own_class(frame: Frame, index: int) -> bool:
    """Tell whether a call is `x.__class__(...)`: an instance is made of a class that has one."""
    expr = frame.exprs[index]
    func = frame.exprs[expr.func] if isinstance(expr, ir.Call) else None
    return isinstance(func, ir.Attr) and func.id == "__class__"
