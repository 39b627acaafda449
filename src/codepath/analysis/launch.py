"""The launch options that a tree defines: its own `add_argument` calls and annotated fields, read and never run.

An option becomes an attribute of a *holder*, the class whose object carries the options through the program. Its default is
what `add_argument` says, else the holder's own field.

Approximates: under (an option string made at run time stands for every field of the holder that has no option of its own).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from codepath.analysis.constants import Folding
from codepath.analysis.known import NOTHING_KNOWN, Known, Member
from codepath.model import ir
from codepath.model.assumptions import Option, Scalar
from codepath.program.annotations import Term, term_of
from codepath.program.bodies import Bodies, Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS

_FLAGS = {"store_true": True, "store_false": False}
_TYPES = frozenset(["str", "int", "float", "bool"])
_LISTS = frozenset(["list", "List", "tuple", "Tuple", "Sequence", "set"])
_OPTIONAL = frozenset(["Optional", "Union", "|", "Annotated", "ClassVar", "Final"])
_HELD_BY_NONE = frozenset(["help", "version"])


class Launch:
    """Reads the options of some holder classes. `fields` are classes whose annotated fields are options of the first."""

    def __init__(
        self,
        bodies: Bodies,
        folding: Folding,
        holders: Sequence[str],
        fields: Sequence[str],
        *,
        with_choices: bool = True,
        only: Container[str] | None = None,
    ) -> None:
        """Read options; `only` those of some attributes, their choices left out where they do not matter."""
        self._with_choices = with_choices
        self._only = only
        self._bodies = bodies
        self._folding = folding
        self._fields: dict[str, dict[str, Option]] = {}
        self.options: tuple[Option, ...] = tuple(self._read(holders, fields))

    def _read(self, holders: Sequence[str], fields: Sequence[str]) -> Iterator[Option]:
        seen: set[str] = set()
        for holder in holders:
            info = self._bodies.scope(holder)
            if info is None:
                continue
            known = dict(self._declared(info, holder))
            if holder == holders[0]:
                for name in fields:
                    inner = self._bodies.scope(name)
                    known.update(self._declared(inner, holder) if inner is not None else ())
            found = list(self._added(info, holder, known))
            taken = {option.attribute for option in found}
            found += [option for name, option in known.items() if option.strings and name not in taken]
            for option in found:
                strings = tuple(s for s in option.strings if s not in seen)
                seen.update(strings)
                if strings:
                    yield _with(option, strings=strings)

    def defaults(self, holder: str) -> dict[str, Option]:
        """Return the fields of a holder with what they are by default."""
        return self._fields.get(holder, {})

    # --- fields ----------------------------------------------------------------------------------------------------------

    def _declared(self, info: ScopeInfo, holder: str) -> Iterator[tuple[str, Option]]:
        """Yield the annotated fields of a class; those that carry their own option, as `Annotated[T, ...]`, have strings."""
        body = self._bodies.of(info)
        exprs = body.scope.exprs
        for expr in exprs:
            if isinstance(expr, ir.Bind) and expr.annotation >= 0 and self._is_asked(expr.id):
                default = self._default(body, expr.value) if expr.value >= 0 else None
                option = Option(
                    strings=(),
                    attribute=expr.id,
                    holder=holder,
                    place=self._folding.place(body, expr.at),
                    form=_form_of(exprs, expr.annotation),
                    type=self._type(body, expr.annotation),
                    default=default[0] if default else None,
                    has_default=default is not None,
                )
                option = self._annotated(body, expr, option)
                self._fields.setdefault(holder, {})[expr.id] = option
                yield expr.id, option

    def _type(self, body: Body, index: int) -> str:
        """Return the simple type of an annotation; an alias that the tree binds to a `Literal` of strings is `str`."""
        found = _type_of(body.scope.exprs, index)
        term = term_of(body.scope.exprs, index)
        names = [n for n in _simple(term) if n != "None"]
        if found or len(names) != 1 or names[0] in _LISTS:
            return found
        for sid, name in self._bodies.meaning(body.info, names[0]).cells:
            owner = self._bodies.of(self._bodies.tree.scopes[sid])
            for bound in owner.scope.exprs:
                if isinstance(bound, ir.Bind) and bound.id == name and bound.value >= 0:
                    return _type_of(owner.scope.exprs, bound.value)
        return ""

    def _annotated(self, body: Body, bind: ir.Bind, option: Option) -> Option:
        """Read what `Annotated[T, "help"]` or `Annotated[T, Metadata(...)]` says of an option."""
        exprs = body.scope.exprs
        annotation = exprs[bind.annotation]
        items = exprs[annotation.index] if isinstance(annotation, ir.Subscript) else None
        if not isinstance(annotation, ir.Subscript) or not isinstance(items, ir.Sequence) or len(items.items) < 2:
            return option
        if not self._is_annotated(body, annotation.value):
            return option
        told = exprs[items.items[1]]
        strings = [f"--{bind.id.replace('_', '-')}"]
        option = _with(option, form=_form_of(exprs, items.items[0]), type=self._type(body, items.items[0]))
        if isinstance(told, (ir.Const, ir.Joined)):
            return _with(option, strings=tuple(strings), form="flag" if option.form == "switch" else option.form)
        if not isinstance(told, ir.Call):
            return option
        given = {a.name: a.value for a in told.args if a.name is not None}
        if self._constant(body, given.get("no_cli")) == (True,):
            return option
        named = self._constant(body, given.get("cli_name"))
        strings = [str(named[0])] if named else strings
        strings += [s for s in self._texts(body, given.get("aliases")) or () if isinstance(s, str)]
        option = _with(option, strings=tuple(strings), form="flag" if option.form == "switch" else option.form)
        return self._described(body, given, option, is_field=True)

    def _is_annotated(self, body: Body, index: int) -> bool:
        """Tell whether a name stands for `typing.Annotated`: by that name, or as an alias bound to it in the tree."""
        expr = body.scope.exprs[index]
        if not isinstance(expr, (ir.Name, ir.Attr)):
            return False
        if expr.id == "Annotated":
            return True
        meaning = self._bodies.meaning(body.info, expr.id)
        for sid, name in meaning.cells:
            owner = self._bodies.of(self._bodies.tree.scopes[sid])
            for bound in owner.scope.exprs:
                value = owner.scope.exprs[bound.value] if isinstance(bound, ir.Bind) and bound.value >= 0 else None
                if isinstance(bound, ir.Bind) and bound.id == name and isinstance(value, (ir.Name, ir.Attr)):
                    return value.id == "Annotated"
        return False

    # --- add_argument ----------------------------------------------------------------------------------------------------

    def _added(self, info: ScopeInfo, holder: str, known: dict[str, Option]) -> Iterator[Option]:
        """Yield the options that methods of a class add."""
        renamed = self._renamed(info)
        for method in info.module.scopes:
            if method.outer != info.sid or method.form != "function":
                continue
            body = self._bodies.of(method)
            for index, expr in enumerate(body.scope.exprs):
                if isinstance(expr, ir.Call) and body.guards.covers(index) and _is_adding(body, expr):
                    yield from self._option(body, expr, holder, known, renamed)

    def _is_asked(self, attribute: str) -> bool:
        return self._only is None or attribute in self._only

    def _renamed(self, info: ScopeInfo) -> dict[str, str]:
        """Return the attributes that methods take from another one of the parsed arguments: `args.a = args.b`."""
        found: dict[str, str] = {}
        for method in info.module.scopes:
            if method.outer != info.sid or method.form != "function":
                continue
            exprs = self._bodies.of(method).scope.exprs
            for expr in exprs:
                value = exprs[expr.value] if isinstance(expr, ir.StoreAttr) and expr.value >= 0 else None
                if isinstance(expr, ir.StoreAttr) and not expr.how and isinstance(value, ir.Attr):
                    one, other = exprs[expr.object], exprs[value.value]
                    if isinstance(one, ir.Name) and isinstance(other, ir.Name) and one.id == other.id != "self":
                        found[value.id] = expr.id
        return found

    def _option(
        self, body: Body, call: ir.Call, holder: str, known: dict[str, Option], renamed: dict[str, str]
    ) -> Iterator[Option]:
        exprs = body.scope.exprs
        strings = [exprs[a.value] for a in call.args if a.name is None and not a.star]
        if any(isinstance(s, ir.Joined) for s in strings):
            for name, option in known.items():
                if not option.strings:
                    yield _with(option, strings=(f"--{name.replace('_', '-')}",))
            return
        texts = tuple(s.value for s in strings if isinstance(s, ir.Const) and isinstance(s.value, str))
        if not texts:
            return
        given = {a.name: a.value for a in call.args if a.name is not None}
        told = self._constant(body, given.get("dest"))
        name = str(told[0]) if told else _dest(texts)
        attribute = renamed.get(name, name)
        if not self._is_asked(attribute):
            return
        declared = known.get(attribute)
        place = self._folding.place(body, call.at)
        is_whole = not any(a.star for a in call.args)
        base = Option(texts, attribute, holder, place)
        if not is_whole and declared is not None:
            base = _with(declared, strings=texts, place=place, is_whole=False)
        elif not is_whole:
            base = _with(base, form="other", type="")
        option = self._described(body, given, base, is_field=False)
        if not option.has_default and declared is not None and declared.has_default and is_whole:
            option = _with(option, default=declared.default, has_default=option.form not in ("flag", "switch"))
        yield option

    def _described(self, body: Body, given: dict[str, int], option: Option, *, is_field: bool) -> Option:
        """Apply the keywords that describe an option."""
        exprs = body.scope.exprs
        action = self._constant(body, given.get("action"))
        if action and action[0] in _FLAGS:
            constant = _FLAGS[str(action[0])]
            option = _with(option, form="flag", constant=constant, default=not constant, has_default=True)
        elif action and action[0] in _HELD_BY_NONE:
            option = _with(option, form="flag", attribute="", has_default=False)
        elif action and action[0] != "store":
            option = _with(option, form="other")
        elif "action" in given and not action:
            option = self._acted(body, given["action"], option)
        read_by = given.get("type", given.get("type_parser", -1))
        if read_by >= 0:
            name = _last_name(exprs[read_by])
            option = _with(option, type=name if name in _TYPES else "")
        nargs = self._constant(body, given.get("nargs"))
        if "nargs" in given:
            option = _with(option, form="optional" if nargs == ("?",) else "list")
        default = self._constant(body, given.get("default"))
        if "default" in given:
            option = _with(option, default=default[0] if default else None, has_default=default is not None)
        choices = self._texts(body, given.get("choices")) if self._with_choices else None
        required = self._constant(body, given.get("required")) == (True,)
        return _with(option, choices=choices if choices is not None else option.choices, required=required)

    def _acted(self, body: Body, action: int, option: Option) -> Option:
        """Read an action that is a class: one that takes no value and has a constant by its `__init__` is a flag."""
        if _last_name(body.scope.exprs[action]) == "BooleanOptionalAction":
            return _with(option, form="switch", type="bool")
        for value in self._folding.values(body, action):
            init = (
                self._bodies.body(f"{self._bodies.tree.scopes[value[1]].name}.__init__") if value[0] == CLASS else None
            )
            if init is None:
                continue
            outer = self._bodies.of(self._bodies.tree.scopes[init.info.outer])
            defaults = {p.id: self._constant(outer, p.default) for p in init.info.params if p.default >= 0}
            constant = defaults.get("const")
            if defaults.get("nargs") == (0,) and constant and isinstance(constant[0], bool):
                return _with(option, form="flag", constant=constant[0], default=not constant[0], has_default=True)
        return _with(option, form="other", type="")

    # --- values ----------------------------------------------------------------------------------------------------------

    def _constant(self, body: Body, index: int | None) -> tuple[Scalar] | None:
        if index is None:
            return None
        is_attribute = isinstance(body.scope.exprs[index], ir.Attr)
        known = self._field(body, index) if is_attribute else None
        known = known or self._folding.value(body, index, NOTHING_KNOWN)
        return (known.value,) if known is not None and not isinstance(known.value, Member) else None

    def _default(self, body: Body, index: int) -> tuple[Scalar] | None:
        """Return what a field is by default; what a factory makes is not known."""
        return self._constant(body, index)

    def _field(self, body: Body, index: int) -> Known | None:
        """Return what `Class.field` is: the default in the class body, stored in objects or not."""
        expr = body.scope.exprs[index]
        if not isinstance(expr, ir.Attr):
            return None
        for value in self._folding.values(body, expr.value):
            if value[0] == CLASS:
                found = self._bodies.classes.find(value[1], expr.id)
                owner = self._bodies.of(self._bodies.tree.scopes[found.owner]) if found is not None else None
                for bound in owner.scope.exprs if owner is not None else ():
                    if isinstance(bound, ir.Bind) and bound.id == expr.id and bound.value >= 0 and owner is not None:
                        return self._folding.value(owner, bound.value, NOTHING_KNOWN) or self._field(owner, bound.value)
        return None

    def _texts(self, body: Body, index: int | None) -> tuple[Scalar, ...] | None:
        """Return the constants of a list, or of a module's list that no function adds to; none where one is not known."""
        if index is None:
            return None
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Sequence):
            found = [self._constant(body, item) for item in expr.items]
            return tuple(item[0] for item in found if item) if all(found) else None
        if isinstance(expr, ir.Name):
            for sid, name in self._bodies.meaning(body.info, expr.id).cells:
                return self._texts_of(self._bodies.of(self._bodies.tree.scopes[sid]), name)
        return None

    def _texts_of(self, owner: Body, name: str) -> tuple[Scalar, ...] | None:
        binds = [e for e in owner.scope.exprs if isinstance(e, ir.Bind) and e.id == name]
        if len(binds) != 1 or binds[0].value < 0 or self._grows(owner.info, name):
            return None
        return self._texts(owner, binds[0].value)

    def _grows(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a scope of the module adds to a list."""
        for scope in info.module.scopes:
            exprs = self._bodies.of(scope).scope.exprs
            for expr in exprs:
                base = exprs[expr.value] if isinstance(expr, ir.Attr) else None
                if isinstance(base, ir.Name) and base.id == name:
                    return True
        return False


def _is_adding(body: Body, call: ir.Call) -> bool:
    func = body.scope.exprs[call.func]
    return isinstance(func, ir.Attr) and func.id == "add_argument"


def _dest(strings: Iterable[str]) -> str:
    """Return the attribute of the parsed arguments that argparse makes of option strings."""
    first = next((s for s in strings if s.startswith("--")), None) or next(iter(strings))
    return first.lstrip("-").replace("-", "_")


def _last_name(expr: ir.Expr) -> str:
    return expr.id if isinstance(expr, (ir.Name, ir.Attr)) else ""


def _type_of(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return the simple type that an annotation names, `None` beside it left out; "" for any other."""
    found = {name for name in _simple(term_of(exprs, index)) if name != "None"}
    if not found and _is_literal(term_of(exprs, index)):
        return "str"
    return found.pop() if len(found) == 1 and found <= _TYPES else ""


def _is_literal(term: Term) -> bool:
    return isinstance(term, tuple) and (
        term[0].rpartition(".")[2] == "Literal" or any(_is_literal(inner) for inner in term[1])
    )


def _simple(term: Term) -> Iterator[str]:
    if isinstance(term, str):
        if term:
            yield term.rpartition(".")[2]
        return
    head, arguments = term
    if head.rpartition(".")[2] in _OPTIONAL:
        for argument in arguments:
            yield from _simple(argument)
    elif head.rpartition(".")[2] != "Literal":
        yield head.rpartition(".")[2]


def _form_of(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return how an option of an annotated type is given: `switch` for truth values, `list`, else `value`."""
    found = {name for name in _simple(term_of(exprs, index)) if name != "None"}
    if found == {"bool"}:
        return "switch"
    return "list" if found and found <= _LISTS else "value"


def _with(option: Option, **changes: object) -> Option:
    return replace(option, **changes)  # type: ignore[arg-type]
