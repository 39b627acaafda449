"""Whether arguments fit parameters, as Python has it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from codepath.analysis.detect.fitting import Passed, misfit
from codepath.program.tree import Parameter

_FORMS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "normal",
    inspect.Parameter.VAR_POSITIONAL: "star",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "double-star",
}


def _plain(a, b): ...  # type: ignore[no-untyped-def]
def _defaults(a, b=1, *, c=2): ...  # type: ignore[no-untyped-def]
def _positional(a, /, b): ...  # type: ignore[no-untyped-def]
def _keyword(*, c): ...  # type: ignore[no-untyped-def]
def _stars(a, *rest, **named): ...  # type: ignore[no-untyped-def]


def _params(function: Any) -> list[Parameter]:
    found = inspect.signature(function).parameters.values()
    return [Parameter(p.name, _FORMS[p.kind], "", -1 if p.default is p.empty else 0) for p in found]


@pytest.mark.parametrize("function", [_plain, _defaults, _positional, _keyword, _stars])
@pytest.mark.parametrize("count", [0, 1, 2, 3])
@pytest.mark.parametrize("keywords", [(), ("a",), ("b",), ("c",), ("a", "b"), ("z",)])
def test_what_python_refuses(function: Any, count: int, keywords: tuple[str, ...]) -> None:
    try:
        inspect.signature(function).bind(*range(count), **dict.fromkeys(keywords, 0))
        is_refused = False
    except TypeError:
        is_refused = True
    found = misfit(Passed(count, keywords, star=False, double_star=False), _params(function))
    assert (found is not None) is is_refused


def test_what_stars_bring_is_not_known() -> None:
    assert misfit(Passed(0, (), star=True, double_star=False), _params(_plain)) is None
    assert misfit(Passed(0, (), star=False, double_star=True), _params(_plain)) is None
    found = misfit(Passed(3, (), star=True, double_star=True), _params(_plain))
    assert found is not None
    assert found == ("count", "takes 2 arguments by position and gets 3")
