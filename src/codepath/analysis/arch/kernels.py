"""What a branch runs that an architecture lacks: in itself, in what it calls or hands on, in what a word selects."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.arch.machine import Machine
from codepath.analysis.arch.members import attribute
from codepath.analysis.arch.reads import WORD, part
from codepath.analysis.arch.shapes import Chain, ranges
from codepath.analysis.arch.spread import Spread
from codepath.analysis.arch.values import Cls, Func, Instance, Val, alternatives
from codepath.analysis.meanings import is_self
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.regions import every_region, inner_bodies
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

_MAX_DEPTH = 0  # calls between what a branch names and the kernel
_MAX_FILES = 40  # that hold a word which selects something
_WORD = 3  # letters of a word that can select something


class Kernels:
    """Looks for kernels that an architecture lacks. A column is the index of a machine of the spread."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread
        self._found: dict[tuple[ScopeId, int, int], str] = {}
        self._selected: dict[str, tuple[ScopeId, ...]] = {}

    def lacking(self, body: Body, chain: Chain, number: int, column: int, *, certain: bool) -> str:
        """Return what an arm of a chain runs that the architecture of a column lacks, "" where nothing is known.

        What a word selects counts only where the arm is certainly taken.
        """
        machine = self._spread.machines[column]
        arm = chain.arms[number]
        notes = machine.record.notes.get(body.info.sid)
        if notes is not None:
            for at, name in sorted(notes.kernels.items()):
                if arm.first <= ir.line_of(at) <= arm.last:
                    return self._said(name)
        follows = arm.test < 0 and any(other is not arm and not other.body for other in chain.arms)
        for start, stop in ranges(arm.body) if not follows else ():
            for sid in self._handed(machine, body, start, stop):
                name = self._inside(machine, sid, column, 0)
                if name:
                    return self._said(name)
        for word in self._words(body, chain, number) if certain else ():
            said = self._behind(word, column)
            if said:
                return said
        return ""

    def _said(self, name: str) -> str:
        known = self._spread.world.kernels[name]
        said = f"runs `{name}`, built for {', '.join(known.supports)}"
        return f"{said}: {known.why}" if known.why else said

    def _inside(self, machine: Machine, sid: ScopeId, column: int, depth: int) -> str:
        """Return a kernel that a function runs and an architecture lacks."""
        key = (sid, column, depth)
        info = self._spread.world.info(sid)
        if key in self._found:
            return self._found[key]
        self._found[key] = ""
        if info.form != "function" or info.is_generator:
            return ""
        machine.run_scope(sid)
        notes = machine.record.notes.get(sid)
        if notes is None:
            return ""
        found = next((name for _, name in sorted(notes.kernels.items())), "")
        if not found and depth < _MAX_DEPTH:
            body = self._spread.world.body(sid)
            for start, stop in ranges(body.scope.body):
                for inner in self._handed(machine, body, start, stop):
                    found = found or self._inside(machine, inner, column, depth + 1)
        self._found[key] = found
        return found

    def _handed(self, machine: Machine, body: Body, start: int, stop: int) -> Iterator[ScopeId]:
        """Yield the functions of the tree that expressions name: called, or handed on."""
        for found in self._named(machine, body, start, stop):
            if isinstance(found, Func):
                yield found.sid

    def _named(self, machine: Machine, body: Body, start: int, stop: int) -> Iterator[object]:
        frame = machine.bare(body)
        for index in range(start, stop):
            expr = body.scope.exprs[index]
            if isinstance(expr, ir.Name) and not body.scope.uses[expr.use]:
                for one in alternatives(machine.eval(frame, index)):
                    yield one.data
            elif isinstance(expr, ir.ImportFrom):
                yield machine.eval(frame, index).data
            elif isinstance(expr, ir.Attr) and is_self(body, body.scope.exprs[expr.value]):
                around = self._spread.world.info(body.info.outer)
                yield attribute(machine, Val(Instance(around.sid, is_open=True)), expr.id).data

    # --- words that select an implementation ---------------------------------------------------------------------------

    def _words(self, body: Body, chain: Chain, number: int) -> list[str]:
        """Return the words that an arm stores, or that the conditions around a refusal ask for."""
        exprs = body.scope.exprs
        arm = chain.arms[number]
        found: list[str] = []
        if arm.test >= 0:
            for region in every_region(arm.body):
                if isinstance(region, ir.Do):
                    for expr in exprs[region.start : region.stop]:
                        if isinstance(expr, (ir.Bind, ir.StoreAttr)) and expr.value >= 0:
                            found.extend(_texts(exprs, expr.value, expr.how))
        elif any(
            other is not arm and isinstance(other.body[-1] if other.body else None, ir.Raise) for other in chain.arms
        ):
            around = _around(body.scope.body, chain.at)
            for test in around[-1:]:
                found.extend(_compared(exprs, test))
        return [w for w in dict.fromkeys(found) if len(w) >= _WORD and w.isidentifier()]

    def _behind(self, word: str, column: int) -> str:
        """Return what the implementation that a word selects lacks on an architecture."""
        with self._spread.world.reads.within(part(WORD, word)):
            return self._chosen(word, column)

    def _chosen(self, word: str, column: int) -> str:
        machine = self._spread.machines[column]
        for sid in self._selects(word):
            info = self._spread.world.info(sid)
            if info.form == "function":
                runs = [m.run_scope(sid) for m in self._spread.machines]
                mine = runs[column]
                if mine is not None and not mine.ends and any(r is not None and r.ends for r in runs):
                    return f"selects `{word}`, whose {info.id} raises"
            for method in self._parts(machine, info):
                name = self._inside(machine, method, column, _MAX_DEPTH)
                if name:
                    return f"selects `{word}`, which {self._said(name)}"
        return ""

    def _parts(self, machine: Machine, info: ScopeInfo) -> Iterator[ScopeId]:
        """Yield a function, or the methods of a class, and the methods of classes that a function gives."""
        if info.form == "class":
            yield from (m.sid for m in self._spread.world.methods(info.sid))
            return
        yield info.sid
        body = self._spread.world.bodies.of(info)
        for found in self._named(machine, body, 0, len(body.scope.exprs)):
            if isinstance(found, Cls) and info.form == "function":
                yield from (m.sid for m in self._spread.world.methods(found.sid))

    def _selects(self, word: str) -> tuple[ScopeId, ...]:
        """Return the functions and classes that are registered under a word: by a decorator, or as the key of a dict."""
        known = self._selected.get(word)
        if known is None:
            found: dict[ScopeId, None] = {}
            holding = list(self._spread.holding([word]))
            for module in holding if len(holding) <= _MAX_FILES else ():
                sid = self._spread.world.module_sid(module)
                if sid is not None:
                    for scope in self._spread.world.info(sid).module.scopes:
                        if scope.form == "module":
                            found.update(dict.fromkeys(self._registered(scope, word)))
                        elif scope.form == "function":
                            found.update(dict.fromkeys(self._dispatched(scope, word)))
            known = self._selected[word] = tuple(found)
        return known

    def _registered(self, info: ScopeInfo, word: str) -> Iterator[ScopeId]:
        exprs = self._spread.world.bodies.of(info).scope.exprs
        for expr in exprs:
            if isinstance(expr, (ir.Function, ir.Class)):
                for decorator in expr.decorators:
                    call = exprs[decorator]
                    if isinstance(call, ir.Call) and any(_is_word(exprs, a.value, word) for a in call.args[:1]):
                        yield info.module.scopes[expr.scope].sid

    def _dispatched(self, info: ScopeInfo, word: str) -> Iterator[ScopeId]:
        """Yield what a function calls in a branch that compares something with a word."""
        body = self._spread.world.bodies.of(info)
        if not any(isinstance(e, ir.Const) and e.value == word for e in body.scope.exprs):
            return
        machine = self._spread.machines[0]
        for region in every_region(body.scope.body):
            if isinstance(region, ir.If) and word in _compared(body.scope.exprs, region.test):
                for start, stop in ranges(region.body):
                    yield from self._handed(machine, body, start, stop)


def _is_word(exprs: tuple[ir.Expr, ...], index: int, word: str) -> bool:
    expr = exprs[index]
    return isinstance(expr, ir.Const) and expr.value == word


def _texts(exprs: tuple[ir.Expr, ...], index: int, how: tuple[int, ...]) -> Iterator[str]:
    """Yield the constant text that is stored, taken from a display where it is unpacked."""
    expr = exprs[index]
    if isinstance(expr, ir.Const) and isinstance(expr.value, str) and not how:
        yield expr.value
    elif isinstance(expr, ir.Sequence) and len(how) == 1 and 0 <= how[0] < len(expr.items):
        yield from _texts(exprs, expr.items[how[0]], ())


def _around(body: tuple[ir.Region, ...], at: int) -> list[int]:
    """Return the tests of the `if`s around a place, outermost first."""
    for region in body:
        for number, inside in enumerate(inner_bodies(region)):
            if any(inner.at == at for inner in every_region(inside)):
                own = [region.test] if isinstance(region, ir.If) and number == 0 else []
                return [*own, *_around(inside, at)]
    return []


def _compared(exprs: tuple[ir.Expr, ...], index: int) -> Iterator[str]:
    """Yield the words that a condition asks for by `==`."""
    from codepath.analysis.arch.shapes import atoms

    for atom in atoms(exprs, index):
        expr = exprs[atom]
        if isinstance(expr, ir.Compare) and expr.ops == ("==",):
            right = exprs[expr.rights[0]]
            if isinstance(right, ir.Const) and isinstance(right.value, str):
                yield right.value
