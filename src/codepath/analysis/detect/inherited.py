"""Methods that do nothing in a base, that what a wrapper holds replaces, and that the wrapper does not hand on.

Never more than `medium`: what the wrapper holds may not be asked for what the method does.

Approximates: over (what the wrapper holds may never be of a class that replaces the method).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.siblings import listed
from codepath.analysis.detect.tables import Method
from codepath.analysis.detect.wrappers import Wrapper
from codepath.model import ir
from codepath.model.answers import Place, Step
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.for_tests import is_test
from codepath.program.graph import CallGraph
from codepath.program.tree import ScopeInfo

_KIND = "missing-protocol"
_HANDED_ON = 0.5
_MOST_NOTES = 3
_RUNS_ANYWAY = ("for", "try", "except")


class Inherited:
    """Finds such methods of the wrappers of a tree."""

    def __init__(self, evidence: Evidence, graph: CallGraph, wrappers: Sequence[Wrapper]) -> None:
        self._families = evidence.families
        self._tree = evidence.families.tree
        self._graph = graph
        self._all = wrappers

    def everywhere(self) -> Iterator[Detected]:
        """Yield the methods that wrappers do not hand on, by wrapper."""
        wrapping = {wrapper.info.sid for wrapper in self._all}
        for wrapper in self._all:
            for base, method in self._idle(wrapper.info):
                inner = [cls for cls in wrapper.inner if self._replaces(cls, base, method)]
                inner = inner if any(cls.sid not in wrapping for cls in inner) else []
                steps = self._calls(method) if inner else []
                if steps:
                    yield self._detected(wrapper, base, method, inner, steps)

    def _idle(self, info: ScopeInfo) -> Iterator[tuple[ScopeInfo, Method]]:
        """Yield the methods that a class has from its bases alone and that do nothing, with the base."""
        order = self._families.classes.mro(info.sid)
        taken = set(info.names)
        for sid in order[1:]:
            base = self._tree.info(sid)
            for name, method in self._families.table(sid).methods.items():
                if name not in taken and not name.startswith("__") and method.form == "method":
                    scope = self._tree.bodies.of(method.info).scope
                    if not method.info.decorators and does_nothing(scope):
                        yield base, method
            taken.update(base.names)

    def _replaces(self, cls: ScopeInfo, base: ScopeInfo, method: Method) -> bool:
        """Tell whether a class below a base has a method of its own in place of one of the base, and that does something."""
        if base.sid not in self._families.classes.mro(cls.sid):
            return False
        found = self._families.method(cls, method.info.id)
        return (
            found is not None and found[1] is not method and not does_nothing(self._tree.bodies.of(found[1].info).scope)
        )

    def _calls(self, method: Method) -> list[Step]:
        """Return the calls of a method by functions that do not hand it on, those that run anyway first."""
        name = method.info.id
        steps = [s for s in self._graph.steps_into(method.info.name) if s.resolution != "by-name" and s.kind != "super"]
        kept = [s for s in steps if s.caller.rpartition(".")[2] != name and not is_test(s.file)]
        return sorted(kept, key=lambda s: (self._is_chosen(s), s.file, s.line))

    def _is_chosen(self, step: Step) -> bool:
        return any(guard.kind not in _RUNS_ANYWAY for guard in step.guards)

    def _share(self, wrapper: Wrapper, base: ScopeInfo, name: str) -> float:
        """Return which share of the wrappers below a base hand a method on, of those that do or have it from a base alone."""
        below = [w for w in self._all if base.sid in self._families.classes.mro(w.info.sid)]
        handing = sum(1 for w in below if name in w.forwards)
        lacking = sum(1 for w in below if name not in w.info.names)
        return handing / max(handing + lacking, 1)

    def _detected(
        self, wrapper: Wrapper, base: ScopeInfo, method: Method, inner: list[ScopeInfo], steps: list[Step]
    ) -> Detected:
        name, first = method.info.id, steps[0]
        share = self._share(wrapper, base, name)
        is_sure = wrapper.is_known and share >= _HANDED_ON and not self._is_chosen(first) and not name.startswith("_")
        notes = [Note(self._tree.place(wrapper.info, wrapper.info.at), f"{wrapper.info.id} does not hand it on")]
        notes += [Note(self._tree.place(c, c.at), f"{c.id} replaces it") for c in inner[:_MOST_NOTES]]
        return Detected(
            kind=_KIND,
            form="inherited",
            owner=wrapper.info.name,
            name=name,
            message=f"{wrapper.info.id} has only the `{name}` of {base.id}, which does nothing, and does not hand it on to "
            f"{listed(sorted({c.id for c in inner}))}, which it wraps",
            place=Place(first.file, first.line, first.column, first.caller),
            precision="medium" if is_sure else "low",
            surprise=round(share, 2),
            notes=tuple(notes),
            guards=first.guards,
            base=base.name,
        )


def does_nothing(scope: ir.Scope) -> bool:
    """Tell whether a function does nothing: it has no calls, no stores, and gives back nothing but constants."""
    quiet = (ir.Const, ir.Name, ir.Attr, ir.Unary)
    for region in scope.body:
        if isinstance(region, ir.Raise):
            continue
        if not isinstance(region, (ir.Do, ir.Return)):
            return False
        if not all(isinstance(scope.exprs[i], quiet) for i in range(region.start, region.stop)):
            return False
    return True
