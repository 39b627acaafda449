"""Small programs about None: functions, globals with setters and getters, a class; and runs of them that log each store.

What a program does depends on `flag(n)`, which a run chooses and no analysis can know.
"""

from __future__ import annotations

import ast
import random
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

FLAGS = "CHOSEN: set = set()\n\n\ndef flag(n):\n    return n in CHOSEN\n"
N_FLAGS = 6


class Writer:
    """Writes one program at random."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = ["from flags import flag", ""]
        self.functions: list[tuple[str, int]] = []

    def write(self) -> str:
        for name in ("g0", "g1", "g2"):
            start = self.random.choice(["None", "1", "object()"])
            self.lines.append(f"{name} = {start}")
        for number in range(4):
            self._function(f"f{number}", self.random.randrange(3))
        self._accessors()
        self._class()
        for name, kind in (("poke", "o"), ("hint", "o: C")):
            attribute = self.random.choice("ab")
            self.lines += [
                "",
                "",
                f"def {name}({kind}, v=None):",
                f"    if {self._test(['v'])}:",
                f"        o.{attribute} = v",
            ]
        for number in range(4, 6):
            self._function(f"f{number}", self.random.randrange(3))
        self._main()
        return "\n".join(self.lines) + "\n"

    # --- definitions -------------------------------------------------------------------------------------------------

    def _function(self, name: str, count: int) -> None:
        params = [f"p{n}" for n in range(count)]
        shown = [
            p if self.random.random() < 0.6 else f"{p}={self.random.choice(['None', '0', 'True'])}" for p in params
        ]
        shown.sort(key=lambda p: "=" in p)
        params = [p.partition("=")[0] for p in shown]
        self.lines += ["", "", f"def {name}({', '.join(shown)}):"]
        self._body(4, list(params), 3)
        self.functions.append((name, count))

    def _accessors(self) -> None:
        for number in range(3):
            self.lines += ["", "", f"def set{number}(value):", f"    global g{number}"]
            if self.random.random() < 0.4:
                self.lines.append("    if value is None:")
                self.lines.append(
                    "        return" if self.random.random() < 0.5 else f"        value = {self._constant()}"
                )
            self.lines.append(f"    g{number} = value")
            self.lines += ["", "", f"def get{number}():"]
            shape = self.random.randrange(4)
            if shape == 0:
                self.lines.append(f"    assert g{number} is not None")
            elif shape == 1:
                self.lines += [
                    f"    global g{number}",
                    f"    if g{number} is None:",
                    f"        g{number} = {self._expr([], 1)}",
                ]
            self.lines.append(f"    return g{number}")
            self.functions.append((f"get{number}", 0))

    def _class(self) -> None:
        self.lines += ["", "", "class C:", f"    shared = {self._constant()}", ""]
        self.lines += ["    def __init__(self, a, b=None):", "        self.a = a", "        self.b = b"]
        if self.random.random() < 0.5:
            self.lines += ["        if self.b is None:", f"            self.b = {self._expr(['a'], 1)}"]
        self.lines += ["", "    def change(self, v):"]
        self._body(8, ["v", "self.a", "self.b", "self.shared"], 2, attributes=True)
        self.lines += [
            "",
            "    @property",
            "    def both(self):",
            f"        return {self._expr(['self.a', 'self.b'], 1)}",
        ]

    def _main(self) -> None:
        self.lines += ["", "", "def main():"]
        for _ in range(10):
            kind = self.random.randrange(6)
            self.lines.append("    try:")
            if kind < 2:
                self.lines.append(f"        set{self.random.randrange(3)}({self._expr([], 2)})")
            elif kind == 2:
                more = f", b={self._expr([], 1)}" if self.random.random() < 0.5 else ""
                self.lines.append(f"        made = C({self._expr([], 2)}{more})")
                self.lines.append(f"        made.change({self._expr([], 1)})")
            elif kind == 3:
                self.lines.append(f"        made = C({self._expr([], 1)}, {self._expr([], 1)})")
                self.lines.append(f"        {self.random.choice(['poke', 'hint'])}(made, {self._expr([], 1)})")
                self.lines.append(f"        set{self.random.randrange(3)}(made.{self.random.choice('ab')})")
            elif kind == 4:
                self.lines.append(f"        get{self.random.randrange(3)}()")
            else:
                self.lines.append(f"        set{self.random.randrange(3)}(C({self._expr([], 1)}).both)")
            self.lines.append("    except (AssertionError, AttributeError, TypeError, RecursionError):")
            self.lines.append("        pass")

    # --- statements --------------------------------------------------------------------------------------------------

    def _body(self, indent: int, names: list[str], depth: int, *, attributes: bool = False) -> None:
        lead = " " * indent
        local = [n for n in names if "." not in n]
        for _ in range(self.random.randrange(1, 4)):
            self._statement(indent, names, local, depth, attributes=attributes)
        if self.random.random() < 0.7:
            self.lines.append(f"{lead}return {self._expr(names, 2)}")
        else:
            self.lines.append(f"{lead}pass")

    def _statement(self, indent: int, names: list[str], local: list[str], depth: int, *, attributes: bool) -> None:
        lead = " " * indent
        kind = self.random.randrange(9)
        if kind < 3 or depth == 0:
            target = self._target(names, attributes)
            self.lines.append(f"{lead}{target} = {self._expr(names, 2)}")
            if target not in names:
                names.append(target)
            return
        if kind == 3:
            self.lines.append(f"{lead}if {self._test(names)}:")
            value = self._expr(names, 1)
            self.lines.append(f"{lead}    return" if value == "None" else f"{lead}    return {value}")
            return
        if kind == 4:
            self.lines.append(f"{lead}for _ in range(2):")
        elif kind == 5:
            self.lines.append(f"{lead}try:")
        elif kind == 6 and names:
            self.lines.append(f"{lead}assert {self._test(names)}")
            return
        else:
            self.lines.append(f"{lead}if {self._test(names)}:")
        self._inner(indent, names, depth, attributes=attributes)
        if kind == 4 and self.random.random() < 0.4:
            self.lines.append(f"{lead}    {self.random.choice(['break', 'continue'])}")
        elif kind == 5:
            self.lines.append(f"{lead}except AssertionError:")
            self._inner(indent, names, depth, attributes=attributes)
        elif kind > 6 and self.random.random() < 0.5:
            self.lines.append(f"{lead}else:")
            self._inner(indent, names, depth, attributes=attributes)

    def _inner(self, indent: int, names: list[str], depth: int, *, attributes: bool) -> None:
        known = list(names)
        for _ in range(self.random.randrange(1, 3)):
            self._statement(indent + 4, known, [], depth - 1, attributes=attributes)

    def _target(self, names: list[str], attributes: bool) -> str:
        if attributes and self.random.random() < 0.4:
            return self.random.choice(["self.a", "self.b"])
        return self.random.choice(["x", "y", *[n for n in names if "." not in n]])

    def _test(self, names: list[str]) -> str:
        flag = f"flag({self.random.randrange(N_FLAGS)})"
        if not names or self.random.random() < 0.3:
            return flag
        name = self.random.choice(names)
        shape = self.random.choice(["{} is None", "{} is not None", "{}", "not {}", "isinstance({}, int)", "{} == 1"])
        test = shape.format(name)
        more = self.random.random()
        return f"{test} and {flag}" if more < 0.15 else f"{flag} or {test}" if more < 0.3 else test

    # --- expressions -------------------------------------------------------------------------------------------------

    def _constant(self) -> str:
        return self.random.choice(["None", "1", "'s'", "object()", "[]"])

    def _expr(self, names: list[str], depth: int) -> str:
        kind = self.random.randrange(10)
        if depth == 0 or kind < 2:
            return self._constant()
        if kind < 5 and names:
            return self.random.choice(names)
        if kind == 5:
            return f"({self._expr(names, depth - 1)} if {self._test(names)} else {self._expr(names, depth - 1)})"
        if kind == 6:
            word = self.random.choice(["and", "or"])
            return f"({self._expr(names, 0)} {word} {self._expr(names, depth - 1)})"
        if kind == 7 and self.functions:
            return self._call(names, depth)
        if kind == 8:
            return self.random.choice(["{}.get('k')", f"{{}}.get('k', {self._expr(names, depth - 1)})"])
        return self._call(names, depth) if self.functions else self._constant()

    def _call(self, names: list[str], depth: int) -> str:
        name, count = self.random.choice(self.functions)
        given = [self._expr(names, depth - 1) for _ in range(count)]
        return f"{name}({', '.join(given)})"


def program(seed: int) -> str:
    """Return the source of a program."""
    return Writer(seed).write()


# --- runs ----------------------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """What a run did: stores of globals and attributes as (variable, line, is None), and the lines it ran."""

    stores: list[tuple[str, int, bool]] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)


class _Logged(ast.NodeTransformer):
    """Adds a call of `__log__` behind each store of a global or an attribute."""

    def __init__(self) -> None:
        self.names: list[set[str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.names.append({n for s in ast.walk(node) if isinstance(s, ast.Global) for n in s.names})
        self.generic_visit(node)
        self.names.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.names.append(set())
        self.generic_visit(node)
        self.names.pop()
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        target = node.targets[0]
        if isinstance(target, ast.Name) and (not self.names or target.id in self.names[-1]):
            name, value = target.id, ast.unparse(target)
        elif isinstance(target, ast.Attribute):
            name, value = f"C.{target.attr}", ast.unparse(target)
        else:
            return node
        logged = ast.parse(f"__log__({name!r}, {node.lineno}, {value})").body[0]
        for inner in ast.walk(logged):
            ast.copy_location(inner, node)
        return [node, logged]


def run(source: str, chosen: set[int]) -> Run:
    """Run a program under the flags that are chosen."""
    found = Run()
    flags = types.ModuleType("flags")
    flags.flag = lambda n: n in chosen  # type: ignore[attr-defined]
    tree = ast.fix_missing_locations(_Logged().visit(ast.parse(source)))
    code = compile(tree, "<program>", "exec")

    def log(name: str, line: int, value: object) -> None:
        found.stores.append((name, line, value is None))

    def trace(frame: types.FrameType, event: str, _: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != "<program>":
            return None
        found.lines.add(frame.f_lineno)
        return trace

    namespace: dict[str, Any] = {"__log__": log, "__name__": "program"}
    before, held = sys.gettrace(), sys.modules.get("flags")
    sys.modules["flags"] = flags
    sys.settrace(trace)
    try:
        exec(code, namespace)
        namespace["main"]()
    finally:
        sys.settrace(before)
        if held is None:
            del sys.modules["flags"]
        else:
            sys.modules["flags"] = held
    return found
