"""Questions about siblings: what functions that do the same job do differently, and what enumerations of a family leave out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from codepath.analysis.detect.alike import Sibling
from codepath.analysis.detect.evidence import Evidence, evidence_of
from codepath.analysis.detect.members import Members
from codepath.analysis.detect.siblings import Siblings
from codepath.analysis.detect.tree import DetectTree
from codepath.app.mentions import near
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.siblings import MembersAnswer, SiblingsAnswer
from codepath.program.names import is_place, place_of
from codepath.program.tree import ScopeInfo

_SHOWN = 8


class Comparing:
    """Answers about the functions of one tree."""

    def __init__(self, tree: DetectTree) -> None:
        self._tree = tree

    @cached_property
    def _evidence(self) -> Evidence:
        return evidence_of(self._tree)

    @cached_property
    def _siblings(self) -> Siblings:
        return Siblings(self._evidence)

    def siblings(self, names: Sequence[str]) -> SiblingsAnswer:
        """Answer what some of several functions do and others do not; one name stands for it and its siblings.

        Raises:
            QueryError: A name means no function, or several.
        """
        asked = [self._function(name) for name in names]
        found = [Sibling(info, "asked") for info in dict.fromkeys(asked)]
        if len(found) == 1:
            found = self._siblings.alike.of(asked[0])
        return SiblingsAnswer(
            self._siblings.shown(found), self._siblings.differences(found, list(dict.fromkeys(asked)))
        )

    def members(self, names: Sequence[str]) -> MembersAnswer:
        """Answer what enumerations of families leave out; without names, of all families of which one leaves out few.

        Raises:
            QueryError: A name means no family.
        """
        families = Members(self._evidence.families)
        if not names:
            return MembersAnswer(families.deviant())
        found = {family.place: family for name in names for family in self._named(families, name).families}
        return MembersAnswer(tuple(found.values()))

    def _named(self, families: Members, name: str) -> MembersAnswer:
        found = families.named(name)
        if not found:
            raise QueryError(
                f"no family of this tree is named `{name}`, or has a member of that name",
                help=("name a class that several globals or classes are of, an enumeration, or one member",),
            )
        return MembersAnswer(tuple(found))

    def _function(self, query: str) -> ScopeInfo:
        if is_place(query):
            return self._at(query)
        last = query.rpartition(".")[2]
        every = [info for info in self._siblings.actions.defined(last) if info.form == "function"]
        found = [info for info in every if info.name == query or info.name.endswith(f".{query}")]
        found = [info for info in found if info.name == query] or found
        if not found:
            close = [word for word in near(query, self._tree.vocabulary()) if self._siblings.actions.is_defined(word)]
            help = ("did you mean", *(f"    {word}" for word in close[:_SHOWN])) if close else ()
            raise QueryError(f"no function of this tree is named `{query}`", help=help)
        if len({info.name for info in found}) > 1:
            shown = [f"    {i.name}    {i.module.path}:{ir.line_of(i.at)}" for i in found[:_SHOWN]]
            more = [f"    ... {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
            raise QueryError(f"`{query}` names {len(found)} functions; give one of", help=(*shown, *more))
        return found[-1]

    def _at(self, query: str) -> ScopeInfo:
        """Return the innermost function on a line."""
        path, line = place_of(query)
        paths = [p for p in self._tree.paths.values() if p == path or p.endswith(f"/{path}")]
        module = self._tree.bodies.module_at(paths[0]) if len(paths) == 1 else None
        inside = [
            info
            for info in (module.scopes if module is not None else ())
            if info.form == "function" and ir.line_of(info.at) <= line <= ir.line_of(info.end)
        ]
        if not inside:
            raise QueryError(
                f"no function of this tree stands at `{query}`", help=("name it, or give its file in full",)
            )
        return inside[-1]
