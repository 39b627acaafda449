"""Classes that declare an interface by deriving from it, and those that are built like them and do not.

Like them: they make and hold an object of a class below the same mixin or base, as nearly all do that declare it.

Approximates: under (what a constructor makes is known only where it calls the class itself).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.probes import said
from codepath.analysis.detect.wrappers import Wrappers
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

_KIND = "missing-protocol"
_FEWEST = 3
_SHARE = 0.5
_NEARLY_ALL = 0.8
_MOST_FILES = 200


class Likeness(NamedTuple):
    """What classes have in common: all hold an object below `base`; `have` of them declare the interface, `lack` do not."""

    base: ScopeInfo
    have: tuple[ScopeInfo, ...]
    lack: tuple[ScopeInfo, ...]

    @property
    def share(self) -> float:
        """The share that declares it."""
        return len(self.have) / (len(self.have) + len(self.lack))


class Test(NamedTuple):
    """An `isinstance` of an interface; `text` is what is tested."""

    place: Place
    text: str


class Declared:
    """Asks who declares an interface."""

    def __init__(self, evidence: Evidence) -> None:
        self._families = evidence.families
        self._tree = evidence.families.tree
        self._wrappers = Wrappers(evidence.families)
        self._holders: dict[int, list[ScopeInfo]] = {}

    def declaring(self, info: ScopeInfo) -> list[ScopeInfo]:
        """Return the classes below an interface by file and place, interfaces left out."""
        return [one for one in self._tree.with_below([info]) if one is not info and not is_interface(one)]

    def likenesses(self, info: ScopeInfo) -> list[Likeness]:
        """Return what most classes that declare an interface have in common, that with the largest share first."""
        having = self.declaring(info)
        counts: dict[ScopeId, int] = {}
        for one in having:
            for sid in {
                s
                for held in self._wrappers.held(one)
                if held.is_made
                for s in self._families.classes.mro(held.info.sid)
            }:
                counts[sid] = counts.get(sid, 0) + 1
        found = []
        for sid, number in counts.items():
            base = self._tree.info(sid)
            if number < _FEWEST or not self._is_part(base):
                continue
            holders = self._holding(base)
            have = tuple(one for one in holders if info.sid in self._families.classes.mro(one.sid))
            lack = tuple(one for one in holders if info.sid not in self._families.classes.mro(one.sid))
            if len(have) >= _FEWEST and len(have) > _SHARE * len(holders):
                found.append(Likeness(base, have, lack))
        return sorted(found, key=lambda like: (-like.share, like.base.name))

    def _is_part(self, base: ScopeInfo) -> bool:
        """Tell whether a class is made to be derived from: others are below it."""
        self._tree.load_below(base.id)
        return len(self._families.classes.below(base.sid)) >= _FEWEST

    def _holding(self, base: ScopeInfo) -> list[ScopeInfo]:
        """Return the classes whose constructors make an object below a class and keep it, by file and place."""
        if base.sid not in self._holders:
            self._holders[base.sid] = sorted(self._find(base), key=lambda i: (i.module.path, i.at))
        return self._holders[base.sid]

    def _find(self, base: ScopeInfo) -> Iterator[ScopeInfo]:
        below = {base.sid, *self._families.classes.below(base.sid)}
        names = {self._tree.info(sid).id for sid in below}
        paths = {path for name in names for path in self._tree.words.holding(name)}
        for path in sorted(paths) if len(paths) <= _MOST_FILES else ():
            module = self._tree.module_at(path)
            for info in module.scopes if module is not None else ():
                if info.form == "class" and any(h.is_made and h.info.sid in below for h in self._wrappers.held(info)):
                    yield info

    # --- tests -------------------------------------------------------------------------------------------------------

    def tests(self, info: ScopeInfo) -> list[Test]:
        """Return where `isinstance` or `issubclass` asks for an interface, by file and place."""
        found = []
        for path in self._tree.words.holding(info.id):
            module = self._tree.module_at(path)
            for scope in self._tree.bodies.holding(module.name, info.id) if module is not None else ():
                found += list(self._tests(self._tree.bodies.of(scope), info))
        return found

    def _tests(self, body: Body, info: ScopeInfo) -> Iterator[Test]:
        exprs = body.scope.exprs
        for expr in exprs:
            if isinstance(expr, ir.Call) and len(expr.args) == 2 and body.guards.covers(expr.func):
                func, asked = exprs[expr.func], exprs[expr.args[1].value]
                names = [exprs[i] for i in asked.items] if isinstance(asked, ir.Sequence) else [asked]
                is_test = isinstance(func, ir.Name) and func.id in ("isinstance", "issubclass")
                if is_test and any(isinstance(n, (ir.Name, ir.Attr)) and n.id == info.id for n in names):
                    yield Test(self._tree.place(body.info, expr.at), said(exprs, expr.args[0].value))

    # --- the whole tree ----------------------------------------------------------------------------------------------

    def everywhere(self) -> Iterator[Detected]:
        """Yield the classes that are built like those that declare an interface, and do not, though it is tested for."""
        for info in [one for one in self._tree.classes() if is_interface(one)]:
            if len(self.declaring(info)) < _FEWEST:
                continue
            best = next(iter(self.likenesses(info)), None)
            tests = self.tests(info) if best is not None and best.lack and best.share >= _NEARLY_ALL else []
            if best is not None and tests:
                yield from (self._detected(info, best, one, tests) for one in best.lack)

    def _detected(self, info: ScopeInfo, like: Likeness, one: ScopeInfo, tests: list[Test]) -> Detected:
        total = len(like.have) + len(like.lack)
        return Detected(
            kind=_KIND,
            form="undeclared",
            owner=one.name,
            name=info.id,
            message=f"{one.id} does not derive from {info.id}, as {len(like.have)} of the {total} classes do that hold a "
            f"{like.base.id}",
            place=self._tree.place(one, one.at),
            precision="medium",
            surprise=round(like.share, 2),
            notes=(
                *(Note(t.place, f"asks for {info.id}") for t in tests[:2]),
                Note(self._tree.place(like.base, like.base.at), f"{like.base.id} is part of these classes"),
            ),
            base=info.name,
        )


def is_interface(info: ScopeInfo) -> bool:
    """Tell whether a class is a protocol."""
    return any(
        str(term[0] if isinstance(term, tuple) else term).rpartition(".")[2] == "Protocol" for _, term in info.bases
    )
