"""Calls that leave the tree: builtins and library functions that hand values back or run what they are given.

Only Python's own semantics stand here; which library function runs which argument is data (`knowledge/`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.model.knowledge import Callback
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.frame import Frame
from codepath.program.values import NOTHING, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver

_OPAQUE: Values = frozenset([(v.RESULT, "")])
_SAME = frozenset(
    """
    builtins.iter copy.copy copy.deepcopy functools.lru_cache functools.cache functools.wraps
    functools.update_wrapper functools.singledispatch functools.total_ordering contextlib.contextmanager
    contextlib.asynccontextmanager builtins.aiter dataclasses.replace weakref.proxy typing.final typing.overload
    abc.abstractmethod types.coroutine asyncio.coroutine contextlib.nullcontext asyncio.shield asyncio.wait_for
    """.split()
)
_LISTS = frozenset(
    """
    builtins.list builtins.tuple builtins.set builtins.frozenset builtins.sorted builtins.reversed
    collections.deque itertools.chain itertools.cycle itertools.islice
    """.split()
)
_DICTS = frozenset(
    [
        "builtins.dict",
        "collections.OrderedDict",
        "types.MappingProxyType",
        "types.SimpleNamespace",
        "collections.ChainMap",
    ]
)
_ADDING = frozenset(["append", "add", "appendleft", "insert", "put", "put_nowait", "push"])
_TAKING = frozenset(["pop", "popleft", "popitem", "get", "get_nowait", "setdefault", "__getitem__"])


class Outside:
    """Calls of names outside the tree."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._special: dict[str, Callable[[Frame, int, Arguments], Values]] = {
            "builtins.super": self._super,
            "builtins.type": self._type,
            "builtins.getattr": self._getattr,
            "builtins.setattr": self._setattr,
            "builtins.next": self._next,
            "builtins.anext": self._next,
            "builtins.enumerate": self._enumerate,
            "builtins.zip": self._zip,
            "builtins.map": self._map,
            "builtins.filter": self._filter,
            "builtins.property": self._property,
            "functools.cached_property": self._property,
            "builtins.staticmethod": self._staticmethod,
            "builtins.classmethod": self._classmethod,
            "functools.partial": self._partial,
            "functools.partialmethod": self._partial,
            "collections.defaultdict": self._defaultdict,
            "typing.cast": self._cast,
            "typing_extensions.cast": self._cast,
            "dataclasses.field": self._field,
        }

    def call(self, frame: Frame, index: int, dotted: str, arguments: Arguments, kind: str = "call") -> Values:
        """Return what calling the outside name `dotted` gives."""
        frame.note(index, dotted, kind)
        dotted = self.solver.meant(dotted)
        callback = self.solver.callbacks.get(dotted)
        if callback is not None and callback.argument != "decorated":
            self._run_callback(frame, index, callback, arguments)
        if dotted in self.solver.passes:
            return arguments.positional[0] if arguments.positional else NOTHING
        special = self._special.get(dotted)
        if special is not None:
            return special(frame, index, arguments)
        if dotted in _SAME:
            return arguments.positional[0] if arguments.positional else frozenset([(v.RESULT, dotted)])
        if dotted in _LISTS:
            return self._list(frame, index, arguments, dotted)
        if dotted in _DICTS:
            return self._dict(frame, index, arguments)
        return frozenset([(v.RESULT, dotted)])

    def call_result(self, dotted: str, arguments: Arguments) -> Values:
        """Return what calling the result of an outside call gives: a configured decorator gives its argument back."""
        dotted = self.solver.meant(dotted)
        if dotted in _SAME and arguments.positional:
            return arguments.positional[0]
        return _OPAQUE

    def decorate(self, frame: Frame, index: int, dotted: str, values: Values) -> Values:
        """Return what an outside decorator makes of values."""
        frame.note(index, dotted, "decorator")
        dotted = self.solver.meant(dotted)
        self.run_decorated(frame, index, dotted, values)
        special = self._special.get(dotted)
        if special is not None:
            return special(frame, index, Arguments([values]))
        if dotted.rpartition(".")[2] == "cached_property":
            return self._property(frame, index, Arguments([values]))
        return values

    def run_decorated(self, frame: Frame, index: int, dotted: str, values: Values) -> None:
        """Run what is decorated with an outside function that keeps it for later, such as a route."""
        callback = self.solver.callbacks.get(dotted)
        if callback is not None and callback.argument == "decorated":
            self._run(frame, index, callback, values, Arguments())

    def _run_callback(self, frame: Frame, index: int, callback: Callback, arguments: Arguments) -> None:
        target = arguments.get(callback.argument)
        if target is None and callback.other:
            target = arguments.get(callback.other)
        if target is not None:
            self._run(frame, index, callback, target, self._callback_arguments(frame, index, callback, arguments))

    def _run(self, frame: Frame, index: int, callback: Callback, target: Values, given: Arguments) -> None:
        for value in target:
            if value[0] in (v.FUNCTION, v.BOUND, v.PARTIAL, v.CLASS, v.INSTANCE, v.OPEN, v.STATIC):
                self.solver.calls.call(frame, index, value, given, callback.kind)

    def _callback_arguments(self, frame: Frame, index: int, callback: Callback, arguments: Arguments) -> Arguments:
        given = Arguments()
        spelled = [spelling for spelling in (callback.argument, callback.other) if spelling.isdigit()]
        position = int(spelled[0]) if spelled else 0
        if callback.args == "rest":
            keywords = {k: values for k, values in arguments.keywords.items() if k != callback.argument}
            return Arguments(arguments.positional[position + 1 :], keywords, arguments.stars)
        if callback.args == "each":
            return Arguments(self._iterated(frame, index, arguments.positional[position + 1 :]))
        if callback.args and (values := arguments.get(callback.args)) is not None:
            given.stars.append(values)
        if callback.kwargs and (values := arguments.get(callback.kwargs)) is not None:
            given.double_stars.append(values)
        return given

    # --- builtins ----------------------------------------------------------------------------------------------------

    def _super(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        cls = self.solver.class_around_code(frame.info)
        if arguments.positional:
            named = [value for value in arguments.positional[0] if value[0] in (v.CLASS, v.OPEN_CLASS)]
            inside = [value[1] for value in named]
        else:
            inside = [cls.sid] if cls is not None else []
        if cls is None:
            return NOTHING
        kind = v.OPEN_CLASS if self.solver.takes_class(frame.info) else v.OPEN
        return frozenset((v.SUPER, one, (kind, cls.sid)) for one in inside)

    def _type(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if len(arguments.positional) != 1:
            return frozenset([(v.RESULT, "builtins.type")])
        kinds = {v.INSTANCE: v.CLASS, v.OPEN: v.OPEN_CLASS}
        return frozenset((kinds[value[0]], value[1]) for value in arguments.positional[0] if value[0] in kinds)

    def _getattr(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if len(arguments.positional) < 2:
            return NOTHING
        receivers, names = arguments.positional[:2]
        found: set[Value] = set()
        for name in names:
            if name[0] == v.TEXT:
                for value in receivers:
                    found |= self.solver.attributes.read(frame, index, value, name[1])
        if len(arguments.positional) > 2:
            found |= arguments.positional[2]
        return frozenset(found)

    def _setattr(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if len(arguments.positional) == 3:
            receivers, names, values = arguments.positional
            for name in names:
                if name[0] == v.TEXT:
                    frame.store_attribute(index, receivers, name[1], values)
        return NOTHING

    def _next(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        found = frame.take(arguments.positional[0], (ir.ITERATE,), index) if arguments.positional else NOTHING
        return found.union(*arguments.positional[1:2])

    def _enumerate(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self._pairs(frame, index, [NOTHING, *self._iterated(frame, index, arguments.positional[:1])])

    def _zip(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self._pairs(frame, index, self._iterated(frame, index, arguments.positional))

    def _iterated(self, frame: Frame, index: int, many: list[Values]) -> list[Values]:
        return [frame.take(values, (ir.ITERATE,), index) for values in many]

    def _pairs(self, frame: Frame, index: int, parts: list[Values]) -> Values:
        outer, inner = frame.container(index, 0, "builtins.list"), frame.container(index, 1, "builtins.tuple")
        frame.put(outer, c.ANY, [inner])
        for position, values in enumerate(parts):
            frame.put(inner, position, values)
        return frozenset([outer])

    def _map(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        made = frame.container(index, 0, "builtins.list")
        given = Arguments(self._iterated(frame, index, arguments.positional[1:]))
        for value in arguments.positional[0] if arguments.positional else ():
            frame.put(made, c.ANY, self.solver.calls.call(frame, index, value, given, "callback"))
        return frozenset([made])

    def _filter(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        made = frame.container(index, 0, "builtins.list")
        held = self._iterated(frame, index, arguments.positional[1:2])
        for value in arguments.positional[0] if arguments.positional else ():
            self.solver.calls.call(frame, index, value, Arguments(held), "callback")
        for values in held:
            frame.put(made, c.ANY, values)
        return frozenset([made])

    def _property(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        given = [*arguments.positional, *arguments.keywords.values()]
        if not given:
            return frozenset([(v.RESULT, "functools.cached_property")])
        found: set[Value] = {(v.PROPERTY, value[1]) for value in given[0] if value[0] == v.FUNCTION}
        for more in given[1:2]:
            found |= {(v.SETTER, value[1]) for value in more if value[0] == v.FUNCTION}
        return frozenset(found)

    def _staticmethod(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return frozenset((v.STATIC, value) for values in arguments.positional[:1] for value in values)

    def _classmethod(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return frozenset((v.CLASSMETHOD, value) for values in arguments.positional[:1] for value in values)

    def _partial(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if not arguments.positional:
            return NOTHING
        rest = Arguments(
            arguments.positional[1:], arguments.keywords, arguments.stars, arguments.double_stars, arguments.tail
        )
        found: set[Value] = set()
        for value in arguments.positional[0]:
            if value[0] == v.PARTIAL:
                continue
            self.solver.bind_value(frame, value, rest)
            found.add((v.PARTIAL, value, len(rest.positional)))
        return frozenset(found)

    def _cast(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if len(arguments.positional) < 2:
            return NOTHING
        meant = {(v.OPEN, value[1]) for value in arguments.positional[0] if value[0] == v.CLASS}
        return frozenset(meant) | arguments.positional[1]

    def _field(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        found: set[Value] = set(arguments.keywords.get("default", NOTHING))
        for value in arguments.keywords.get("default_factory", NOTHING):
            found |= self.solver.calls.call(frame, index, value, Arguments(), "callback")
        return frozenset(found)

    # --- collections -------------------------------------------------------------------------------------------------

    def _list(self, frame: Frame, index: int, arguments: Arguments, dotted: str) -> Values:
        kind = dotted if dotted in ("builtins.tuple", "builtins.set", "builtins.frozenset") else "builtins.list"
        made = frame.container(index, 0, kind)
        for values in arguments.positional:
            frame.put(made, c.ANY, frame.take(values, (ir.ITERATE,), index))
        return frozenset([made])

    def _dict(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        made = frame.container(index, 0, "builtins.dict")
        for values in [*arguments.positional, *arguments.double_stars]:
            frame.copy_entries(values, made)
        for name, values in arguments.keywords.items():
            frame.put(made, name, values)
        return frozenset([made])

    def _defaultdict(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        given = Arguments(arguments.positional[1:], arguments.keywords, double_stars=arguments.double_stars)
        made = self._dict(frame, index, given)
        for value in arguments.positional[0] if arguments.positional else ():
            made_values = self.solver.calls.call(frame, index, value, Arguments(), "callback")
            for container in made:
                frame.put(container, c.ANY, made_values)
        return made

    def call_method(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what a method of a known collection gives."""
        container, name = value[1], value[2]
        frame.note(index, f"{container[4]}.{name}", "call")
        given = arguments.positional
        if name in _ADDING and given:
            frame.put(container, c.ANY, given[-1])
        elif name in _TAKING:
            return self._taken(frame, index, container, name, arguments)
        elif name in ("extend", "update", "extendleft", "union"):
            self._extend(frame, index, container, arguments)
            return frozenset([container]) if name == "union" else NOTHING
        elif name == "items":
            return self._pairs(frame, index, [NOTHING, frame.elements(container)])
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
