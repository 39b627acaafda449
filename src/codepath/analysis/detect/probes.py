"""`dead-probe`: a look-up of an attribute that nothing in the tree defines, stores or spells.

By name (`hasattr`, `getattr`), or by a read whose `AttributeError` is caught.

Forms: `misspelt`: one part of the name stands in no other name of the tree, and the same name with a part that does stands in
it; or the whole is near an attribute of the object. `absent`: the object is of a class or module of the tree, which nothing
gives such an attribute. `outside`: the object may be one of another package, which may have it; never more than `low`.

Approximates: under (a name that stands anywhere but behind a dot or in a look-up counts as given, whatever it names).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from codepath.analysis.detect.families import Families
from codepath.analysis.detect.mentions import around, is_plain_read, is_probe
from codepath.analysis.detect.receivers import Receiver, Receivers
from codepath.model import ir
from codepath.model.detect import Detected
from codepath.program.regions import every_region
from codepath.program.tree import ScopeInfo

KIND = "dead-probe"
PROBES = ("hasattr", "getattr")
_CALL = re.compile(rb"\b(?:hasattr|getattr)\s*\(")
_QUOTED = re.compile(rb"[\"']([A-Za-z_]\w*)[\"']")
_WINDOW = 300
_SHORTEST = 5
"""Parts of names that are shorter are near too many others to be taken for typing errors."""
_ALIKE = 0.8
_MUCH_ALIKE = 0.85
_USUAL = 3
"""A part that stands in so many names of the tree is spelt as it is meant."""
_CAUGHT = "except-attribute-error"
_ENDS = {
    "hasattr": "is always false",
    "getattr-default": "always gives its default",
    "getattr": "always fails",
    _CAUGHT: "always fails, and the error is caught",
}


@dataclass(frozen=True, slots=True)
class Probe:
    """One look-up: expression `expr` of a scope, with what it is made on."""

    info: ScopeInfo
    expr: int
    name: str
    style: str
    receiver: Receiver
    text: str


class DeadProbes:
    """Finds look-ups that can never find anything."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._tree = families.tree
        self._receivers = Receivers(families)
        self._modules = {part for module in families.tree.paths for part in module.split(".")}
        self._parts: dict[str, int] | None = None

    def everywhere(self) -> Iterator[Detected]:
        """Yield the dead look-ups of the whole tree, those that are typing errors first."""
        found = [one for path, names in self._candidates().items() for one in self._in_file(path, names)]
        yield from sorted(found, key=lambda d: (-d.surprise, d.place.file, d.place.line, d.place.column))

    # --- names -------------------------------------------------------------------------------------------------------

    def _candidates(self) -> dict[str, list[str]]:
        """Return, by file, the names that look-ups may spell and nothing gives."""
        given: dict[str, bool] = {}
        found: dict[str, list[str]] = {}
        caught = self._caught_names()
        holding = {path for word in PROBES for path in self._tree.words.holding(word)} | caught.keys()
        files = sorted(path for path in holding if self._tree.is_asked(path))
        for path in files:
            text = self._tree.text(path)
            calls = (match for match in _CALL.finditer(text) if self._is_asked(path, text, match.start()))
            windows = (text[match.end() : match.end() + _WINDOW] for match in calls)
            names = {name.decode() for window in windows for name in _QUOTED.findall(window)} | caught.get(path, set())
            for name in sorted(names):
                if name not in given:
                    given[name] = name.startswith("__") or self._is_given(name)
                if not given[name]:
                    found.setdefault(path, []).append(name)
        return found

    def _caught_names(self) -> dict[str, set[str]]:
        """Return, by file, the attributes that are read where an `AttributeError` is caught."""
        found: dict[str, set[str]] = {}
        for path in self._tree.words.holding("AttributeError"):
            module = self._tree.module_at(path) if self._tree.is_asked(path) else None
            for info in self._tree.asked(module) if module is not None else ():
                scope = self._tree.bodies.of(info).scope
                for index in _caught(scope):
                    expr = scope.exprs[index]
                    if isinstance(expr, ir.Attr):
                        found.setdefault(path, set()).add(expr.id)
        return found

    def _is_asked(self, path: str, text: bytes, start: int) -> bool:
        if self._tree.within is None:
            return True
        line = text.count(b"\n", 0, start) + 1
        return self._tree.is_asked(path, line, line + text.count(b"\n", start, start + _WINDOW))

    def _is_given(self, name: str) -> bool:
        """Tell whether a name stands in the tree other than as an attribute that is read or looked up."""
        if name in self._modules or self._is_option(name):
            return True
        is_spelt = any(
            not is_probe(before, after) and not is_plain_read(before, after)
            for path in self._tree.words.holding(name)
            for before, after in around(self._tree.text(path), name)
        )
        return is_spelt or self._is_stored(name)

    def _is_stored(self, name: str) -> bool:
        """Tell whether an attribute of a name is stored in a way that the bytes around it do not show: by unpacking, `for`."""
        for path in self._tree.words.holding(name):
            module = self._tree.module_at(path)
            for info in self._tree.bodies.holding(module.name, name) if module is not None else ():
                exprs = self._tree.bodies.of(info).scope.exprs
                if any(isinstance(e, ir.StoreAttr) and e.id == name for e in exprs):
                    return True
        return False

    def _is_option(self, name: str) -> bool:
        """Tell whether a name stands in the tree as that of a command-line option: `max_size` as `max-size`."""
        first, _, rest = name.partition("_")
        dashed = name.replace("_", "-").encode()
        return bool(first and rest) and any(dashed in self._tree.text(p) for p in self._tree.words.holding(first))

    # --- look-ups ----------------------------------------------------------------------------------------------------

    def _in_file(self, path: str, names: list[str]) -> Iterator[Detected]:
        module = next((m for m, p in self._tree.paths.items() if p == path), "")
        loaded = self._tree.module(module)
        wanted = frozenset(names)
        for info in loaded.scopes if loaded is not None else ():
            for probe in self._probes(info, wanted):
                yield self._judged(probe)

    def _probes(self, info: ScopeInfo, wanted: frozenset[str]) -> Iterator[Probe]:
        body = self._tree.bodies.of(info)
        exprs = body.scope.exprs
        for index in _caught(body.scope):
            read = exprs[index]
            if isinstance(read, ir.Attr) and read.id in wanted:
                yield Probe(
                    info, index, read.id, _CAUGHT, self._receivers.of(body, read.value), said(exprs, read.value)
                )
        for index, expr in enumerate(exprs):
            if not isinstance(expr, ir.Call) or len(expr.args) < 2 or not body.guards.covers(index):
                continue
            func, literal = exprs[expr.func], exprs[expr.args[1].value]
            if not isinstance(func, ir.Name) or func.id not in PROBES or not isinstance(literal, ir.Const):
                continue
            if isinstance(literal.value, str) and literal.value in wanted:
                style = "getattr-default" if func.id == "getattr" and len(expr.args) > 2 else func.id
                on = expr.args[0].value
                yield Probe(info, index, literal.value, style, self._receivers.of(body, on), said(exprs, on))

    def _judged(self, probe: Probe) -> Detected:
        receiver, name = probe.receiver, probe.name
        near = self._meant(name) or self._own(name, receiver)
        form = "misspelt" if near else "absent" if receiver.is_known else "outside"
        precision = "high" if near and not receiver.is_outside else "low"
        if receiver.is_known:
            precision = "high" if near or receiver.is_exact else "medium"
        at = self._tree.bodies.of(probe.info).scope.exprs[probe.expr].at
        return Detected(
            kind=KIND,
            form=form,
            owner=receiver.names[0] if receiver.names else probe.info.module.name,
            name=name,
            message=_message(probe, near),
            place=self._tree.place(probe.info, at),
            precision=precision,
            surprise=1.0 if near else 0.5 if receiver.is_known else 0.0,
        )

    # --- typing errors -----------------------------------------------------------------------------------------------

    def _meant(self, name: str) -> str:
        """Return the name of the tree that a name is a typing error of, "" where it is none.

        One part differs, stands in no other name, and is near a part that stands in several.
        """
        parts = name.split("_")
        words, counts = self._tree.names, self._counts()
        for number, part in enumerate(parts):
            if len(part) < _SHORTEST or not part.isalpha() or counts.get(part.lower(), 0) > 1:
                continue
            usual = [p for p, n in counts.items() if n >= _USUAL and abs(len(p) - len(part)) <= 1]
            for near in get_close_matches(part.lower(), usual, n=5, cutoff=_ALIKE):
                meant = "_".join([*parts[:number], near, *parts[number + 1 :]])
                if meant in words and _is_slip(part.lower(), near):
                    return meant
        return ""

    def _own(self, name: str, receiver: Receiver) -> str:
        """Return the attribute of a known object that a name is a typing error of, "" where it is none."""
        infos = [self._tree.bodies.scope(one) for one in receiver.names] if receiver.is_known else []
        classes = [info for info in infos if info is not None and info.form == "class"]
        families = [self._families.of(info) for info in classes]
        own = {n for family in families for n in (*family.stored, *(m.info.id for _, m in family.live))}
        near = get_close_matches(name, sorted(own), n=1, cutoff=_MUCH_ALIKE) if len(name) >= _SHORTEST else []
        return near[0] if near and _is_slip(name, near[0]) else ""

    def _counts(self) -> dict[str, int]:
        """Return in how many names of the tree each part of a name stands."""
        if self._parts is None:
            self._parts = {}
            for word in self._tree.names:
                for part in set(word.lower().split("_")):
                    self._parts[part] = self._parts.get(part, 0) + 1
        return self._parts


def _message(probe: Probe, near: str) -> str:
    """Return what is wrong with a look-up, in one sentence."""
    what = f"nothing in the tree gives a `{probe.name}`"
    if near:
        return f"{what}, only a `{near}`: the look-up on `{probe.text}` {_ENDS[probe.style]}"
    if probe.receiver.is_known:
        owner = probe.receiver.names[0].rpartition(".")[2]
        return f"{what}: the look-up on `{probe.text}` of {owner} {_ENDS[probe.style]}"
    return f"{what}; `{probe.text}` may have it from another package"


def _caught(scope: ir.Scope) -> Iterator[int]:
    """Yield the expressions that run where a handler names `AttributeError`."""
    for region in every_region(scope.body):
        if isinstance(region, ir.Try) and any("AttributeError" in one.text for one in region.handlers):
            for inner in every_region(region.body):
                yield from range(getattr(inner, "start", 0), getattr(inner, "stop", 0))


def _is_slip(part: str, near: str) -> bool:
    """Tell whether a part is the other one typed wrongly: not another form of the word, such as its plural."""
    if part.rstrip("s") == near.rstrip("s") or part.startswith(near) or near.startswith(part):
        return False
    return part[0] == near[0] or sorted(part) == sorted(near)


def said(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return a dotted expression as it is written, `...` for another one."""
    expr = exprs[index]
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Attr):
        return f"{said(exprs, expr.value)}.{expr.id}"
    return "..."
