"""What builtins, methods of builtin values and some of the standard library give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codepath.analysis.arch import operators
from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Cls,
    Decorator,
    Func,
    Instance,
    Method,
    NotPlain,
    Outside,
    Partial,
    Seq,
    Table,
    Trail,
    Val,
    lifted,
    of_truth,
    plain,
    trail_of,
    truth,
)

if TYPE_CHECKING:
    from codepath.analysis.arch.frames import Frame
    from codepath.analysis.arch.machine import Machine

Keywords = dict[str, Val]
_DECORATORS = frozenset(
    {
        "functools.cache",
        "functools.lru_cache",
        "functools.wraps",
        "builtins.staticmethod",
        "builtins.classmethod",
        "contextlib.contextmanager",
        "torch.compile",
        "torch.no_grad",
        "torch.compiler.disable",
        "torch._dynamo.disable",
        "typing.no_type_check",
    }
)
_PURE: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "len": len,
    "abs": abs,
    "min": min,
    "max": max,
    "sum": sum,
    "any": any,
    "all": all,
    "tuple": tuple,
    "list": list,
    "set": frozenset,
    "frozenset": frozenset,
    "sorted": sorted,
    "round": round,
    "divmod": divmod,
    "repr": repr,
}
_TEXT = frozenset(
    "lower upper strip lstrip rstrip split rsplit replace startswith endswith partition rpartition removeprefix "
    "removesuffix isdigit title capitalize find count".split()
)
_ERRORS = (TypeError, ValueError, ArithmeticError, KeyError, IndexError, AttributeError, OverflowError, MemoryError)
_LONGEST = 10_000


def outside_call(machine: Machine, name: str, args: tuple[Val, ...], keywords: Keywords, where: Trail | None) -> Val:
    """Return what calling a name outside the tree gives; `where` is the call site."""
    known = machine.world.outside(name, machine.arch, called=True, where=where)
    if known is not None:
        return known
    if name in _DECORATORS:
        first = args[0] if args else None
        return first if first is not None and _is_callable(first) else Val(Decorator())
    if name == "functools.partial" and args:
        return Val(Partial(args[0], args[1:], tuple(sorted(keywords.items()))))
    if name.startswith("builtins."):
        return _builtin(machine, name[9:], args, keywords)
    if name == "itertools.product" or name == "torch.device":
        return NOT_KNOWN
    return Val(UNKNOWN, trail_of((*args, *keywords.values())) if name.startswith(("re.", "packaging.")) else None)


def _is_callable(value: Val) -> bool:
    return isinstance(value.data, (Func, Partial, Cls, Outside, Method))


def _builtin(machine: Machine, name: str, args: tuple[Val, ...], keywords: Keywords) -> Val:
    trail = trail_of((*args, *keywords.values()))
    if name == "map" and len(args) == 2 and isinstance(args[1].data, Seq):
        from codepath.analysis.arch.calling import apply

        items = tuple(apply(machine, None, args[0], (item,), {}, 0) for item in args[1].data.items)
        return Val(Seq("list", items), trail)
    if name == "getattr" and len(args) >= 2 and isinstance(args[1].data, str):
        from codepath.analysis.arch.members import attribute

        found = attribute(machine, args[0], args[1].data)
        return found if found.data is not UNKNOWN or len(args) < 3 else Val(UNKNOWN, trail)
    if name == "isinstance" and len(args) == 2:
        return _isinstance(machine, args[0], args[1])
    if name == "super":
        return NOT_KNOWN
    if name == "any" and len(args) == 1 and isinstance(args[0].data, Seq):
        return _quantified(args[0].data.items, True, trail)
    if name == "all" and len(args) == 1 and isinstance(args[0].data, Seq):
        return _quantified(args[0].data.items, False, trail)
    if name == "len" and len(args) == 1 and (size := _size(args[0].data)) is not None:
        return Val(size, trail)
    pure = _PURE.get(name)
    if pure is None or keywords:
        return Val(UNKNOWN, trail)
    return _applied(pure, args, trail)


def _quantified(items: tuple[Val, ...], stops: bool, trail: Any) -> Val:
    verdicts = [truth(item) for item in items]
    if stops in verdicts:
        return of_truth(stops, trail)
    return of_truth(None if None in verdicts else not stops, trail)


def _applied(pure: Callable[..., Any], args: tuple[Val, ...], trail: Any) -> Val:
    try:
        values = [plain(arg) for arg in args]
    except NotPlain:
        return Val(UNKNOWN, trail)
    if any(isinstance(v, (Cls, Outside)) for v in values):
        return Val(UNKNOWN, trail)
    try:
        result = pure(*values)
    except _ERRORS:
        return Val(UNKNOWN, trail)
    if isinstance(result, (str, list, tuple)) and len(result) > _LONGEST:
        return Val(UNKNOWN, trail)
    return lifted(result, trail)


def _isinstance(machine: Machine, value: Val, cls: Val) -> Val:
    """Return whether a value is of a class, or of one of a tuple of them."""
    options = cls.data.items if isinstance(cls.data, Seq) else (cls,)
    verdicts = [_is_of(machine, value.data, one.data) for one in options]
    return of_truth(True if True in verdicts else None if None in verdicts else False, None)


def _is_of(machine: Machine, data: Any, cls: Any) -> bool | None:
    if isinstance(cls, Cls) and isinstance(data, Instance):
        found = cls.sid in machine.world.mro(data.sid)
        return found if found or not data.is_open else None
    if not isinstance(cls, Outside) or not cls.name.startswith("builtins."):
        return False if isinstance(cls, Cls) and (data is None or isinstance(data, (bool, int, float, str))) else None
    name = cls.name[9:]
    if data is None or isinstance(data, (bool, int, float, str)):
        kind = {"str": str, "int": int, "bool": bool, "float": float}.get(name)
        return (
            isinstance(data, kind) if kind is not None else False if name in ("tuple", "list", "dict", "set") else None
        )
    if isinstance(data, Seq):
        return data.form == name if name in ("tuple", "list", "dict", "set", "str", "int") else None
    return None


def builtin_method(
    machine: Machine, frame: Frame | None, method: Method, args: tuple[Val, ...], keywords: Keywords, at: int
) -> Val:
    """Return what a method of a text or a collection gives."""
    data, trail = method.of.data, trail_of((method.of, *args))
    if isinstance(data, Table):
        return _table_method(frame, method, data, args, at)
    if isinstance(data, str):
        if method.name == "join" and len(args) == 1:
            return _applied(data.join, args, trail)
        if method.name == "format":
            return Val(UNKNOWN, trail)
        if method.name in _TEXT and not keywords:
            return _applied(getattr(data, method.name), args, trail)
    if isinstance(data, Seq) and method.name in ("index", "count") and len(args) == 1:
        return Val(UNKNOWN, trail)
    if isinstance(data, Seq) and method.name == "copy":
        return method.of
    return Val(UNKNOWN, trail)


def _size(data: object) -> int | None:
    """Return how many items a collection has, whatever they are; None where that is not known."""
    if isinstance(data, Table):
        return None if data.is_open or data.keys else 0
    return len(data.items) if isinstance(data, Seq) and data.form != "set" else None


def _table_method(frame: Frame | None, method: Method, table: Table, args: tuple[Val, ...], at: int) -> Val:
    if method.name in ("get", "pop") and args:
        default = args[1] if len(args) > 1 else Val(None)
        trail = trail_of((args[0], method.of))
        try:
            found = operators.item(method.of, args[0])
            hit: bool | None = None if found.data is UNKNOWN else True
        except operators.Missing:
            found, hit = default, False
        _look_up(frame, at, table, args[0], hit, default)
        return Val(found.data, found.trail or trail)
    if method.name == "keys":
        return Val(Seq("list", table.keys) if not table.is_open else UNKNOWN, method.of.trail)
    if method.name == "values":
        return Val(Seq("list", table.values) if not table.is_open else UNKNOWN, method.of.trail)
    if method.name == "items" and not table.is_open:
        pairs = tuple(Val(Seq("tuple", pair)) for pair in zip(table.keys, table.values, strict=True))
        return Val(Seq("list", pairs), method.of.trail)
    return Val(UNKNOWN, method.of.trail)


def _look_up(frame: Frame | None, at: int, table: Table, key: Val, hit: bool | None, default: Val) -> None:
    from codepath.analysis.arch.record import Lookup

    if frame is not None and frame.notes is not None and key.trail is not None:
        found = Lookup("get", (table.sid, table.at), key, hit, default=default)
        frame.notes.lookup(at, found)
