"""Conditions as formulas."""

from __future__ import annotations

import pytest

from codepath.analysis.detect.formulas import Formula, alternatives, implies, of_expression, said
from codepath.extract import extract
from codepath.model import ir


def formula(text: str) -> Formula:
    facts = extract(f"if {text}:\n    pass\n".encode(), "a.py")
    assert isinstance(facts, ir.ModuleFacts)
    scope = ir.decode_scope(facts.scopes[0])
    (region,) = scope.body
    assert isinstance(region, ir.If)
    return of_expression(scope, region.test)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a and b", "a"),
        ("a", "a or b"),
        ("self.a", "a"),
        ("a is not None", "a"),
        ("not (a or b)", "not a"),
        ("kind == 'x'", "kind != 'y'"),
        ("kind == 'x'", "kind in ('x', 'y')"),
        ("a and other.thing()", "a"),
    ],
)
def test_one_implies_another(one: str, other: str) -> None:
    assert implies(formula(one), formula(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "a and b"),
        ("a or b", "a"),
        ("a or b or c", "a or b"),
        ("b", "a"),
        ("not a", "a"),
        ("kind != 'y'", "kind == 'x'"),
    ],
)
def test_one_does_not_imply_another(one: str, other: str) -> None:
    assert not implies(formula(one), formula(other))


def test_too_many_atoms_imply_anything() -> None:
    many = " or ".join(f"a{n}" for n in range(20))
    assert implies(formula(many), formula("a1"))


def test_alternatives() -> None:
    assert list(alternatives(formula("x and (a or b)"))) == [frozenset(["a", "b"])]


def test_said() -> None:
    assert said(formula("self.a and not (b or c)")) == "a and not (b or c)"
