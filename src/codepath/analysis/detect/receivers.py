"""What an object is whose attribute is asked for: of which classes or modules of the tree, and whether these can have more.

Approximates: under (an object counts as known only where a parameter's annotation, its own method or its import says it).
"""

from __future__ import annotations

from dataclasses import dataclass

from codepath.analysis.detect.families import Families
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, MODULE, OUTSIDE, Values


@dataclass(frozen=True, slots=True)
class Receiver:
    """An object.

    Args:
        names: The classes or modules that it is of, dotted; none where nothing is known.
        is_known: Whether these are of the tree, and have no attributes but those that the tree gives them.
        is_exact: Whether it is certain that it is of one of these: `self`, a module.
        is_outside: Whether it is seen to be of another package.
    """

    names: tuple[str, ...] = ()
    is_known: bool = False
    is_exact: bool = False
    is_outside: bool = False


UNKNOWN = Receiver()


class Receivers:
    """Tells what objects are."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._tree = families.tree
        self._closed: dict[int, bool] = {}

    def of(self, body: Body, index: int) -> Receiver:
        """Return what an expression of a body is."""
        expr = body.scope.exprs[index]
        if not isinstance(expr, ir.Name):
            return UNKNOWN
        owner = self._owner(body, expr.id)
        if owner is not None:
            return self._of_classes([owner], is_exact=True)
        definitions = [d for d in body.scope.uses[expr.use] if d >= 0] if expr.use >= 0 else []
        if any(d < len(body.scope.params) for d in definitions):
            return self._annotated(body, expr.id) if len(definitions) == 1 else UNKNOWN
        if definitions and body.scope.form == "function":
            return UNKNOWN
        return self._meant(self._tree.bodies.meaning(body.info, expr.id).values)

    def _owner(self, body: Body, name: str) -> ScopeInfo | None:
        """Return the class whose method has the name as its own object."""
        info = body.info
        outer = self._tree.info(info.outer) if info.outer >= 0 else None
        if outer is None or outer.form != "class" or not body.scope.params or "staticmethod" in info.decorators:
            return None
        return outer if body.scope.params[0].id == name else None

    def _annotated(self, body: Body, name: str) -> Receiver:
        param = next((p for p in body.info.params if p.id == name), None)
        if param is None or not param.annotation or param.form in ("star", "double-star"):
            return UNKNOWN
        return self._meant(self._tree.bodies.term_values(self._tree.info(body.info.outer), param.annotation), False)

    def _meant(self, values: Values, is_exact: bool = True) -> Receiver:
        classes = [self._tree.info(v[1]) for v in sorted(values) if v[0] == CLASS]
        if not values:
            return UNKNOWN
        if all(v[0] == CLASS for v in values):
            return self._of_classes(classes, is_exact=is_exact)
        if is_exact and all(v[0] == MODULE for v in values):
            return self._of_modules([v[1] for v in sorted(values)])
        return Receiver(tuple(str(v[1]) for v in sorted(values) if v[0] == OUTSIDE), is_outside=True)

    def _of_modules(self, names: list[str]) -> Receiver:
        modules = [self._tree.module(name) for name in names]
        tops = [m.scopes[0] for m in modules if m is not None and m.scopes]
        is_known = len(tops) == len(names) and not any(t.stars or "__getattr__" in t.names for t in tops)
        return Receiver(tuple(names), is_known, is_exact=True)

    def _of_classes(self, classes: list[ScopeInfo], *, is_exact: bool) -> Receiver:
        is_known = all(self._is_closed(cls) for cls in classes)
        return Receiver(tuple(cls.name for cls in classes), is_known, is_exact)

    def _is_closed(self, cls: ScopeInfo) -> bool:
        """Tell whether a class and those below it have no attributes but those that the tree gives them.

        One with a base outside the tree, if only `ABC`, is made for other trees to derive from as well.
        """
        if cls.sid not in self._closed:
            self._tree.load_below(cls.id)
            families = self._families
            infos = [cls, *(self._tree.info(sid) for sid in families.classes.below(cls.sid))]
            is_part = len(infos) == 1 and self._is_part(cls)
            self._closed[cls.sid] = not is_part and not any(self._is_open(info) for info in infos)
        return self._closed[cls.sid]

    def _is_part(self, cls: ScopeInfo) -> bool:
        """Tell whether a class is made to be a part of others: it has no base and no constructor."""
        has_base = len(self._families.classes.mro(cls.sid)) > 1
        return not has_base and self._families.method(cls, "__init__") is None

    def _is_open(self, info: ScopeInfo) -> bool:
        families = self._families
        if families.classes.outside_bases(info.sid) or families.outside(info).is_open:
            return True
        return families.is_open(info) or families.of(info).is_wild
