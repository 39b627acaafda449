"""Hooks: which classes that a look-up can meet have the attribute, from where, and which gaps are surprising.

Approximates: a class has an attribute where a body in its order binds it or, for look-ups on an instance, where a method of a
class in its order stores it, whether or not that method has run. What a base outside the tree gives is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import sqrt

from codepath.analysis.handed import Handed, NamesOf, has_variant
from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.model.hooks import (
    Holder,
    HookAnswer,
    HookRow,
    HooksAnswer,
    Lookup,
    Provider,
    StoredClass,
    StoredLookup,
    StoredReceiver,
)
from codepath.program.hook_facts import HookFacts

PlaceOf = Callable[[str, str], "Place | None"]
"""Gives the place where a function stores an attribute."""
GuardsOf = Callable[[str, int], "tuple[Guard, ...]"]
"""Gives the guards of what stands at a packed place of a function."""
_EXPECTED = 0.9
_FEWEST_ALIKE = 3
_MOST_RECEIVERS = 24


@dataclass(frozen=True, slots=True)
class Family:
    """The classes that look-ups of a name can meet. `title` says which; `on` is `class` or `instance`."""

    title: str
    registry: str
    on: str
    classes: tuple[str, ...]


class Hooks:
    """Answers questions about hooks over stored facts.

    `place_of` finds where a method stores an attribute, `guards_of` under which guards a look-up runs, `names_of` what a
    constructor mentions.
    """

    def __init__(
        self,
        facts: HookFacts,
        place_of: PlaceOf,
        guards_of: GuardsOf | None = None,
        names_of: NamesOf | None = None,
    ) -> None:
        self._facts = facts
        self._place_of = place_of
        self._guards_of = guards_of
        self._handed = Handed(facts, names_of) if names_of is not None else None
        self._makes: dict[str, tuple[str, ...]] = {}
        self._features: dict[str, frozenset[str]] = {}
        for members in facts.registered.values():
            self._makes.update((m.name, m.makes) for m in members)

    @property
    def facts(self) -> HookFacts:
        """What is stored about hooks."""
        return self._facts

    # --- one hook ----------------------------------------------------------------------------------------------------

    def one(
        self, hook: str, family: str = "", owner: str = "", place: tuple[str, int] | None = None
    ) -> HookAnswer | None:
        """Return the answer for a name; None where nothing looks it up and no class has it.

        `family` filters the classes; `owner` is a class: it and those below it are then meant. `place` is the file and line of
        a look-up: what that can meet is then meant, where there is one.
        """
        facts = self._facts
        lookups = self._lookups_at(hook, place)
        if not lookups and not facts.members(hook) and not facts.stores(hook):
            return None
        met = self._family(hook, lookups)
        if owner:
            met = replace(met, title=_last(owner), registry="", classes=tuple(c.name for c in facts.below(owner)))
        holders = self._ranked(hook, met)
        if family:
            holders = [c for c in holders if self.fits(c.cls, family)]
        return HookAnswer(
            hook=hook,
            lookups=tuple(self._lookup(one) for one in lookups),
            family=met.title,
            registry=met.registry,
            classes=tuple(holders),
            have=sum(c.has is True for c in holders),
            lack=sum(c.has is False for c in holders),
            unknown=sum(c.has is None for c in holders),
        )

    def met_at(self, hook: str, place: tuple[str, int]) -> Family:
        """Return the classes that the look-up of a name at a place can meet; those of all look-ups where none stands there."""
        return self._family(hook, self._lookups_at(hook, place))

    def states(self, hook: str, met: Family) -> dict[str, bool | None]:
        """Return which classes have an attribute; None where only running tells."""
        return {name: self._has(name, hook, met.on) for name in met.classes}

    def _lookups_at(self, hook: str, place: tuple[str, int] | None) -> tuple[StoredLookup, ...]:
        lookups = self._facts.lookups(hook)
        return tuple(one for one in lookups if (one.file, ir.line_of(one.at)) == place) or lookups

    def guards(self, stored: StoredLookup) -> tuple[Guard, ...]:
        """Return the guards of a look-up."""
        return self._guards_of(stored.function, stored.at) if self._guards_of is not None else ()

    def _lookup(self, stored: StoredLookup) -> Lookup:
        known = [r for r in stored.receivers if r.name or r.kind == "many"]
        on = next((r.on for r in known if r.kind in ("registry", "class", "family")), "")
        on = on or next((r.on for r in known), "instance")
        place = _place(stored.file, stored.at, stored.function)
        where = _place(stored.file, stored.missing_at, stored.function) if stored.missing_at else None
        can_be = tuple(_said(r) for r in known[:_MOST_RECEIVERS])
        return Lookup(
            place, stored.style, on, stored.text, can_be, stored.if_missing, stored.missing, where, self.guards(stored)
        )

    # --- the classes that look-ups meet ------------------------------------------------------------------------------

    def _family(self, hook: str, lookups: Sequence[StoredLookup]) -> Family:
        receivers = [r for one in lookups for r in one.receivers]
        registries = list(dict.fromkeys(r.name for r in receivers if r.kind == "registry"))
        if registries:
            on = "instance" if any(r.on == "instance" for r in receivers if r.kind == "registry") else "class"
            return self._of_registries(registries, on, "")
        known = [r for r in receivers if r.kind in ("class", "family")]
        if known:
            return self._of_receivers(known)
        return self._by_name(hook, lookups)

    def _of_registries(self, registries: Sequence[str], on: str, how: str) -> Family:
        names = [m.name for registry in registries for m in self._facts.registered[registry]]
        title = " and ".join(f"`{name}`" for name in registries)
        noun = "registry" if len(registries) == 1 else "registries"
        return Family(f"the {noun} {title}{how}", registries[0], on, tuple(dict.fromkeys(names)))

    def _of_receivers(self, receivers: Sequence[StoredReceiver]) -> Family:
        names: dict[str, None] = {}
        for receiver in receivers:
            for cls in self._concrete(receiver):
                names[cls.name] = None
        on = "instance" if any(r.on == "instance" for r in receivers) else "class"
        roots = list(dict.fromkeys(_last(r.name) for r in receivers))
        more = f" and {len(roots) - 3} more" if len(roots) > 3 else ""
        return Family(f"{', '.join(roots[:3])}{more}", "", on, tuple(names))

    def _concrete(self, receiver: StoredReceiver) -> list[StoredClass]:
        """Return the classes that an object of a family can be: those that leave nothing abstract, or all."""
        found = self._facts.below(receiver.name)
        if receiver.kind == "class":
            return [c for c in found if c.name == receiver.name]
        return [c for c in found if not c.abstract] or list(found)

    def _by_name(self, hook: str, lookups: Sequence[StoredLookup]) -> Family:
        """Return what look-ups on unknown objects may meet: a registry some class of which has the name, or those that do."""
        receivers = [r for one in lookups for r in one.receivers]
        on = "class" if receivers and all(r.on == "class" for r in receivers) else "instance"
        facts = self._facts
        bound = (owner for owner, member in facts.members(hook).items() if member.form != "annotation")
        owners = {*bound, *(o for o in facts.stores(hook) if o)}
        having = {c.name for owner in owners for c in facts.below(owner)}
        how = ", by the name of the attribute alone"
        registries = [r for r in facts.registries if any(m.name in having for m in facts.registered[r])]
        if registries:
            return self._of_registries(registries, on, how)
        base = self._common_base(owners)
        if base:
            met = self._of_receivers([StoredReceiver("family", base, on)])
            return replace(met, title=f"{met.title}{how}")
        return Family(f"those known{how}", "", on, tuple(c.name for c in facts.classes if c.name in having))

    def _common_base(self, owners: set[str]) -> str:
        """Return the lowest class of the tree above all of some classes, none of which it is; "" where there is none."""
        known = [self._facts.by_name[o] for o in sorted(owners) if o in self._facts.by_name]
        orders = [[c.name for c in self._facts.order(cls)[1:]] for cls in known]
        if not orders:
            return ""
        return next((name for name in orders[0] if all(name in order for order in orders[1:])), "")

    # --- who has it --------------------------------------------------------------------------------------------------

    def holder(self, name: str, hook: str, on: str) -> Holder:
        """Return whether a class has an attribute, looked up on it or on an instance of it."""
        facts = self._facts
        cls = facts.by_name.get(name)
        if cls is None:
            return Holder(name, "", 0, None, None, "the class is not known")
        order = facts.order(cls)
        provider = self._provider(order, hook, on)
        bases = tuple(c.name for c in order[1:])
        base = Holder(name, cls.file, ir.line_of(cls.at), True, provider, bases=bases, outside=cls.outside)
        if provider is not None:
            return base
        asked = facts.members("__getattr__")
        delegate = next((c.name for c in order if c.name in asked), None) if on == "instance" else None
        if delegate is not None:
            return replace(base, has=None, why=f"`{_last(delegate)}.__getattr__` decides")
        return replace(base, has=False)

    def _provider(self, order: Sequence[StoredClass], hook: str, on: str) -> Provider | None:
        members, stores = self._facts.members(hook), self._facts.stores(hook)
        for cls in order:
            member = members.get(cls.name)
            if member is not None and (member.form != "annotation" or (cls.fields and on == "instance")):
                return Provider(cls.name, member.form, _place(cls.file, member.at, cls.name))
            if on == "instance" and cls.name in stores:
                function = stores[cls.name]
                place = self._place_of(function, hook) or _place(cls.file, cls.at, function)
                return Provider(cls.name, "instance", place)
        return None

    def has(self, name: str, hook: str) -> bool | None:
        """Return whether an instance of a class has an attribute; None where only running tells."""
        return self._has(name, hook, "instance")

    def _has(self, name: str, hook: str, on: str) -> bool | None:
        """Return what `holder` tells, without places."""
        facts = self._facts
        cls = facts.by_name.get(name)
        if cls is None:
            return None
        members, stores, asked = facts.members(hook), facts.stores(hook), facts.members("__getattr__")
        decides = False
        for number in cls.mro:
            one = facts.classes[number]
            member = members.get(one.name)
            if member is not None and (member.form != "annotation" or (one.fields and on == "instance")):
                return True
            if on == "instance" and one.name in stores:
                return True
            decides = decides or one.name in asked
        return None if decides and on == "instance" else False

    # --- deviance ----------------------------------------------------------------------------------------------------

    def _ranked(self, hook: str, met: Family) -> list[Holder]:
        """Return the classes: those that have it by name, then those that lack it, the most surprising gap first."""
        holders = [self.holder(name, hook, met.on) for name in met.classes]
        have = sorted((c for c in holders if c.has is True), key=lambda c: c.cls)
        rest = [c for c in holders if c.has is not True]
        scores = self._alike([c.cls for c in have], met.classes)
        rest = [self._scored(c, hook, met.on, scores) for c in rest]
        rest.sort(key=lambda c: (c.has is None, not c.wraps, -c.surprise, c.cls))
        return [*have, *rest]

    def _scored(self, holder: Holder, hook: str, on: str, scores: dict[str, tuple[float, int, int]]) -> Holder:
        wraps = self._wrapped(holder.cls, hook, on)
        best = max((f for f in self._features_of(holder.cls) if f in scores), key=lambda f: (scores[f], f), default="")
        if not best:
            return replace(holder, wraps=wraps, surprise=-9.0)
        z, have, total = scores[best]
        return replace(holder, wraps=wraps, like=best, like_have=have, like_total=total, surprise=round(z, 2))

    def makes_one_with(self, name: str, hook: str) -> bool:
        """Tell whether a registered class makes an object that has an attribute."""
        return bool(self._wrapped(name, hook, "instance"))

    def _wrapped(self, name: str, hook: str, on: str) -> str:
        return next((made for made in self._makes.get(name, ()) if self._wraps(name, made, hook, on)), "")

    def _wraps(self, name: str, made: str, hook: str, on: str) -> bool:
        """Tell whether a class makes another one that has a hook."""
        if self._has(made, hook, on) is not True:
            return False
        return self._handed is None or not self._handed.is_siblings(name, made, self._makes[name])

    def has_variant(self, holder: Holder, holders: Iterable[Holder]) -> bool:
        """Tell whether a class without a hook has a variant that gives it itself."""
        return has_variant(self._facts, holder, holders)

    def _alike(self, having: Iterable[str], classes: Iterable[str]) -> dict[str, tuple[float, int, int]]:
        """Return, for each thing that classes have in common, how far the share that has the hook is from what is usual.

        Source: z ranking of deviant behaviour (Engler et al., SOSP 2001), with p0 = 0.9.
        """
        total: dict[str, int] = {}
        have: dict[str, int] = {}
        for name in having:
            for feature in self._features_of(name):
                have[feature] = have.get(feature, 0) + 1
        for name in classes:
            for feature in self._features_of(name):
                if feature in have:
                    total[feature] = total.get(feature, 0) + 1
        return {
            f: ((have[f] / n - _EXPECTED) / sqrt(_EXPECTED * (1 - _EXPECTED) / n), have[f], n)
            for f, n in total.items()
            if n >= _FEWEST_ALIKE and f in have
        }

    def makes(self, name: str, made: str) -> bool:
        """Tell whether constructing a registered class constructs another class or one below it, or is that class."""
        below = {c.name for c in self._facts.below(made)}
        return name in below or not below.isdisjoint(self._makes.get(name, ()))

    def _features_of(self, name: str) -> frozenset[str]:
        found = self._features.get(name)
        if found is None:
            cls = self._facts.by_name.get(name)
            above = (c.name for c in self._facts.order(cls)[1:]) if cls is not None else ()
            found = self._features[name] = frozenset((*above, *self._makes.get(name, ())))
        return found

    def fits(self, name: str, pattern: str) -> bool:
        """Tell whether a class is of a kind: its name, module, a base or a class it makes contains the pattern, or it has an
        attribute of that name. `base:`, `module:`, `makes:` and `attribute:` ask for one of these."""
        kind, colon, word = pattern.partition(":")
        if not colon:
            kind, word = "", pattern
        cls = self._facts.by_name.get(name)
        above = [*(c.name for c in self._facts.order(cls)[1:]), *cls.outside] if cls is not None else []
        sets = {
            "module": [name.rpartition(".")[0]],
            "base": [_last(n) for n in above],
            "makes": [_last(n) for n in self._makes.get(name, ())],
            "": [name.rpartition(".")[2], name.rpartition(".")[0].rpartition(".")[2]],
        }
        if kind == "attribute":
            return self._has(name, word, "instance") is True
        kinds = [kind] if kind else ["", "base", "makes"]
        return any(_matches(text, word) for k in kinds for text in sets.get(k, ()))

    # --- all hooks ---------------------------------------------------------------------------------------------------

    def every(self, family: str = "", missing: bool = False) -> HooksAnswer:
        """Return all names that are looked up on classes of the tree, the most surprising gaps first."""
        facts = self._facts
        facts.fetch(facts.hooks)
        rows = []
        for hook in facts.hooks:
            row = self._row(hook, family)
            if row is not None and (row.lack or not missing):
                rows.append(row)
        rows.sort(key=lambda r: (not (r.have and r.lack), -r.surprise, r.hook))
        return HooksAnswer(tuple(rows), sum(1 for row in rows if row.have and row.lack))

    def _row(self, hook: str, family: str) -> HookRow | None:
        facts = self._facts
        lookups = facts.lookups(hook)
        met = self._family(hook, lookups)
        classes = [c for c in met.classes if not family or self.fits(c, family)]
        if not classes:
            return None
        states = {name: self._has(name, hook, met.on) for name in classes}
        having = [name for name, has in states.items() if has is True]
        lacking = [name for name, has in states.items() if has is False]
        scores = self._alike(having, met.classes) if having and lacking else {}
        ranked = sorted((self._surprise(name, scores), name) for name in lacking) if scores else []
        return HookRow(
            hook=hook,
            family=met.title,
            on=met.on,
            styles=tuple(sorted({one.style for one in lookups})),
            if_missing=tuple(sorted({one.if_missing for one in lookups})),
            places=tuple(_place(one.file, one.at, one.function) for one in lookups),
            have=len(having),
            lack=len(lacking),
            unknown=len(classes) - len(having) - len(lacking),
            surprising=tuple(name for _, name in ranked[:-4:-1]),
            surprise=round(ranked[-1][0], 2) if ranked else -99.0,
        )

    def _surprise(self, name: str, scores: dict[str, tuple[float, int, int]]) -> float:
        return max((scores[f][0] for f in self._features_of(name) if f in scores), default=-99.0)


def _place(file: str, at: int, function: str) -> Place:
    return Place(file, ir.line_of(at), ir.column_of(at), function)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _said(receiver: StoredReceiver) -> str:
    """Return a receiver in words."""
    if receiver.kind == "registry":
        return f"a member of the registry `{receiver.name}`"
    if receiver.kind == "family":
        return f"{receiver.name} or a subclass"
    return receiver.name if receiver.kind != "many" else "too many classes to tell"


def _matches(text: str, word: str) -> bool:
    text, word = text.lower(), word.lower()
    return fnmatchcase(text, word) if any(c in word for c in "*?[") else word in text
