"""Launch options: where each is declared and read, and whether code and choices agree.

Forms: `zero`: an option that is a whole number or None, tested for truth where other code of the tree tells 0 from None.
`no-choice`: a value that code compares the option with, or a member of an enumeration of its values, that no choice gives.
`unhandled`: a choice that stands nowhere in the tree but where it is offered, while code compares the option with others.

Approximates: under (a read counts where the object is the holder's own `self`, a parameter annotated as one, or a name that is
the holder's in lower case).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from codepath.analysis.detect.accesses import parameter_of, text_of
from codepath.analysis.detect.conditions_of import dotted, tested
from codepath.analysis.detect.families import Families
from codepath.model import ir
from codepath.model.assumptions import Option
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.model.flags import Flag, FlagUse
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS

KIND = "flags"
_ENUMERATIONS = frozenset(["enum.Enum", "enum.StrEnum"])
_FROM_ZERO = frozenset(["rank", "index", "id", "seed", "node", "device", "offset", "position"])
"""Words of what is counted from 0, or where 0 is a value as good as any other."""
_ALIKE = 0.5
_FEWEST = 2
"""So many members of an enumeration, and this share of them, must be choices for it to be taken for that of an option."""


class _Read(NamedTuple):
    """A read of an option's attribute: expression `expr` of a body."""

    body: Body
    expr: int

    @property
    def at(self) -> int:
        return self.body.scope.exprs[self.expr].at


class OptionFlags:
    """Answers about the options of a tree."""

    def __init__(self, families: Families, options: Sequence[Option]) -> None:
        self._families = families
        self._tree = families.tree
        self._options = options

    def named(self, name: str) -> list[Option]:
        """Return the options that a string on the command line or an attribute names."""
        dashed = f"--{name.lstrip('-').replace('_', '-')}"
        return [o for o in self._options if name in (*o.strings, o.attribute) or dashed in o.strings]

    def flag(self, option: Option) -> Flag:
        """Return an option with the places that read it."""
        declared = FlagUse(option.place, "declared", " ".join(option.strings), _said(option))
        uses = [
            FlagUse(self._tree.place(r.body.info, r.at), "read", dotted(r.body.scope.exprs, r.expr))
            for r in self._reads(option)
        ]
        ordered = sorted(dict.fromkeys(uses), key=lambda u: (u.place.file, u.place.line, u.place.column))
        return Flag(
            name=option.strings[0],
            kind="option",
            uses=(declared, *ordered),
            attribute=option.attribute,
            default=_said(option),
            choices=tuple(str(c) for c in option.choices) if option.choices is not None else None,
        )

    def faults(self, option: Option) -> Iterator[Detected]:
        """Yield what is wrong with an option."""
        reads = self._reads(option)
        if option.type == "int" and option.form == "value" and option.has_default and option.default is None:
            yield from self._zero(option, reads)
        if option.choices is not None and option.type == "str":
            choices = frozenset(str(c) for c in option.choices)
            yield from self._no_choice(option, reads, choices)
            yield from self._members(option, choices)
            yield from self._unhandled(option, reads, choices)

    def _reads(self, option: Option) -> list[_Read]:
        found = []
        for body in self._holding(option.attribute):
            for index, expr in enumerate(body.scope.exprs):
                if isinstance(expr, ir.Attr) and expr.id == option.attribute and self._is_of(body, expr.value, option):
                    found.append(_Read(body, index))
        return found

    def _holding(self, word: str) -> Iterator[Body]:
        for path in self._tree.words.holding(word):
            module = self._tree.module_at(path)
            for info in self._tree.bodies.holding(module.name, word) if module is not None else ():
                yield self._tree.bodies.of(info)

    def _is_of(self, body: Body, index: int, option: Option) -> bool:
        """Tell whether an object is one that carries the options."""
        expr = body.scope.exprs[index]
        if isinstance(expr, (ir.Name, ir.Attr)) and expr.id == _snake(option.holder.rpartition(".")[2]):
            return True
        number = parameter_of(body.scope, index)
        if number < 0 or body.info.outer < 0:
            return False
        outer = self._tree.info(body.info.outer)
        if number == 0 and outer.name == option.holder:
            return True
        values = self._tree.bodies.term_values(outer, body.info.params[number].annotation)
        return any(v[0] == CLASS and self._tree.info(v[1]).name == option.holder for v in values)

    # --- zero --------------------------------------------------------------------------------------------------------

    def _zero(self, option: Option, reads: list[_Read]) -> Iterator[Detected]:
        told = next((r for r in reads if _tells_zero(r)), None)
        known = "medium" if told or _FROM_ZERO & set(option.attribute.split("_")) else "low"
        meant = (r for r in reads if r.expr in tested(r.body.scope) and not _gives_zero(r) and not _leaves_zero_out(r))
        for read in meant:
            notes = (Note(self._tree.place(told.body.info, told.at), "0 is a value of its own here"),) if told else ()
            message = f"`{option.strings[0]}` is a number or None and is tested for truth here: 0 counts as not given"
            yield self._fault(option, read.body.info, read.at, "zero", message, known, notes)

    # --- choices -----------------------------------------------------------------------------------------------------

    def _no_choice(self, option: Option, reads: list[_Read], choices: frozenset[str]) -> Iterator[Detected]:
        stored = choices | {str(option.default)} | self._stored(option)
        seen: set[tuple[str, str]] = set()
        for read in reads:
            for value in sorted(_compared_with(read) - stored):
                if (read.body.info.module.path, value) not in seen:
                    seen.add((read.body.info.module.path, value))
                    message = f"no choice of `{option.strings[0]}` is '{value}', which it is compared with here"
                    yield self._fault(option, read.body.info, read.at, "no-choice", message, "medium")

    def _unhandled(self, option: Option, reads: list[_Read], choices: frozenset[str]) -> Iterator[Detected]:
        """Yield the choices that nothing in the tree names beside the default, where code tells others apart."""
        compared = frozenset(value for read in reads for value in _compared_with(read)) & choices
        if len(compared) < _FEWEST:
            return
        for value in sorted(choices - compared - {str(option.default)}):
            if self._quoted(value) <= 1:
                message = f"nothing asks for the choice '{value}' of `{option.strings[0]}`, as for others"
                notes = tuple(
                    Note(self._tree.place(r.body.info, r.at), "asks for others") for r in reads if _compared_with(r)
                )
                yield Detected(
                    KIND, "unhandled", option.holder, option.attribute, message, option.place, "medium", 0.4, notes[:3]
                )

    def _quoted(self, value: str) -> int:
        """Return how often a string stands in the files of the tree, up to 2; strings without a word count as often."""
        words = re.findall(r"[A-Za-z_]\w*", value)
        if not words:
            return 2
        quoted = re.compile(rb"[\"']" + re.escape(value).encode() + rb"[\"']")
        paths = self._tree.words.holding(max(words, key=len))
        return min(2, sum(len(quoted.findall(self._tree.text(path))) for path in paths))

    def _stored(self, option: Option) -> frozenset[str]:
        """Return the constants that code stores in the attribute of an option or passes for it."""
        found: set[str] = set()
        for body in self._holding(option.attribute):
            exprs = body.scope.exprs
            for expr in exprs:
                if isinstance(expr, (ir.StoreAttr, ir.Bind)) and expr.id == option.attribute and expr.value >= 0:
                    low = max(0, expr.value - _NEAR)
                    found.update(text_of(exprs, i) for i in range(low, expr.value + 1))
                elif isinstance(expr, ir.Call):
                    found.update(text_of(exprs, a.value) for a in expr.args if a.name == option.attribute)
        return frozenset(found)

    def _members(self, option: Option, choices: frozenset[str]) -> Iterator[Detected]:
        """Yield the members of enumerations of an option's values that no choice gives."""
        for info in self._enumerations(choices):
            values = self._values(info)
            shared = choices.intersection(values)
            if len(shared) < max(_FEWEST, _ALIKE * len(values)) or not self._is_made(info, option):
                continue
            if self._is_of_another(info, option, frozenset(values)):
                continue
            for value in sorted(set(values) - choices):
                message = f"no choice of `{option.strings[0]}` is '{value}', a member of {info.id}"
                notes = (Note(option.place, "the choices"),)
                yield self._fault(option, info, values[value], "no-choice", message, "medium", notes)

    def _is_of_another(self, info: ScopeInfo, option: Option, values: frozenset[str]) -> bool:
        """Tell whether an enumeration is not named like an option, or may as well be that of another one."""
        if not set(_snake(info.id).split("_")) & set(option.attribute.split("_")):
            return True
        shared = len(values.intersection(map(str, option.choices or ())))
        others = (one for one in self._options if one.attribute != option.attribute and one.choices)
        return any(len(values.intersection(map(str, one.choices or ()))) >= shared for one in others)

    def _enumerations(self, choices: frozenset[str]) -> list[ScopeInfo]:
        words = [word for word in sorted(choices) if word.isidentifier()]
        held = {p for w in words for p in self._tree.words.holding(w) if self._tree.words.holds(p, "Enum")}
        modules = [self._tree.module_at(p) for p in sorted(held)]
        classes = [i for m in modules if m is not None for i in m.scopes if i.form == "class"]
        return [i for i in classes if _ENUMERATIONS.intersection(self._families.classes.outside_bases(i.sid))]

    def _values(self, info: ScopeInfo) -> dict[str, int]:
        """Return the constant strings of an enumeration and where each stands."""
        exprs = self._tree.bodies.of(info).scope.exprs
        binds = (e for e in exprs if isinstance(e, ir.Bind) and e.value >= 0 and not e.how)
        return {text_of(exprs, e.value): e.at for e in binds if text_of(exprs, e.value)}

    def _is_made(self, info: ScopeInfo, option: Option) -> bool:
        """Tell whether code makes members of an enumeration from what is called like an option: `Policy(policy)`."""
        names: set[str] = set()
        for body in self._holding(info.id):
            exprs = body.scope.exprs
            for expr in exprs:
                if isinstance(expr, ir.Call) and len(expr.args) == 1 and dotted(exprs, expr.func) == info.id:
                    names.add(dotted(exprs, expr.args[0].value).rpartition(".")[2])
        words = set(option.attribute.split("_"))
        return bool(names) and all(name and set(name.split("_")) <= words for name in names)

    def _fault(
        self,
        option: Option,
        info: ScopeInfo,
        at: int,
        form: str,
        message: str,
        precision: str,
        notes: tuple[Note, ...] = (),
    ) -> Detected:
        place = self._tree.place(info, at)
        return Detected(KIND, form, option.holder, option.attribute, message, place, precision, 0.5, notes)


_NEAR = 3


def _said(option: Option) -> str:
    return repr(option.default) if option.has_default else ""


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _tells_zero(read: _Read) -> bool:
    """Tell whether a read is compared so that 0 is a value of its own: with 0, or with None."""
    exprs = read.body.scope.exprs
    compares = (e for e in exprs if isinstance(e, ir.Compare) and e.left == read.expr and len(e.ops) == 1)
    for expr in compares:
        other = exprs[expr.rights[0]]
        if not isinstance(other, ir.Const) or other.form:
            continue
        if other.value == 0 and expr.ops[0] in ("==", "!=", ">=", "<"):
            return True
        if other.value is None and expr.ops[0] in ("is", "is not"):
            return True
    return False


def _gives_zero(read: _Read) -> bool:
    """Tell whether 0 takes the place of what is not given: `option or 0`."""
    exprs = read.body.scope.exprs
    for expr in exprs:
        if isinstance(expr, ir.Bool) and expr.op == "or" and read.expr in expr.values[:-1]:
            last = exprs[expr.values[-1]]
            return isinstance(last, ir.Const) and last.value == 0
    return False


def _leaves_zero_out(read: _Read) -> bool:
    """Tell whether a condition goes on to ask whether the number is more than 0: `option and option > 0`."""
    exprs = read.body.scope.exprs
    said = dotted(exprs, read.expr)
    for expr in exprs:
        if isinstance(expr, ir.Bool) and expr.op == "and" and read.expr in expr.values[:-1]:
            others = (exprs[value] for value in expr.values[1:])
            if any(isinstance(e, ir.Compare) and e.ops == (">",) and dotted(exprs, e.left) == said for e in others):
                return True
    return False


def _compared_with(read: _Read) -> set[str]:
    """Return the constant strings that a read is compared with."""
    exprs = read.body.scope.exprs
    found: set[str] = set()
    for expr in exprs:
        if isinstance(expr, ir.Compare) and expr.left == read.expr and len(expr.ops) == 1:
            other = exprs[expr.rights[0]]
            items = other.items if isinstance(other, ir.Sequence) and expr.ops[0] in ("in", "not in") else ()
            if expr.ops[0] in ("==", "!="):
                items = (expr.rights[0],)
            found.update(text for text in (text_of(exprs, i) for i in items) if text)
    return found
