"""Reaching definitions against executions: whatever a run sees at a use must be among the use's definitions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from codepath.model import ir
from tests.unit.extract.checking import check_facts, facts_of, scopes_of, uses

NAMES = ("x", "y", "z")


class Boom(Exception):
    pass


@dataclass
class Program:
    """Two texts of one program, line by line: one that is analysed, one that runs and cannot fail at a read."""

    analysed: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    lines: dict[int, int] = field(default_factory=dict)  # the value of a definition -> its line

    def add(self, depth: int, analysed: str, run: str | None = None) -> int:
        indent = "    " * depth
        self.analysed.append(indent + analysed)
        self.run.append(indent + (analysed if run is None else run))
        return len(self.analysed)

    def value(self) -> int:
        number = 1000 + len(self.lines)
        self.lines[number] = -1
        return number

    def define(self, depth: int, template: str) -> None:
        value = self.value()
        self.lines[value] = self.add(depth, template.format(value))

    def read(self, depth: int, name: str, template: str = "{}") -> None:
        line = len(self.analysed) + 1
        self.add(
            depth,
            template.format(f"seen({line}, {name})"),
            template.format(f"seen({line}, locals().get({name!r}, -1))"),
        )


Stmt = tuple[Any, ...]
names = st.sampled_from(NAMES)
simple: st.SearchStrategy[Stmt] = st.one_of(
    st.tuples(st.sampled_from(["assign", "walrus", "import", "unpack", "comprehension"]), names),
    st.tuples(st.sampled_from(["read", "read", "read", "delete", "either", "augment"]), names),
    st.tuples(st.sampled_from(["boom", "boom", "return", "raise", "break", "continue"])),
)


def _compound(inner: st.SearchStrategy[list[Stmt]]) -> st.SearchStrategy[Stmt]:
    optional = st.one_of(st.none(), inner)
    return st.one_of(
        st.tuples(st.just("if"), names, inner, optional),
        st.tuples(st.just("for"), names, inner, optional),
        st.tuples(st.just("while"), names, inner, optional),
        st.tuples(st.just("forever"), names, inner, st.none()),
        st.tuples(st.just("with"), names, inner, st.none()),
        st.tuples(st.just("try"), names, inner, inner, optional, optional),
        st.tuples(st.just("finally"), names, inner, inner),
        st.tuples(st.just("match"), names, inner, inner, inner),
    )


blocks = st.recursive(
    st.lists(simple, min_size=1, max_size=4),
    lambda inner: st.lists(st.one_of(simple, simple, _compound(inner)), min_size=1, max_size=4),
    max_leaves=14,
)


def _emit(program: Program, depth: int, block: list[Stmt], in_loop: bool) -> None:
    for statement in block:
        if statement[0] in _SIMPLE:
            _emit_simple(program, depth, statement, in_loop)
        else:
            _emit_compound(program, depth, statement, in_loop)


_SIMPLE = {"assign", "walrus", "import", "unpack", "comprehension", "read", "delete", "either", "augment", "boom"}
_SIMPLE |= {"return", "raise", "break", "continue"}


def _emit_simple(program: Program, depth: int, statement: Stmt, in_loop: bool) -> None:
    kind, name = statement[0], statement[-1]
    if kind == "assign":
        program.define(depth, f"{name} = {{}}")
    elif kind == "walrus":
        program.define(depth, f"c() and ({name} := {{}})")
    elif kind == "import":
        program.define(depth, f"with held({{}}) as ({name}): pass")
    elif kind == "unpack":
        program.define(depth, f"[(_, {name})] = [(0, {{}})]")
    elif kind == "comprehension":
        program.define(depth, f"[({name} := {{}}) for i in range(c())]")
    elif kind == "read":
        program.read(depth, name)
    elif kind == "either":
        program.read(depth, name, "c() and c() or {}")
    elif kind == "augment":
        value = program.value()
        line = len(program.analysed) + 1
        run = f"{name} = (seen({line}, locals().get({name!r}, -1)), {value})[1]"
        program.lines[value] = program.add(depth, f"{name} += {value}", run)
    elif kind == "delete":
        for analysed, run in zip(
            (f"del {name}", "#", "#", "#"), ("try:", f"    del {name}", "except NameError:", "    pass"), strict=True
        ):
            program.add(depth, analysed, run)
    elif kind in ("break", "continue"):
        program.add(depth, kind if in_loop else "pass")
    else:
        program.add(depth, {"boom": "boom()", "return": "return", "raise": "raise Boom"}[kind])


def _emit_compound(program: Program, depth: int, statement: Stmt, in_loop: bool) -> None:
    kind, name, body, *rest = statement
    if kind in ("if", "while", "forever"):
        program.add(depth, {"if": "if c():", "while": "while c():", "forever": "while True:"}[kind])
        if kind == "forever":
            program.add(depth + 1, "stop()")
        _emit(program, depth + 1, body, in_loop or kind != "if")
        if rest[0]:
            program.add(depth, "else:")
            _emit(program, depth + 1, rest[0], in_loop)
    elif kind == "for":
        program.define(depth, f"for {name} in rounds({{}}):")
        _emit(program, depth + 1, body, True)
        if rest[0]:
            program.add(depth, "else:")
            _emit(program, depth + 1, rest[0], in_loop)
    elif kind == "with":
        program.define(depth, f"with held({{}}) as {name}:")
        _emit(program, depth + 1, body, in_loop)
    elif kind == "match":
        _emit_match(program, depth, name, [body, *rest], in_loop)
    else:
        _emit_try(program, depth, statement, in_loop)


def _emit_try(program: Program, depth: int, statement: Stmt, in_loop: bool) -> None:
    kind, name, body, *rest = statement
    program.add(depth, "try:")
    _emit(program, depth + 1, body, in_loop)
    if kind == "try":
        handler, orelse, final = rest
        program.add(depth, f"except Boom as {name}:")
        _emit(program, depth + 1, handler, in_loop)
        if orelse:
            program.add(depth, "else:")
            _emit(program, depth + 1, orelse, in_loop)
    else:
        final = rest[0]
    if final:
        program.add(depth, "finally:")
        _emit(program, depth + 1, final, in_loop)


def _emit_match(program: Program, depth: int, name: str, bodies: list[Any], in_loop: bool) -> None:
    value = program.value()
    program.add(depth, f"match held({value}).value if c() else 0:")
    program.add(depth + 1, "case 0 if c():")
    _emit(program, depth + 2, bodies[0], in_loop)
    program.lines[value] = program.add(depth + 1, f"case {name} if {name} and c():")
    _emit(program, depth + 2, bodies[1], in_loop)
    program.add(depth + 1, "case _:")
    _emit(program, depth + 2, bodies[2], in_loop)


def _render(block: list[Stmt]) -> Program:
    program = Program()
    program.add(0, "def f():")
    program.add(1, "pass")
    _emit(program, 1, block, False)
    program.add(1, "end()")
    return program


class Run:
    """Runs a program under a stream of decisions and notes what its reads see."""

    def __init__(self, decisions: list[bool]) -> None:
        self.decisions = iter(decisions)
        self.seen: list[tuple[int, object]] = []
        self.ended = False

    def decide(self) -> bool:
        return next(self.decisions, False)

    def read(self, line: int, value: object) -> None:
        self.seen.append((line, value))

    def boom(self) -> None:
        if self.decide():
            raise Boom

    def stop(self) -> None:
        if not next(self.decisions, None):
            raise TimeoutError

    def end(self) -> None:
        self.ended = True

    def rounds(self, value: int) -> Iterator[int]:
        while self.decide():
            yield value

    def start(self, code: str) -> None:
        names: dict[str, Any] = {
            "c": self.decide,
            "seen": self.read,
            "boom": self.boom,
            "stop": self.stop,
            "end": self.end,
            "rounds": self.rounds,
            "held": Held,
            "Boom": Boom,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `return` in `finally`
            exec(code, names)
        with suppress(Boom, TimeoutError):
            names["f"]()


class Held:
    def __init__(self, value: int) -> None:
        self.value = value

    def __enter__(self) -> int:
        return self.value

    def __exit__(self, *_: object) -> None:
        pass


@settings(max_examples=300, deadline=None)
@given(blocks, st.lists(st.lists(st.booleans(), max_size=30), min_size=1, max_size=12))
def test_what_a_run_sees_is_among_the_uses(block: list[Stmt], streams: list[list[bool]]) -> None:
    program = _render(block)
    facts = facts_of("\n".join(program.analysed))
    check_facts(facts)
    scope = ir.decode_scope(facts.scopes[1])
    allowed = _allowed(scope)
    for stream in streams:
        run = Run(stream)
        run.start("\n".join(program.run))
        for line, value in run.seen:
            if isinstance(value, Boom):
                assert any(scope.definitions[number].form == "except" for number in allowed[line])
            else:
                expected = -1 if value == -1 else program.lines.get(value, 0)  # type: ignore[call-overload]
                found = {-1 if number < 0 else ir.line_of(scope.definitions[number].at) for number in allowed[line]}
                assert expected in found or value == 0, (line, expected, found, "\n".join(program.analysed))
        assert scope.ends or not run.ended


def _allowed(scope: ir.Scope) -> dict[int, tuple[int, ...]]:
    return {
        ir.line_of(expr.at): scope.uses[expr.use] or (-1,)
        for expr in scope.exprs
        if isinstance(expr, ir.Name) and expr.id in NAMES
    }


# --- examples by hand ------------------------------------------------------------------------------------------------


def test_a_branch_merges() -> None:
    assert uses("def f(p):\n  x = 1\n  if p: x = 2\n  use(x)", "x") == [[1, 2]]
    assert uses("def f(p):\n  if p: x = 2\n  use(x)", "x") == [[-1, 1]]
    assert uses("def f(p):\n  x = 1\n  if p:\n    x = 2\n    return\n  use(x)", "x") == [[1]]


def test_a_loop_reaches_its_own_head() -> None:
    assert uses("def f(p):\n  x = 1\n  for i in p:\n    use(x)\n    x = 2\n  use(x)", "x") == [[1, 3], [1, 3]]
    assert uses("def f(p):\n  x = 1\n  for i in p:\n    x = 3\n    use(x)\n    x = 2\n  use(x)", "x") == [[3], [1, 4]]
    code = (
        "def f(p):\n  x = 1\n  while p():\n    if p():\n      x = 2\n      continue\n    use(x)\n    x = 3\n    break\n"
    )
    assert uses(code + "  use(x)", "x") == [[1, 2], [1, 2, 3]]


def test_an_endless_loop_is_left_by_break_only() -> None:
    code = "def f():\n  x = 1\n  while True:\n    x = 2\n    if g(): break\n    x = 3\n  use(x)"
    assert uses(code, "x") == [[1]]
    assert not scopes_of("def f():\n  while True: pass")[1].ends


def test_a_handler_sees_all_of_the_body() -> None:
    code = "def f():\n  x = 1\n  try:\n    x = 2\n    x = 3\n  except E:\n    use(x)\n  else:\n    use(x)\n  use(x)"
    assert uses(code, "x") == [[0, 1, 2], [2], [0, 1, 2]]


def test_an_exception_name_is_unbound_behind_its_handler() -> None:
    assert uses("def f():\n  try: g()\n  except E as e: use(e)\n  use(e)", "e") == [[0], [-1]]


def test_comprehension_targets_stay_inside() -> None:
    assert uses("def f(x):\n  [x for x in x]\n  use(x)", "x") == [[0], [1], [0]]
    assert uses("def f(p):\n  [x for x in p]\n  use(x)", "x") == [[1], []]
    assert uses("class C:\n  x = 1\n  y = [x for _ in x]", "x") == [[0], [-1]]


def test_a_walrus_in_a_short_circuit_merges() -> None:
    assert uses("def f(x):\n  g() and (x := 1) and use(x)\n  use(x)", "x") == [[1], [0, 1]]
    assert uses("def f(x):\n  use(x) if (x := g()) else use(x)\n  use(x)", "x") == [[1], [1], [1]]


def test_names_from_elsewhere_have_no_definitions() -> None:
    assert uses("def f():\n  global x\n  x = 1\n  use(x)", "x") == [[]]
    assert uses("def f():\n  use(x)", "x") == [[]]
    assert uses("x = 1\ndef f(): use(x)", "x") == [[]]
    assert uses("x = 1\nuse(x)\ndel x\nuse(x)", "x", 0) == [[0], [-1]]


def test_an_annotation_alone_binds_nothing() -> None:
    assert uses("def f():\n  x: int\n  use(x)", "x") == [[-1]]


def test_exports_are_what_reaches_the_end() -> None:
    scope = scopes_of("import a\nif a:\n  b = 1\nelse:\n  b = 2\nif a: c = 1\nfor d in a: pass\n[e for e in a]\ndel a")[
        0
    ]
    assert scope.exports == (("b", (1, 2)), ("c", (-1, 3)), ("d", (-1, 4)))
