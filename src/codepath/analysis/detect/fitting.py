"""Whether arguments, as they are written at a call, fit parameters: what Python would say before any of the callee runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codepath.model import ir
from codepath.program.tree import Parameter

_PLAIN = ("positional", "normal")
_NAMED = ("normal", "keyword")


class Misfit(NamedTuple):
    """Why arguments do not fit. `form` is `count`, `keyword`, `twice` or `missing`; `text` follows the name of the callee."""

    form: str
    text: str


@dataclass(frozen=True, slots=True)
class Passed:
    """What a call passes: at least `positional` arguments by position, and `keywords`; `star` and `double_star` bring more."""

    positional: int
    keywords: tuple[str, ...]
    star: bool
    double_star: bool


def passed_by(call: ir.Call) -> Passed:
    """Return what a call passes."""
    return Passed(
        positional=sum(not arg.star and arg.name is None for arg in call.args),
        keywords=tuple(arg.name for arg in call.args if arg.name is not None),
        star=any(arg.star == 1 for arg in call.args),
        double_star=any(arg.star == 2 for arg in call.args),
    )


def misfit(passed: Passed, params: Sequence[Parameter]) -> Misfit | None:
    """Return why a call is refused, None where it may be accepted.

    Args:
        passed: What it passes.
        params: The parameters without those that the receiver takes.

    Approximates: under (what `*x` and `**x` bring counts as whatever fits).
    """
    plain = [p for p in params if p.form in _PLAIN]
    forms = {p.form for p in params}
    if passed.positional > len(plain) and "star" not in forms:
        return Misfit("count", f"takes {_counted(len(plain))} by position and gets {passed.positional}")
    named = {p.id for p in params if p.form in _NAMED}
    unknown = [name for name in passed.keywords if name not in named]
    if unknown and "double-star" not in forms:
        return Misfit("keyword", f"has no parameter {_listed(unknown)}")
    twice = [p.id for p in plain[: passed.positional] if p.form == "normal" and p.id in passed.keywords]
    if twice:
        return Misfit("twice", f"gets {_listed(twice)} twice")
    missing = [] if passed.star or passed.double_star else _missing(passed, plain, params)
    if not missing:
        return None
    return Misfit("missing", f"requires {_listed(missing)}, which {'is' if len(missing) == 1 else 'are'} not passed")


def _missing(passed: Passed, plain: Sequence[Parameter], params: Sequence[Parameter]) -> list[str]:
    left = [p for p in plain[passed.positional :] if p.default < 0]
    left += [p for p in params if p.form == "keyword" and p.default < 0]
    return [p.id for p in left if p.id not in passed.keywords or p.form == "positional"]


def swapped(exprs: Sequence[ir.Expr], call: ir.Call, params: Sequence[Parameter]) -> tuple[str, str] | None:
    """Return two names that are passed by position, each where the parameter with the name of the other one stands."""
    plain = [p.id for p in params if p.form in _PLAIN]
    names: list[str] = []
    for arg in call.args:
        value = exprs[arg.value]
        if arg.star or arg.name is not None:
            break
        names.append(value.id if isinstance(value, ir.Name) else "")
    for i, name in enumerate(names[: len(plain)]):
        j = plain.index(name) if name in plain else i
        if i < j < len(names) and names[j] == plain[i]:
            return name, names[j]
    return None


def _counted(number: int) -> str:
    return "1 argument" if number == 1 else f"{number} arguments"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
