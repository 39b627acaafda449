"""Small programs about order, drawn by hypothesis: what runs aside, later, in parts or on the way out of a region.

A program is one module whose `main(flag0, flag1, flag2)` leads to the functions `a`, `b` and `c`. A function calls only
functions behind it.
"""

from __future__ import annotations

from hypothesis import strategies as st

HEAD = """\
import asyncio
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from threading import Thread


def a(*given):
    pass


def b(*given):
    pass


def c(*given):
    pass


def refuse(flag):
    if flag:
        raise ValueError


def each(*given):
    for one in given:
        one()


class Held:
    def __init__(self, flag=False):
        self.flag = flag

    @property
    def first(self):
        return a()

    @property
    def second(self):
        if self.flag:
            b()
        return self.flag

    def __enter__(self):
        a()
        return self

    def __exit__(self, kind, error, trace):
        b()
        return self.flag

    def __add__(self, other):
        c()
        return self

    def __call__(self):
        b()


class Other(Held):
    def __enter__(self):
        c()
        return self


"""
LEAVES = ("a", "b", "c")
FLAGS = ("flag0", "flag1", "flag2")
FUNCTIONS = 4


class Maker:
    """Writes one program from drawn numbers."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._lines: list[str] = []
        self._depth = 0
        self._fresh = 0
        self._number = 0  # of the function that is written
        self._flags: tuple[str, ...] = ()
        self._in_loop = False
        self._forms: list[str] = []

    def number(self, below: int) -> int:
        return self._draw(st.integers(0, below - 1))

    def pick(self, options: tuple[str, ...] | list[str]) -> str:
        return options[self.number(len(options))]

    def fresh(self, stem: str) -> str:
        self._fresh += 1
        return f"{stem}{self._fresh}"

    def write(self, line: str) -> None:
        self._lines.append("    " * self._depth + line)

    def program(self) -> str:
        self._forms = [self.pick(("plain", "plain", "generator", "manager", "async")) for _ in range(FUNCTIONS)]
        for number, form in enumerate(self._forms):
            self._number = number + 1
            self._function(f"f{number}", form, ("p", "q"))
        self._number = 0
        self._function("main", "plain", FLAGS)
        return HEAD + "\n".join(self._lines) + "\n"

    def _function(self, name: str, form: str, params: tuple[str, ...]) -> None:
        self._flags, self._in_loop = params, False
        if form == "manager":
            self.write("@contextmanager")
        self.write(f"{'async ' if form == 'async' else ''}def {name}({', '.join(params)}):")
        self._depth += 1
        if form == "manager":
            self._manager()
        else:
            self._block(7 if name == "main" else 3, 2)
            if form == "generator":
                self.write("yield 1")
                self._block(1, 1)
                self.write("yield 2")
        self._depth -= 1
        self.write("")
        self.write("")

    def _manager(self) -> None:
        self._block(1, 1, jumps=False)
        form = self.number(3)
        if form == 0:
            self.write("yield")
            self._block(1, 1, jumps=False)
            return
        self.write("try:")
        self.write("    yield")
        self.write("finally:" if form == 1 else "except ValueError:")
        self._inner(1, jumps=False)
        if form == 2 and self.number(2):
            self.write("    raise")

    # --- expressions -------------------------------------------------------------------------------------------------

    def _flag(self) -> str:
        form = self.number(8)
        flag = self.pick(self._flags)
        if form < 5:
            return flag
        if form == 5:
            return f"not {flag}"
        return f"({flag} {self.pick(('and', 'or'))} {self.pick(self._flags)})"

    def _given(self) -> str:
        return self.pick(("True", "False", *self._flags, f"not {self._flags[0]}"))

    def _call(self) -> str:
        """Return a call that runs to its end."""
        later = [n for n in range(self._number, FUNCTIONS) if self._forms[n] == "plain"]
        if later and self.number(2):
            name = f"f{later[self.number(len(later))]}"
            return f"{name}({self._given()}, {self._given()})"
        return f"{self.pick(LEAVES)}()"

    def _of_form(self, form: str) -> str:
        """Return a call of a function of some form, "" where there is none."""
        found = [n for n in range(self._number, FUNCTIONS) if self._forms[n] == form]
        return f"f{found[self.number(len(found))]}({self._given()}, {self._given()})" if found else ""

    # --- statements --------------------------------------------------------------------------------------------------

    def _block(self, most: int, depth: int, *, jumps: bool = True) -> None:
        for _ in range(1 + self.number(most)):
            self._statement(depth, jumps)

    def _inner(self, depth: int, *, jumps: bool = True, in_loop: bool | None = None) -> None:
        before = self._in_loop
        self._in_loop = before if in_loop is None else in_loop
        self._depth += 1
        self._block(2, depth, jumps=jumps)
        self._depth -= 1
        self._in_loop = before

    def _statement(self, depth: int, jumps: bool) -> None:
        simple = [self._plain, self._plain, self._plain, self._short, self._thread, self._generated, self._awaited]
        simple += [self._kept, self._held, self._refuse]
        simple += [self._jump] if jumps else []
        nested = [
            self._if,
            self._if,
            self._for,
            self._while,
            self._try,
            self._with,
            self._with,
            self._match,
            self._stack,
        ]
        chosen = [*simple, *nested] if depth else simple
        chosen[self.number(len(chosen))](depth)

    def _plain(self, depth: int) -> None:
        self.write(self._call())

    def _refuse(self, depth: int) -> None:
        self.write(f"refuse({self._flag()})")

    def _short(self, depth: int) -> None:
        form = self.number(4)
        if form < 2:
            self.write(f"{self._flag()} {('and', 'or')[form]} {self._call()}")
        elif form == 2:
            self.write(f"{self._call()} if {self._flag()} else {self._call()}")
        else:
            self.write(f"[{self._call()} for one in (True, False) if {self._flag()}]")

    def _thread(self, depth: int) -> None:
        name = self.fresh("t")
        target = self.pick(LEAVES)
        self.write(f"{name} = Thread(target={target})")
        if self.number(2):
            self._plain(depth)
        self.write(f"{name}.start()")
        if self.number(2):
            self._plain(depth)
        self.write(f"{name}.join()")

    def _generated(self, depth: int) -> None:
        call = self._of_form("generator")
        form = self.number(5)
        if not call:
            self._plain(depth)
        elif form == 0:
            self.write(f"list({call})")
        elif form == 1:
            name = self.fresh("g")
            self.write(f"{name} = {call}")
            self._plain(depth)
            self.write(f"list({name})")
        elif form == 2:
            self.write(f"next({call})")
        elif form == 3:
            self.write(call)
        else:
            self.write(f"for one in {call}:")
            self._inner(0, jumps=False)

    def _awaited(self, depth: int) -> None:
        call = self._of_form("async")
        if not call or (self._number and self._forms[self._number - 1] == "async"):
            self.write(f"await {call}" if call else self._call())
        else:
            self.write(f"asyncio.run({call})")

    def _kept(self, depth: int) -> None:
        name = self.fresh("k")
        self.write(self.pick((f"{name} = lambda: {self._call()}", f"{name} = partial({self.pick(LEAVES)}, 1)")))
        if self.number(3):
            self._plain(depth)
        form = self.number(3)
        if form == 0:
            self.write(f"each({name}, {self.pick(LEAVES)})")
        elif form == 1:
            self.write(f"{self._flag()} and {name}()")
        else:
            self.write(f"{name}()")

    def _held(self, depth: int) -> None:
        name = self.fresh("h")
        made = self.pick((f"Held({self._given()})", f"Other({self._given()})"))
        self.write(f"{name} = {made}")
        self.write(self.pick((f"{name}.first", f"{name}.second", f"{name} + 1", f"{name}()", f"a({name}.second, b())")))

    def _jump(self, depth: int) -> None:
        jumps = ["return", "raise ValueError", "raise KeyError"] + (["break", "continue"] if self._in_loop else [])
        self.write(f"if {self._flag()}:")
        self.write(f"    {self.pick(jumps)}")

    def _if(self, depth: int) -> None:
        self.write(f"if {self._flag()}:")
        self._inner(depth - 1)
        if self.number(2):
            self.write(f"elif {self._flag()}:" if self.number(2) else "else:")
            self._inner(depth - 1)

    def _for(self, depth: int) -> None:
        name = self.fresh("i")
        self.write(f"for {name} in {self.pick(('(True, False)', '()', '(1,)', 'range(2)'))}:")
        self._inner(depth - 1, in_loop=True)
        if self.number(3) == 0:
            self.write("else:")
            self._inner(depth - 1)

    def _while(self, depth: int) -> None:
        name = self.fresh("n")
        self.write(f"{name} = 0")
        self.write(f"while {name} < 2{' and ' + self._flag() if self.number(2) else ''}:")
        self.write(f"    {name} += 1")
        self._inner(depth - 1, in_loop=True)

    def _try(self, depth: int) -> None:
        self.write("try:")
        self._inner(depth - 1)
        form = self.number(4)
        if form:
            self.write(self.pick(("except ValueError:", "except Exception:", "except:")))
            self._inner(depth - 1)
            if self.number(3) == 0:
                self.write("else:")
                self._inner(depth - 1)
        if form in (0, 1):
            self.write("finally:")
            self._inner(depth - 1, in_loop=False, jumps=False)

    def _with(self, depth: int) -> None:
        managers = [f"Held({self._given()})", f"Other({self._given()})", "suppress(ValueError)"]
        managers += [call] if (call := self._of_form("manager")) else []
        self.write(f"with {self.pick(managers)}:")
        self._inner(depth - 1)

    def _match(self, depth: int) -> None:
        self.write(f"match {self.pick(self._flags)}:")
        self._depth += 1
        for pattern in (("True", "_"), ("False", "True"), ("None", f"_ if {self._flag()}"))[self.number(3)]:
            self.write(f"case {pattern}:")
            self._inner(depth - 1)
        self._depth -= 1

    def _stack(self, depth: int) -> None:
        name = self.fresh("s")
        self.write(f"{name} = ExitStack()")
        self.write(f"{name}.callback({self.pick(LEAVES)})")
        self._plain(depth)
        self.write(f"{name}.close()")


@st.composite
def order_programs(draw: st.DrawFn) -> str:
    """Return the source of a program."""
    return Maker(draw).program()
