"""What differs between two versions of a file, in the words of `analysis.arch.reads`: what read it may not be as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codepath.analysis.arch.reads import BELOW, BOUND, KEPT_OUT, NAME, WORD, part
from codepath.model import ir
from codepath.program.changes.alike import Pair, compare
from codepath.program.changes.alike import Side as Version
from codepath.program.changes.units import Source, Unit

if TYPE_CHECKING:
    from codepath.program.bodies import Bodies
    from codepath.program.tree import ModuleInfo

_STORES = (ir.StoreAttr, ir.StoreItem, ir.Remove)


@dataclass(frozen=True)
class Side:
    """One version of a file in its tree; None for what is not there or does not parse."""

    bodies: Bodies
    module: ModuleInfo | None
    facts: ir.ModuleFacts | None


class Differing:
    """Collects what differs: `things`. `words` are those by which something registered was looked for."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = frozenset(words)
        self.things: set[str] = set()

    def add(self, old: Side, new: Side) -> None:
        """Take in the two versions of one file."""
        names = [_names(side.module) for side in (old, new)]
        self.things.update(part(NAME, n) for n in {*names[0], *names[1]} if names[0].get(n) != names[1].get(n))
        if old.facts is None or new.facts is None or old.module is None or new.module is None:
            self._whole(old)
            self._whole(new)
            return
        for pair in compare(Source.of(old.facts), Source.of(new.facts)):
            if pair.is_changed:
                self._pair(new.module.name, pair)
                for side, version in ((old, pair.old), (new, pair.new)):
                    if version is not None and pair.key[0] == "class":
                        self._bases(side, version.index)

    def _whole(self, side: Side) -> None:
        """Take in a file that is there in one tree alone."""
        for info in side.module.scopes if side.module is not None else ():
            self.things.update((info.name, part(KEPT_OUT, info.name)))
            self._constants(side.bodies.of(info).scope.exprs)
            if info.form == "class":
                self._bases(side, info.index)

    def _bases(self, side: Side, index: int) -> None:
        if side.module is not None:
            tree = side.bodies.tree
            order = side.bodies.classes.mro(side.module.scopes[index].sid)
            self.things.update(part(BELOW, tree.scopes[sid].name) for sid in order)

    def _pair(self, module: str, pair: Pair) -> None:
        form, dotted, _ = pair.key
        name = f"{module}.{dotted}" if dotted else module
        versions = [version for version in (pair.old, pair.new) if version is not None]
        if form != "module":
            self.things.add(name)
        if form == "function" and _stored(pair.old) != _stored(pair.new):
            self.things.add(name.rpartition(".")[0])
        for version in versions:
            if form == "function" and version.scope.globals:
                self.things.add(module)
            for unit in version.changed_units():
                self._constants(version.scope.exprs[unit.start : unit.stop])
                if form in ("module", "class"):
                    self.things.update(_bound(name, version.scope, unit))

    def _constants(self, exprs: Iterable[ir.Expr]) -> None:
        found = {e.value for e in exprs if isinstance(e, ir.Const) and isinstance(e.value, str)}
        self.things.update(part(WORD, word) for word in self._words & found)


def _bound(name: str, scope: ir.Scope, unit: Unit) -> Iterator[str]:
    """Yield what a statement of a module or class binds; the whole scope for one that does more."""
    exprs = scope.exprs[unit.start : unit.stop]
    bound = [expr.id for expr in exprs if isinstance(expr, ir.Bind)]
    if unit.form != "Do" or unit.path or not bound or any(isinstance(expr, _STORES) for expr in exprs):
        yield name
    for one in bound:
        yield from (part(BOUND, name, one), f"{name}.{one}")


def _stored(version: Version | None) -> frozenset[str]:
    exprs = version.scope.exprs if version is not None else ()
    return frozenset(expr.id for expr in exprs if isinstance(expr, ir.StoreAttr))


def _names(module: ModuleInfo | None) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """Return what the names of a module stand for."""
    if module is None:
        return {}
    return {
        name: tuple((o.form, o.module, o.name) for o in origins) for name, origins in module.scopes[0].names.items()
    }
