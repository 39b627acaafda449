"""Places: pairing with `ast`, light code generation, and libcst's own provider agree."""

from __future__ import annotations

import ast
import sys
import sysconfig
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from codepath.extract import extract, parsing
from codepath.extract.codegen_places import places_inside, places_of
from codepath.extract.places import WANTED, Mismatch, Place, collect_ast, kinds_of, pair
from codepath.extract.walk import collect
from codepath.model import ir
from tests.unit.extract.checking import scopes_of

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
FILES = ["ast.py", "argparse.py", "dataclasses.py", "typing.py", "asyncio/tasks.py", "enum.py"]

TRICKY = '''\
é = "ü"; x = é.ö(ä, *b, k=é, **c)[d, 1:é:2, ...] + -(a)
@dec.é(1)
async def f(a, /, b: "T" = 1, *args: int, c=(é, 2), d: int, **kw) -> List["x"]:
    async with (a) as b, c(é) as (d, e): await g
    async for x, *y in (yield z): continue
    else: return not (a and b or c and (d and e)) if x else lambda q=1, *r: (yield)
    with (a, b): pass
    with (open(x) as f, g()): pass
    x = f(y for y in (1, (2, 3), ()) if y if (z := y)) + {a: b for a, b in c}
    x[(1, 2)] = x[1, 2] = x[(1, 2), 3] = x[1,] = x[()] = (a) = [b, *c] = d
    x[*a] if 0 else x[a:b, c]
class é(A, *B, metaclass=M, **k):
    x: int
    y: "é" = {**a, "b": [*c], (d): {e, f}}
    del (a), (b, c), d.e, f[g]
try:
    (a)(b)(c).d.e("x" "y" f"{z}" 'w')
except (A, B) as e: raise C from e
except D: assert a, (b)
finally:
    x = 1 < 2 <= (3) is not None not in y; y += (1); z **= 2
match a, b:
    case [1, -2, "x" "y", None, *_] | {"k": v, a.b: (w), **rest}: pass
    case (C(1, x=D() as y)) if z: pass
    case (1 | 2) as n: pass
    case a, *b: pass
    case (
        q
    ): pass
if a: pass
elif (b): import a.b as c, d
else: from . import (e as f, g)
while (yield_ := 1): break
for i in *a, b: from x import *
f(a, *b, c=1, *d, **e)
f((x for x in y), (lambda: 0))
x = (  # comment
    a  # é
    and
    b
) or "é" and c
print(f"{a.b(c)!r:>{w.x}} {{}} {d}" "e"
      f"""{
  g(h)
} é {i}""" f'{j}')
'''


def at(place: Place) -> tuple[int, int, int, int]:
    return place.lineno, place.col_offset, place.end_lineno, place.end_col_offset


def paired(module: cst.Module, text: str) -> dict[int, Place]:
    nodes = collect_ast(ast.parse(text))
    return pair(module, nodes, kinds_of(nodes), text)


def samples() -> list[str]:
    if sys.version_info < (3, 11):  # `x[*a]` is newer
        tricky = TRICKY.replace("x[*a]", "x[(a)]")
    else:
        tricky = TRICKY
    return [tricky, *((LIBRARY / name).read_text("utf-8") for name in FILES)]


@pytest.mark.parametrize("number", range(len(FILES) + 1))
def test_three_ways_agree(number: int) -> None:
    text = samples()[number]
    module = cst.parse_module(text)
    pairs = paired(module, text)
    generated = places_of(module)
    provided: Any = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    for node in collect(module, WANTED):
        kind = type(node)
        own = at(pairs[id(node)])
        assert own[:2] == at(generated[id(node)])[:2], node
        if kind is not cst.MatchStar and kind is not cst.Param and not isinstance(node, cst.BaseCompoundStatement):
            assert own == at(generated[id(node)]), node
            if kind not in (cst.Tuple, cst.GeneratorExp, cst.MatchTuple):  # `ast` counts the brackets in
                span = provided[node]
                assert own == (span.start.line, span.start.column, span.end.line, span.end.column), node


@pytest.mark.parametrize("number", range(len(FILES) + 1))
def test_facts_are_the_same_without_ast(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = samples()[number]
    expected = extract(text.encode(), "x.py")

    def differ(*_: object) -> dict[int, Place]:
        raise Mismatch

    monkeypatch.setattr(parsing, "pair", differ)
    found = extract(text.encode(), "x.py")
    assert found.postings == expected.postings
    for one, other in zip(found.scopes, expected.scopes, strict=True):
        assert ir.decode_scope(one) == ir.decode_scope(other)


def test_a_difference_raises() -> None:
    nodes = collect_ast(ast.parse("x = f(1)"))
    with pytest.raises(Mismatch):
        pair(cst.parse_module("x = f + 1"), nodes, kinds_of(nodes), "x = f(1)")


def test_every_expression_of_ast_is_where_it_says() -> None:
    """The calls, attributes and names of the IR are those of `ast`, place by place."""
    text = (LIBRARY / "argparse.py").read_text("utf-8")
    tree = ast.parse(text)
    skipped = set()
    if sys.version_info < (3, 12):  # where `ast` is wrong inside f-strings
        strings = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        skipped = {id(inner) for string in strings for inner in ast.walk(string)}
    found = {(type(expr).__name__, expr.at) for scope in scopes_of(text) for expr in scope.exprs if hasattr(expr, "at")}
    kinds = {ast.Call: "Call", ast.Lambda: "Lambda", ast.BoolOp: "Bool", ast.Compare: "Compare", ast.IfExp: "Ternary"}
    for node in ast.walk(tree):
        if type(node) in kinds and id(node) not in skipped:
            place: Any = node
            assert (kinds[type(node)], ir.pack(place.lineno, place.col_offset)) in found


def test_places_inside_f_strings_do_not_depend_on_the_python() -> None:
    code = "def f():\n    if é:\n        g(\"é\", f\"a {x.y(z)} b\"\n            f\"{q}\" rf'''\n{r}''')\n"
    module = cst.parse_module(code)
    string: Any = module.body[0].body.body[0].body.body[0].body[0].value.args[1].value  # type: ignore[union-attr]
    whole = places_of(module)
    inside = places_inside(string, whole[id(string)], 8)
    assert inside and all(at(whole[key]) == at(place) for key, place in inside.items())
    names = {
        expr.id: (ir.line_of(expr.at), ir.column_of(expr.at))
        for expr in scopes_of(code)[1].exprs
        if isinstance(expr, ir.Name)
    }
    assert names == {"é": (2, 7), "g": (3, 8), "x": (3, 20), "z": (3, 24), "q": (4, 15), "r": (5, 1)}


def test_elif_case_and_for_stand_where_their_keywords_are() -> None:
    scope = scopes_of("if a: b\nelif c: d\nmatch x:\n  case (\n   1): e\n[y for\n (z) in w]\n")[0]
    branch, match = scope.body[0], scope.body[1]
    assert isinstance(branch, ir.If) and isinstance(match, ir.Match)
    assert branch.orelse[0].at == ir.pack(2, 0)
    assert match.cases[0].at == ir.pack(4, 2)
    comps = [expr for expr in scope.exprs if isinstance(expr, ir.Comp)]
    assert comps[0].clauses[0].at == ir.pack(6, 3)


def test_a_far_column_is_cut() -> None:
    scope = scopes_of("x = ['" + "a" * 70_000 + "', b]")[0]
    assert ir.column_of(scope.exprs[1].at) == 65_535
