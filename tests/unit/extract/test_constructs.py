"""What each construct becomes."""

from __future__ import annotations

import sys

import pytest

from codepath.model import ir
from tests.unit.extract.checking import check_facts, facts_of, render, scopes_of


def module(code: str) -> ir.Scope:
    check_facts(facts_of(code))
    return scopes_of(code)[0]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = y.z", ["0 y []", "1 0.z", "2 x := 1 [] d0"]),
        ("x = y = 1", ["0 1", "1 x := 0 [] d0", "2 y := 0 [] d1"]),
        ("f(a, *b, k=c, **d)", ["0 f []", "1 a []", "2 b []", "3 c []", "4 d []", "5 0(1, *2, k=3, **4)"]),
        ("f(**a, b=c)", ["0 f []", "1 a []", "2 c []", "3 0(**1, b=2)"]),
        ("a.b.c()", ["0 a []", "1 0.b", "2 1.c", "3 2()"]),
        ("{a: b, **c}", ["0 a []", "1 b []", "2 c []", "3 Dict [0, 1, 2]"]),
        ("x[a] = b", ["0 b []", "1 x []", "2 a []", "3 1[2] := 0 []"]),
        ("x.a = b", ["0 b []", "1 x []", "2 1.a := 0 []"]),
        ("x[a:, b]", ["0 x []", "1 a []", "2 Slice [1]", "3 b []", "4 Sequence [2, 3]", "5 Subscript [0, 4]"]),
        ("x[(a, b)]", ["0 x []", "1 a []", "2 b []", "3 Sequence [1, 2]", "4 Subscript [0, 3]"]),
        ("x.a += b", ["0 x []", "1 0.a", "2 b []", "3 Binary += [1, 2]", "4 0.a := 3 []"]),
        ("x[i] //= b", ["0 x []", "1 i []", "2 Subscript [0, 1]", "3 b []", "4 Binary //= [2, 3]", "5 0[1] := 4 []"]),
        ("a if b else c", ["0 b []", "1 a []", "2 c []", "3 Ternary [0, 1, 2]"]),
        (
            "a and b and (c and d)",
            ["0 a []", "1 b []", "2 c []", "3 d []", "4 Bool and [2, 3]", "5 Bool and [0, 1, 4]"],
        ),
        ("a < b not in c", ["0 a []", "1 b []", "2 c []", "3 Compare [0, 1, 2]"]),
        ("a - b * -c", ["0 a []", "1 b []", "2 c []", "3 Unary - [2]", "4 Binary * [1, 3]", "5 Binary - [0, 4]"]),
        ("(x := a).b", ["0 a []", "1 x := 0 [] d0", "2 1.b"]),
        ("x, (*y, z) = a", ["0 a []", "1 x := 0 [0] d0", "2 y := 0 [1, -3] d1", "3 z := 0 [1, -1] d2"]),
        ("for x, y in a: pass", ["0 a []", "1 x := 0 [-1, 0] d0", "2 y := 0 [-1, 1] d1"]),
        ("with a as x, b: pass", ["0 a []", "1 x := 0 [-2] d0", "2 b []"]),
        ("import a.b, c.d as e", ["0 Import []", "1 a := 0 [] d0", "2 Import []", "3 e := 2 [] d1"]),
        ("from .a import b as c, d", ["0 ImportFrom []", "1 c := 0 [] d0", "2 ImportFrom []", "3 d := 2 [] d1"]),
        ("from a import *", ["0 ImportFrom []"]),
        ("del x, y.z, a[b]", ["0 Remove []", "1 y []", "2 Remove [1]", "3 a []", "4 b []", "5 Remove [3, 4]"]),
        ("x: a = b", ["0 a []", "1 b []", "2 x := 1 [] d0"]),
        ("x: a", ["0 a []", "1 x := -1 [] d0"]),
        ("x: 'a.b'", ["0 a []", "1 0.b", "2 x := -1 [] d0"]),
        ("x: O['a', L]", ["0 O []", "1 a []", "2 L []", "3 Sequence [1, 2]", "4 Subscript [0, 3]", "5 x := -1 [] d0"]),
        ("x: Literal['a']", ["0 Literal []", "1 'a'", "2 Subscript [0, 1]", "3 x := -1 [] d0"]),
        ("x: 'no type'", ["0 'no type'", "1 x := -1 [] d0"]),
        ("f'a{b!r:>{c}}' 'd'", ["0 'a'", "1 b []", "2 '>'", "3 c []", "4 'd'", "5 Joined [0, 1, 2, 3, 4]"]),
        ("(1, 'b' 'c', b'd', ..., None, 2j, 1e3)[0]", None),
        ("[*a, b]", ["0 a []", "1 Starred [0]", "2 b []", "3 Sequence [1, 2]"]),
        (
            "@d\ndef f(a: T = b, *, c=e) -> U: pass",
            ["0 T []", "1 U []", "2 d []", "3 b []", "4 e []", "5 Function [2]", "6 f := 5 [] d0"],
        ),
        ("@d\nclass C(B, k=M): x = 1", ["0 d []", "1 B []", "2 M []", "3 Class [0, 1, 2]", "4 C := 3 [] d0"]),
        ("lambda a=b: a", ["0 b []", "1 Lambda []"]),
        (
            "[f(x) for x in a if x for y in x]",
            [
                "0 a []",
                "1 x := 0 [-1] d0",
                "2 x [0]",
                "3 x [0]",
                "4 y := 3 [-1] d1",
                "5 f []",
                "6 x [0]",
                "7 5(6)",
                "8 Comp [0, 2, 3, 7]",
            ],
        ),
        (
            "{k: v for k, v in a}",
            ["0 a []", "1 k := 0 [-1, 0] d0", "2 v := 0 [-1, 1] d1", "3 k [0]", "4 v [1]", "5 Comp [0, 3, 4]"],
        ),
        ("raise a(b) from c", ["0 a []", "1 b []", "2 0(1)", "3 c []"]),
        ("'doc'\n'other'", ["0 'other'"]),
    ],
)  # fmt: skip
def test_expressions_in_evaluation_order(code: str, expected: list[str] | None) -> None:
    found = render(module(code))
    assert expected is None or found == expected


def test_constants() -> None:
    scope = module(
        "f(1, 1.5, 'a', b'c', ..., 2j, None, True, 2**1, 99999999999999999999, 'x' * 1, '" + "y" * 300 + "')"
    )
    found = [(expr.value, expr.form) for expr in scope.exprs if isinstance(expr, ir.Const)]
    assert found[:8] == [
        (1, ""),
        (1.5, ""),
        ("a", ""),
        ("c", "bytes"),
        ("...", "ellipsis"),
        ("2j", "complex"),
        (None, ""),
        (True, ""),
    ]
    assert ("99999999999999999999", "int") in found
    assert found[-1] == ("y" * 200, "cut")


def test_regions_name_the_ranges_they_evaluate() -> None:
    scope = module("if a:\n  b\nelif c: d\nelse:\n  pass\nwhile e: break\nfor x in f: continue\nassert g, h\nraise i")
    branch, loop, each, check, failed = scope.body
    assert isinstance(branch, ir.If) and (branch.start, branch.stop, branch.test, branch.text) == (0, 1, 0, "a")
    inner = branch.orelse[0]
    assert isinstance(inner, ir.If) and inner.text == "c" and inner.orelse == () and inner.at == ir.pack(3, 0)
    assert isinstance(loop, ir.While) and loop.body == (ir.Jump("break", ir.pack(6, 9)),)
    assert isinstance(each, ir.For) and (each.start, each.stop, each.bound, each.text) == (5, 6, 7, "for x in f")
    assert isinstance(check, ir.Assert) and (check.test, check.message, check.text) == (7, 8, "g")
    assert isinstance(failed, ir.Raise) and (failed.exc, failed.cause) == (9, -1)
    assert not scope.ends


def test_try_and_with() -> None:
    code = "try:\n  a\nexcept (B, C) as e:\n  d\nexcept: f\nelse: g\nfinally: h\nasync def k():\n  async with a as (b), c: d"
    scope = module(code)
    region = scope.body[0]
    assert isinstance(region, ir.Try) and not region.is_star
    assert [handler.text for handler in region.handlers] == ["except (B, C) as e", "except"]
    assert [handler.type for handler in region.handlers] == [3, -1]
    bind = scope.exprs[4]
    assert isinstance(bind, ir.Bind) and bind.how == (ir.CAUGHT,) and bind.value == 3
    inner = scopes_of(code)[1].body[0]
    assert isinstance(inner, ir.With) and inner.text == "async with a as b, c" and inner.is_async


def test_match() -> None:
    code = (
        "match f(s):\n  case A() | b.B(): 1\n  case 1 | None if g: 2\n  case C(x=y): 3\n  case [z, *r]: 4\n"
        "  case {'k': v, **w}: 5\n  case D(): 6\n  case -1 as m: 7\n  case n: 8\n"
    )
    scope = module(code)
    region = scope.body[0]
    assert isinstance(region, ir.Match) and region.text == "f(s)" and region.subject == 2
    assert [case.text for case in region.cases] == [
        "A() | b.B()",
        "1 | None if g",
        "C(x=y)",
        "[z, *r]",
        "{'k': v, **w}",
        "D()",
        "-1 as m",
        "n",
    ]
    assert [len(case.classes) for case in region.cases] == [2, 0, 1, 0, 0, 1, 0, 0]
    assert [len(case.values) for case in region.cases] == [0, 2, 0, 0, 0, 0, 1, 0]
    assert [case.irrefutable for case in region.cases] == [False] * 7 + [True]
    hows = {expr.id: expr.how for expr in scope.exprs if isinstance(expr, ir.Bind)}
    part = (ir.CAPTURED,)
    assert hows == {"y": part, "z": part, "r": part, "v": part, "w": part, "m": (), "n": ()}


def test_long_chains_do_not_nest() -> None:
    code = "if a: x = 0\n" + "".join(f"elif a == {number}: x = {number}\n" for number in range(300)) + "else: y\nuse(x)"
    scope = module(code)
    region = scope.body[0]
    assert isinstance(region, ir.Match) and len(region.cases) == 302
    assert region.cases[1].text == "_ if a == 0" and region.cases[1].guard > 0
    names = [expr for expr in scope.exprs if isinstance(expr, ir.Name) and expr.id == "x"]
    assert len(scope.uses[names[-1].use]) == 302


def test_scopes_and_their_names() -> None:
    code = (
        "class A:\n  def m(self):\n    def n(): pass\n    return [lambda: 1, lambda: lambda: 2]\n"
        "  x = (lambda: 3)\ndef f(a, /, b, *c, d=1, **e): yield\nasync def f(): pass\n"
    )
    facts = facts_of(code)
    check_facts(facts)
    assert [head.qualname for head in facts.heads] == [
        "",
        "A",
        "f",
        "f",
        "A.m",
        "A.<lambda1>",
        "A.m.n",
        "A.m.<lambda1>",
        "A.m.<lambda2>",
        "A.m.<lambda2>.<lambda1>",
    ]
    scopes = scopes_of(code)
    assert [param.form for param in scopes[2].params] == ["positional", "normal", "star", "keyword", "double-star"]
    assert scopes[2].is_generator and scopes[3].is_async and not scopes[3].is_generator
    assert scopes[5].body == (ir.Return(0, 1, 0, facts.heads[5].at),)
    assert scopes[1].exports == (("m", (0,)), ("x", (1,)))


def test_lambdas_are_numbered_in_source_order() -> None:
    facts = facts_of("x[lambda: 1] = (lambda: 2) if (lambda: 3) else 4")
    places = {head.id: ir.column_of(head.at) for head in facts.heads[1:]}
    assert places == {"<lambda1>": 2, "<lambda2>": 16, "<lambda3>": 31}


def test_annotations_stand_in_no_range() -> None:
    code = "def f(a: A = b) -> C:\n  x: D = e"
    check_facts(facts_of(code))
    outer, inner = scopes_of(code)
    assert outer.body == (ir.Do(2, 5, ir.pack(1, 0)),)
    assert inner.body == (ir.Do(1, 3, ir.pack(2, 2)),)
    assert inner.params[0].annotation == 0 and inner.returns == 1 and inner.params[0].default == 2


def test_texts_are_folded() -> None:
    scope = module(
        "if (  # why\n    a\n    and  b('x  #y',\n      c)\n    or not \\\n d\n): pass\n[x for (x) in (y) if (z)]"
    )
    branch = scope.body[0]
    assert isinstance(branch, ir.If) and branch.text == "a and b('x  #y', c) or not d"
    comp = scope.exprs[-1]
    assert isinstance(comp, ir.Comp)
    assert (comp.clauses[0].text, comp.clauses[0].condition_texts) == ("for x in y", ("z",))


def test_type_parameters_and_aliases() -> None:
    pytest.importorskip("libcst")
    facts = facts_of("type X[T] = list[T]\ndef f[T: int](x: T): pass\nclass C[T](B): pass")
    check_facts(facts)
    scope = scopes_of("type X[T] = list[T]")[0]
    bind = scope.exprs[-1]
    assert isinstance(bind, ir.Bind) and bind.id == "X" and bind.value == 2 and scope.body[0].start == 3  # type: ignore[union-attr]


def test_postings() -> None:
    code = (
        "import m\nclass A:\n  k = m.n\n  def f(self, p: Q) -> 'R':\n    global g\n    g = self.h(p)\n"
        "    self.i = t[0]\n    self.j.l[1] = 'attr'\n    getattr(self, 'name', 'no name')\n"
    )
    postings = facts_of(code).postings
    assert postings.defined == ("A", "f")
    assert postings.called == ("getattr", "h")
    assert postings.referenced == ("j", "l", "m", "n", "p", "self", "t")
    assert postings.attributes == ("f", "i", "k")
    assert postings.globals == ("A", "g", "m")
    assert postings.strings == ("attr", "name")
    assert postings.subscripted == ("l", "t")


def test_suppressions() -> None:
    code = (
        "# codepath: ignore-file[a] all of it\n"
        "x = [  # codepath: ignore[b, c] why\n  1,\n]\n"
        "if x:  # codepath: ignore[d]\n  y = '# codepath: ignore[e] no'\n"
        "  # codepath: ignore[f] next\n  z = 1\n"
    )
    found = facts_of(code).suppressions
    assert [(each.form, each.rules, each.reason, each.first, each.last) for each in found] == [
        ("file", ("a",), "all of it", 1, 4),
        ("line", ("b", "c"), "why", 2, 4),
        ("line", ("d",), "", 5, 5),
        ("line", ("f",), "next", 7, 8),
    ]


@pytest.mark.parametrize(
    ("code", "since"),
    [
        ("x = t'a{b.c(d)}'", (3, 14)),
        ("try: a\nexcept B, C: d", (3, 14)),
        ("type X = int", (3, 12)),
        ("x = f'{a['b']}'", (3, 12)),
        ("def f[T](x: T) -> T:\n    with (yield x) as y: return y", (3, 12)),
    ],
)
def test_syntax_that_this_python_may_not_know(code: str, since: tuple[int, int]) -> None:
    facts = facts_of(code)
    check_facts(facts)
    assert facts.ast_refused == (sys.version_info < since)
