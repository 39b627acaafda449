"""Small programs of several functions and classes, drawn by hypothesis: every kind of region, every way to pass a flag.

A program is one module. Its entry `main(f0, f1, f2)` takes the flags; a function calls only functions behind it, so that
most programs end by themselves (`running.py` stops the others).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

FLAGS = 3
HEAD = """\
import enum
from contextlib import suppress
from functools import partial


class Mode(enum.Enum):
    A = enum.auto()
    B = enum.auto()
    FIRST = A

    def is_a(self):
        return self is Mode.A


ON = True
OFF = False
NOTHING = None
CHOSEN = Mode.B
STATE = False
LATE = True


def set_state(value):
    global STATE
    STATE = value


def set_late(value):
    global LATE
    LATE = value


def poke(table, key):
    table[key] = True


def is_on(value):
    return value is True


def is_b(value=Mode.A, also=False):
    if also:
        return True
    kind = value
    return kind == Mode.B


def is_chosen(value, other=OFF):
    if is_b(value, other):
        return is_on(other)
    return not is_on(value) and STATE


def spread(callee, *args, **kwargs):
    return callee(*args, **kwargs)


class Quiet:
    def __init__(self, swallow=False):
        self.swallow = swallow

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return self.swallow


"""
_SCALARS = ("ON", "OFF", "NOTHING", "CHOSEN", "STATE", "LATE")
TEXT = '"a"'
_LITERALS = ("True", "False", "None", "Mode.A", "Mode.B", "Mode.FIRST", TEXT, "0", "1")


@dataclass(frozen=True)
class Param:
    """A parameter of a generated function; `default` is "" where a value must be given."""

    name: str
    default: str
    keyword_only: bool


@dataclass
class Class:
    """A generated class: the attributes that its constructor may set, and its constructor's parameters."""

    name: str
    base: Class | None
    params: list[Param]
    attributes: list[str] = field(default_factory=list)
    methods: dict[str, list[Param]] = field(default_factory=dict)
    predicates: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)

    def derives(self, other: Class) -> bool:
        """Tell whether this class is another or a subclass of it."""
        return self is other or (self.base is not None and self.base.derives(other))

    def asked(self) -> list[str]:
        """Return the predicates that an instance has."""
        return [*(self.base.asked() if self.base is not None else []), *self.predicates]

    def readable(self) -> list[str]:
        """Return the names that an instance has."""
        inherited = self.base.readable() if self.base is not None else []
        return [*inherited, *self.attributes, *self.properties, *self.constants]


@dataclass
class Scope:
    """What generated code may use: names of scalars, of instances with their class, and where it stands."""

    scalars: list[str]
    objects: dict[str, Class]
    first: int  # number of the first function that may be called
    cls: Class | None = None
    in_loop: bool = False
    in_constructor: bool = False
    in_final: bool = False
    is_managed: bool = False  # in a `with` that may swallow: what leaves it otherwise than by raising is not written


class Maker:
    """Writes one program from drawn numbers."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._lines: list[str] = []
        self._depth = 0
        self._fresh = 0
        self._split = 0
        self.functions: list[tuple[str, list[Param]]] = []
        self.classes: list[Class] = []

    # --- drawing -----------------------------------------------------------------------------------------------------

    def number(self, below: int) -> int:
        return self._draw(_NUMBERS[below])

    def pick(self, options: list[T] | tuple[T, ...]) -> T:
        return options[self.number(len(options))]

    def chance(self, percent: int) -> bool:
        return self.number(100) >= 100 - percent

    def fresh(self, stem: str) -> str:
        self._fresh += 1
        return f"{stem}{self._fresh}"

    def write(self, line: str) -> None:
        self._lines.append("    " * self._depth + line)

    # --- the program -------------------------------------------------------------------------------------------------

    def program(self) -> str:
        for number in range(2 + self.number(3)):
            self.functions.append((f"f{number}", self.params(2)))
        self._split = 1 if self.chance(90) else 0  # functions before this one use classes, the others are used by them
        for number in range(self.number(4)):
            self._class(number)
        for number, (name, params) in enumerate(self.functions):
            self._function(name, params, Scope([p.name for p in params], {}, number + 1))
        flags = [f"flag{n}" for n in range(FLAGS)]
        self._function("main", [Param(flag, "", False) for flag in flags], Scope(flags, {}, 0), statements=5)
        return HEAD + "\n".join(self._lines) + "\n"

    def params(self, most: int) -> list[Param]:
        found: list[Param] = []
        for _ in range(self.number(most + 1)):
            has_default = self.chance(50) or any(p.default for p in found)
            default = self.pick(("True", "False", "None", "Mode.A", "OFF")) if has_default else ""
            found.append(Param(self.fresh("p"), default, self.chance(20) or any(p.keyword_only for p in found)))
        return found

    def _signature(self, params: list[Param], receiver: str = "") -> str:
        words = [receiver] if receiver else []
        for number, param in enumerate(params):
            if param.keyword_only and not any(p.keyword_only for p in params[:number]):
                words.append("*")
            words.append(param.name + (f"={param.default}" if param.default else ""))
        return ", ".join(words)

    def _function(
        self, name: str, params: list[Param], scope: Scope, *, statements: int = 2, receiver: str = ""
    ) -> None:
        self.write(f"def {name}({self._signature(params, receiver)}):")
        self._depth += 1
        self.block(scope, statements, 2)
        self._depth -= 1
        self._lines.extend([""] * (1 if receiver else 2))

    def _class(self, number: int) -> None:
        base = self.pick([None, *self.classes])
        others = [c for c in self.classes if base is not None and not c.derives(base) and not base.derives(c)]
        mixin = self.pick(others) if others and self.chance(50) else None
        cls = Class(f"C{number}", base, self.params(3))
        bases = ", ".join(c.name for c in (base, mixin) if c is not None)
        self.write(f"class {cls.name}({bases}):" if bases else f"class {cls.name}:")
        self._depth += 1
        if self.chance(50):
            cls.constants.append(f"kind{number}")
            self.write(f"kind{number} = {self.pick(_LITERALS)}")
            self._lines.append("")
        if base is not None and self.chance(25):
            cls.params = base.params  # the constructor of the base
        else:
            self._constructor(cls, number)
        if self.chance(40) and cls.attributes:
            cls.properties.append(f"view{number}")
            self.write("@property")
            self.write(f"def view{number}(self):")
            self.write(f"    return self.{self.pick(cls.attributes)}")
            self._lines.append("")
        if self.chance(40) and cls.attributes:
            self._predicate(cls, number)
        for method in range(self.number(3)):
            name = self.pick((f"go{number}_{method}", "step"))
            if name not in cls.methods:
                params = self.params(1) if name != "step" else []
                scope = Scope([p.name for p in params], {}, self._split, cls)
                self._function(name, params, scope, statements=2, receiver="self")
                cls.methods[name] = params
        if self.chance(25) and cls.attributes:
            self.write("def change(self, value=True):")
            self.write(f"    self.{self.pick(cls.attributes)} = {self.pick(('value', 'True', 'not value'))}")
            self._lines.append("")
            cls.methods["change"] = []
        if self.chance(15) and all(p.default for p in cls.params):
            self.write("def reset(self):")
            self.write(f"    self.__init__({self.arguments(cls.params, Scope(['ON'], {}, 0))})")
            self._lines.append("")
            cls.methods["reset"] = []
        if self.chance(20):
            self.write("@classmethod")
            self.write(f"def make(cls, {self._signature(cls.params)}):")
            self.write(f"    return cls({', '.join(f'{p.name}={p.name}' for p in cls.params)})")
            self._lines.append("")
        self.write("pass")
        self._depth -= 1
        self._lines.extend(["", ""])
        self.classes.append(cls)

    def _predicate(self, cls: Class, number: int) -> None:
        """Write a method that chooses a constant, and a property that asks it."""
        name = self.pick((f"is{number}", "is_so"))
        attribute, other = self.pick(cls.attributes), self.pick(cls.readable())
        self.write(f"def {name}(self, value={self.pick(_LITERALS)}):")
        self.write(f"    if self.{attribute}:")
        self.write(f"        return {self.pick(('True', 'value', f'self.{other}', f'is_b(self.{other}, value)'))}")
        self.write(f"    return {self.pick(('False', 'not value', f'self.{attribute} is value'))}")
        self._lines.append("")
        cls.predicates.append(name)
        if self.chance(50):
            self.write("@property")
            self.write(f"def seen{number}(self):")
            self.write(f"    if self.{name}({self.pick(_LITERALS)}):")
            self.write(f"        return {self.pick(_LITERALS)}")
            self.write(f"    return self.{other}")
            self._lines.append("")
            cls.properties.append(f"seen{number}")

    def _constructor(self, cls: Class, number: int) -> None:
        scope = Scope([p.name for p in cls.params], {}, self._split, cls, in_constructor=True)
        self.write(f"def __init__({self._signature(cls.params, 'self')}):")
        self._depth += 1
        base = cls.base
        early = self.chance(60)
        if base is not None and early:
            self._base_call(base, scope)
        for position in range(1 + self.number(2)):
            name = (
                f"a{number}_{position}"
                if base is None or not base.attributes or self.chance(70)
                else self.pick(base.attributes)
            )
            if self.chance(25):
                self.write(f"if {self.condition(scope, 1)}:")
                self.write(f"    self.{name} = {self.value(scope)}")
                if self.chance(70):
                    self.write("else:")
                    self.write(f"    self.{name} = {self.value(scope)}")
                else:
                    self._lines.insert(
                        len(self._lines) - 2, "    " * self._depth + f"self.{name} = {self.pick(_LITERALS)}"
                    )
            else:
                self.write(f"self.{name} = {self.value(scope)}")
            if name not in cls.attributes:
                cls.attributes.append(name)
        if base is not None and not early:
            self._base_call(base, scope)
        if self.chance(50):
            self.block(scope, 1, 1)
        self._depth -= 1
        self._lines.append("")

    def _base_call(self, base: Class, scope: Scope) -> None:
        if self.chance(70):
            self.write(f"super().__init__({self.arguments(base.params, scope)})")
        else:
            given = self.arguments(base.params, scope)
            self.write(f"{base.name}.__init__(self{', ' + given if given else ''})")

    # --- expressions -------------------------------------------------------------------------------------------------

    def atom(self, scope: Scope) -> str:
        options = [*scope.scalars, *scope.scalars, self.pick(_SCALARS)]
        if scope.cls is not None:
            options += [f"self.{name}" for name in scope.cls.readable()]
        for name, cls in scope.objects.items():
            options += [f"{name}.{attribute}" for attribute in cls.readable()]
        options += [f"{c.name}.{name}" for c in self.classes for name in c.constants]
        return self.pick(options)

    def value(self, scope: Scope) -> str:
        """Return an expression for an argument or an assignment."""
        kind = self.number(10)
        if kind < 4:
            return self.pick(_LITERALS)
        if kind < 7:
            return self.atom(scope)
        if kind == 7:
            return f"not {self.atom(scope)}"
        if kind == 8:
            return f"{self.atom(scope)} {self.pick(('or', 'and'))} {self.pick(_LITERALS)}"
        return f"({self.atom(scope)} if {self.atom(scope)} else {self.pick(_LITERALS)})"

    def condition(self, scope: Scope, depth: int = 2) -> str:
        kind = self.number(18 if depth else 7)
        atom = self.atom(scope)
        if kind < 5:
            return atom
        if kind == 5:
            return f"not {atom}"
        if kind == 6:
            if self.chance(20):
                return f"{atom} {self.pick(('==', '!='))} {self.pick(('1', TEXT))}"
            return f"{atom} {self.pick(('is', '==', 'is not', '!='))} {self.pick(_LITERALS[:6])}"
        if kind < 12:
            inner = [self.condition(scope, depth - 1) for _ in range(2 + self.number(2))]
            return "(" + f" {self.pick(('and', 'or'))} ".join(inner) + ")"
        if kind == 12:
            return f"{atom} {self.pick(('in', 'not in'))} (Mode.A, None, {self.pick(_LITERALS)})"
        if kind > 15:
            return self.predicate(scope)
        if kind == 13:
            one, test, other = (self.condition(scope, 0) for _ in range(3))
            return f"({one} if {test} else {other})"
        if kind == 14:
            name = self.fresh("w")
            scope.scalars.append(name) if not scope.in_loop else None
            return f"({name} := {atom})" if not scope.in_loop else f"not (not {atom})"
        return f"not ({self.condition(scope, depth - 1)})"

    def predicate(self, scope: Scope) -> str:
        """Return a call of what chooses a constant."""
        owned = {"self": scope.cls, **scope.objects} if scope.cls is not None else scope.objects
        options = [f"{name}.{asked}" for name, cls in owned.items() for asked in cls.asked()]
        name = self.pick([*options, *options, "is_on", "is_b", "is_chosen"])
        if "." in name:
            return f"{name}({self.value(scope) if self.chance(60) else ''})"
        other = f", {'also' if name == 'is_b' else 'other'}={self.value(scope)}"
        return f"{name}({self.value(scope)}{other if name != 'is_on' and self.chance(50) else ''})"

    def arguments(self, params: list[Param], scope: Scope) -> str:
        positional: list[str] = []
        named: list[str] = []
        table: list[str] = []
        by_position = True
        for param in params:
            if param.default and self.chance(40):
                by_position = False
            elif by_position and not param.keyword_only and self.chance(55):
                positional.append(f"*({self.value(scope)},)" if self.chance(6) else self.value(scope))
                by_position = not positional[-1].startswith("*")
            elif self.chance(25):
                table.append(f'"{param.name}": {self.value(scope)}')
                by_position = False
            else:
                named.append(f"{param.name}={self.value(scope)}")
                by_position = False
        words = [*positional, *named]
        if table:
            words.append(self._table(table, scope))
        return ", ".join(words)

    def _table(self, entries: list[str], scope: Scope) -> str:
        """Return `**table`, written in place or built up before the statement."""
        if self.chance(50) or not self._lines[-1].strip():
            return "**{" + ", ".join(entries) + "}"
        return "**dict(" + ", ".join(f"{e.split(':')[0][1:-1]}={e.split(': ', 1)[1]}" for e in entries) + ")"

    def call(self, scope: Scope) -> str:
        """Return a call of a function, a method or a class of the program."""
        options: list[tuple[str, list[Param]]] = list(self.functions[scope.first :])
        for name, cls in scope.objects.items():
            options += [(f"{name}.{method}", params) for method, params in self._methods(cls).items()]
        if scope.cls is not None:
            options += [(f"self.{method}", params) for method, params in list(self._methods(scope.cls).items())]
        elif scope.first <= self._split:
            options += [(c.name, c.params) for c in self.classes]
        if self.chance(8) or not options:
            return f"{self.pick(('set_state', 'set_state', 'set_late'))}({self.value(scope)})"
        name, params = self.pick(options)
        return f"{name}({self.arguments(params, scope)})"

    def _methods(self, cls: Class) -> dict[str, list[Param]]:
        inherited = self._methods(cls.base) if cls.base is not None else {}
        return {**inherited, **cls.methods}

    # --- statements --------------------------------------------------------------------------------------------------

    def block(self, scope: Scope, most: int, depth: int) -> None:
        for _ in range(1 + most // 3 + self.number(most)):
            self.statement(scope, depth)

    def inner(self, scope: Scope, depth: int, **changes: bool) -> None:
        """Write an indented block; names that it binds are not used behind it."""
        inside = Scope(
            list(scope.scalars),
            dict(scope.objects),
            scope.first,
            scope.cls,
            changes.get("in_loop", scope.in_loop),
            scope.in_constructor,
            changes.get("in_final", scope.in_final),
            scope.is_managed,
        )
        self._depth += 1
        self.block(inside, 2, depth - 1)
        self._depth -= 1

    def statement(self, scope: Scope, depth: int) -> None:
        simple = [
            self._call,
            self._call,
            self._call,
            self._assign,
            self._short,
            self._jump,
            self._make,
            self._make,
            self._chosen,
        ]
        nested = [
            self._assert,
            self._if,
            self._if,
            self._while,
            self._for,
            self._try,
            self._with,
            self._match,
            self._comprehension,
        ]
        self.pick([*simple, *nested] if depth else simple)(scope, depth)

    def _call(self, scope: Scope, depth: int) -> None:
        self.write(self.call(scope))

    def _assign(self, scope: Scope, depth: int) -> None:
        targets = [self.fresh("v"), *scope.scalars[-2:]]
        if scope.cls is not None and scope.cls.attributes and self.chance(40):
            targets.append(f"self.{self.pick(scope.cls.attributes)}")
        for name, cls in scope.objects.items():
            if cls.attributes and self.chance(30):
                targets.append(f"{name}.{self.pick(cls.attributes)}")
        targets += [f"{c.name}.{c.constants[0]}" for c in self.classes if c.constants and self.chance(15)]
        target = self.pick(targets)
        form = self.number(12)
        owner, _, attribute = target.rpartition(".")
        if form == 0 and owner:
            self.write(f'setattr({owner}, "{attribute}", {self.value(scope)})')
        elif form == 1:
            self.write(f"{target}, {self.fresh('v')} = {self.value(scope)}, {self.value(scope)}")
        elif form == 2:
            self.write(f"{self.fresh('v')} = {target} = {self.value(scope)}")
        elif form == 3 and scope.scalars:
            name = self.fresh("h")
            self.write(f"def {name}():")
            self.write(f"    nonlocal {scope.scalars[-1]}" if self._is_local(scope.scalars[-1]) else "    pass")
            self.write(f"    {scope.scalars[-1]} = {self.value(scope)}")
            self.write(f"{name}()")
            return
        else:
            self.write(f"{target} = {self.value(scope)}")
        if target == targets[0]:
            scope.scalars.append(target)

    def _is_local(self, name: str) -> bool:
        return name[0] in "pv" or name.startswith("flag")

    def _short(self, scope: Scope, depth: int) -> None:
        form = self.number(3)
        if form < 2:
            self.write(f"{self.condition(scope, 1)} {('and', 'or')[form]} {self.call(scope)}")
        else:
            self.write(f"{self.call(scope)} if {self.condition(scope, 1)} else {self.call(scope)}")

    def _jump(self, scope: Scope, depth: int) -> None:
        jumps = ["raise ValueError", "raise KeyError"]
        jumps += [] if scope.is_managed else ["return", "return"]
        jumps += ["continue", "break"] if scope.in_loop and not scope.in_final and not scope.is_managed else []
        jump = self.pick(jumps)
        if jump == "return" and self.chance(30) and not scope.in_constructor:
            jump = f"return {self.value(scope)}"
        if self.chance(85):
            self.write(f"if {self.condition(scope, 1)}:")
            if self.chance(30):
                self.write(f"    if {self.condition(scope, 1)}:")
                self.write(f"        {jump}")
            else:
                self.write(f"    {jump}")
        else:
            self.write(jump)

    def _assert(self, scope: Scope, depth: int) -> None:
        self.write(f"assert {self.condition(scope, 1)}")

    def _make(self, scope: Scope, depth: int) -> None:
        if not self.classes or scope.cls is not None or scope.first > self._split:
            self._call(scope, depth)
            return
        cls = self.pick(self.classes)
        name = self.fresh("o")
        self.write(f"{name} = {cls.name}({self.arguments(cls.params, scope)})")
        scope.objects[name] = cls

    def _chosen(self, scope: Scope, depth: int) -> None:
        """Call through a name: a conditional expression or a partial."""
        callees = self.functions[scope.first :]
        if not callees:
            self._call(scope, depth)
            return
        name, params = self.pick(callees)
        given = self.fresh("g")
        if self.chance(35):
            self._built_table(name, params, scope)
        elif self.chance(25):
            self.write(f"spread({name}, {self.arguments(params, scope)})".replace(", )", ")"))
        elif self.chance(50):
            self.write(f"{given} = partial({name}, {self.arguments(params, scope)})".replace(", )", ")"))
            self.write(f"{given}()")
        else:
            self.write(f"{given} = {name} if {self.condition(scope, 1)} else set_state")
            self.write(f"{given}({', '.join(self.value(scope) for _ in params) or 'True'})")

    def _built_table(self, name: str, params: list[Param], scope: Scope) -> None:
        """Call with a table that is built up before."""
        table = self.fresh("t")
        entries = [f'"{p.name}": {self.value(scope)}' for p in params if not p.default or self.chance(60)]
        self.write(f"{table} = {{{', '.join(entries)}}}")
        for param in params:
            form = self.number(6)
            if form == 0:
                self.write(f'{table}["{param.name}"] = {self.value(scope)}')
            elif form == 1:
                self.write(f"if {self.condition(scope, 1)}:")
                self.write(f'    {table}["{param.name}"] = {self.value(scope)}')
            elif form == 2:
                self.write(f'poke({table}, "{param.name}")')
            elif form == 3:
                self.write(f"{table}.update({param.name}={self.value(scope)})")
        self.write(f"{name}(**{table})")

    def _if(self, scope: Scope, depth: int) -> None:
        self.write(f"if {self.condition(scope)}:")
        self.inner(scope, depth)
        if self.chance(30):
            self.write(f"elif {self.condition(scope)}:")
            self.inner(scope, depth)
        if self.chance(40):
            self.write("else:")
            self.inner(scope, depth)

    def _while(self, scope: Scope, depth: int) -> None:
        rounds = self.fresh("n")
        self.write(f"{rounds} = 0")
        self.write(f"while {rounds} < 2 and {self.condition(scope, 1)}:")
        self.write(f"    {rounds} += 1")
        self.inner(scope, depth, in_loop=True)
        if self.chance(30):
            self.write("else:")
            self.inner(scope, depth)

    def _for(self, scope: Scope, depth: int) -> None:
        name = self.fresh("i")
        self.write(f"for {name} in {self.pick(('(True, False)', '(False,)', '()', '(Mode.A, None)'))}:")
        inside = Scope(
            [*scope.scalars, name], scope.objects, scope.first, scope.cls, True, scope.in_constructor, scope.in_final
        )
        self.inner(inside, depth, in_loop=True)
        if self.chance(30):
            self.write("else:")
            self.inner(scope, depth)

    def _try(self, scope: Scope, depth: int) -> None:
        self.write("try:")
        self.inner(scope, depth)
        kinds = self.pick((("ValueError",), ("KeyError", "ValueError"), ("Exception",), ()))
        for kind in kinds:
            self.write(f"except {kind}:")
            self.inner(scope, depth)
            if self.chance(20):
                self.write("    raise")
        if kinds and self.chance(30):
            self.write("else:")
            self.inner(scope, depth)
        if not kinds or self.chance(30):
            self.write("finally:")
            self.inner(scope, depth, in_final=True)

    def _with(self, scope: Scope, depth: int) -> None:
        self.write(
            f"with {self.pick(('Quiet()', 'Quiet(True)', 'suppress(ValueError)', f'Quiet({self.atom(scope)})'))}:"
        )
        managed = Scope(list(scope.scalars), dict(scope.objects), scope.first, scope.cls, is_managed=True)
        self.inner(managed, depth)

    def _match(self, scope: Scope, depth: int) -> None:
        self.write(f"match {self.atom(scope)}:")
        self._depth += 1
        for pattern in self.pick((("True", "_"), ("Mode.A", "None"), ("Mode.B | True", "False", "_"))):
            guard = f" if {self.condition(scope, 1)}" if self.chance(25) and pattern != "_" else ""
            self.write(f"case {pattern}{guard}:")
            self.inner(scope, depth)
        self._depth -= 1

    def _comprehension(self, scope: Scope, depth: int) -> None:
        name = self.fresh("i")
        inside = Scope([*scope.scalars, name], scope.objects, scope.first, scope.cls, True)
        call, test = self.call(inside), self.condition(inside, 1)
        text = f"[{call} for {name} in (True, False) if {test}]"
        self.write(text if self.chance(60) else f"any({call} for {name} in (True, None) if {test})")


_NUMBERS = {n: st.integers(0, n - 1) for n in range(1, 101)}


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw the source of a program."""
    return Maker(draw).program()
