"""Assumptions as people say them, and what they decide."""

from __future__ import annotations

import pytest

from codepath.analysis.assuming import snake
from codepath.analysis.comparing import decide
from codepath.analysis.said import read
from codepath.errors import QueryError
from codepath.model.assumptions import Assumption, Scalar


@pytest.mark.parametrize(
    ("text", "name", "op", "value", "kind"),
    [
        ("is_draft=False", "is_draft", "=", False, "name"),
        ("args.backend='fast'", "args.backend", "=", "fast", "name"),
        ("args.backend=fast-a2a", "args.backend", "=", "fast-a2a", "name"),
        ("args.size == 8", "args.size", "=", 8, "name"),
        ("args.size!=1", "args.size", "!=", 1, "name"),
        ("args.size < 8", "args.size", "<", 8, "name"),
        ("args.size>=2", "args.size", ">=", 2, "name"),
        ("args.backend in ['a', 'b']", "args.backend", "in", ("a", "b"), "name"),
        ("args.backend not in ('a', None)", "args.backend", "not in", ("a", None), "name"),
        ("model=Wrapper", "model", "=", "Wrapper", "model"),
        ("device=cuda", "device", "=", "cuda", "name"),
        ("env:FAST=1", "FAST", "=", "1", "env"),
        ("env:FAST=None", "FAST", "=", None, "env"),
        ("call:is_fast=True", "is_fast", "=", True, "call"),
        ("call:util.is_fast()=True", "util.is_fast", "=", True, "call"),
    ],
)
def test_read(text: str, name: str, op: str, value: Scalar, kind: str) -> None:
    found = read(text)
    assert (found.name, found.op, found.value, found.kind) == (name, op, value, kind)
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "=1",
        "x=",
        "x=f(1)",
        "x in 1",
        "x=[1]",
        "x in []",
        "model!=A",
        "model=1",
        "gpu!=sm120",
        "gpu=[1]",
        "gpu=None",
        "x={'a': 1}",
        "1=1",
    ],
)
def test_what_is_no_assumption(text: str) -> None:
    with pytest.raises(QueryError):
        read(text)


@pytest.mark.parametrize(
    ("said", "op", "other", "expected"),
    [
        ("x=1", "==", 1, True),
        ("x=1", "bool", True, True),
        ("x=0", "is", False, False),
        ("x!=1", "==", 1, False),
        ("x!=1", "!=", 1, True),
        ("x!=1", "==", 2, None),
        ("x!=1", "<", 1, None),
        ("x!=False", "bool", True, True),
        ("x<8", "<", 8, True),
        ("x<8", "<=", 8, True),
        ("x<8", "==", 8, False),
        ("x<8", ">", 9, False),
        ("x<8", ">", 7, False),
        ("x<8", ">", 6.5, None),
        ("x<8", "<", 3, None),
        ("x>1", "==", 1, False),
        ("x>1", ">", 1, True),
        ("x>0", "bool", True, True),
        ("x in [2, 4]", ">", 1, True),
        ("x in [2, 4]", ">", 2, None),
        ("x in [2, 4]", "==", 3, False),
        ("x not in ['a', 'b']", "==", "a", False),
        ("x not in ['a', 'b']", "==", "c", None),
        ("x=a", "<", 1, None),
    ],
)
def test_decide(said: str, op: str, other: Scalar, expected: bool | None) -> None:
    assert decide(read(said), op, other, lambda value: value) is expected


@pytest.mark.parametrize(
    ("said", "passed", "expected"),
    [
        ("x=False", True, False),
        ("x=False", False, True),
        ("x!=1", 1, False),
        ("x<3", 5, False),
        ("x in [1, 2]", 3, False),
    ],
)
def test_what_an_assumption_allows(said: str, passed: Scalar, expected: bool) -> None:
    assert decide(read(said), "", passed, lambda value: value) is expected


def test_text() -> None:
    assert Assumption("FAST", "=", "1", "env").text == "env:FAST = '1'"
    assert Assumption("a.b", "in", (1, 2)).text == "a.b in [1, 2]"


@pytest.mark.parametrize(
    ("name", "expected"), [("ServerArgs", "server_args"), ("MoEConfig", "mo_e_config"), ("A", "a")]
)
def test_snake(name: str, expected: str) -> None:
    assert snake(name) == expected
