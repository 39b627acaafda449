"""Making objects: constructors, fields of dataclasses, classes that are subscribed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import WRITTEN, Arguments
from codepath.program.frame import Frame
from codepath.program.values import ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver


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


class Construction:
    """Calls of classes. `constructed` are the classes that were made objects of, each with how it was known."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.calls = solver.calls
        self.cells = solver.cells
        self.classes = solver.classes
        self.tree = solver.tree
        self.constructed: set[tuple[int, ScopeId]] = set()

    def call(self, frame: Frame, index: int, value: Value, arguments: Arguments, kind: str) -> Values:
        """Return what calling a class gives."""
        cls: ScopeId = value[1]
        if value[0] == v.CLASS or not _is_own_class(frame, index):
            self.constructed.add((value[0], cls))
        is_open = value[0] == v.OPEN_CLASS
        found = self._initialise(frame, index, cls, arguments, kind, False, is_open=is_open)
        metaclass = self.solver.creation.metaclass(cls)
        if metaclass is not None and self.calls.is_special(metaclass, "__call__"):
            self.calls.call_method(frame, index, (v.INSTANCE, metaclass), "__call__", arguments, kind)
        if value[0] == v.CLASS:
            return frozenset([(v.INSTANCE, cls), *found])
        overrides = self.classes.overrides(cls, "__init__")
        if overrides:
            self.cells.doubt()
        for other in overrides:
            if self.calls.instantiated is None or self.calls.instantiated.constructs(frame, index, value, other.owner):
                self._initialise(frame, index, other.owner, arguments, kind, True, is_open=True)
        return frozenset([(v.OPEN, cls), *found])

    def construct(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what making an object of a class gives, as its metaclass asks for it; only constructors of the tree count."""
        self.constructed.add((value[0], value[1]))
        family = value[0] == v.OPEN_CLASS
        index = index if any(self.calls.is_special(value[1], name) for name in ("__new__", "__init__")) else -1
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
                    if (
                        not is_open
                        or kind not in WRITTEN
                        or self.calls.fit(frame, arguments, self.tree.scopes[held[1]], 1)
                    ):
                        frame.note(index, held[1], kind, family)
                    self.calls.hand(frame, held, (v.INSTANCE if name == "__init__" else v.CLASS, cls), arguments)
                    if name == "__new__":
                        given = self.calls.result(frame, held[1], (v.CLASS, cls))
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
            self.calls.call_method(frame, index, (v.INSTANCE, cls), "__post_init__", Arguments(), kind)

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
        if self.calls.is_special(value[1], "__class_getitem__"):
            found = self.classes.find(value[1], "__class_getitem__")
            for held in frame.meaning(found.meaning) if found is not None else ():
                inner = held[1] if held[0] == v.CLASSMETHOD else held
                if inner[0] == v.FUNCTION:
                    frame.note(index, inner[1], "operator")
        metaclass = self.solver.creation.metaclass(value[1])
        if metaclass is not None and self.calls.is_special(metaclass, "__getitem__"):
            self.calls.method(frame, index, (v.INSTANCE, metaclass), "__getitem__", [], "operator")


def _is_own_class(frame: Frame, index: int) -> bool:
    """Tell whether a call is `x.__class__(...)`: an instance is made of a class that has one."""
    expr = frame.exprs[index]
    func = frame.exprs[expr.func] if isinstance(expr, ir.Call) else None
    return isinstance(func, ir.Attr) and func.id == "__class__"
