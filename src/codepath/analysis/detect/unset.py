"""`unset-read`: an attribute that a method reads and that nothing, or only some arms of the constructor, has set.

Forms: `never`: no method, class body or other code of the tree sets it on objects of the class; also where only code elsewhere
reads it, the constructor takes an argument of that name, and that of a class beside it keeps it. `branch`: the constructor sets
it in some arms of an `if` chain and not in another one that goes on, and a method reads it under no condition that has to do
with it.

Approximates: under (what may set it counts as doing so; a read under a condition that shares a word with the arms is left out).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from codepath.analysis.detect.arms import Arm, Chain, chains, telling_words
from codepath.analysis.detect.conditions_of import without_not
from codepath.analysis.detect.construction import Construction
from codepath.analysis.detect.evidence import StateDetector
from codepath.analysis.detect.families import Family
from codepath.analysis.detect.formulas import Formula, asserted, conjunction, excludes, implies, of_guards
from codepath.analysis.detect.guard_values import NOT_KNOWN
from codepath.analysis.detect.tables import Method, Site
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.classes import is_private
from codepath.program.guards import Literal
from codepath.program.tree import ScopeInfo

KIND = "unset-read"
_Key: TypeAlias = "tuple[Place, str, str]"  # where an attribute is read, its name, and the form
_MAX_NOTES = 4
_USUAL = 3
"""Where so many constructors leave out an attribute in the same way, that is how it is done."""
_ROLE = 3
"""An arm that lacks so many attributes of its siblings, and more than it shares with them, makes an object of another role."""
_LEVELS = 6
"""Levels of calls whose conditions a read is taken to stand under."""
_FEW = 0.7
"""Where fewer than this share of the classes have an attribute, a base leaves it to them: that some do not is no surprise."""


class Unset(StateDetector):
    """Finds reads of attributes that are not set."""

    def everywhere(self) -> Iterator[Detected]:
        """Yield what is never set in the whole tree, each at the class that reads it where all below it lack it."""
        made = self._evidence.made()
        found: dict[_Key, list[Detected]] = {}
        having: dict[str, int] = {}
        self._gather(made, found, having)
        beside = self._evidence.beside((one for same in found.values() for one in same), made)
        self._gather(beside, found, having, known=frozenset(found))
        shapes = Counter(
            (same[0].name, same[0].notes[0].text, same[0].method) for same in found.values() if same[0].notes
        )
        for same in found.values():
            one = self._joined(same, having)
            is_usual = one.form == "branch" and shapes[one.name, one.notes[0].text, one.method] >= _USUAL
            yield replace(one, precision="low") if is_usual else one

    def _gather(
        self,
        infos: list[ScopeInfo],
        found: dict[_Key, list[Detected]],
        having: dict[str, int],
        known: frozenset[_Key] | None = None,
    ) -> None:
        """Add what classes lack, by the read, and count the classes below each base; `known` are the reads that are meant."""
        for info in self._families.tree.each(infos):
            for cls in self._families.classes.mro(info.sid):
                name = self._families.tree.info(cls).name
                having[name] = having.get(name, 0) + 1
            for one in self.of(info):
                key = (one.place, one.name, one.form)
                if known is None or key in known:
                    found.setdefault(key, []).append(one)

    def _joined(self, same: list[Detected], having: dict[str, int]) -> Detected:
        """Return one finding for a read that misses its attribute in several classes; the fewer of all, the more surprising."""
        first = same[0]
        total = max(having.get(first.base, len(same)), len(same))
        if len(same) == total > 1:
            return replace(first, owner=first.base, surprise=0.5, message=first.message)
        others = f", nor do {len(same) - 1} other classes" if len(same) > 1 else ""
        surprise = 1 - len(same) / total if total > 1 else 0.5
        is_template = len(same) > 1 and surprise < _FEW
        precision = "medium" if is_template and first.precision == "high" else first.precision
        return replace(first, surprise=round(surprise, 2), message=first.message + others, precision=precision)

    def of(self, info: ScopeInfo) -> Iterator[Detected]:
        """Yield the reads of one class's objects that find nothing set."""
        family = self._families.of(info)
        if family.is_wild or self._families.is_open(info):
            return
        yield from self._never(family)
        yield from self._dropped(family)
        construction = self._constructions.of(family)
        if construction.is_whole and construction.end is not None:
            yield from self._branches(family, construction)

    # --- never set ---------------------------------------------------------------------------------------------------

    def _never(self, family: Family) -> Iterator[Detected]:
        lost = {name for _, method in family.lost for name in method.stores}
        outside = self._families.outside(family.cls)
        order = frozenset(self._families.classes.mro(family.cls.sid))
        for name in sorted({name for owner, m in family.live if owner.sid in order for name in m.reads}):
            if self._is_there(family, name) or name in lost or name in outside.attributes or _is_special(name):
                continue
            readers = [r for r in self._runs.readers(family, name) if self._owner(family, r[0]).sid in order]
            if readers and not self._families.set_from_outside(name):
                is_part = outside.is_open or self._is_mixin(family)
                yield self._unset(family, name, readers, "low" if is_part else "high")

    def _dropped(self, family: Family) -> Iterator[Detected]:
        """Yield the arguments of which a constructor keeps nothing, though one beside it keeps them and code reads them."""
        tree = self._families.tree
        own = self._families.table(family.cls.sid).methods.get("__init__")
        if own is None:
            return
        used = {expr.id for expr in tree.bodies.of(own.info).scope.exprs if isinstance(expr, ir.Name)}
        given = (p.id for p in own.info.params[1:] if p.form in ("normal", "keyword") and p.id not in used)
        for name in (name for name in given if not self._is_there(family, name)):
            beside = self._keeping(family.cls, name)
            read = self._families.read_from_outside(name) if beside is not None else None
            if beside is not None and read is not None and not self._families.set_from_outside(name):
                note = Note(tree.place(beside, beside.at), f"{beside.id} keeps it")
                message = f"`__init__` of {family.cls.id} keeps nothing of its `{name}`, and code elsewhere reads it"
                yield Detected(
                    kind=KIND,
                    form="never",
                    owner=family.cls.name,
                    name=name,
                    message=message,
                    place=read,
                    precision="medium",
                    surprise=0.3,
                    notes=(note, Note(tree.place(own.info, own.info.at), "takes it")),
                    base=family.cls.name,
                    method="__init__",
                )

    def _keeping(self, info: ScopeInfo, name: str) -> ScopeInfo | None:
        """Return a class beside one whose constructor stores its parameter of a name under that name."""
        for other in info.module.scopes:
            if other.form != "class" or other.outer != info.outer or other.sid == info.sid:
                continue
            method = self._families.table(other.sid).methods.get("__init__")
            if method is not None and name in method.stores and any(p.id == name for p in method.info.params):
                return other
        return None

    def _is_mixin(self, family: Family) -> bool:
        """Tell whether a class is made to be a part of another one: it has no base and no constructor."""
        order = self._families.classes.mro(family.cls.sid)
        has_base = len(order) > 1 or bool(self._families.classes.outside_bases(family.cls.sid))
        return not has_base and self._families.method(family.cls, "__init__") is None

    def _is_there(self, family: Family, name: str) -> bool:
        return name in family.stored or self._families.provides(family.cls, name)

    def _owner(self, family: Family, method: Method) -> ScopeInfo:
        return next(owner for owner, one in family.live if one is method)

    def _unset(self, family: Family, name: str, readers: list[tuple[Method, Site]], precision: str) -> Detected:
        reader, read = readers[0]
        if all(self._guard_values.is_off(site) for _, site in readers) or reader.form == "property":
            precision = "medium" if precision == "high" else precision
        if self._families.is_spelled(name) or self._families.classes.below(family.cls.sid):
            precision = "medium" if precision == "high" else precision
        notes = [Note(self._evidence.place(site), f"{m.info.id} reads it too") for m, site in readers[1:_MAX_NOTES]]
        message = f"nothing sets `{name}` on a {family.cls.id}, and `{reader.info.id}` reads it"
        return Detected(
            kind=KIND,
            form="never",
            owner=family.cls.name,
            name=name,
            message=message,
            place=self._evidence.place(read),
            precision=precision,
            surprise=0.5,
            notes=tuple(notes),
            base=self._owner(family, reader).name,
            method=reader.info.id,
        )

    # --- set on some branches ----------------------------------------------------------------------------------------

    def _branches(self, family: Family, construction: Construction) -> Iterator[Detected]:
        end = construction.end
        assert end is not None
        partly = {n for n in end.may - end.must if not self._families.provides(family.cls, n) and not is_private(n)}
        entered = [(owner, m) for owner, m in family.live if m.info.sid in construction.entered]
        for name in sorted(partly):
            stores = [m for _, m in family.live if name in m.stores or name in m.given]
            if any(m.info.sid not in construction.entered for m in stores):
                continue
            for _, method in entered:
                if name in method.stores:
                    scope = self._families.tree.bodies.of(method.info).scope
                    found = self._branch(family, construction, method, chains(method, scope), name)
                    if found is not None:
                        yield found
                        break

    def _branch(
        self, family: Family, construction: Construction, method: Method, found: list[Chain], name: str
    ) -> Detected | None:
        for chain in found:
            setting = [arm for arm in chain.arms if name in arm.stores]
            missing = [arm for arm in chain.arms if arm.goes_on and arm.is_written and name not in arm.stores]
            missing = [arm for arm in missing if any(arm.stores.keys() & other.stores.keys() for other in setting)]
            if not setting or not missing or name in chain.around:
                continue
            for arm in (one for one in missing if not self._is_never_meant(method, name, chain, one)):
                readers = [r for r in self._readers(family, construction, name) if self._meets(family, r, chain, arm)]
                if readers and not self._families.set_from_outside(name):
                    telling = [r for r in readers if not self._asks_the_same(family, method, name, chain, r)]
                    lacking = setting[0].stores.keys() - arm.stores.keys()
                    shared = setting[0].stores.keys() & arm.stores.keys()
                    one = self._split(family, method, name, arm, setting[0], telling or readers)
                    if (chain.is_process_wide or not telling) and one.precision == "high":
                        one = replace(one, precision="medium")
                    is_role = len(lacking) >= _ROLE and len(lacking) > len(shared)
                    return replace(one, precision="low") if is_role else one
        return None

    def _readers(self, family: Family, construction: Construction, name: str) -> list[tuple[Method, Site]]:
        found = (r for r in self._runs.readers(family, name) if r[0].info.sid not in construction.entered)
        return [r for r in found if self._runs.can_run(family, r[0], as_value=False)]

    def _meets(self, family: Family, reader: tuple[Method, Site], chain: Chain, arm: Arm) -> bool:
        """Tell whether a read runs for an object that was made in an arm: none of its guards says otherwise, or might."""
        method, site = reader
        if not self._runs.has_clean_way(method.info.id, chain.words):
            return False
        sites = [site, *self._runs.calls(family, method)] if not self._runs.is_way_in(family, method) else [site]
        return all(self._holds(one, literal, chain, arm) for one in sites for literal in self._guard_values.guards(one))

    def _asks_the_same(
        self, family: Family, method: Method, name: str, chain: Chain, reader: tuple[Method, Site]
    ) -> bool:
        """Tell whether a read runs only under a condition that every store inside an arm asks for too.

        That condition may well be what tells the arms apart.
        """
        when = self._when.of(family, *reader, levels=_LEVELS)
        return all(any(implies(when, one) for one in inner) for inner in self._inner(method, name, chain))

    def _is_never_meant(self, method: Method, name: str, chain: Chain, arm: Arm) -> bool:
        """Tell whether no store of the other arms would run in an arm: its condition rules out what each asks for."""
        if arm.storing < 0:
            return False
        body = self._families.tree.bodies.of(method.info)
        here = of_guards(body.scope, body.guards.of(arm.storing))
        here = conjunction([here, asserted(body.scope, body.guards, arm.storing, here)])
        return all(any(excludes(here, one) for one in inner) for inner in self._inner(method, name, chain))

    def _inner(self, method: Method, name: str, chain: Chain) -> list[list[Formula]]:
        """Return what each store of an attribute in the arms of a chain asks for inside of its arm."""
        body = self._families.tree.bodies.of(method.info)
        found = []
        for store in (s for s in method.stores[name] if s.sid == method.info.sid):
            guards = body.guards.of(store.expr)
            last = max((n for n, literal in enumerate(guards) if literal.test in chain.tests), default=len(guards))
            found.append([of_guards(body.scope, [literal]) for literal in guards[last + 1 :] if not literal.when])
        return found or [[]]

    def _holds(self, site: Site, literal: Literal, chain: Chain, arm: Arm) -> bool:
        words = telling_words(literal.text)
        related = words & chain.words
        value = self._value(site, literal, arm)
        if value is not NOT_KNOWN:
            return bool(value) == literal.polarity
        return not related

    def _value(self, site: Site, literal: Literal, arm: Arm) -> object:
        """Return what a condition is for an object made in an arm."""
        if literal.test < 0:
            return NOT_KNOWN
        exprs = self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope.exprs
        index, holds = without_not(exprs, literal.test)
        expr, is_negated, asks_none = exprs[index], not holds, False
        if isinstance(expr, ir.Compare) and expr.ops in (("is",), ("is not",)):
            right = exprs[expr.rights[0]]
            asks_none = isinstance(right, ir.Const) and right.value is None and not right.form
            is_negated = is_negated != (asks_none and expr.ops == ("is",))
            expr = exprs[expr.left] if asks_none else expr
        if not isinstance(expr, ir.Attr) or expr.id not in arm.stores:
            return NOT_KNOWN
        value = arm.stores[expr.id]
        if value is NOT_KNOWN:
            return value
        return (value is not None if asks_none else bool(value)) != is_negated

    def _split(
        self, family: Family, method: Method, name: str, arm: Arm, setting: Arm, readers: list[tuple[Method, Site]]
    ) -> Detected:
        reader, read = readers[0]
        tree = self._families.tree
        made = f"`{method.info.id}` of {family.cls.id}"
        message = f"{made} does not set `{name}` where {arm.text}, and `{reader.info.id}` reads it"
        notes = (
            Note(tree.place(method.info, arm.at), f"goes on without `{name}`"),
            Note(tree.place(method.info, setting.at), f"sets it where {setting.text}"),
            *(Note(self._evidence.place(site), f"{m.info.id} reads it too") for m, site in readers[1:_MAX_NOTES]),
        )
        return Detected(
            kind=KIND,
            form="branch",
            owner=family.cls.name,
            name=name,
            message=message,
            place=self._evidence.place(read),
            precision="high" if not self._guard_values.is_off(read) else "medium",
            surprise=0.9,
            notes=notes,
            base=self._owner(family, method).name,
            method=method.info.id,
        )


def _is_special(name: str) -> bool:
    """Tell whether a name is private to a class body, or one that every object has."""
    return name.startswith("__")
