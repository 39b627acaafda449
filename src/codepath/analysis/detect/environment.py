"""The environment variables of a tree: where each is declared, read, asked for and set, and through what.

Approximates: under (a variable whose name is made at run time is not seen).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from codepath.analysis.detect.accesses import WORDS, Access, accesses, text_of
from codepath.analysis.detect.accessors import Accessors, Declared, Holder, Table
from codepath.analysis.detect.conditions_of import compared, dotted, tested, written
from codepath.analysis.detect.families import Families
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, FUNCTION, MODULE

_NAME = re.compile(r"[A-Za-z_]\w*")
_SETTING = frozenset(["set", "override", "clear", "set_default", "setdefault", "unset"])
_ASKING = frozenset(["is_set", "is_default"])


@dataclass(frozen=True, slots=True)
class EnvUse:
    """What expression `expr` of a scope does with a variable.

    `how` is `declared`, `parsed` (by the function of a table), `read`, `asked`, `set`, `bare` (a descriptor itself, `through`
    then the text) or `unknown` (an attribute of a holder or table that declares none of that name). `is_tested` tells whether
    its truth decides, `is_compared` whether it is compared with something.
    """

    name: str
    how: str
    info: ScopeInfo
    at: int
    through: str
    default: str = ""
    expr: int = -1
    is_tested: bool = False
    is_compared: bool = False
    declared: Declared | None = None


class Environment:
    """Collects the uses of variables."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._tree = families.tree
        self.accessors = Accessors(families)

    def of(self, name: str) -> list[EnvUse]:
        """Return the uses of one variable, by place."""
        held = [(bound, d) for holder in self.accessors.holders for bound, d in holder.declared.items()]
        words = {name, *(bound for bound, declared in held if declared.name == name)}
        return [use for use in self._in_files(*sorted(words)) if use.name == name]

    def every(self) -> list[EnvUse]:
        """Return the uses of all variables, by place."""
        found = self.accessors
        cells = {name for holder in found.holders for _, name in holder.cells}
        helpers = {self._tree.info(sid).id for sid in found.helpers}
        holders = {holder.cls.id for holder in found.holders}
        modules = {table.module.name.rpartition(".")[2] for table in found.tables}
        return list(self._in_files(*WORDS, *sorted(cells | helpers | holders | modules)))

    def _in_files(self, *words: str) -> Iterator[EnvUse]:
        for module in self.accessors.modules_with(*words):
            for info in self._tree.asked(module) if self._tree.is_asked(module.path) else ():
                yield from self._in_scope(self._tree.bodies.of(info))

    @cached_property
    def _declared(self) -> dict[int, list[Declared]]:
        found: dict[int, list[Declared]] = {}
        every = [one.declared for one in self.accessors.holders] + [one.declared for one in self.accessors.tables]
        for declared in (d for one in every for d in one.values()):
            found.setdefault(declared.info.sid, []).append(declared)
        return found

    def _in_scope(self, body: Body) -> Iterator[EnvUse]:
        for declared in self._declared.get(body.info.sid, ()):
            yield EnvUse(declared.name, "declared", body.info, declared.at, "", declared.default, declared=declared)
        exprs = body.scope.exprs
        for access in accesses(body.scope):
            name = text_of(exprs, access.key)
            if _NAME.fullmatch(name):
                yield self._plain(body, access, name)
        for index, expr in enumerate(exprs):
            if isinstance(expr, ir.Call) and isinstance(exprs[expr.func], ir.Name):
                yield from self._through_helper(body, index, expr)
            elif isinstance(expr, ir.Attr) and isinstance(exprs[expr.value], ir.Name):
                yield from self._through_object(body, index, expr)

    def _is_table(self, info: ScopeInfo) -> bool:
        """Tell whether a scope is a function of a table: what it reads is what the table declares."""
        return info.form == "lambda" and any(t.module.scopes[0].sid == info.outer for t in self.accessors.tables)

    def _plain(self, body: Body, access: Access, name: str) -> EnvUse:
        exprs = body.scope.exprs
        at, default = exprs[access.expr].at, written(exprs, access.default)
        is_tested = access.how == "read" and access.expr in tested(body.scope)
        how = "parsed" if access.how == "read" and self._is_table(body.info) else access.how
        return EnvUse(name, how, body.info, at, access.through, default, access.expr, is_tested)

    def _through_helper(self, body: Body, index: int, call: ir.Call) -> Iterator[EnvUse]:
        exprs = body.scope.exprs
        name = next((text_of(exprs, a.value) for a in call.args if text_of(exprs, a.value)), "")
        func = exprs[call.func]
        if not isinstance(func, ir.Name) or not _NAME.fullmatch(name):
            return
        found = [v[1] for v in self._tree.bodies.visible(body.info, func.id).values if v[0] == FUNCTION]
        if len(found) != 1 or found[0] not in self.accessors.helpers:
            return
        params = [p.id for p in self._tree.info(found[0]).params]
        key, default = self.accessors.helpers[found[0]]
        if text_of(exprs, _argument(call, key, params)) == name:
            default = default if default >= 0 else params.index("default") if "default" in params else -1
            given = written(exprs, _argument(call, default, params)) if default >= 0 else ""
            yield EnvUse(name, "read", body.info, call.at, func.id, given, index)

    # --- holders and tables ------------------------------------------------------------------------------------------

    def _through_object(self, body: Body, index: int, expr: ir.Attr) -> Iterator[EnvUse]:
        exprs = body.scope.exprs
        owner = exprs[expr.value]
        if not isinstance(owner, ir.Name) or not expr.id.isupper() or owner.id not in self._objects:
            return
        meaning = self._tree.bodies.visible(body.info, owner.id)
        for holder in self.accessors.holders:
            if holder.cells.intersection(meaning.cells) or (CLASS, holder.cls.sid) in meaning.values:
                yield self._of_holder(body, index, expr, holder)
        for table in self.accessors.tables:
            if (MODULE, table.module.name) in meaning.values and body.info.module is not table.module:
                yield self._of_table(body, index, expr, table)

    @cached_property
    def _objects(self) -> frozenset[str]:
        """The names under which holders and tables may be known; where one is imported as another name, that is unknown."""
        found = self.accessors
        cells = {name for holder in found.holders for _, name in holder.cells}
        classes = {holder.cls.id for holder in found.holders}
        return frozenset(cells | classes | {table.module.name.rpartition(".")[2] for table in found.tables})

    def _of_holder(self, body: Body, index: int, expr: ir.Attr, holder: Holder) -> EnvUse:
        exprs = body.scope.exprs
        declared = holder.declared.get(expr.id)
        said = dotted(exprs, index)
        if declared is None:
            is_there = self._families.provides(holder.cls, expr.id) or self._families.is_open(holder.cls)
            return EnvUse(expr.id, "read" if is_there else "unknown", body.info, expr.at, said, expr=index)
        above, call = _around(exprs, index)
        if above < 0:
            decides, sides = tested(body.scope), compared(body.scope)
            return EnvUse(
                declared.name, "bare", body.info, expr.at, said, "", index, index in decides, index in sides, declared
            )
        method = exprs[above]
        name = method.id if isinstance(method, ir.Attr) else ""
        how = "set" if name in _SETTING else "asked" if name in _ASKING else "read"
        is_tested = not call and above in tested(body.scope)
        through = f"{said}.{name}"
        return EnvUse(declared.name, how, body.info, expr.at, through, "", above, is_tested, False, declared)

    def _of_table(self, body: Body, index: int, expr: ir.Attr, table: Table) -> EnvUse:
        said = dotted(body.scope.exprs, index)
        is_there = expr.id in table.declared or expr.id in table.module.scopes[0].names
        how = "read" if is_there else "unknown"
        return EnvUse(expr.id, how, body.info, expr.at, said, "", index, declared=table.declared.get(expr.id))


def _argument(call: ir.Call, position: int, params: list[str]) -> int:
    """Return what a call gives for a parameter, -1 where that is not seen."""
    if any(a.star for a in call.args):
        return -1
    named = next((a.value for a in call.args if a.name == params[position]), None)
    if named is not None:
        return named
    plain = [a.value for a in call.args if a.name is None]
    return plain[position] if position < len(plain) else -1


def _around(exprs: tuple[ir.Expr, ...], index: int) -> tuple[int, bool]:
    """Return the attribute that is taken of an expression, -1 for none, and whether it is called."""
    above = next((i for i, e in enumerate(exprs) if isinstance(e, ir.Attr) and e.value == index), -1)
    return above, any(isinstance(e, ir.Call) and e.func == above for e in exprs) if above >= 0 else False
