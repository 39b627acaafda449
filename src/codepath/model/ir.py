"""The intermediate representation (IR) of one file: what `extract` makes and every later layer reads.

A file is a tuple of *scopes* (module, function, lambda, class body), parents before children, the module first.
A scope holds a flat array `exprs` and a tree of *regions* `body`.

`exprs` is in evaluation order with children before parents, so that the sub-expressions of `exprs[i]` form one contiguous
run that ends at `i`, and a scan upwards meets events (calls, loads, stores) in the order in which they happen. Fields that
refer to other expressions are indices into the same array; -1 means absent. Leaves of the region tree name the half-open
range `[start, stop)` that they evaluate. Expressions in no range are not run there: annotations and string annotations.

Operand ranges follow from contiguity: operand k of a `Bool` is `(values[k-1], values[k]]`; a `Ternary` evaluates `test`,
then one of `body` (`(test, body]`) and `orelse` (`(body, orelse]`); what a `Comp` runs per element starts at the first
clause's `start`.

Places: `at` and `end` pack a line from 1 and a column from 0 in code points as `line << 16 | column` (`pack`, `line_of`,
`column_of`); a column above 65,535 is stored as 65,535. `end` is exclusive. Nothing here knows the path or the module's
name: facts are keyed by content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

ABSENT = -1
UNBOUND = -1

# How a store takes its value from the expression `value`, outermost step first.
ITERATE = -1  # an element of iterating it (`for`, comprehension)
ENTER = -2  # what its `__enter__` gives (`with ... as`)
REST = -3  # the starred rest of an unpacking
CAUGHT = -4  # an exception that it, a class or a tuple of classes, catches
CAPTURED = -5  # some part of a matched subject
AWAITED = -6  # the awaited form of the step before: `async for`, `async with`


def pack(line: int, column: int) -> int:
    """Return the packed place of a line (from 1) and a column (from 0)."""
    return line << 16 | min(column, 0xFFFF)


def line_of(at: int) -> int:
    """Return the line, from 1, of a packed place."""
    return at >> 16


def column_of(at: int) -> int:
    """Return the column, from 0 in code points, of a packed place."""
    return at & 0xFFFF


class _Part(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A part of an expression or region that is no expression or region itself."""


# --- expressions -----------------------------------------------------------------------------------------------------


class Name(_Part, frozen=True, tag=0):
    """A name that is read. `use` indexes `Scope.uses`."""

    id: str
    use: int
    at: int


class Const(_Part, frozen=True, tag=1):
    """A constant. `form` is "" for what JSON knows, else "bytes", "ellipsis", "complex", "int" (beyond 63 bits, as text)
    or "cut" (a string longer than 200 characters, its first 200)."""

    value: bool | int | float | str | None
    form: str
    at: int


class Attr(_Part, frozen=True, tag=2):
    """`value.id`, read. `at` is where `value` starts; the attribute's own name ends at `end`."""

    value: int
    id: str
    at: int
    end: int


class Arg(_Part, frozen=True):
    """An argument: `star` is 0, 1 for `*value`, 2 for `**value`."""

    value: int
    name: str | None = None
    star: int = 0


class Call(_Part, frozen=True, tag=3):
    """A call site."""

    func: int
    args: tuple[Arg, ...]
    at: int
    end: int


class Subscript(_Part, frozen=True, tag=4):
    """`value[index]`, read."""

    value: int
    index: int
    at: int
    end: int


class Slice(_Part, frozen=True, tag=5):
    """`lower:upper:step`."""

    lower: int
    upper: int
    step: int
    at: int


class Unary(_Part, frozen=True, tag=6):
    """`op value`; op is one of `not - + ~`."""

    op: str
    value: int
    at: int


class Binary(_Part, frozen=True, tag=7):
    """`left op right`; an augmented assignment has its own `Binary` with op spelled `+=`."""

    op: str
    left: int
    right: int
    at: int


class Bool(_Part, frozen=True, tag=8):
    """`a and b and c` (flattened, in order). `texts` are the operands as written, white space folded."""

    op: Literal["and", "or"]
    values: tuple[int, ...]
    texts: tuple[str, ...]
    at: int


class Compare(_Part, frozen=True, tag=9):
    """`left ops[0] rights[0] ops[1] rights[1] ...`; ops as written, with one space (`not in`, `is not`)."""

    left: int
    ops: tuple[str, ...]
    rights: tuple[int, ...]
    at: int


class Ternary(_Part, frozen=True, tag=10):
    """`body if test else orelse`. `text` is the test as written."""

    test: int
    body: int
    orelse: int
    text: str
    at: int


class Lambda(_Part, frozen=True, tag=11):
    """A lambda; its body is the scope's only `Return`."""

    scope: int
    at: int


class Clause(_Part, frozen=True):
    """One `for target in iter if ...` of a comprehension.

    What runs once an element has been taken starts at index `start` (targets, then conditions, then what follows).
    `text` is `for target in iter` as written.
    """

    iter: int
    start: int
    conditions: tuple[int, ...]
    condition_texts: tuple[str, ...]
    text: str
    is_async: bool
    at: int


class Comp(_Part, frozen=True, tag=12):
    """A comprehension. Its targets are definitions of the scope around it, visible inside it only.

    `element` is the key in a dict comprehension and `value` the value, else -1.
    """

    form: Literal["list", "set", "dict", "generator"]
    element: int
    value: int
    clauses: tuple[Clause, ...]
    at: int
    end: int


class Sequence(_Part, frozen=True, tag=13):
    """A list, tuple or set display; items may be `Starred`."""

    form: Literal["list", "tuple", "set"]
    items: tuple[int, ...]
    at: int


class Dict(_Part, frozen=True, tag=14):
    """A dict display; a key of -1 stands for `**value`."""

    keys: tuple[int, ...]
    values: tuple[int, ...]
    at: int


class Joined(_Part, frozen=True, tag=15):
    """An f-string or t-string: constants and formatted expressions in order; implicit concatenation is one `Joined`.

    `reprs` are the parts that `repr` formats: `{x!r}`, `{x!a}`, `{x=}`.
    """

    parts: tuple[int, ...]
    at: int
    reprs: tuple[int, ...] = ()


class Starred(_Part, frozen=True, tag=16):
    """`*value` in a display."""

    value: int
    at: int


class Await(_Part, frozen=True, tag=17):
    """`await value`."""

    value: int
    at: int


class Yield(_Part, frozen=True, tag=18):
    """`yield value`."""

    value: int
    at: int


class YieldFrom(_Part, frozen=True, tag=19):
    """`yield from value`."""

    value: int
    at: int


class Bind(_Part, frozen=True, tag=20):
    """A name that is stored; also the value of a walrus. `definition` indexes `Scope.definitions`.

    The stored value is `value` (an expression, or -1 where nothing is known or an annotation stands alone) taken by the
    steps `how`: each an index from 0 for an element of an unpacking (counted from the front), or ITERATE, ENTER, REST, ...
    An element behind a starred one, whose index is not known, is an ITERATE.
    """

    id: str
    definition: int
    value: int
    how: tuple[int, ...]
    annotation: int
    at: int


class StoreAttr(_Part, frozen=True, tag=21):
    """`object.id = ...`. `value` and `how` as in `Bind`."""

    object: int
    id: str
    value: int
    how: tuple[int, ...]
    annotation: int
    at: int
    end: int


class StoreItem(_Part, frozen=True, tag=22):
    """`object[index] = ...`. `value` and `how` as in `Bind`."""

    object: int
    index: int
    value: int
    how: tuple[int, ...]
    at: int
    end: int


class Remove(_Part, frozen=True, tag=23):
    """`del`: of a name (`object` -1), an attribute (`id`) or an item (`index`)."""

    object: int
    id: str
    index: int
    at: int


class Import(_Part, frozen=True, tag=24):
    """`import module`. The following `Bind` gets the module `bound` (the top package unless `as` is given)."""

    module: str
    bound: str
    at: int


class ImportFrom(_Part, frozen=True, tag=25):
    """`from module import name`, one expression a name; `name` is `*` for a star import, which has no `Bind`."""

    module: str
    level: int
    name: str
    at: int


class Function(_Part, frozen=True, tag=26):
    """A `def`, evaluated to the function after its decorators (expressions, outermost first)."""

    scope: int
    decorators: tuple[int, ...]
    at: int


class Class(_Part, frozen=True, tag=27):
    """A `class`, evaluated to the class after its decorators; the body runs here. `bases` holds keywords too."""

    scope: int
    bases: tuple[Arg, ...]
    decorators: tuple[int, ...]
    at: int


Expr: TypeAlias = (
    Name
    | Const
    | Attr
    | Call
    | Subscript
    | Slice
    | Unary
    | Binary
    | Bool
    | Compare
    | Ternary
    | Lambda
    | Comp
    | Sequence
    | Dict
    | Joined
    | Starred
    | Await
    | Yield
    | YieldFrom
    | Bind
    | StoreAttr
    | StoreItem
    | Remove
    | Import
    | ImportFrom
    | Function
    | Class
)

# --- regions ---------------------------------------------------------------------------------------------------------
# `texts` and `text` are source slices with white space folded to one blank and comments dropped. `at` is the statement's
# own place (`elif` is an `If` of its own in `orelse`, placed where its keyword stands).


class Do(_Part, frozen=True, tag=0):
    """A simple statement that only evaluates: expression, assignment, import, definition, `del`."""

    start: int
    stop: int
    at: int


class Return(_Part, frozen=True, tag=1):
    """`return value`."""

    start: int
    stop: int
    value: int
    at: int


class Raise(_Part, frozen=True, tag=2):
    """`raise exc from cause`."""

    start: int
    stop: int
    exc: int
    cause: int
    at: int


class Assert(_Part, frozen=True, tag=3):
    """`assert test, message`; the message is evaluated only where the test fails."""

    start: int
    stop: int
    test: int
    message: int
    text: str
    at: int


class Jump(_Part, frozen=True, tag=4):
    """`break` or `continue`."""

    form: Literal["break", "continue"]
    at: int


class If(_Part, frozen=True, tag=5):
    """`if test: body else: orelse`.

    A chain of more than 100 `elif`s, which would nest too deeply to decode, is a `Match` on a constant None with the cases
    `_ if test` and, for `else`, `_`.
    """

    start: int
    stop: int
    test: int
    text: str
    body: tuple[Region, ...]
    orelse: tuple[Region, ...]
    at: int


class While(_Part, frozen=True, tag=6):
    """`while test: body else: orelse`; `[start, stop)` runs before each round."""

    start: int
    stop: int
    test: int
    text: str
    body: tuple[Region, ...]
    orelse: tuple[Region, ...]
    at: int


class For(_Part, frozen=True, tag=7):
    """`for target in iter`. `[start, stop)` evaluates `iter` once; `[stop, bound)` stores the targets each round."""

    start: int
    stop: int
    bound: int
    iter: int
    text: str
    body: tuple[Region, ...]
    orelse: tuple[Region, ...]
    is_async: bool
    at: int


class With(_Part, frozen=True, tag=8):
    """`with a as x, b: body`. `[start, stop)` evaluates contexts and stores in order; `contexts` are the managers."""

    start: int
    stop: int
    contexts: tuple[int, ...]
    text: str
    body: tuple[Region, ...]
    is_async: bool
    at: int


class Handler(_Part, frozen=True):
    """`except type as name: body`; `[start, stop)` evaluates the type and stores the name. `text` is the whole header."""

    start: int
    stop: int
    type: int
    text: str
    body: tuple[Region, ...]
    at: int


class Try(_Part, frozen=True, tag=9):
    """`try: body except ...: else: orelse finally: final`."""

    body: tuple[Region, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Region, ...]
    final: tuple[Region, ...]
    is_star: bool
    at: int


class Case(_Part, frozen=True):
    """`case pattern if guard: body`.

    `[start, stop)` evaluates the values and classes in the pattern, stores the captures and evaluates `guard`. `classes`
    and `values` name the expressions of a pattern that is one class or value, or an alternative of such; both are empty
    where the pattern is anything else. `text` is the pattern and guard as written.
    """

    start: int
    stop: int
    guard: int
    classes: tuple[int, ...]
    values: tuple[int, ...]
    irrefutable: bool
    text: str
    body: tuple[Region, ...]
    at: int


class Match(_Part, frozen=True, tag=10):
    """`match subject:`; `text` is the subject as written."""

    start: int
    stop: int
    subject: int
    text: str
    cases: tuple[Case, ...]
    at: int


Region: TypeAlias = Do | Return | Raise | Assert | Jump | If | While | For | With | Try | Match

# --- scopes ----------------------------------------------------------------------------------------------------------


class Param(_Part, frozen=True):
    """A parameter. `annotation` and `default` are expressions of the *enclosing* scope (that of a class body, where the
    function stands in one); defaults are evaluated there, annotations in no range. It is definition number i of its scope,
    i its position."""

    id: str
    form: Literal["positional", "normal", "star", "keyword", "double-star"]
    annotation: int
    default: int
    at: int


class Definition(_Part, frozen=True):
    """One place that gives a name of the scope a value; `bind` is the `Bind` in `exprs`, -1 for a parameter."""

    id: str
    form: Literal[
        "param",
        "assign",
        "annotation",
        "augment",
        "for",
        "with",
        "except",
        "import",
        "function",
        "class",
        "walrus",
        "capture",
        "comprehension",
    ]
    bind: int
    at: int


class Scope(_Part, frozen=True):
    """One scope.

    `uses[k]` are the definitions of this scope that can reach the name read with number k, ascending; UNBOUND stands first
    where the name may be read before any of them (in a class body or module it then comes from outside). An empty tuple:
    the name is not local here (free, global, builtin, or declared `global`/`nonlocal`). `exports`, for modules and classes,
    are the definitions that reach the end of the body, by name, UNBOUND included; sorted by name. Names declared `global`
    or `nonlocal` have definitions too, but no part in `uses`. `ends` tells whether the end of the body can be reached.
    Behind a `return`, `raise`, `break` or `continue` only what is bound there reaches a read.
    """

    form: Literal["module", "function", "lambda", "class"]
    id: str
    params: tuple[Param, ...]
    returns: int
    is_async: bool
    is_generator: bool
    ends: bool
    globals: tuple[str, ...]
    nonlocals: tuple[str, ...]
    exprs: tuple[Expr, ...]
    body: tuple[Region, ...]
    definitions: tuple[Definition, ...]
    uses: tuple[tuple[int, ...], ...]
    exports: tuple[tuple[str, tuple[int, ...]], ...]


class Head(_Part, frozen=True):
    """What is known of a scope without decoding it.

    `qualname` is dotted from the module (`Outer.method.inner`, `f.<lambda1>`; "" for the module). A second definition of the
    same name in the same place has the same qualname. `parent` indexes the scopes; -1 for the module. `at` is the place of
    `def`, `class` or `lambda`; `end` the end of the whole definition. `decorated` tells whether it has decorators.
    """

    form: Literal["module", "function", "lambda", "class"]
    id: str
    qualname: str
    parent: int
    decorated: bool
    at: int
    end: int


class Suppression(_Part, frozen=True):
    """A comment `# codepath: ignore[a, b] reason` (form "line") or `# codepath: ignore-file[a] reason` (form "file").

    `first` and `last` are the lines of the statement on which it stands, from 1.
    """

    form: Literal["line", "file"]
    rules: tuple[str, ...]
    reason: str
    first: int
    last: int
    at: int


class Postings(_Part, frozen=True):
    """The names of a file by what is done with them, each sorted and without repeats.

    `called`: last name of a callee. `referenced`: names and attributes read other than as a callee, annotations left out.
    `attributes`: attribute names stored. `globals`: names stored at module level or under `global`. `strings`: string
    constants that are identifiers. `subscripted`: last name of a subscripted expression. What a class body stores counts
    as an attribute stored; imports are stored names.
    """

    defined: tuple[str, ...]
    called: tuple[str, ...]
    referenced: tuple[str, ...]
    attributes: tuple[str, ...]
    globals: tuple[str, ...]
    strings: tuple[str, ...]
    subscripted: tuple[str, ...]


class ModuleFacts(_Part, frozen=True):
    """All that is kept of one file. `scopes[i]` is the encoded `Scope` that `heads[i]` describes.

    `ast_refused` tells whether the `ast` module of the Python that made this refused a file that libcst parsed.
    """

    lines: int
    encoding: str
    bom: bool
    heads: tuple[Head, ...]
    scopes: tuple[msgspec.Raw, ...]
    suppressions: tuple[Suppression, ...]
    postings: Postings
    ast_refused: bool = False


class FactsBodies(_Part, frozen=True):
    """The facts of a file with all but the scopes left undecoded."""

    lines: int
    encoding: str
    bom: bool
    heads: msgspec.Raw
    scopes: tuple[msgspec.Raw, ...]
    suppressions: msgspec.Raw
    postings: msgspec.Raw
    ast_refused: bool = False


_encoder = msgspec.msgpack.Encoder()
_facts_decoder = msgspec.msgpack.Decoder(ModuleFacts)
_bodies_decoder = msgspec.msgpack.Decoder(FactsBodies)
_scope_decoder = msgspec.msgpack.Decoder(Scope)


def encode_scope(scope: Scope) -> msgspec.Raw:
    """Return the stored form of a scope."""
    return msgspec.Raw(_encoder.encode(scope))


def decode_scope(raw: msgspec.Raw | bytes) -> Scope:
    """Return the scope that `encode_scope` stored."""
    return _scope_decoder.decode(raw)


def holder_of(names: Iterable[str], kinds: Iterable[Region] = ()) -> re.Pattern[bytes]:
    """Return what finds, in the stored form of a scope, that it may hold one of some names or a region of some kinds."""
    marks = [_encoder.encode(name) for name in names] + [_encoder.encode(kind)[:2] for kind in kinds]
    return re.compile(b"|".join(map(re.escape, marks)), re.DOTALL)


def encode_facts(facts: ModuleFacts) -> bytes:
    """Return the stored form of a file's facts."""
    return _encoder.encode(facts)


def decode_facts(blob: bytes) -> ModuleFacts:
    """Return the facts that `encode_facts` stored. Raises `msgspec.DecodeError` on damage."""
    return _facts_decoder.decode(blob)


def decode_bodies(blob: bytes) -> tuple[msgspec.Raw, ...]:
    """Return the encoded scopes of a file's stored facts. Raises `msgspec.DecodeError` on damage."""
    return _bodies_decoder.decode(blob).scopes
