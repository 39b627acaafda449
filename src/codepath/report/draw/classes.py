"""A family of classes as a sheet: what each overrides stands in its box."""

from __future__ import annotations

from codepath.model.pictures import Family, FamilyClass, FamilyMethod
from codepath.model.sheets import Arrow, Box, Sheet
from codepath.report.names import without_module
from codepath.report.view import count

_MAX_METHODS = 6


def family_sheet(family: Family) -> Sheet:
    """Return a family as a sheet, bases first: arrows lead from a class to what it extends."""
    titles = {c.name: without_module(c.name, c.place.file) for c in family.classes}
    overridden = {(m.overrides, m.name) for c in family.classes for m in c.methods if m.overrides}
    ordered = _bases_first(family)
    numbers = {c.name: n for n, c in enumerate(ordered)}
    boxes = tuple(_box(c, family, titles, overridden) for c in ordered)
    arrows = tuple(
        Arrow(numbers[c.name], numbers[base], f"{c.name} {base}", "extends", (), c.place)
        for c in ordered
        for base in c.bases
    )
    own = next(c for c in family.classes if c.name == family.name)
    replaced = sum(1 for c in family.classes for m in c.methods if m.overrides)
    said = f" of {', '.join(family.asked)}" if family.asked else ""
    return Sheet(
        about="family of",
        name=family.name,
        place=own.place,
        caption=f"{count(len(family.classes), 'class', 'classes')}, {count(replaced, 'override')}{said}",
        boxes=boxes,
        arrows=arrows,
        way_out="--limit N, or --method NAME for those that define it",
    )


def _bases_first(family: Family) -> list[FamilyClass]:
    """Sort classes so that each stands behind its bases; nearest to the class that is asked about first."""
    by_name = {c.name: c for c in family.classes}
    depth: dict[str, int] = {}

    def depth_of(name: str, around: tuple[str, ...]) -> int:
        if name not in depth:
            bases = [b for b in by_name[name].bases if b not in around]
            depth[name] = max((depth_of(b, (*around, name)) + 1 for b in bases), default=0)
        return depth[name]

    return sorted(family.classes, key=lambda c: (depth_of(c.name, ()), c.place.file, c.place.line))


def _box(cls: FamilyClass, family: Family, titles: dict[str, str], overridden: set[tuple[str, str]]) -> Box:
    told = [m for m in cls.methods if m.overrides or (cls.name, m.name) in overridden or family.asked]
    said = [_said(m, (cls.name, m.name) in overridden, titles) for m in told]
    shown = said if len(said) <= _MAX_METHODS else [*said[: _MAX_METHODS - 1], f"+{len(said) - _MAX_METHODS + 1} more"]
    outside = [] if cls.bases or not cls.outside else [f"extends {', '.join(cls.outside[:3])}, outside the tree"]
    kind = "target" if cls.name == family.name else "abstract" if cls.abstract else "class"
    return Box(
        key=cls.name,
        kind=kind,
        title=titles[cls.name],
        lines=(f"{cls.place.file.rpartition('/')[2]}:{cls.place.line}", *outside, *shown),
        place=cls.place,
        more=(("Name", (cls.name,)), ("Overrides", tuple(said)), ("Other bases", cls.outside)),
    )


def _said(method: FamilyMethod, is_overridden: bool, titles: dict[str, str]) -> str:
    if not method.overrides:
        return f"{method.name}, overridden below" if is_overridden else method.name
    above = titles.get(method.overrides, method.overrides.rpartition(".")[2])
    how = ", calls super" if method.calls_super else ", does not call it"
    return f"{method.name} replaces that of {above}{how}"
