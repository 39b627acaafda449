"""`set-difference`: what an enumeration of the members of a family leaves out.

A family: the globals of a module that are declared to hold objects of one class; the classes below a base; the members of an
enumeration class. An enumeration: a function that names several globals of a family, or what returns them; a display (list,
tuple, set, dict) that names several classes or members of a family.

Approximates: under (members that are made under names built at run time are none); over (what an enumeration leaves out can be
meant).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from codepath.analysis.detect.families import Families
from codepath.analysis.detect.siblings import listed
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import PRECISIONS, Note
from codepath.model.detect import Detected
from codepath.model.siblings import Enumeration, FamilyMember, MemberFamily
from codepath.program.annotations import Term, term_of
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import CLASS, FUNCTION, ScopeId

KIND = "set-difference"
_FEWEST = 3
_MOST_MISSED = 0.25
_USUAL = 0.5
_MOST_NOTES = 3
_DISPLAYS = "low"
"""The precision of what displays of classes and of members of enumerations leave out."""
_DEFINED = ("function", "class", "dynamic")
_ENUMS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")


class Members:
    """Finds families and what enumerations of them leave out.

    In a whole tree what would be below the precision `least` is not looked for: classes and enumeration classes.
    """

    def __init__(self, families: Families, least: str = PRECISIONS[-1]) -> None:
        self._families = families
        self._least = least
        self._defined: dict[tuple[ScopeId, str], frozenset[ScopeId]] = {}
        self._tree = families.tree

    def named(self, name: str) -> list[MemberFamily]:
        """Return the families that a name means: of a class or base, or one of whose members has it."""
        last = name.rpartition(".")[2]
        found: list[MemberFamily] = []
        for path in self._tree.words.holding(last):
            module = self._tree.module_at(path)
            for family in self.of_module(module) if module is not None else ():
                members = {m.name for m in family.members}
                if _is(family.of, name) or any(_is(member, name) for member in members):
                    found.append(self.enumerated(family))
        return found

    def everywhere(self) -> Iterator[Detected]:
        """Yield the enumerations of the whole tree that leave out few of many, the most surprising first."""
        for family in self.deviant():
            yield from (self._detected(family, one) for one in family.enumerations)

    def deviant(self) -> tuple[MemberFamily, ...]:
        """Return the families of the whole tree with the enumerations that leave out few of many, these alone.

        Of a change, those families and enumerations that it touches.
        """
        found = []
        for module in self._concerned():
            for family in self._globals(module) if self._least != _DISPLAYS else self.of_module(module):
                whole = self.enumerated(family)
                is_asked = any(self._is_asked(place) for place in (family.place, *(m.place for m in family.members)))
                kept = tuple(
                    one
                    for one in whole.enumerations
                    if one.misses and _is_few(whole, one) and (is_asked or self._is_asked(one.place))
                )
                if kept:
                    found.append(replace(whole, enumerations=kept))
        return tuple(found)

    def _is_asked(self, place: Place) -> bool:
        """Tell whether findings in the function or class around a place, of a module on its line, are asked for."""
        info = self._tree.bodies.scope(place.function)
        if info is None or info.form == "module":
            return self._tree.is_asked(place.file, place.line, place.line)
        return self._tree.is_asked(place.file, ir.line_of(info.at), ir.line_of(info.end))

    def _concerned(self) -> list[ModuleInfo]:
        """Return the modules that are asked about, and those of which several names stand in what is asked about, by path."""
        found = {module.path: module for module in self._tree.everything()}
        if self._tree.within is not None:
            for info in [info for module in list(found.values()) for info in self._tree.asked(module)]:
                found.update((module.path, module) for module in self._named_in(info))
        return [found[path] for path in sorted(found)]

    def _named_in(self, info: ScopeInfo) -> list[ModuleInfo]:
        """Return the modules that define several of the names in a scope, or the classes above several."""
        if self._least != _DISPLAYS and info.form != "function":
            return []
        top = info.module.scopes[0]
        words = {_word(expr).partition(".")[0] for expr in self._tree.bodies.of(info).scope.exprs}
        named = [name for name in words if name in top.names]
        if len(named) < _FEWEST:
            return []
        counts: dict[ScopeId, set[str]] = {}
        for name in named:
            for sid in self._defining(top, name):
                counts.setdefault(self._tree.info(sid).module.scopes[0].sid, set()).add(name)
        return [self._tree.info(sid).module for sid, names in counts.items() if len(names) >= _FEWEST]

    def _defining(self, top: ScopeInfo, name: str) -> frozenset[ScopeId]:
        """Return the scopes that define what a name of a module means: its own, for a class also those of its bases."""
        key = (top.sid, name)
        if key not in self._defined:
            meaning = self._tree.bodies.visible(top, name)
            sids: set[ScopeId] = {value[1] for value in meaning.values if value[0] in (CLASS, FUNCTION)}
            sids |= {sid for sid, _ in meaning.cells}
            classes = [sid for sid in sids if self._tree.info(sid).form == "class"] if self._least == _DISPLAYS else []
            sids.update(above for sid in classes for above in self._families.classes.mro(sid))
            self._defined[key] = frozenset(sids)
        return self._defined[key]

    # --- families ----------------------------------------------------------------------------------------------------

    def of_module(self, module: ModuleInfo) -> Iterator[MemberFamily]:
        """Yield the families that a module defines, without their enumerations."""
        yield from self._globals(module)
        for info in module.scopes:
            if info.form == "class":
                family = self._enum(info) if self._is_enum(info) else self._below(info)
                if family is not None:
                    yield family

    def _globals(self, module: ModuleInfo) -> Iterator[MemberFamily]:
        top = module.scopes[0]
        grouped: dict[str, dict[str, Place]] = {}
        for name, term in self._declared(top):
            for part in _parts(term):
                values = self._tree.bodies.class_values(self._tree.bodies.term_values(top, part))
                for cls in values:
                    grouped.setdefault(cls.name, {})[name] = self._place_of(top, name)
        for of, names in sorted(grouped.items()):
            if len(names) >= _FEWEST:
                given = self._givers(module, names)
                members = tuple(FamilyMember(n, place, (n, *given.get(n, ()))) for n, place in names.items())
                yield MemberFamily("globals", of, next(iter(names.values())), members, ())

    def _declared(self, top: ScopeInfo) -> Iterator[tuple[str, Term]]:
        """Yield the annotated globals of a module."""
        scope = self._tree.bodies.of(top).scope
        for expr in scope.exprs:
            if isinstance(expr, ir.Bind) and expr.annotation >= 0:
                yield expr.id, term_of(scope.exprs, expr.annotation)

    def _place_of(self, info: ScopeInfo, name: str) -> Place:
        scope = self._tree.bodies.of(info).scope
        at = next((e.at for e in scope.exprs if isinstance(e, ir.Bind) and e.id == name), info.at)
        return self._tree.place(info, at)

    def _givers(self, module: ModuleInfo, names: Iterable[str]) -> dict[str, list[str]]:
        """Return, by global, the functions of its module that return just it."""
        found: dict[str, list[str]] = {}
        wanted = frozenset(names)
        for info in module.scopes:
            if info.form == "function" and info.outer == module.scopes[0].sid:
                body = self._tree.bodies.of(info)
                returned = {
                    e.id
                    for r in body.scope.body
                    if isinstance(r, ir.Return) and r.value >= 0 and isinstance(e := body.scope.exprs[r.value], ir.Name)
                }
                if len(returned) == 1 and returned <= wanted:
                    found.setdefault(returned.pop(), []).append(info.id)
        return found

    def _is_enum(self, info: ScopeInfo) -> bool:
        return any(str(term).rpartition(".")[2] in _ENUMS for _, term in info.bases)

    def _enum(self, info: ScopeInfo) -> MemberFamily | None:
        body = self._tree.bodies.of(info)
        members = [
            FamilyMember(f"{info.name}.{e.id}", self._tree.place(info, e.at), (f"{info.id}.{e.id}",))
            for e in body.scope.exprs
            if isinstance(e, ir.Bind)
            and e.value >= 0
            and not e.id.startswith("_")
            and not isinstance(body.scope.exprs[e.value], ir.Function)
        ]
        return self._family("enum", info, members)

    def _below(self, info: ScopeInfo) -> MemberFamily | None:
        classes = [one for one in self._tree.with_below([info]) if one is not info]
        members = [FamilyMember(c.name, self._tree.place(c, c.at), (c.id,)) for c in classes]
        return self._family("classes", info, members)

    def _family(self, kind: str, info: ScopeInfo, members: list[FamilyMember]) -> MemberFamily | None:
        place = self._tree.place(info, info.at)
        return MemberFamily(kind, info.name, place, tuple(members), ()) if len(members) >= _FEWEST else None

    # --- enumerations ------------------------------------------------------------------------------------------------

    def enumerated(self, family: MemberFamily) -> MemberFamily:
        """Return a family with the places that enumerate it."""
        by_word = {word: member.name for member in family.members for word in member.names}
        found = [one for info in self._holding(by_word) for one in self._enumerations(family, info, by_word)]
        found = _judged(family, found)
        found.sort(key=lambda e: (PRECISIONS.index(e.precision), -e.surprise, e.place.file, e.place.line))
        return replace(family, enumerations=tuple(found))

    def _holding(self, by_word: dict[str, str]) -> Iterator[ScopeInfo]:
        counts: dict[str, int] = {}
        for word in {word.partition(".")[0] if "." in word else word for word in by_word}:
            for path in self._tree.words.holding(word):
                counts[path] = counts.get(path, 0) + 1
        is_one_word = all("." in word for word in by_word)
        for path in sorted(p for p, n in counts.items() if is_one_word or n >= _FEWEST):
            module = self._tree.module_at(path)
            yield from module.scopes if module is not None else ()

    def _enumerations(self, family: MemberFamily, info: ScopeInfo, by_word: dict[str, str]) -> Iterator[Enumeration]:
        scope = self._tree.bodies.of(info).scope
        if family.kind == "globals":
            if info.form == "function":
                own = self._own(family, info.module)
                used = (_word(e) for e in scope.exprs)
                named = {by_word[word]: None for word in used if word in by_word and word not in own}
                yield from self._made(family, self._tree.place(info, info.at), "function", list(named))
            return
        for expr in scope.exprs:
            items: list[int] = []
            if isinstance(expr, ir.Sequence):
                items = list(expr.items)
            elif isinstance(expr, ir.Dict):
                keys = [by_word.get(_said(scope.exprs, k)) for k in expr.keys if k >= 0]
                items = list(expr.keys if sum(k is not None for k in keys) >= _FEWEST else expr.values)
            words = [_said(scope.exprs, i) for i in items if i >= 0]
            named = {by_word[w]: None for w in words if w in by_word}
            if len(named) >= max(_FEWEST, 0.75 * len(words)):
                assert isinstance(expr, (ir.Sequence, ir.Dict))
                yield from self._made(family, self._tree.place(info, expr.at), "display", list(named))

    def _own(self, family: MemberFamily, module: ModuleInfo) -> frozenset[str]:
        """Return the names that a module other than a family's defines itself: they do not stand for members."""
        if module.path == family.place.file:
            return frozenset()
        names = module.scopes[0].names
        return frozenset(name for name, origins in names.items() if any(o.form in _DEFINED for o in origins))

    def _made(self, family: MemberFamily, place: Place, how: str, covers: list[str]) -> Iterator[Enumeration]:
        if len(covers) >= _FEWEST:
            misses = tuple(m.name for m in family.members if m.name not in covers)
            yield Enumeration(place, how, tuple(covers), misses, _DISPLAYS, round(len(covers) / len(family.members), 2))

    def _detected(self, family: MemberFamily, one: Enumeration) -> Detected:
        names = [f"`{_short(name)}`" for name in one.misses]
        others = [e for e in family.enumerations if set(one.misses) <= set(e.covers) and e is not one]
        where = one.place.function.rpartition(".")[2]
        message = (
            f"`{where}` names {len(one.covers)} of the {len(family.members)} members of {_short(family.of)}, "
            f"and leaves out {listed(names)}"
        )
        notes = [Note(m.place, f"`{_short(m.name)}` is one too") for m in family.members if m.name in one.misses]
        notes += [Note(e.place, "names it with the others") for e in others]
        return Detected(
            kind=KIND,
            form=family.kind,
            owner=family.of,
            name=_short(one.misses[0]),
            message=message,
            place=one.place,
            precision=one.precision,
            surprise=one.surprise,
            notes=tuple(notes[:_MOST_NOTES]),
        )


def _judged(family: MemberFamily, found: list[Enumeration]) -> list[Enumeration]:
    """Return enumerations with how sure it is that they leave something out: what most others name that name at least half.

    Displays of classes and of members of enumerations leave out on purpose more often than not.
    """
    if family.kind != "globals":
        return found
    large = [one for one in found if 2 * len(one.covers) >= len(family.members)]
    judged = []
    for one in found:
        others = [other for other in large if other is not one]
        usual = [m for m in one.misses if others and sum(m in o.covers for o in others) >= _USUAL * len(others)]
        is_sure = bool(usual) and _is_few(family, one) and len(one.covers) > _FEWEST
        judged.append(replace(one, precision="high" if is_sure else _DISPLAYS))
    return judged


def _is_few(family: MemberFamily, one: Enumeration) -> bool:
    return len(one.misses) <= _MOST_MISSED * len(family.members)


def _parts(term: Term) -> Iterator[str]:
    if isinstance(term, str):
        if term:
            yield term
    elif term[0].rpartition(".")[2] in ("Optional", "|", "Final", "Union", "ClassVar"):
        for part in term[1]:
            yield from _parts(part)


def _word(expr: ir.Expr) -> str:
    return expr.id if isinstance(expr, (ir.Name, ir.Attr, ir.Bind)) else ""


def _said(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return how an item of a display names a member: a class by its name, a member of an enumeration with its class."""
    expr = exprs[index]
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Attr):
        inner = exprs[expr.value]
        if isinstance(inner, (ir.Name, ir.Attr)) and inner.id[:1].isupper():
            return f"{inner.id}.{expr.id}"
        return expr.id
    return ""


def _short(name: str) -> str:
    parts = name.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]


def _is(full: str, name: str) -> bool:
    return full == name or full.endswith(f".{name}")
