"""Executes a generated program with all combinations of its flags and notes what happened.

The program is compiled from its tree with recorders put in: one at the start of each function, one around each condition,
one at the start of each body that runs under something else (a loop, a handler, a case). Places stay those of the source.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from tests.property.programs import FLAGS

MODULE = "m"
_MAX_CALLS = 300
_COMPREHENSIONS = frozenset(["<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"])
Chain = tuple[tuple[str, int, str], ...]  # calls from `main` on: caller, line, callee
Key = tuple[int, str]  # line and text of a condition


class TooLong(BaseException):
    """The program made too many calls."""


@dataclass
class Activation:
    """One call of a function: its name, who called it and from where, and what its conditions last came to.

    `column` is -1 where the running Python does not tell it.
    """

    name: str
    caller: Activation | None
    line: int
    column: int
    variables: dict[str, Any]
    receiver: dict[str, Any] | None
    tests: dict[Key, bool] = field(default_factory=dict)
    tests_then: dict[Key, bool] = field(default_factory=dict)
    """What the conditions of the caller had come to when this call was made."""


@dataclass
class Run:
    """Everything that happened in one run, in order."""

    flags: tuple[bool, ...]
    activations: list[Activation] = field(default_factory=list)
    error: str = ""


def runs_of(source: str) -> list[Run]:
    """Run a program with every combination of its flags."""
    code = _instrumented(source)
    return [_run(code, flags) for flags in itertools.product((False, True), repeat=FLAGS)]


class _Recorder:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._by_frame: dict[FrameType, Activation] = {}

    def enter(self, name: str) -> None:
        frame = sys._getframe(1)
        if len(self._run.activations) >= _MAX_CALLS:
            raise TooLong
        back = frame.f_back
        line, column = _place(back)
        caller = self._owner(back)
        variables = dict(frame.f_locals)
        receiver = getattr(variables.get("self"), "__dict__", None)
        made = Activation(f"{MODULE}.{name}", caller, line, column, variables, dict(receiver) if receiver else None)
        if caller is not None:
            made.tests_then = dict(caller.tests)
        self._by_frame[frame] = made
        self._run.activations.append(made)

    def test(self, line: int, text: str, value: Any) -> Any:
        owner = self._owner(sys._getframe(1))
        if owner is not None:
            owner.tests[line, text] = bool(value)
        return value

    def clear(self) -> None:
        self._by_frame.clear()

    def _owner(self, frame: FrameType | None) -> Activation | None:
        while frame is not None and frame.f_code.co_name in _COMPREHENSIONS:
            frame = frame.f_back
        return self._by_frame.get(frame) if frame is not None else None


def _run(code: CodeType, flags: tuple[bool, ...]) -> Run:
    run = Run(flags)
    recorder = _Recorder(run)
    space: dict[str, Any] = {"__name__": MODULE, "_enter": recorder.enter, "_test": recorder.test}
    try:
        exec(code, space)
        run.activations.clear()
        space["main"](*flags)
    except TooLong:
        run.error = "too long"
    except Exception as error:
        run.error = repr(error)
    recorder.clear()
    return run


def _place(frame: FrameType | None) -> tuple[int, int]:
    if frame is None:
        return 0, -1
    if sys.version_info >= (3, 11):
        position = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
        return position[0] or frame.f_lineno, -1 if position[2] is None else position[2]
    return frame.f_lineno, -1


# --- instrumentation -----------------------------------------------------------------------------------------------------


def _instrumented(source: str) -> CodeType:
    tree = ast.parse(source)
    changed = ast.fix_missing_locations(_Instrument(source).visit(tree))
    return compile(changed, MODULE, "exec")


class _Instrument(ast.NodeTransformer):
    def __init__(self, source: str) -> None:
        self._lines = source.splitlines()
        self._around: list[str] = []

    def _text(self, node: ast.expr | ast.pattern) -> str:
        assert node.end_col_offset is not None
        return self._lines[node.lineno - 1][node.col_offset : node.end_col_offset]

    def _tested(self, node: ast.expr) -> ast.expr:
        """Return a condition that is noted when it is evaluated."""
        line, text = _start(node, self._lines)
        changed = self.visit(node)
        tested: ast.expr = _at(node, _call("_test", ast.Constant(line), ast.Constant(text), changed))
        return tested

    def _noted(self, line: int, text: str, value: bool, at: ast.AST) -> ast.stmt:
        call = _call("_test", ast.Constant(line), ast.Constant(text), ast.Constant(value))
        noted: ast.stmt = _at(at, ast.Expr(_at(at, call)))
        return noted

    def _body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            changed = self.visit(statement)
            found.extend(changed if isinstance(changed, list) else [changed])
        return found

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._around.append(node.name)
        node.body = self._body(node.body)
        self._around.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._around.append(node.name)
        name = ast.Constant(".".join(self._around))
        entering = _at(node.body[0], ast.Expr(_at(node.body[0], _call("_enter", name))))
        node.body = [entering, *self._body(node.body)]
        self._around.pop()
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self._tested(node.test)
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        return self.visit_If(node)  # type: ignore[arg-type]

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.test = self._tested(node.test)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        text = f"for {self._text(node.target)} in {self._text(node.iter)}"
        body = [self._noted(node.lineno, text, True, node.body[0]), *self._body(node.body)]
        orelse = self._body(node.orelse)
        if orelse:
            orelse.insert(0, self._noted(node.lineno, text, False, node.orelse[0]))
        node.iter = self.visit(node.iter)
        node.body, node.orelse = body, orelse
        return node

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        for handler in node.handlers:
            text = self._lines[handler.lineno - 1].strip().removesuffix(":")
            before.append(self._noted(handler.lineno, text, False, node))
            handler.body = [self._noted(handler.lineno, text, True, handler.body[0]), *self._body(handler.body)]
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        node.finalbody = self._body(node.finalbody)
        return [*before, node]

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        for case in node.cases:
            line = case.pattern.lineno
            text = f"case {self._text(case.pattern)}" + (f" if {self._text(case.guard)}" if case.guard else "")
            before.append(self._noted(line, text, False, node))
            if case.guard is not None:
                case.guard = self._tested(case.guard)
            case.body = [self._noted(line, text, True, case.body[0]), *self._body(case.body)]
        node.subject = self.visit(node.subject)
        return [*before, node]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._tested(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        node.values = [*(self._tested(v) for v in node.values[:-1]), self.visit(node.values[-1])]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self._tested(test) for test in node.ifs]
        return node


def _start(node: ast.expr, lines: list[str]) -> tuple[int, str]:
    """Return the line and the text of a condition as written, parentheses around it left out."""
    return node.lineno, lines[node.lineno - 1][node.col_offset : node.end_col_offset]


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _at(place: ast.AST, node: Any) -> Any:
    return ast.copy_location(node, place)


def chains(runs: Iterable[Run]) -> set[Chain]:
    """Return every chain of calls from `main` that was seen."""
    found = set()
    for run in runs:
        for activation in run.activations:
            chain = []
            here: Activation | None = activation
            while here is not None and here.caller is not None:
                chain.append((here.caller.name, here.line, here.name))
                here = here.caller
            found.add(tuple(reversed(chain)))
    return found
