"""Builtin collections: how they are made of others, and what their methods do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.frame import WITH_FACTORY
from codepath.program.values import NOTHING, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

LISTS = frozenset(
    """
    builtins.list builtins.tuple builtins.set builtins.frozenset builtins.sorted builtins.reversed
    collections.deque itertools.chain itertools.cycle itertools.islice
    """.split()
)
DICTS = frozenset(
    [
        "builtins.dict",
        "collections.OrderedDict",
        "types.MappingProxyType",
        "types.SimpleNamespace",
        "collections.ChainMap",
    ]
)
HANDING = frozenset(
    """
    queue.Queue queue.SimpleQueue queue.LifoQueue asyncio.Queue asyncio.LifoQueue multiprocessing.Queue
    multiprocessing.SimpleQueue contextvars.ContextVar
    """.split()
)
_OWN_KINDS = frozenset(["builtins.tuple", "builtins.set", "builtins.frozenset", "collections.deque"])
_MEASURED = frozenset(["builtins.list", "builtins.tuple", "builtins.sorted"])
"""They ask for the length of what they copy, to make room. Source: `PyObject_LengthHint` of CPython."""
_ADDING = frozenset(["append", "add", "appendleft", "insert", "put", "put_nowait", "push"])
_TAKING = frozenset(["pop", "popleft", "popitem", "get", "get_nowait", "setdefault", "__getitem__"])
_KEYED = frozenset(["get", "pop", "setdefault", "add", "remove", "discard"])


class Collections:
    """Collections made of others, and calls of their methods."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver

    def copied(self, frame: Frame, index: int, arguments: Arguments, dotted: str) -> Values:
        """Return the collection that copying others makes, `dotted` being its type or what makes it."""
        kind = dotted if dotted in _OWN_KINDS else "builtins.list"
        made = frame.container(index, 0, kind)
        for values in arguments.positional:
            if dotted in _MEASURED:
                self.solver.operators.special(frame, index, values, "__len__")
            held = frame.take(values, (ir.ITERATE,), index)
            if dotted == "builtins.sorted" and "key" not in arguments.keywords:
                self.solver.operators.special(frame, index, held, "__lt__")
            frame.put(made, c.ANY, held)
        return frozenset([made])

    def handing(self, frame: Frame, index: int, arguments: Arguments, dotted: str) -> Values:
        """A queue or a context variable gives what others put into it."""
        made = frame.container(index, 0, dotted)
        frame.put(made, c.ANY, arguments.keywords.get("default", NOTHING))
        return frozenset([made])

    def table(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """Return the dict that copying tables, mappings or pairs makes."""
        made = frame.container(index, 0, "builtins.dict")
        self._fill(frame, index, arguments, made)
        return frozenset([made])

    def _fill(self, frame: Frame, index: int, arguments: Arguments, made: Value) -> None:
        for values in [*arguments.positional, *arguments.double_stars]:
            self._copy_pairs(frame, index, values, made)
        for name, values in arguments.keywords.items():
            frame.put(made, name, values)

    def _copy_pairs(self, frame: Frame, index: int, values: Values, made: Value) -> None:
        """Fill a table from another one, or from (key, value) pairs."""
        tables = frozenset(one for one in values if one[0] == v.CONTAINER and one[4] == "builtins.dict")
        frame.copy_entries(tables, made)
        mappings = frozenset(one for one in values if self._is_mapping(one))
        for value in mappings:
            keys = self.solver.calls.method(frame, index, value, "keys", [], "operator")
            key = frame.take(keys, (ir.ITERATE,), index)
            frame.put(made, c.ANY, self.solver.calls.method(frame, index, value, "__getitem__", [key], "operator"))
        others = values - tables - mappings
        if others:
            pairs = frame.take(others, (ir.ITERATE,), index)
            frame.put(made, c.ANY, frame.take(pairs, (1,), index))

    def _is_mapping(self, value: Value) -> bool:
        """Tell whether copying an object into a dict asks for its `keys` and its items. Source: `PyDict_Merge` of CPython."""
        return value[0] in (v.INSTANCE, v.OPEN) and self.solver.classes.find(value[1], "keys") is not None

    def default_dict(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """Return a dict that has a factory for what it lacks."""
        given = Arguments(arguments.positional[1:], arguments.keywords, double_stars=arguments.double_stars)
        made = frame.container(index, WITH_FACTORY, "builtins.dict")
        self._fill(frame, index, given, made)
        factories = arguments.positional[0] if arguments.positional else NOTHING
        self.solver.cells.join((c.FACTORY, made), factories)
        for factory in factories:
            frame.put(made, c.ANY, self.solver.calls.call(frame, index, factory, Arguments(), "callback"))
        return frozenset([made])

    def from_keys(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """`dict.fromkeys(keys, value)` makes a dict, and asks the keys for what a dict needs of them."""
        made = frame.container(index, 0, "builtins.dict")
        for values in arguments.positional[:1]:
            keys = frame.take(values, (ir.ITERATE,), index)
            self.solver.operators.keyed(frame, index, (made,), keys)
            frame.put_key(made, keys)
        for values in arguments.positional[1:2]:
            frame.put(made, c.ANY, values)
        return frozenset([made])

    def lacking(self, frame: Frame, index: int, container: Value) -> None:
        """Run the factory of a dict that another scope reads than the one that made it, where the factory stands."""
        if container[1] != frame.info.sid:
            for factory in frame.cells.read((c.FACTORY, container)):
                self.solver.calls.call(frame, index, factory, Arguments(), "callback")

    def call_method(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what a method of a known collection gives."""
        container, name = value[1], value[2]
        frame.note(index, f"{container[4]}.{name}", "call")
        given = arguments.positional
        if name in _KEYED and given:
            self.solver.operators.keyed(frame, index, (container,), given[0])
        if name in _ADDING and given:
            frame.put(container, c.ANY, given[-1])
        elif name == "set" and given and container[4] == "contextvars.ContextVar":
            frame.put(container, c.ANY, given[0])
        elif name == "sort":
            if "key" not in arguments.keywords:
                self.solver.operators.special(frame, index, frame.elements(container), "__lt__")
            for key in arguments.keywords.get("key", NOTHING):
                self.solver.calls.call(frame, index, key, Arguments([frame.elements(container)]), "callback")
        elif name in _TAKING:
            return self._taken(frame, index, container, name, arguments)
        elif name in ("extend", "update", "extendleft", "union"):
            self._extend(frame, index, container, arguments)
            return frozenset([container]) if name == "union" else NOTHING
        elif name == "items":
            return self.pairs(frame, index, [frame.keys(container), frame.elements(container)])
        elif name == "keys" and frame.keys(container):
            listed = frame.container(index, 0, "builtins.list")
            frame.put(listed, c.ANY, frame.keys(container))
            return frozenset([listed])
        elif name in ("values", "copy", "difference", "intersection"):
            made = frame.container(index, 0, "builtins.list") if name == "values" else None
            if made is None:
                return frozenset([container])
            frame.put(made, c.ANY, frame.elements(container))
            return frozenset([made])
        return frozenset([(v.RESULT, f"{container[4]}.{name}")])

    def _taken(self, frame: Frame, index: int, container: Value, name: str, arguments: Arguments) -> Values:
        expr = frame.exprs[index]
        key = c.ANY
        if container[4] == "builtins.dict" and isinstance(expr, ir.Call) and expr.args and not expr.args[0].star:
            key = frame.key_of(expr.args[0].value)
        if name == "setdefault" and len(arguments.positional) > 1:
            frame.put(container, key, arguments.positional[1])
        found = frame.elements(container, key)
        return found.union(*arguments.positional[1:2])

    def _extend(self, frame: Frame, index: int, container: Value, arguments: Arguments) -> None:
        if container[4] == "builtins.dict":
            for values in [*arguments.positional, *arguments.double_stars]:
                frame.copy_entries(values, container)
            for name, values in arguments.keywords.items():
                frame.put(container, name, values)
            return
        for values in arguments.positional:
            frame.put(container, c.ANY, frame.take(values, (ir.ITERATE,), index))

    def pairs(self, frame: Frame, index: int, parts: list[Values]) -> Values:
        """Return a list of tuples with these values at each place."""
        outer, inner = frame.container(index, 0, "builtins.list"), frame.container(index, 1, "builtins.tuple")
        frame.put(outer, c.ANY, [inner])
        for position, values in enumerate(parts):
            frame.put(inner, position, values)
        return frozenset([outer])
