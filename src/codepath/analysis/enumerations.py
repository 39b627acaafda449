"""Members of enumerations as constants."""

from __future__ import annotations

from dataclasses import replace

from codepath.analysis.known import Constant, Known, Member, same
from codepath.model import ir
from codepath.program.bodies import Bodies
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

_PLAIN = frozenset(["enum.Enum", "enum.IntEnum", "enum.StrEnum"])


class Enumerations:
    """Asks about the enumerations of a tree."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies

    def of(self, held: Known) -> ScopeInfo | None:
        """Return the class of a member of an enumeration, None for any other constant."""
        return self._bodies.scope(held.value.cls) if isinstance(held.value, Member) else None

    def is_plain(self, cls: ScopeId) -> bool:
        """Tell whether a class is a plain enumeration, whose members are looked up by the values that are written."""
        bases = self._bodies.classes.outside_bases(cls)
        names = self._bodies.tree.scopes[cls].names
        return any(base in _PLAIN for base in bases) and "__new__" not in names

    def member_with(self, cls: ScopeId, value: Known) -> Known | None:
        """Return the member of an enumeration whose value is a constant; None where another may be it."""
        info = self._bodies.tree.scopes[cls]
        body = self._bodies.of(info)
        for definition in body.scope.definitions:
            if definition.form != "assign":
                continue
            bind = body.scope.exprs[definition.bind]
            given = body.scope.exprs[bind.value] if isinstance(bind, ir.Bind) and not bind.how else None
            if not isinstance(given, ir.Const) or given.form:
                return None
            if same(given.value, value.value):
                return replace(value, value=Member(info.name, definition.id))
        return None

    def are_comparable(self, op: str, left: Constant, right: Constant) -> bool:
        """Tell whether comparing two constants here gives what Python gives."""
        if isinstance(left, Member) or isinstance(right, Member):
            if left is None or right is None:
                return op in ("is", "is not")
            same_class = isinstance(left, Member) and isinstance(right, Member) and left.cls == right.cls
            return same_class and (left == right or self._is_distinct(left))  # type: ignore[arg-type]
        if op in ("is", "is not"):
            return any(isinstance(x, bool) or x is None for x in (left, right))
        return True

    def _is_distinct(self, member: Member) -> bool:
        """Tell whether no two members of an enumeration are one: all are `auto()` or different constants."""
        info = self._bodies.scope(member.cls)
        if info is None or "__eq__" in info.names:
            return False
        body = self._bodies.of(info)
        seen: set[object] = set()
        for definition in body.scope.definitions:
            if definition.form in ("function", "class", "annotation"):
                continue  # no member
            bind = body.scope.exprs[definition.bind] if definition.form == "assign" and definition.bind >= 0 else None
            value = body.scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
            if isinstance(value, ir.Const) and value.value not in seen:
                seen.add(value.value)
            elif not (isinstance(value, ir.Call) and not value.args):
                return False
        return True
