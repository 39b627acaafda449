"""Makes libcst's parser faster within this process.

The parser builds every node by calling its class with all fields. The classes are frozen dataclasses that check what the
parser has just made; a plain `__init__` gives equal trees in two thirds of the time.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import libcst as cst

_SAMPLE = '''"""Sample."""
from a import (b as c, d)
@dec(1, *a, k=2, **b)
async def f(x: int, /, y=1, *z, w: "T" = 2, **k) -> None:
    async with a as b, c: x[1:2, ...] = {1: 2, **d} # comment
    try: yield [i async for i in x if not i] or (lambda q: -q)
    except (A, B) as e: raise E from e
    else: del a.b
    finally: assert x is not None, f"{x!r:>{w}}" "t"
    while x not in y < 3: x += (yield from a); break
match p:
    case {"a": [1, *_], **r} | C(x=None) if (n := 1): pass
class K(B, metaclass=M):
    x: int = 1 if a else 2
'''

_state: dict[str, bool] = {}


def install() -> bool:
    """Make `libcst.parse_module` faster from now on; return whether it is.

    The change is undone where a sample does not give the same tree both ways or does not give its text back.
    """
    if "fast" not in _state:
        _state["fast"] = _try()
    return _state["fast"]


def _try() -> bool:
    saved: list[tuple[type, str, Any]] = []
    try:
        before = cst.parse_module(_SAMPLE)
        _patch(saved)
        after = cst.parse_module(_SAMPLE)
        same = repr(after) == repr(before) and after.code == _SAMPLE and after.deep_equals(before)
    except Exception:  # another version of libcst: leave it as it is
        same = False
    if not same:
        for kind, name, value in reversed(saved):
            setattr(kind, name, value)
    return same


def _kinds() -> list[type]:
    return [
        kind
        for kind in vars(cst).values()
        if inspect.isclass(kind) and issubclass(kind, cst.CSTNode) and not inspect.isabstract(kind)
    ]


def _patch(saved: list[tuple[type, str, Any]]) -> None:
    bases = dict.fromkeys(base for kind in _kinds() for base in kind.__mro__ if issubclass(base, cst.CSTNode))
    for base in bases:
        for name in ("__setattr__", "__delattr__"):
            if name in base.__dict__:
                saved.append((base, name, base.__dict__[name]))
                delattr(base, name)
    for kind in _kinds():
        if dataclasses.is_dataclass(kind):
            saved.append((kind, "__init__", kind.__dict__["__init__"]))
            setattr(kind, "__init__", _plain_init(kind))  # noqa: B010


def _plain_init(kind: Any) -> Any:
    """Return an `__init__` with the class's own parameters that only assigns them."""
    names: dict[str, Any] = {"missing": dataclasses.MISSING}
    parameters = ["self"]
    body = []
    for field in dataclasses.fields(kind):
        if not field.init:
            continue
        name = field.name
        value = name
        if field.default is not dataclasses.MISSING:
            names[f"default_{name}"] = field.default
            parameters.append(f"{name}=default_{name}")
        elif field.default_factory is not dataclasses.MISSING:
            names[f"make_{name}"] = field.default_factory
            parameters.append(f"{name}=missing")
            value = f"make_{name}() if {name} is missing else {name}"
        else:
            parameters.append(name)
        body.append(f"    self.{name} = {value}\n")
    source = f"def __init__({', '.join(parameters)}):\n" + ("".join(body) or "    pass\n")
    exec(source, names)  # text made of libcst's own field names only
    return names["__init__"]
