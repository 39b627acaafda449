"""Assumptions as people say them: `NAME=VALUE`, `!=`, `<`, `in [...]`, and the reserved names."""

from __future__ import annotations

import ast
import re

from codepath.errors import QueryError
from codepath.model.assumptions import Assumption, Operator, Scalar

_SAID = re.compile(
    r"\s*(?P<reserved>env:|call:)?\s*(?P<name>[A-Za-z_][\w.\-]*(?:\(\))?(?:\.[A-Za-z_]\w*)*)\s*"
    r"(?P<op>==|!=|<=|>=|=|<|>|\bnot\s+in\b|\bin\b)\s*(?P<value>.*?)\s*",
    re.DOTALL,
)
_DEVICE = re.compile(r"[A-Za-z][\w-]*( [\w-]+)+")  # of several words: RTX PRO 6000
_WORD = re.compile(r"[\w./:@+\-~]+")
_HELP = (
    "NAME=VALUE, NAME!=VALUE, NAME<VALUE or NAME in [...]; VALUE is a Python constant, a bare word a string",
    "NAME as a guard writes it, or model, gpu, device, env:NAME, call:FUNCTION",
)


def read(text: str, origin: str = "--assume") -> Assumption:
    """Return the assumption that a text says.

    Raises:
        QueryError: It has no such form, or its name is one that cannot be assumed yet.
    """
    found = _SAID.fullmatch(text)
    if found is None:
        raise QueryError(f"`{text}` is no assumption", help=_HELP)
    op = " ".join(found["op"].split())
    name = found["name"]
    written = found["value"]
    value = written if name == "gpu" and _DEVICE.fullmatch(written) else _value(text, written)
    if (op in ("in", "not in")) is not isinstance(value, tuple):
        raise QueryError(f"`{text}` is no assumption: `in` takes a list, other operators one value", help=_HELP)
    operator: Operator = "=" if op == "==" else op  # type: ignore[assignment]
    if found["reserved"] == "env:":
        shown = str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        return Assumption(name, operator, shown, "env", origin)
    if found["reserved"] == "call:":
        return Assumption(name.removesuffix("()"), operator, value, "call", origin)
    if name == "gpu":
        if operator != "=" or isinstance(value, (bool, tuple)) or value is None:
            raise QueryError(f"`{text}`: `gpu` takes one architecture: sm120, 12.0 or a device", help=_HELP)
        return Assumption("gpu", "=", str(value), "gpu", origin)
    if name == "model":
        if operator != "=" or not isinstance(value, str):
            raise QueryError(f"`{text}`: `model` takes the name of a class, or the path of a config.json", help=_HELP)
        return Assumption("model", "=", value, "model", origin)
    return Assumption(name, operator, value, "name", origin)


def _value(text: str, written: str) -> Scalar | tuple[Scalar, ...]:
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        if not _WORD.fullmatch(written):
            raise QueryError(f"`{text}` is no assumption: `{written}` is no constant", help=_HELP) from None
        return written
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else list(value)
        if items and all(_is_scalar(item) for item in items):
            return tuple(items)
    if not _is_scalar(value):
        raise QueryError(f"`{text}` is no assumption: `{written}` is no constant", help=_HELP)
    scalar: Scalar = value
    return scalar


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))
