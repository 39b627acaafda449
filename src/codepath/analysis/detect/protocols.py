"""`missing-protocol`: an object that is used like others of its kind and lacks a method, or hides that of what it wraps.

Forms: `hidden`: a wrapper has no attribute of a name that code looks up on it, and what it wraps can have it. `inherited`:
`inherited.py`. `undeclared`: `declared.py`. `member`: a class of a family lacks what callers use without asking, and nearly all
others of the family have it.

Approximates: under (only look-ups that are seen to meet the class count); over (an object of the class may never be what the
wrapper holds, or never be there in a configuration in which the look-up runs).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.inherited import Inherited
from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.detect.wrappers import Wrapper, Wrappers
from codepath.analysis.hooks import Hooks
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import PRECISIONS, Note
from codepath.model.detect import Detected
from codepath.model.hooks import Holder, StoredLookup
from codepath.program.tree import ScopeInfo

KIND = "missing-protocol"
_MOST_NOTES = 3
_SHARE = 0.8
_HANDED_ON = 0.2
_IS_ASKED = "asked"
"""Marks what code asks for before it uses it, until it is ranked."""
_SURE = PRECISIONS[0]
_FEWEST = 4
_ASKED = re.compile(r"""hasattr\((.+),\s*["'](\w+)["']\)""")
_SAYS = re.compile(r"\b(?:log|logger|logging|warn|warnings|raise|print)\b")


class Meeting(NamedTuple):
    """A look-up that can meet a class; `how` is `class` where it is seen to, else `family` or `registry`."""

    lookup: StoredLookup
    how: str


class Protocols:
    """Finds what objects lack that are used like others; `fewest` as `Wrappers` takes it."""

    def __init__(self, evidence: Evidence, hooks: Hooks, fewest: int = 2) -> None:
        self._evidence = evidence
        self._families = evidence.families
        self._tree = evidence.families.tree
        self._hooks = hooks
        self._wrappers = Wrappers(evidence.families, fewest)

    def everywhere(self, least: str = PRECISIONS[-1]) -> Iterator[Detected]:
        """Yield what is lacking in the whole tree, of a change what it touches.

        Where `least` is `high`, what members lack or inherit is left out: it is never that sure.
        """
        facts = self._hooks.facts
        facts.fetch(facts.hooks)
        wrappers = self._wrappers_among(self._tree.classes())
        for hook in (hook for hook in facts.hooks if not hook.startswith("__")):
            found = self._hiding(hook, wrappers) if self._tree.within is None else self._near(hook, wrappers)
            yield from found
            yield from self.members(hook) if least != _SURE else ()
        if least != _SURE:
            yield from Inherited(self._evidence, facts.graph, wrappers).everywhere()

    def _wrappers_among(self, infos: Iterable[ScopeInfo]) -> list[Wrapper]:
        return [wrapper for info in self._tree.each(infos) if (wrapper := self.wrapper(info)) is not None]

    def _hiding(self, hook: str, wrappers: list[Wrapper]) -> Iterator[Detected]:
        found = [one for wrapper in wrappers if (one := self.of(wrapper, hook)) is not None]
        return self._ranked(hook, found, wrappers)

    def _near(self, hook: str, wrappers: list[Wrapper]) -> Iterator[Detected]:
        """Yield what some wrappers hide under one name, and those that look-ups meet which a change touches."""
        own = {wrapper.info.name: wrapper for wrapper in (*wrappers, *self._met(hook))}
        asked = {name for name, wrapper in own.items() if self.of(wrapper, hook) is not None}
        if asked:
            beside = self._wrappers_among(self._beside([own[name].info for name in sorted(asked)]))
            every = {wrapper.info.name: wrapper for wrapper in (*beside, *own.values())}
            yield from (one for one in self._hiding(hook, list(every.values())) if one.owner in asked)

    def _met(self, hook: str) -> list[Wrapper]:
        """Return the wrappers that look-ups of a name in touched lines can meet."""
        lookups = [x for x in self._hooks.facts.lookups(hook) if self._is_touched(x)]
        names: set[str] = set()
        for receiver in (receiver for lookup in lookups for receiver in lookup.receivers):
            if receiver.kind == "registry":
                names.update(member.name for member in self._hooks.facts.registered[receiver.name])
            else:
                names.add(receiver.name)
        found = [info for name in sorted(names) if (info := self._tree.bodies.scope(name)) is not None]
        return self._wrappers_among(self._tree.with_below(info for info in found if info.form == "class"))

    def _is_touched(self, lookup: StoredLookup) -> bool:
        line = ir.line_of(lookup.at)
        return self._tree.is_asked(lookup.file, line, line)

    def _beside(self, infos: Iterable[ScopeInfo]) -> list[ScopeInfo]:
        """Return the classes that are members of a registry with some, or have a base of the tree in common with them."""
        found: dict[str, ScopeInfo] = {}
        for info in infos:
            names = self._registered.get(info.name)
            bases = (self._tree.info(sid) for sid in self._families.classes.mro(info.sid))
            known = filter(None, map(self._tree.bodies.scope, sorted(names))) if names is not None else bases
            found.update((one.name, one) for one in (known if names is not None else self._tree.with_below(known)))
        return list(found.values())

    def wrapper(self, info: ScopeInfo) -> Wrapper | None:
        """Return a class as a wrapper, None where it is none."""
        return self._wrappers.of(info, self._registered.get(info.name, frozenset()))

    @cached_property
    def _registered(self) -> dict[str, frozenset[str]]:
        """The members of the registry of each member of one."""
        sets = [frozenset(m.name for m in members) for members in self._hooks.facts.registered.values()]
        return {name: names for names in sets for name in names}

    def of(self, wrapper: Wrapper, hook: str) -> Detected | None:
        """Return what a wrapper hides of what it wraps under one name, None where it hides nothing."""
        if self._hooks.has(wrapper.info.name, hook) is not False:
            return None
        inner = self.replaced(wrapper, hook)
        if not inner:
            return None
        files = {cls.module.path for cls in inner} - {wrapper.info.module.path}
        meetings = [
            m
            for m in self.meetings(wrapper.info.name, hook)
            if m.lookup.file not in files and _last(m.lookup.function) != hook and self._is_run(wrapper, m.lookup)
        ]
        if not meetings:
            return None
        return self._detected(wrapper, hook, inner, meetings)

    def meetings(self, cls: str, hook: str) -> list[Meeting]:
        """Return the look-ups of a name that can meet a class, those that are seen to first."""
        facts = self._hooks.facts
        stored = facts.by_name.get(cls)
        above = {c.name for c in facts.order(stored)} if stored is not None else {cls}
        found = []
        for lookup in facts.lookups(hook):
            for receiver in lookup.receivers:
                is_met = receiver.name == cls or (receiver.kind == "family" and receiver.name in above)
                if receiver.kind == "registry":
                    is_met = any(m.name == cls for m in facts.registered[receiver.name])
                if is_met and lookup.text != "self":
                    found.append(Meeting(lookup, "class" if receiver.name == cls else receiver.kind))
                    break
        return sorted(found, key=lambda m: (m.how != "class", m.lookup.style != "call", m.lookup.file, m.lookup.at))

    def _is_run(self, wrapper: Wrapper, lookup: StoredLookup) -> bool:
        """Tell whether a look-up runs on the wrapper itself: no module of its kind hands its function what is wrapped, and no
        condition asks for another attribute that the wrapper lacks."""
        alike = self._registered.get(wrapper.info.name, frozenset())
        modules = {name.rpartition(".")[0] for name in alike}
        callers = self._hooks.facts.graph.callers(lookup.function)
        if self._module(lookup.function) in modules:
            return False
        own = f"{wrapper.info.name}."
        if "." not in lookup.text and any(self._module(c) in modules or c.startswith(own) for c in callers):
            return False
        return not any(self._hooks.has(wrapper.info.name, name) is False for name in asked_too(self._hooks, lookup))

    def _module(self, function: str) -> str:
        while function and function not in self._tree.paths:
            function = function.rpartition(".")[0]
        return function

    def replaced(self, wrapper: Wrapper, hook: str) -> list[ScopeInfo]:
        """Return the classes of what is wrapped that have an attribute which no base of the wrapper gives them."""
        base = {self._tree.info(sid).name for sid in self._families.classes.mro(wrapper.info.sid)}
        found = []
        for cls in wrapper.inner:
            if not self._hooks.has(cls.name, hook):
                continue
            held = self._hooks.holder(cls.name, hook, "instance")
            if held.has is True and held.provider is not None and held.provider.cls not in base:
                found.append(cls)
        return found

    # --- findings ----------------------------------------------------------------------------------------------------

    def _detected(self, wrapper: Wrapper, hook: str, inner: list[ScopeInfo], meetings: list[Meeting]) -> Detected:
        first = meetings[0]
        place = self._place(first.lookup)
        shown = [Note(self._tree.place(c, c.at), f"{c.id} has it") for c in inner[:_MOST_NOTES]]
        notes = (Note(self._tree.place(wrapper.info, wrapper.info.at), f"{wrapper.info.id} wraps it"), *shown)
        return Detected(
            kind=KIND,
            form="hidden",
            owner=wrapper.info.name,
            name=hook,
            message=_hidden(wrapper, hook, inner, first),
            place=place,
            precision=self._precision(wrapper, hook, inner, meetings),
            surprise=round(len(inner) / max(len(wrapper.inner), 1), 2),
            notes=notes,
            method=_IS_ASKED if all(m.lookup.style != "call" for m in meetings) else "",
        )

    def _precision(self, wrapper: Wrapper, hook: str, inner: list[ScopeInfo], meetings: list[Meeting]) -> str:
        """Return how sure it is that a look-up fails.

        `high` where it is seen to meet the wrapper, what that holds is known, and the attribute is part of what is done with
        such objects: a method, or what nearly all of them have.
        """
        is_registered = wrapper.info.name in self._registered
        forms = ("method", "classmethod", "property") if is_registered else ("method", "classmethod")
        is_method = any(self._form(cls, hook) in forms for cls in inner)
        is_usual = len(inner) >= _SHARE * len(wrapper.inner)
        if hook.startswith("_") or not wrapper.is_known or not (is_method or is_usual):
            return "low"
        if not all(hurts(self._tree, m.lookup) for m in meetings):
            return "low"
        is_asked = all(m.lookup.style != "call" for m in meetings)
        if (
            meetings[0].how == "family"
            or not is_method
            or not (is_usual or is_asked or len(inner) > 0.5 * len(wrapper.inner))
            or not (is_asked or any(not self._is_chosen(m.lookup) for m in meetings))
        ):
            return "medium" if is_method or meetings[0].how == "class" else "low"
        return "high"

    def _is_chosen(self, lookup: StoredLookup) -> bool:
        """Tell whether a condition chooses when a look-up runs: it may do so by what the object is."""
        return any(guard.kind not in ("for", "try", "except") for guard in self._hooks.guards(lookup))

    def _form(self, cls: ScopeInfo, hook: str) -> str:
        provider = self._hooks.holder(cls.name, hook, "instance").provider
        return provider.how if provider is not None else ""

    def _ranked(self, hook: str, found: list[Detected], wrappers: list[Wrapper]) -> Iterator[Detected]:
        """Yield what wrappers hide under one name, with how surprising that is: which share of those like them hand it on.

        A call that fails is only sure to be made on such objects where others hand it on.
        """
        handing = [w for w in wrappers if hook in w.forwards]
        hiding = {w.info.name: w for w in wrappers}
        for one in found:
            wrapper = hiding[one.owner]
            others = sum(1 for other in handing if self._is_alike(wrapper, other))
            rest = sum(1 for other in found if self._is_alike(wrapper, hiding[other.owner]))
            share = others / max(others + rest, 1)
            is_asked = one.method == _IS_ASKED and one.owner not in self._registered
            is_sure = is_asked or (one.method != _IS_ASKED and share >= _HANDED_ON)
            weaker = {"high": "medium", "medium": "low"}.get(one.precision, "low")
            yield replace(
                one,
                method="",
                surprise=round(max(share, one.surprise), 2),
                precision=one.precision if is_sure else weaker,
            )

    def _is_alike(self, one: Wrapper, other: Wrapper) -> bool:
        """Tell whether two wrappers are members of one registry, or have a base of the tree in common."""
        alike = self._registered.get(one.info.name)
        if alike is not None:
            return other.info.name in alike
        order = self._families.classes.mro
        return not set(order(one.info.sid)).isdisjoint(order(other.info.sid))

    # --- members -----------------------------------------------------------------------------------------------------

    def members(self, hook: str) -> Iterator[Detected]:
        """Yield the classes that calls are seen to meet, and that lack what nearly all others have which they meet."""
        for lookup in self._hooks.facts.lookups(hook):
            names = sorted({r.name for r in lookup.receivers if r.kind == "class"})
            if lookup.style != "call" or lookup.if_missing != "raises" or len(names) < _FEWEST:
                continue
            if any(r.kind != "class" for r in lookup.receivers) or lookup.text == "self":
                continue
            holders = [self._hooks.holder(name, hook, "instance") for name in names]
            lacking = [h for h in holders if h.has is False and not h.outside]
            have = sum(1 for h in holders if h.has is True)
            if len(lacking) == 1 and have >= _SHARE * len(names):
                yield self._member(hook, lookup, lacking[0], have, len(names))

    def _member(self, hook: str, lookup: StoredLookup, holder: Holder, have: int, total: int) -> Detected:
        place = Place(holder.file, holder.line, 0, holder.cls)
        message = (
            f"{_last(holder.cls)} has no `{hook}`, which `{_last(lookup.function)}` uses without asking; "
            f"{have} of the {total} classes that it can meet have it"
        )
        return Detected(
            kind=KIND,
            form="member",
            owner=holder.cls,
            name=hook,
            message=message,
            place=self._place(lookup),
            precision="medium",
            surprise=round(have / total, 2),
            notes=(Note(place, f"{_last(holder.cls)} has none"),),
        )

    def _place(self, lookup: StoredLookup) -> Place:
        return Place(lookup.file, ir.line_of(lookup.at), ir.column_of(lookup.at), lookup.function)


def asked_too(hooks: Hooks, lookup: StoredLookup) -> tuple[str, ...]:
    """Return the attributes that conditions around a look-up ask its object for."""
    asked = [_ASKED.fullmatch(guard.text) for guard in hooks.guards(lookup) if guard.polarity]
    return tuple(found[2] for found in asked if found is not None and found[1].strip() == lookup.text)


def hurts(tree: DetectTree, lookup: StoredLookup) -> bool:
    """Tell whether a look-up that finds nothing fails, or goes on without a word and without a value to take instead.

    One that asks first and then raises says what is wrong: that is meant.
    """
    if lookup.style in ("call", "getattr"):
        return lookup.if_missing == "raises"
    return lookup.if_missing in ("skipped", "other-branch") and not _says(tree, lookup)


def _says(tree: DetectTree, lookup: StoredLookup) -> bool:
    """Tell whether what runs where a look-up finds nothing begins with a message."""
    text = lookup.missing
    if not text and lookup.missing_at:
        lines = tree.text(lookup.file).splitlines()
        text = lines[ir.line_of(lookup.missing_at) - 1].decode("utf-8", "replace")
    return _SAYS.search(text) is not None


def _hidden(wrapper: Wrapper, hook: str, inner: list[ScopeInfo], first: Meeting) -> str:
    fails = first.lookup.if_missing == "raises"
    then = "which fails" if fails else "which goes on without it"
    return (
        f"{wrapper.info.id} has no `{hook}` and hides that of {_few(inner)}, which it wraps, "
        f"from `{_last(first.lookup.function)}`, {then}"
    )


def _few(classes: list[ScopeInfo]) -> str:
    names = sorted({c.id for c in classes})
    if len(names) > 2:
        return f"{names[0]}, {names[1]} or {len(names) - 2} more"
    return " or ".join(names)


def _last(name: str) -> str:
    return name.rpartition(".")[2]
