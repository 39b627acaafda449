"""What reading an attribute gives, by the kind of the value it is read from."""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.cells import MANY, Derived
from codepath.program.classes import Found
from codepath.program.lexical import Meaning
from codepath.program.namespaces import namespaces
from codepath.program.values import NOTHING, OPAQUE, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

_MAX_DELEGATES = 3
_ENUMS = frozenset(f"enum.{n}" for n in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum"))


_METACLASSES = frozenset(["builtins.type", "abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"])
_BARE_BASES = frozenset(
    ["abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"]
)
_LONGEST = 8  # parts of an outside name; a loop would make ever longer ones


_BUILTIN_TYPES = (str, bytes, int, float, complex, bool, list, tuple, dict, set, frozenset, bytearray, range, slice)
_BUILTIN_NAMES = {f"builtins.{t.__name__}": frozenset(dir(t)) for t in _BUILTIN_TYPES}


_RESUMING = ("send", "throw", "__next__")


def _of_generator(name: str) -> Value:
    return (v.OUTSIDE, f"builtins.generator.{name}")


def parsed_arguments(frame: Frame) -> Value:
    """Return what `set_defaults` of argparse stores in a module, read there as attributes of what is parsed."""
    return (v.CONTAINER, frame.info.module.scopes[0].sid, -1, 0, "argparse.Namespace")


def _has(dotted: str, name: str) -> bool:
    """Tell whether an instance of a builtin type has an attribute; true for other types."""
    names = _BUILTIN_NAMES.get(dotted)
    return names is None or name in names


_SHARED = frozenset([v.OPEN, v.INSTANCE, v.MODULE, v.CLASS, v.OPEN_CLASS, v.SUPER])
"""Kinds of receivers whose attributes are derived once for all who read them."""


class PlaceMatters(Exception):
    """What is derived for several places depends on the place after all."""


class Nowhere:
    """Stands for the frame while an attribute is derived for whoever reads it."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.notes: list[tuple[ScopeId, bool]] = []

    def meaning(self, meaning: Meaning) -> Values:
        """Return the values of a looked-up name. Source: `Frame.meaning`."""
        return self._solver.meaning(meaning)

    def note(self, index: int, callee: ScopeId, kind: str, family: bool = False) -> None:
        """Keep a getter that runs."""
        self.notes.append((callee, family))


def _demand_place(frame: Frame | Nowhere) -> None:
    if isinstance(frame, Nowhere):
        raise PlaceMatters


class Attributes:
    """Attribute reads. `read` dispatches on the kind of the receiver."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._depth = 0
        self._derived: dict[tuple[Value, str], Derived] = {}
        self._names: dict[tuple[str, str], Values] = {}
        self._placed: set[tuple[Value, str]] = set()
        self.cells = solver.cells
        self.classes = solver.classes
        self.behind_super: dict[tuple[ScopeId, str], set[ScopeId]] = {}
        self.unbound: set[tuple[ScopeId, str]] = set()

    def read(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        """Return what `value.name` can be where expression `index` reads it."""
        kind = value[0]
        if kind in _SHARED:
            if name == "__dict__" and kind != v.SUPER:
                return namespaces([value])
            return self._shared(frame, index, value, name)
        if kind == v.OUTSIDE or kind == v.OUTER:
            return self._longer(value[1], name)
        if kind == v.RESULT:
            return self._of_result(frame, value[1], name)
        if kind == v.CONTAINER:
            return frozenset([(v.BUILTIN_METHOD, value, name)]) if _has(value[4], name) else NOTHING
        if kind in (v.TEXT, v.TEXT_LIKE):
            return self.solver.patterns.method(value, name) if _has("builtins.str", name) else NOTHING
        if kind == v.MEMBER:
            return self.solver.members.attribute(frame, index, value, name)
        if kind == v.NAMESPACE:
            return frozenset([(v.BUILTIN_METHOD, value, name)]) if _has("builtins.dict", name) else NOTHING
        if kind == v.PIECES:
            return frozenset([(v.OUTSIDE, f"builtins.list.{name}")]) if _has("builtins.list", name) else NOTHING
        if kind == v.PROPERTY and name == "fget":
            return frozenset([(v.FUNCTION, value[1])])
        if kind in (v.FUNCTION, v.BOUND) and name == "__wrapped__":
            return NOTHING
        if kind == v.BOUND and name in ("__func__", "__self__"):
            return frozenset(
                [(v.FUNCTION, value[1], *value[4:])] if name == "__func__" else [value[2]] if value[2] else []
            )
        if kind == v.STARTED:
            is_resumed = name in _RESUMING and not self.solver.tree.scopes[value[1]].is_async
            return frozenset([(v.BUILTIN_METHOD, value, name) if is_resumed else _of_generator(name)])
        if kind == v.PARTIAL and name == "func":
            return frozenset([value[1]])
        return NOTHING

    def _longer(self, dotted: str, name: str) -> Values:
        """Return the outside name of an attribute of an outside name."""
        key = (dotted, name)
        found = self._names.get(key)
        if found is None:
            is_short = dotted.count(".") < _LONGEST - 1
            found = self._names[key] = frozenset([(v.OUTSIDE, f"{dotted}.{name}")]) if is_short else OPAQUE
        return found

    # --- what several places read ------------------------------------------------------------------------------------

    def _shared(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        """Return an attribute that was derived once for all who read it, unless the place of the read matters."""
        if self.solver.emitting and self._is_placed(frame, index, value):
            return self._derive(frame, index, value, name)
        key = (value, name)
        derived = self._derived.get(key)
        if derived is None:
            derived = self._derived[value, intern(name)] = Derived()
        found = derived.values
        if found is None:
            if key in self._placed:
                return self._derive(frame, index, value, name)
            found = self._fill(derived, value, name)
            if found is None:
                self._placed.add(key)
                return self._derive(frame, index, value, name)
        if not self.cells.is_frozen:
            self.cells.use(derived)
        for getter, family in derived.notes:
            frame.note(index, getter, "property", family)
        return found

    def _is_placed(self, frame: Frame, index: int, value: Value) -> bool:
        """Tell whether what is emitted of an attribute is not what is solved, or depends on where it is read."""
        return not self.cells.is_frozen or self._meant_by_self(frame, index, value) is not None

    def derive_again(self, value: Value, name: str) -> None:
        """Let all run again who read an attribute that was derived once for all."""
        derived = self._derived.pop((value, name), None)
        if derived is not None:
            self.cells.run_again(derived.readers)

    def _fill(self, derived: Derived, value: Value, name: str) -> Values | None:
        """Derive an attribute for whoever reads it; None where that depends on the place of the read."""
        nowhere = Nowhere(self.solver)
        outer, self.cells.deriving = self.cells.deriving, derived
        try:
            found = self._derive(nowhere, -1, value, name)  # type: ignore[arg-type]
        except PlaceMatters:
            return None
        finally:
            self.cells.deriving = outer
        derived.values = found = self.solver.pooled(found)
        derived.notes = tuple(nowhere.notes)
        return found

    def _derive(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        kind = value[0]
        if kind in (v.OPEN, v.INSTANCE):
            return self.of_instance(frame, index, value, name)
        if kind == v.MODULE:
            return self._of_module(frame, index, value[1], name)
        if kind == v.SUPER:
            return self._of_super(frame, index, value, name)
        return self.of_class(frame, value, name, index)

    def _of_module(self, frame: Frame, index: int, module: str, name: str) -> Values:
        meaning = self.solver.lexical.member(module, name)
        found = frame.meaning(meaning)
        info = self.solver.tree.modules.get(module)
        if info is not None:
            found |= self.cells.read((c.NAME, info.scopes[0].sid, name))
        if meaning.values or meaning.cells:
            return found
        return found | self.ask_module(frame, index, module, name, True)

    def ask_module(self, frame: Frame, index: int, module: str, name: str, wanted: bool) -> Values:
        """Run the `__getattr__` of a module as `from module import name` does; return what it gives if `wanted`.

        Source: PEP 562, and `import_from` of CPython, which asks a module that is no package for its `__path__`.
        """
        info = self.solver.tree.modules.get(module)
        if info is None or "__getattr__" not in info.scopes[0].names or (info.is_package and not wanted):
            return NOTHING
        _demand_place(frame)
        found: set[Value] = set()
        for value in frame.meaning(self.solver.lexical.member(module, "__getattr__")):
            if value[0] == v.FUNCTION:
                frame.note(index, value[1], "import")
                found |= self.solver.calls.result(frame, value[1], None)
        return self._named(frame, index, frozenset(found), name) if wanted else NOTHING

    def _of_result(self, frame: Frame, dotted: str, name: str) -> Values:
        if not dotted:
            return OPAQUE
        if dotted == "importlib.import_module":
            return NOTHING
        if dotted == "argparse.Namespace":
            return self.cells.table((c.ELEMENT, parsed_arguments(frame))).get(name, OPAQUE)
        if not _has(dotted, name):
            return NOTHING
        gives = self.solver.results.get(self.solver.meant(dotted))
        if gives is not None:
            return frozenset([(v.OUTSIDE, f"{gives}.{name}")])
        owner, _, last = dotted.rpartition(".")
        if last[:1].isupper() or owner == "builtins":
            return self._longer(dotted, name)
        return OPAQUE

    # --- classes -----------------------------------------------------------------------------------------------------

    def of_class(self, frame: Frame, value: Value, name: str, index: int = -1) -> Values:
        """Return what a class object has under `name`."""
        cls: ScopeId = value[1]
        first = self.classes.find(cls, name)
        found: set[Value] = set()
        if first is not None:
            for held in frame.meaning(first.meaning):
                if held[0] == v.FUNCTION:
                    self.unbound.add((first.owner, name))
                if held[0] == v.INSTANCE and self.classes.find(held[1], "__get__") is not None:
                    _demand_place(frame)
                    given = [NOTHING, frozenset([value])]
                    found |= self.solver.calls.method(frame, index, held, "__get__", given, "property")
                found.add(self._from_class(cls, held, value, False))
            found |= self._enum_member(cls, first, name, frame)
        if value[0] == v.OPEN_CLASS:
            for other in self.classes.overrides(cls, name):
                receiver = (v.OPEN_CLASS, other.owner)
                found |= {self._from_class(cls, held, receiver, True) for held in frame.meaning(other.meaning)}
        is_open = value[0] == v.OPEN_CLASS
        found |= self._stored_on(cls, name, is_open)
        if first is None and not self.classes.stores(cls, name, is_open=is_open):
            found |= self._beyond(value, name)
        return frozenset(found)

    def _enum_member(self, cls: ScopeId, first: Found, name: str, frame: Frame) -> set[Value]:
        held = frame.meaning(first.meaning)
        if _ENUMS.isdisjoint(self.classes.outside_bases(cls)) or any(h[0] in (v.FUNCTION, v.PROPERTY) for h in held):
            return set()
        return {(v.INSTANCE, cls)}

    @staticmethod
    def _from_class(cls: ScopeId, held: Value, receiver: Value, family: bool) -> Value:
        if held[0] == v.STATIC:
            held = held[1]
            return v.bound(held, None, True) if family and held[0] == v.FUNCTION else held
        if held[0] == v.CLASSMETHOD:
            inner = held[1]
            return v.bound(inner, receiver, family) if inner[0] == v.FUNCTION else inner
        if held[0] == v.FUNCTION and family:
            return v.bound(held, None, True)
        return held

    def _stored_on(self, cls: ScopeId, name: str, is_open: bool) -> set[Value]:
        table = self.cells.table((c.ATTRIBUTE, self.classes.root(cls), name))
        if not table:
            return set()
        near = self.classes.related(cls) if is_open else self.classes.mro(cls)
        return {value for owner, values in table.items() if owner in near for value in values}

    def _beyond(self, receiver: Value, name: str) -> set[Value]:
        """Return what a base outside the tree gives, where there is one that has members of its own."""
        bases = [base for base in self.classes.outside_bases(receiver[1]) if base not in _BARE_BASES]
        return {self._outer(base, name, receiver) for base in bases[:1]}

    def _outer(self, base: str, name: str, receiver: Value) -> Value:
        """Return a method of an outside base; its receiver is kept only where a model asks for it."""
        dotted = f"{base}.{name}"
        return (v.OUTER, dotted, receiver) if name in self.solver.asked_receivers else (v.OUTSIDE, dotted)

    # --- instances ---------------------------------------------------------------------------------------------------

    def of_instance(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        """Return what an instance has under `name`: what was stored on it, then what its class gives."""
        cls: ScopeId = value[1]
        table = self.cells.table((c.ATTRIBUTE, self.classes.root(cls), name))
        known = self._meant_by_self(frame, index, value) if self.solver.emitting else None
        is_open = value[0] == v.OPEN
        found = self._stored_on(cls, name, is_open) if table else set()
        first = self.classes.find(cls, name)
        for got, receiver, family in self._bodies(first, value, name, known):
            found |= self._bind_all(frame, index, got, receiver, family)
        if first is not None:
            found |= self._enum_member(cls, first, name, frame)
        found |= self._declared(cls, name)
        if first is None and not self.classes.stores(cls, name, is_open=is_open):
            found |= self._unbound(frame, index, value, name)
        elif first is None and self._is_asked_for(cls, name, is_open):
            found |= self._by_getattr(frame, index, value, name)
        return frozenset(found)

    def _is_asked_for(self, cls: ScopeId, name: str, is_open: bool) -> bool:
        """Tell whether a name that a class only annotates is left to its `__getattr__`."""
        if name.startswith("__") or not self.solver.calls.is_special(cls, "__getattr__"):
            return False
        return not self.classes.keeps(cls, name, is_open=is_open)

    def _meant_by_self(self, frame: Frame, index: int, value: Value) -> frozenset[ScopeId] | None:
        live = self.solver.calls.instantiated
        return live.meant_by_self(frame, index, value) if live is not None else None

    def _bodies(
        self, first: Found | None, value: Value, name: str, known: frozenset[ScopeId] | None
    ) -> Sequence[tuple[Found, Value, bool]]:
        """Return the class bodies that give an instance `name`, each with the receiver and whether it is a subclass's.

        `first`: what its own class has. `known`: the classes that the instance can be of, None where nothing more is known.
        """
        own = ((first, value, False),) if first is not None else ()
        if value[0] != v.OPEN:
            return own
        found = [*own, *((other, (v.OPEN, other.owner), True) for other in self.classes.overrides(value[1], name))]
        live = self.solver.calls.instantiated
        if live is not None:
            return live.that_run(found, value[1], name, known)
        if len(found) > 1 or (found and self.classes.is_protocol(found[0][0].owner)):
            self.cells.doubt()
        return found

    def forget(self) -> None:
        """Drop what was derived, to bound memory; only where nobody waits for its cells to grow."""
        if self.cells.is_frozen:
            self._derived.clear()
            self._names.clear()

    def _unbound(self, frame: Frame, index: int, value: Value, name: str) -> set[Value]:
        """Return what an instance has under a name that no class of the tree binds and nothing stores."""
        cls = value[1]
        if name == "__class__":
            return {(v.OPEN_CLASS if value[0] == v.OPEN else v.CLASS, cls)}
        if not name.startswith("__") and self.classes.find(cls, "__getattr__") is not None:
            return self._by_getattr(frame, index, value, name)
        made = (
            self.solver.creation.made_by(cls)
            if any(base in _METACLASSES for base in self.classes.outside_bases(cls))
            else ()
        )
        found = self._beyond(value, name)
        for other in made:
            found |= self.of_class(frame, (v.OPEN_CLASS, other), name)
        return found

    def of_class_body(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        """Return what the class of an instance binds `name` to, as Python looks special methods up."""
        found: set[Value] = set()
        first = self.classes.find(value[1], name)
        known = self._meant_by_self(frame, index, value) if self.solver.emitting else None
        for got, receiver, family in self._bodies(first, value, name, known):
            found |= self._bind_all(frame, -1, got, receiver, family)
        return frozenset(found)

    def _declared(self, cls: ScopeId, name: str) -> set[Value]:
        """Return what the annotation of a field promises."""
        for owner in self.classes.mro(cls):
            info = self.solver.tree.scopes[owner]
            for field, term in info.fields:
                if field == name:
                    meant = self.solver.annotations.meant(info, term)
                    return set(meant.values) if meant is not None else set()
        return set()

    def _by_getattr(self, frame: Frame, index: int, value: Value, name: str) -> set[Value]:
        _demand_place(frame)
        place = -1 if self._is_mixed(frame, index) else index
        given = self.solver.calls.method(frame, place, value, "__getattr__", [], "property")
        return set(self._named(frame, index, given, name))

    def _named(self, frame: Frame, index: int, given: Values, name: str) -> Values:
        """Return what a `__getattr__` gave, where it was asked for `name`."""
        found: set[Value] = set()
        for value in given:
            if value in MANY:
                continue
            if value[0] != v.NAMED:
                found.add(value)
            elif value[1][0] == v.CONTAINER:
                found |= frame.elements(value[1], name)
            elif self._depth < _MAX_DELEGATES:
                self.cells.doubt()  # who reads which attribute of what is noted while the rows are made
                self._depth += 1
                found |= self.read(frame, index, value[1], name)
                self._depth -= 1
        return frozenset(found)

    def _is_mixed(self, frame: Frame, index: int) -> bool:
        """Tell whether the receiver of an attribute may be something else that has the attribute: claim nothing then."""
        expr = frame.exprs[index] if index >= 0 else None
        if isinstance(expr, ir.Call) and expr.args:
            receiver = expr.args[0].value  # `getattr`, `hasattr`
        elif isinstance(expr, ir.Attr):
            receiver = expr.value
        else:
            return False
        return any(value[0] not in (v.INSTANCE, v.OPEN) for value in frame.values[receiver])

    def _bind_all(self, frame: Frame, index: int, got: Found, receiver: Value, family: bool) -> set[Value]:
        found: set[Value] = set()
        for held in frame.meaning(got.meaning):
            kind = held[0]
            if kind == v.FUNCTION:
                found.add(v.bound(held, receiver, family))
            elif kind == v.PROPERTY:
                found |= self._get_property(frame, index, held[1], receiver, family)
            elif kind == v.SETTER:
                continue
            elif kind in (v.STATIC, v.CLASSMETHOD):
                found.add(self._from_class(receiver[1], held, (v.OPEN_CLASS, receiver[1]), family))
            elif kind == v.INSTANCE and self.classes.find(held[1], "__get__") is not None:
                _demand_place(frame)
                found |= self._from_descriptor(frame, index, held, got, receiver)
            else:
                found.add(held)
        return found

    def _from_descriptor(self, frame: Frame, index: int, made: Value, got: Found, receiver: Value) -> Values:
        """Run `__get__`. A descriptor that decorates a method gives what that method gives, not what others do that it was
        made of: known while emitting only, since leaving values out is not monotone.
        """
        found = self.solver.calls.method(frame, index, made, "__get__", [frozenset([receiver])], "property")
        self.cells.doubt()
        own = self._decorated(got) if self.solver.emitting else None
        first = self.classes.find(made[1], "__init__") if own is not None else None
        if own is None or first is None:
            return found
        result = self.solver.calls.result
        given = {
            one[1]
            for held in frame.meaning(first.meaning)
            if held[0] == v.FUNCTION
            for one in self.cells.peek((c.PARAM, held[1], 1))
            if one[0] == v.FUNCTION
        }
        if own not in given:
            return found
        others: Values = NOTHING.union(*(result(frame, fn, receiver) for fn in given if fn != own))
        return found - (others - result(frame, own, receiver))

    def _decorated(self, got: Found) -> ScopeId | None:
        """Return the function that a class body binds under a decorator, None where there is more than one."""
        names = {name for scope, name in got.meaning.cells if scope == got.owner}
        scopes = self.solver.tree.scopes[got.owner].module.scopes
        found = [s for s in scopes if s.outer == got.owner and s.id in names and s.form == "function" and s.decorators]
        return found[0].sid if len(found) == 1 else None

    def _get_property(self, frame: Frame, index: int, getter: ScopeId, receiver: Value, family: bool) -> Values:
        frame.note(index, getter, "property", family)
        return self.solver.calls.result(frame, getter, receiver)

    def _of_super(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        inside, receiver = value[1], value[2]
        found: set[Value] = set()
        seen: set[ScopeId] = set()
        for cls in (receiver[1], *self.classes.below(receiver[1])):
            got = self.classes.find(cls, name, after=inside)
            if got is not None and got.owner not in seen:
                seen.add(got.owner)
                self.behind_super.setdefault((got.owner, name), set()).add(inside)
                family = cls != receiver[1]
                for held in frame.meaning(got.meaning):
                    found |= self._super_held(frame, index, held, receiver, family)
        if not seen:
            found |= {self._outer(base, name, receiver) for base in self._outside_after(inside)}
        return frozenset(found)

    def _super_held(self, frame: Frame, index: int, held: Value, receiver: Value, family: bool) -> set[Value]:
        if held[0] == v.FUNCTION:
            return {v.bound(held, receiver, family)}
        if held[0] == v.PROPERTY:
            return set(self._get_property(frame, index, held[1], receiver, family))
        if held[0] in (v.STATIC, v.CLASSMETHOD):
            return {self._from_class(receiver[1], held, receiver, family)}
        return {held}

    def _outside_after(self, inside: ScopeId) -> tuple[str, ...]:
        return self.classes.outside_bases(inside)[:1] or ("builtins.object",)
