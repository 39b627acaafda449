"""`shared-write`: state that the whole process shares is written again by a second instance of a class.

A class of which the tree makes instances of two roles: a flag of its constructor that some code passes as true. What its
methods write to a global, or to an attribute of what a global holds, under no condition that keeps out the instances with the
flag, every instance writes.

Approximates: over (both instances may live in different processes, or write the same); under (roles without a flag, writes
through an alias).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.families import Family
from codepath.analysis.detect.formulas import Formula, atoms, implies, negation, of_guards
from codepath.analysis.detect.tables import Method, Site
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.bodies import Body
from codepath.program.regions import every_region
from codepath.program.subtrees import first_of
from codepath.program.tree import ScopeInfo
from codepath.program.values import FUNCTION

KIND = "shared-write"
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEPTH = 3
_MOST = 6


@dataclass(frozen=True)
class Write:
    """A store into shared state.

    Args:
        holder: The global, or the function that returns it, as written.
        name: The attribute that is stored, the global itself for a global.
        method: The method that runs it.
        site: Where.
        flag: The flag that tells the instances apart.
        asks: Whether a condition around it keeps out the instances with the flag, or asks whether it was written before.
        is_constant: Whether it stores a constant, or counts.
    """

    holder: str
    name: str
    method: Method
    site: Site
    flag: str
    asks: bool
    is_constant: bool


class Shared:
    """Finds writes that a second instance repeats."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._families = evidence.families
        self._runs = evidence.runs
        self._passed: dict[str, list[Site]] = {}

    def everywhere(self) -> Iterator[Detected]:
        """Yield such writes in the whole tree, each at the first class that makes it."""
        seen: set[Place] = set()
        for info in sorted(self._families.tree.classes(), key=lambda i: len(self._families.classes.mro(i.sid))):
            for found in self.of(info):
                if found.place not in seen:
                    seen.add(found.place)
                    yield found

    def of(self, info: ScopeInfo) -> Iterator[Detected]:
        """Yield the writes of one class that each of its instances repeats."""
        writes = list(self.writes(info))
        for write in writes:
            if not write.asks and not write.is_constant:
                yield self._detected(info, write, [w for w in writes if w.asks])

    def writes(self, info: ScopeInfo) -> Iterator[Write]:
        """Yield the writes to shared state by a class with instances of two roles."""
        flag = self.flag(info)
        if not flag:
            return
        family = self._families.of(info)
        for _, method in family.live:
            body = self._families.tree.bodies.of(method.info)
            for index, holder, name, value in self._stores(body):
                site = Site(method.info.sid, index, body.scope.exprs[index].at)
                asks = self._asks(family, method, site, flag)
                yield Write(holder, name, method, site, flag, asks, _is_constant(body.scope, value))

    def flag(self, info: ScopeInfo) -> str:
        """Return the flag of a constructor that tells instances apart: some code passes it as true; "" where there is none."""
        found = self._families.method(info, "__init__")
        if found is None:
            return ""
        body = self._families.tree.bodies.of(found[1].info)
        for param in body.scope.params[1:]:
            default = body.around.exprs[param.default] if param.default >= 0 and body.around is not None else None
            if isinstance(default, ir.Const) and default.value is False and self.passing(param.id):
                return param.id
        return ""

    def passing(self, flag: str) -> list[Site]:
        """Return the calls that pass a flag of that name as true, by its name."""
        if flag not in self._passed:
            self._passed[flag] = list(self._calls(flag))
        return self._passed[flag]

    def _calls(self, flag: str) -> Iterator[Site]:
        tree = self._families.tree
        given = re.compile(rb"\b" + re.escape(flag).encode() + rb"\s*=\s*True\b")
        for path in tree.words.holding(flag):
            module = tree.module_at(path) if given.search(tree.read(path)) else None
            for info in tree.bodies.holding(module.name, flag) if module is not None else ():
                exprs = tree.bodies.of(info).scope.exprs
                for index, expr in enumerate(exprs):
                    if isinstance(expr, ir.Call) and any(
                        a.name == flag and _is_true(exprs[a.value]) for a in expr.args
                    ):
                        yield Site(info.sid, index, expr.at)

    # --- stores ------------------------------------------------------------------------------------------------------

    def _stores(self, body: Body) -> Iterator[tuple[int, str, str, int]]:
        """Yield the stores into shared state in a body: expression, holder, name and value."""
        exprs = body.scope.exprs
        for index, expr in enumerate(exprs):
            if isinstance(expr, ir.Bind) and expr.id in body.scope.globals:
                yield index, "", expr.id, expr.value
            elif isinstance(expr, ir.StoreAttr):
                holder = self._holder(body, expr.object)
                if holder:
                    yield index, holder, expr.id, expr.value
            elif isinstance(expr, ir.StoreItem):
                key = _name_of(body.scope, index)
                holder = self._holder(body, expr.object) if key else ""
                if holder:
                    yield index, holder, key, expr.value

    def _holder(self, body: Body, index: int) -> str:
        """Return the global whose value an expression is, or the function that gives it; "" for anything else."""
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Call) and not expr.args:
            func = body.scope.exprs[expr.func]
            if isinstance(func, ir.Name) and not body.scope.uses[func.use] and self._gives_global(body.info, func.id):
                return f"{func.id}()"
            if isinstance(func, ir.Name) and self._imported(body, func) and self._gives_global(body.info, func.id):
                return f"{func.id}()"
        if isinstance(expr, ir.Name):
            uses = body.scope.uses[expr.use]
            if not uses and body.scope.params and expr.id not in ("self", "cls"):
                return expr.id if self._is_global(body.info, expr.id) else ""
            if len(uses) == 1 and uses[0] >= 0:
                bind = body.scope.definitions[uses[0]].bind
                stored = body.scope.exprs[bind] if bind >= 0 else None
                if isinstance(stored, ir.Bind) and stored.value >= 0 and not stored.how:
                    value = body.scope.exprs[stored.value]
                    return self._holder(body, stored.value) if isinstance(value, ir.Call) else ""
        return ""

    def _imported(self, body: Body, name: ir.Name) -> bool:
        uses = [u for u in body.scope.uses[name.use] if u >= 0]
        return bool(uses) and all(body.scope.definitions[u].form == "import" for u in uses)

    def _gives_global(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a name means a function that returns a global of its module."""
        tree = self._families.tree.bodies
        values = tree.meaning(info, name).values
        functions = [tree.tree.scopes[sid] for kind, sid in values if kind == FUNCTION and isinstance(sid, int)]
        return any(_returns_global(tree.of(one)) for one in functions)

    def _is_global(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a name is a variable of a module of the tree: neither a function, a class nor a module."""
        meaning = self._families.tree.bodies.meaning(info, name)
        return bool(meaning.cells) and not meaning.values

    # --- who asks for the flag ---------------------------------------------------------------------------------------

    def _asks(self, family: Family, method: Method, site: Site, flag: str, depth: int = 0) -> bool:
        """Tell whether a condition around a site, or around each call of its method on the same object, asks for a flag."""
        body = self._families.tree.bodies.of(self._families.tree.info(site.sid))
        literals = body.guards.of(site.expr)
        if not depth and any(_name_of(body.scope, site.expr) in _WORD.findall(one.text) for one in literals):
            return True
        when = of_guards(body.scope, literals)
        told = [name for name in atoms(when) if name.rpartition(".")[2] == flag]
        if any(implies(when, negation(Formula("", name))) for name in told):
            return True
        if depth >= _DEPTH or (self._runs.is_way_in(family, method) and not method.info.id.startswith("_")):
            return False
        calling = [
            (m, asked.site)
            for owner, m in family.live
            for asked in m.asked
            if asked.method == method.info.id
            and (found := self._families.called(family.cls, owner, asked)) is not None
            and found[1] is method
        ]
        return bool(calling) and all(self._asks(family, m, one, flag, depth + 1) for m, one in calling)

    def _stored(self, site: Site) -> ir.Expr:
        return self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope.exprs[site.expr]

    def _detected(self, info: ScopeInfo, write: Write, asking: list[Write]) -> Detected:
        is_item = isinstance(self._stored(write.site), ir.StoreItem)
        target = f'{write.holder}["{write.name}"]' if is_item else f"{write.holder}.{write.name}".removeprefix(".")
        notes = [Note(self._evidence.place(site), f"passes {write.flag}=True") for site in self.passing(write.flag)[:2]]
        notes += [
            Note(self._evidence.place(w.site), f"asks for {write.flag} before it writes {w.name}") for w in asking[:2]
        ]
        message = (
            f"every {info.id} writes `{target}`, which the whole process shares, in `{write.method.info.id}`: "
            f"one that is made with `{write.flag}` overwrites what the other one wrote"
        )
        return Detected(
            kind=KIND,
            form="item" if is_item else "attribute" if write.holder else "global",
            owner=info.name,
            name=write.name,
            message=message,
            place=self._evidence.place(write.site),
            precision="high" if write.holder else "medium",
            surprise=round((len(asking) + 1) / (len(asking) + 2), 2),
            notes=tuple(notes),
            method=write.method.info.id,
        )


def _returns_global(body: Body) -> bool:
    names = body.info.module.scopes[0].names
    returns = (r.value for r in every_region(body.scope.body) if isinstance(r, ir.Return) and r.value >= 0)
    found = (body.scope.exprs[value] for value in returns)
    return any(isinstance(e, ir.Name) and not body.scope.uses[e.use] and e.id in names for e in found)


def _name_of(scope: ir.Scope, index: int) -> str:
    """Return the name under which something is stored."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.StoreItem):
        key = scope.exprs[expr.index]
        return key.value if isinstance(key, ir.Const) and isinstance(key.value, str) and not key.form else ""
    return expr.id if isinstance(expr, (ir.Bind, ir.StoreAttr)) else ""


def _is_true(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is True


def _is_constant(scope: ir.Scope, value: int) -> bool:
    """Tell whether a value is made of constants and literals alone, or counts on from the one before."""
    if value < 0:
        return False
    whole = scope.exprs[value]
    if isinstance(whole, ir.Binary) and whole.op.endswith("="):
        return True
    inside = scope.exprs[first_of(scope.exprs, value) : value + 1]
    return all(isinstance(e, (ir.Const, ir.Sequence, ir.Dict, ir.Unary)) for e in inside)
