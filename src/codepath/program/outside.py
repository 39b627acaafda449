"""Calls that leave the tree: builtins and library functions that hand values back or run what they are given.

Only Python's own semantics stand here; which library function runs which argument is data (`knowledge/`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.model.knowledge import Callback, Pass
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.attributes import parsed_arguments
from codepath.program.collecting import DICTS, HANDING, LISTS
from codepath.program.frame import Frame
from codepath.program.namespaces import namespaces
from codepath.program.values import NOTHING, OPAQUE, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver

_UNNAMED: Value = (v.RESULT, "")
_A_STRING: Values = frozenset([(v.RESULT, "builtins.str")])
ANY_MODULE: Values = frozenset([(v.RESULT, "importlib.import_module")])
"""What importing a module by a name that is not known gives: it may be of the tree."""
_SAME = frozenset(
    """
    copy.copy copy.deepcopy functools.lru_cache functools.cache
    functools.update_wrapper functools.singledispatch functools.total_ordering contextlib.contextmanager
    contextlib.asynccontextmanager builtins.aiter dataclasses.replace weakref.proxy typing.final typing.overload
    abc.abstractmethod types.coroutine asyncio.coroutine contextlib.nullcontext asyncio.shield asyncio.wait_for
    """.split()
)
_REFERRED = (v.INSTANCE, v.OPEN, v.FUNCTION, v.BOUND, v.CLASS, v.OPEN_CLASS)


_UNARY = {
    "builtins.len": "__len__",
    "builtins.hash": "__hash__",
    "builtins.abs": "__abs__",
    "builtins.int": "__int__",
    "builtins.float": "__float__",
    "builtins.round": "__round__",
    "builtins.reversed": "__reversed__",
    "builtins.dir": "__dir__",
    "builtins.bytes": "__bytes__",
    "math.floor": "__floor__",
    "math.ceil": "__ceil__",
    "operator.index": "__index__",
    "copy.copy": "__copy__",
    "copy.deepcopy": "__deepcopy__",
    "builtins.complex": "__complex__",
    "builtins.divmod": "__divmod__",
    "os.fspath": "__fspath__",
}
"""Functions of one object, and the special method of it that each runs."""


class Outside:
    """Calls of names outside the tree."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._results: dict[str, Values] = {}
        self._plain: dict[str, Values] = {}
        self._special: dict[str, Callable[[Frame, int, Arguments], Values]] = {
            "builtins.super": self._super,
            "builtins.type": self._type,
            "builtins.getattr": self._getattr,
            "builtins.setattr": self._setattr,
            "builtins.iter": self._iter,
            "builtins.next": self._next,
            "builtins.anext": self._anext,
            "builtins.enumerate": self._enumerate,
            "builtins.zip": self._zip,
            "builtins.map": self._map,
            "builtins.filter": self._filter,
            "functools.reduce": self._reduce,
            "types.MethodType": self._method_type,
            "weakref.ref": self._reference,
            "weakref.WeakMethod": self._reference,
            "builtins.property": self._property,
            "functools.cached_property": self._property,
            "builtins.staticmethod": self._staticmethod,
            "builtins.classmethod": self._classmethod,
            "functools.partial": self._partial,
            "functools.partialmethod": self._partial,
            "collections.defaultdict": solver.collections.default_dict,
            "typing.cast": self._cast,
            "typing_extensions.cast": self._cast,
            "dataclasses.field": self._field,
            "importlib.import_module": self._import_module,
            "builtins.__import__": self._import_module,
            "builtins.hasattr": self._hasattr,
            "builtins.object.__getattribute__": self._getattr,
            "builtins.globals": self._globals,
            "builtins.vars": self._vars,
            "builtins.dict.fromkeys": solver.collections.from_keys,
            "builtins.type.__call__": self._call_class,
            "pkgutil.resolve_name": self._resolve_name,
            "asyncio.run": self._awaited,
            "asyncio.Runner.run": self._awaited,
            "asyncio.AbstractEventLoop.run_until_complete": self._awaited,
            "builtins.delattr": self._delattr,
            "builtins.format": self._format,
            "builtins.repr": self._repr,
            "builtins.str": self._str,
            "builtins.print": self._print,
            "builtins.bool": self._bool,
            "builtins.sum": self._consume,
            "builtins.any": self._consume,
            "builtins.all": self._consume,
            "builtins.max": self._extreme,
            "builtins.min": self._extreme,
            "builtins.isinstance": self._isinstance,
            "contextlib.ExitStack.enter_context": self._enter_context,
            "contextlib.AsyncExitStack.enter_context": self._enter_context,
            "contextlib.AsyncExitStack.enter_async_context": self._enter_context,
            "contextlib.closing": self._closing,
            "argparse.ArgumentParser.set_defaults": self._set_defaults,
            "argparse.ArgumentParser.parse_args": self._parsed,
            "argparse.ArgumentParser.parse_known_args": self._parsed_known,
            "builtins.property.__init__": self._init_property,
            "builtins.type.__new__": self._new,
            "builtins.object.__new__": self._new,
        }

    def plain(self, value: Value) -> Values | None:
        """Return what calling an outside value gives whatever it is called with, None where its arguments matter."""
        if value[0] == v.OUTSIDE:
            return self._plain.get(value[1])
        return OPAQUE if value == _UNNAMED else None

    def call(
        self,
        frame: Frame,
        index: int,
        dotted: str,
        arguments: Arguments,
        kind: str = "call",
        receiver: Value | None = None,
    ) -> Values:
        """Return what calling the outside name `dotted`, a method of `receiver` where there is one, gives."""
        frame.note(index, dotted, kind)
        written = dotted
        dotted = self.solver.meant(dotted)
        callback = self.solver.callbacks.get(dotted)
        if callback is not None and callback.argument != "decorated":
            self._run_callback(frame, index, callback, arguments)
        if receiver is not None:
            given = self._of_receiver(frame, index, dotted, receiver, arguments)
            if given is not None:
                return given
        passed = self.solver.passes.get(dotted)
        if passed is not None:
            return self._given_back(passed, arguments)
        special = self._special.get(dotted)
        if special is not None:
            return special(frame, index, arguments)
        unary = _UNARY.get(dotted)
        if unary is not None and arguments.positional:
            self.solver.operators.special(frame, index, arguments.positional[0], unary)
        if dotted in _SAME:
            return arguments.positional[0] if arguments.positional else frozenset([(v.RESULT, dotted)])
        if dotted in LISTS:
            return self.solver.collections.copied(frame, index, arguments, dotted)
        if dotted in DICTS:
            return self.solver.collections.table(frame, index, arguments)
        if dotted in HANDING:
            return self.solver.collections.handing(frame, index, arguments, dotted)
        found = self._results.get(dotted)
        if found is None:
            found = self._results[dotted] = frozenset([(v.RESULT, dotted)])
        if unary is None and receiver is None and (callback is None or callback.argument == "decorated"):
            self._plain[written] = found
        return found

    def _given_back(self, passed: Pass, arguments: Arguments) -> Values:
        for spelling in (passed.argument, passed.other):
            if spelling and (values := arguments.get(spelling)) is not None:
                return values
        return OPAQUE if passed.argument == "self" else NOTHING

    def _of_receiver(
        self, frame: Frame, index: int, dotted: str, receiver: Value, arguments: Arguments
    ) -> Values | None:
        """Return what a method of an outside base does to an object of the tree, None where no model tells."""
        name = dotted.rpartition(".")[2]
        found: set[Value] = set()
        known = False
        for dispatch in self.solver.calls.dispatched(receiver[1], name):
            known = True
            for run in dispatch.runs:
                found |= self._dispatch(frame, index, receiver, run, arguments, dispatch.kind)
            for run in dispatch.later:
                self._dispatch(frame, index, receiver, run, Arguments(), dispatch.kind)
        if known:
            return frozenset(found)
        passed = self.solver.passes.get(dotted)
        if passed is not None and "self" in (passed.argument, passed.other):
            return frozenset([receiver])
        if dotted == "builtins.property.__init__":
            self._keep_property(receiver, arguments)
        if dotted == "builtins.type.__call__":
            given = [frozenset([receiver]), *arguments.positional]
            return self._call_class(frame, index, arguments._replace(positional=given))
        return None

    def _dispatch(
        self, frame: Frame, index: int, receiver: Value, name: str, arguments: Arguments, kind: str
    ) -> Values:
        if receiver[0] in (v.INSTANCE, v.OPEN):
            return self.solver.calls.call_method(frame, index, receiver, name, arguments, kind)
        found: set[Value] = set()
        for held in self.solver.attributes.of_class(frame, receiver, name):
            if held[0] in (v.FUNCTION, v.BOUND):
                found |= self.solver.calls.call(frame, index, held, arguments, kind)
        return frozenset(found)

    def _keep_property(self, receiver: Value, arguments: Arguments) -> None:
        """A subclass of `property` keeps what it was given as `fget`, `fset` and `fdel`."""
        root = self.solver.classes.root(receiver[1])
        for position, name in enumerate(("fget", "fset", "fdel")):
            values = arguments.get(name) or arguments.get(str(position))
            if values:
                self.solver.cells.join_table((c.ATTRIBUTE, root, name), receiver[1], values)

    def call_result(self, frame: Frame, index: int, dotted: str, arguments: Arguments) -> Values:
        """Return what calling the result of an outside call gives: a configured decorator gives its argument back."""
        dotted = self.solver.meant(dotted)
        if (dotted in _SAME or dotted == "functools.wraps") and arguments.positional:
            return arguments.positional[0]
        return OPAQUE

    def decorate(self, frame: Frame, index: int, dotted: str, values: Values) -> Values:
        """Return what an outside decorator makes of values."""
        if not dotted.startswith("builtins."):
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
        if callback is not None and "decorated" in (callback.argument, callback.other):
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
        spelled = [spelling for spelling in (callback.argument, callback.other) if spelling.isdigit()]
        position = int(spelled[0]) if spelled else 0
        if callback.args == "rest":
            keywords = {k: values for k, values in arguments.keywords.items() if k != callback.argument}
            return Arguments(arguments.positional[position + 1 :], keywords, arguments.stars)
        if callback.args == "each":
            return Arguments(self._iterated(frame, index, arguments.positional[position + 1 :]))
        stars = arguments.get(callback.args) if callback.args else None
        double_stars = arguments.get(callback.kwargs) if callback.kwargs else None
        return Arguments(
            stars=() if stars is None else (stars,), double_stars=() if double_stars is None else (double_stars,)
        )

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
            bases = arguments.positional[1] if len(arguments.positional) > 2 else NOTHING
            return self.solver.creation.create_at_run_time(frame, index, bases) | {(v.RESULT, "builtins.type")}
        kinds = {v.INSTANCE: v.CLASS, v.OPEN: v.OPEN_CLASS}
        return frozenset((kinds[value[0]], value[1]) for value in arguments.positional[0] if value[0] in kinds)

    def _getattr(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if len(arguments.positional) < 2:
            return NOTHING
        receivers, names = arguments.positional[:2]
        found: set[Value] = set()
        for name in names:
            if name[0] == v.TEXT and isinstance(name[1], str):
                for value in receivers:
                    found |= self.solver.attributes.read(frame, index, value, name[1])
            elif name[0] == v.TEXT_LIKE:
                found |= self.solver.patterns.attributes(frame, index, receivers, name)
        found |= self._asked(frame, index, receivers)
        if not found and receivers and receivers <= ANY_MODULE:
            return NOTHING
        if len(arguments.positional) > 2:
            found |= arguments.positional[2]
        return frozenset(found)

    def _asked(self, frame: Frame, index: int, receivers: Values) -> Values:
        """Return the attributes that the name which `__getattr__` was asked for can mean."""
        expr = frame.exprs[index]
        name = frame.exprs[expr.args[1].value] if isinstance(expr, ir.Call) and len(expr.args) > 1 else None
        if name is not None and frame.is_asked_name(name):
            return frozenset((v.NAMED, value) for value in receivers if value[0] != v.NAMED)
        return NOTHING

    def _hasattr(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        self._getattr(frame, index, Arguments(arguments.positional[:2]))
        return NOTHING

    def _delattr(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        for values in arguments.positional[:1]:
            self.solver.operators.special(frame, index, values, "__delattr__")
        return NOTHING

    def _setattr(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if len(arguments.positional) == 3:
            receivers, names, values = arguments.positional
            for name in names:
                if name[0] == v.TEXT and isinstance(name[1], str):
                    frame.store_attribute(index, receivers, name[1], values)
        return NOTHING

    def _iter(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        found: set[Value] = set()
        for value in arguments.positional[0] if arguments.positional else ():
            if value[0] in (v.INSTANCE, v.OPEN) and self.solver.calls.is_special(value[1], "__iter__"):
                found |= self.solver.calls.method(frame, index, value, "__iter__", [], "operator")
            else:
                found.add(value)
        return frozenset(found)

    def _consume(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        self._iterated(frame, index, arguments.positional[:1])
        return NOTHING

    def _extreme(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        if len(arguments.positional) == 1:
            return NOTHING.union(*self._iterated(frame, index, arguments.positional))
        return NOTHING.union(*arguments.positional)

    def _isinstance(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """Ask the metaclass where it has its own say. Source: `PyObject_IsInstance` of CPython."""
        if self.solver.calls.is_defined("__instancecheck__"):
            for value in arguments.positional[1] if len(arguments.positional) > 1 else ():
                metaclass = self.solver.creation.metaclass(value[1]) if value[0] == v.CLASS else None
                if metaclass is not None and self.solver.calls.is_special(metaclass, "__instancecheck__"):
                    given = list(arguments.positional[:1])
                    self.solver.calls.method(
                        frame, index, (v.INSTANCE, metaclass), "__instancecheck__", given, "operator"
                    )
        return NOTHING

    def _globals(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return namespaces([(v.MODULE, frame.info.module.name)])

    def _vars(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        found = namespaces(arguments.positional[0]) if arguments.positional else NOTHING
        return found or frozenset([(v.RESULT, "builtins.dict")])

    def _call_class(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """`type.__call__(cls, ...)` makes an object of the class, as a metaclass asks for it."""
        rest = arguments._replace(positional=arguments.positional[1:])
        found: set[Value] = set()
        for value in arguments.positional[0] if arguments.positional else ():
            if value[0] in (v.CLASS, v.OPEN_CLASS):
                found |= self.solver.construction.construct(frame, index, value, rest)
            elif value[0] in (v.INSTANCE, v.OPEN):  # of a metaclass: one of the classes that it makes
                for cls in self.solver.creation.made_by(value[1]):
                    found |= self.solver.construction.construct(frame, index, (v.OPEN_CLASS, cls), rest)
        return frozenset(found)

    def _awaited(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """Return what a coroutine gives that is run to its end."""
        return frame.awaited(arguments.positional[0]) if arguments.positional else OPAQUE

    def _resolve_name(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        found: set[Value] = set()
        for value in arguments.positional[0] if arguments.positional else ():
            if value[0] == v.TEXT and isinstance(value[1], str) and self.solver.is_path(value[1]):
                module, _, name = value[1].rpartition(":" if ":" in value[1] else ".")
                found |= self.solver.attributes.read(frame, index, (v.MODULE, module), name)
        return frozenset(found) or OPAQUE

    def _text(self, frame: Frame, index: int, arguments: Arguments, names: tuple[str, ...]) -> Values:
        for values in arguments.positional:
            self.solver.operators.text(frame, index, values, names)
        return _A_STRING

    def _str(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self._text(frame, index, Arguments(arguments.positional[:1]), ("__str__", "__repr__"))

    def _print(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        self._text(frame, index, arguments, ("__str__", "__repr__"))
        return NOTHING

    def _repr(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self._text(frame, index, arguments, ("__repr__",))

    def _format(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self._text(frame, index, Arguments(arguments.positional[:1]), ("__format__", "__str__", "__repr__"))

    def _bool(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        for values in arguments.positional:
            self.solver.operators.truth(frame, index, values)
        return NOTHING

    def _import_module(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        found: set[Value] = set()
        for value in arguments.positional[0] if arguments.positional else ():
            if value[0] == v.TEXT and isinstance(value[1], str):
                level = len(value[1]) - len(value[1].lstrip("."))
                name = frame.info.module.absolute(value[1][level:], level)
                found.add(self.solver.lexical.module_value(name))
            elif value[0] == v.TEXT_LIKE and "." in value[1]:
                level = len(value[1]) - len(value[1].lstrip("."))
                start = frame.info.module.absolute(value[1][level:], level)
                found.update((v.MODULE, name) for name in self.solver.tree.modules_like(start, value[2]))
        return frozenset(found) or ANY_MODULE

    def _enter_context(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return frame.take(arguments.positional[0], (ir.ENTER,), index) if arguments.positional else NOTHING

    def _closing(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        for values in arguments.positional[:1]:
            self.solver.operators.special(frame, index, values, "close")
        return arguments.positional[0] if arguments.positional else NOTHING

    def _set_defaults(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        for name, values in arguments.keywords.items():
            frame.put(parsed_arguments(frame), name, values)
        return NOTHING

    def _parsed(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return frozenset([(v.RESULT, "argparse.Namespace")])

    def _parsed_known(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        made = frame.container(index, 0, "builtins.tuple")
        self.solver.cells.join_table((c.ELEMENT, made), 0, self._parsed(frame, index, arguments))
        return frozenset([made])

    def _init_property(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return NOTHING

    def _new(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        kinds = {v.CLASS: v.INSTANCE, v.OPEN_CLASS: v.OPEN}
        first = arguments.positional[0] if arguments.positional else NOTHING
        return frozenset((kinds[value[0]], value[1]) for value in first if value[0] in kinds)

    def _next(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self._following(frame, index, arguments, "__next__")

    def _anext(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self._following(frame, index, arguments, "__anext__")

    def _following(self, frame: Frame, index: int, arguments: Arguments, name: str) -> Values:
        values = arguments.positional[0] if arguments.positional else NOTHING
        found = {got for one in values for got in self.solver.taking.following(frame, index, one, name)}
        return frozenset(found).union(*arguments.positional[1:2])

    def _enumerate(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self.solver.collections.pairs(
            frame, index, [NOTHING, *self._iterated(frame, index, arguments.positional[:1])]
        )

    def _zip(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        return self.solver.collections.pairs(frame, index, self._iterated(frame, index, arguments.positional))

    def _iterated(self, frame: Frame, index: int, many: Sequence[Values]) -> list[Values]:
        return [frame.take(values, (ir.ITERATE,), index) for values in many]

    def _map(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        made = frame.container(index, 0, "builtins.list")
        given = Arguments(self._iterated(frame, index, arguments.positional[1:]))
        for value in arguments.positional[0] if arguments.positional else ():
            frame.put(made, c.ANY, self.solver.calls.call(frame, index, value, given, "callback"))
        return frozenset([made])

    def _method_type(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """`types.MethodType(function, object)` binds a function."""
        if len(arguments.positional) < 2:
            return NOTHING
        functions, objects = arguments.positional[:2]
        receivers = [one for one in objects if one[0] in (v.INSTANCE, v.OPEN, v.CLASS, v.OPEN_CLASS)]
        found: set[Value] = set()
        for function in functions:
            if function[0] != v.FUNCTION:
                found.add(function)
                continue
            self.solver.bind_value(frame, function, Arguments([objects]))
            found.update(v.bound(function, one, False) for one in receivers)
        return frozenset(found)

    def _reference(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        """A weak reference gives its object when it is called."""
        given = arguments.positional[0] if arguments.positional else NOTHING
        return frozenset((v.REFERENCE, value) for value in given if value[0] in _REFERRED)

    def _reduce(self, frame: Frame, index: int, arguments: Arguments) -> Values:
        given = self._iterated(frame, index, arguments.positional[1:2])
        first = NOTHING.union(*given, *arguments.positional[2:3])
        found: set[Value] = set(first)
        for value in arguments.positional[0] if arguments.positional else ():
            made = self.solver.calls.call(frame, index, value, Arguments([first, *given]), "callback")
            found |= made
            self.solver.bind_value(frame, value, Arguments([made]))
        return frozenset(found)

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
