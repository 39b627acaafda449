"""The answers to `hooks` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.answers import Place
from codepath.model.hooks import Holder, HookAnswer, HookRow, HooksAnswer, Lookup
from codepath.report.common import cut_line, next_lines, skipped_lines
from codepath.report.names import guard_text, shown_guards, without_module
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View, count

_SHOWN = 12
_LOOKUPS = 8
_KINDS = 4
_WIDE = 58
_STYLES = {
    "hasattr": "hasattr",
    "getattr": "getattr",
    "getattr-default": "getattr with a default",
    "except-attribute-error": "except AttributeError",
    "call": "plain read",
    "isinstance": "isinstance",
}


def hook_text(answer: HookAnswer, view: View, *, missing: bool, everything: bool) -> Iterator[str]:
    """Write who has one hook and who lacks it; `missing` leaves out those that have it, `everything` cuts nothing."""
    yield view.pen.line(Span(_headline(answer), "answer"))
    yield view.pen.line()
    yield from _lookups(answer, view, everything)
    have = [c for c in answer.classes if c.has is True]
    lack = [c for c in answer.classes if c.has is False]
    unknown = [c for c in answer.classes if c.has is None]
    if have and not missing:
        yield from _having(have, view, everything)
    if lack:
        yield from _lacking(lack, view, everything, bool(have))
    if unknown:
        yield from _unknown(unknown, view, everything)
    yield from cut_line(answer.truncated, view)
    yield from skipped_lines(view)
    yield from _next(answer, view, missing)


def _headline(answer: HookAnswer) -> str:
    total = answer.have + answer.lack + answer.unknown
    if not answer.lookups:
        have = count(answer.have, "class has", "classes have")
        return f"{answer.hook}: nothing is seen to look it up; {have} it ({answer.family})"
    if not total:
        return f"{answer.hook}: no class of this tree can be what it is looked up on"
    rest = f", of {answer.unknown} only running tells" if answer.unknown else ""
    noun = "class" if total == 1 else "classes"
    verb = "has" if answer.have == 1 else "have"
    lacks = "does not" if answer.lack == 1 else "do not"
    return f"{answer.hook}: {answer.have} of {total} {noun} of {answer.family} {verb} it, {answer.lack} {lacks}{rest}"


def _lookups(answer: HookAnswer, view: View, everything: bool) -> Iterator[str]:
    shown = answer.lookups if everything else answer.lookups[:_LOOKUPS]
    for lookup in shown:
        yield from _lookup(lookup, view)
    if len(answer.lookups) > len(shown):
        yield view.pen.line(f"  ... {len(answer.lookups) - len(shown)} more look-ups: --all")
    if answer.lookups:
        yield view.pen.line()


def _lookup(lookup: Lookup, view: View) -> Iterator[str]:
    place = lookup.place
    function = without_module(place.function, place.file)
    yield view.pen.line("looked up  ", view.place(place.file, place.line), "  ", function)
    on = "the class" if lookup.on == "class" else "an instance"
    text = f" `{lookup.receiver}`" if lookup.receiver else ""
    kinds = list(dict.fromkeys(_short_kind(kind) for kind in lookup.can_be))
    more = f" and {len(kinds) - _KINDS} more" if len(kinds) > _KINDS else ""
    can_be = f": {', '.join(kinds[:_KINDS])}{more}" if kinds else ""
    yield view.pen.line(f"             {_STYLES[lookup.style]} on {on}{text}", Span(can_be, "dim"))
    for guard in shown_guards(lookup.guards):
        yield view.pen.line("             where ", Span(guard_text(guard), "guard"))
    yield view.pen.line("             missing: ", *_missing(lookup, view))


def _short_kind(kind: str) -> str:
    """Return what a receiver can be with the last part of its name alone."""
    name, blank, rest = kind.partition(" ")
    return f"{_last(name)}{blank}{rest}" if "." in name else kind


def _missing(lookup: Lookup, view: View) -> list[Piece]:
    where: list[Piece] = []
    if lookup.missing_place is not None and lookup.missing_place.line != lookup.place.line:
        where = ["   ", view.short_place(lookup.missing_place.file, lookup.missing_place.line, lookup.place.file)]
    if lookup.if_missing == "raises":
        return [Span(f"raises {lookup.missing or 'an exception'}", "warning"), *where]
    if lookup.if_missing == "default":
        return [f"{lookup.missing or 'a default'} is taken instead", *where]
    if lookup.if_missing == "skipped":
        return ["passed over without a word", *where]
    return [f"another branch runs{': ' + lookup.missing if lookup.missing else ''}", *where]


def _having(have: Sequence[Holder], view: View, everything: bool) -> Iterator[str]:
    groups: dict[tuple[str, Place], list[Holder]] = {}
    for holder in have:
        provider = holder.provider
        assert provider is not None
        groups.setdefault((provider.cls, provider.place), []).append(holder)
    yield view.pen.line(f"{count(len(have), 'class has', 'classes have')} it, from {count(len(groups), 'place')}")
    shown = list(groups.items()) if everything else list(groups.items())[:_SHOWN]
    for (_, place), holders in shown:
        names = [_short(h) for h in holders]
        text = ", ".join(names) if everything else _fitting(names)
        how = holders[0].provider.how if holders[0].provider is not None else ""
        remark = (
            " (set on the instance)"
            if how == "instance"
            else f" ({how})"
            if how not in ("method", "classmethod")
            else ""
        )
        yield view.pen.line("  ", text, pad(_WIDE, text), view.place(place.file, place.line), remark)
    if len(groups) > len(shown):
        yield view.pen.line(f"  ... from {len(groups) - len(shown)} more places: --all")
    for holder in have:
        if holder.hides and holder.provider is not None:
            said = f"has it from {_last(holder.provider.cls)} alone and hides that of {_last(holder.hides)}, which it wraps"
            yield view.pen.line("  ", Span(f"{_short(holder)} {said}", "warning"))
    yield view.pen.line()


def _fitting(names: Sequence[str]) -> str:
    """Return as many names as fit before the place, and how many more there are."""
    for shown in range(len(names), 0, -1):
        more = f" and {len(names) - shown} more" if shown < len(names) else ""
        text = ", ".join(names[:shown]) + more
        if len(text) < _WIDE:
            return text
    return text


def _lacking(lack: Sequence[Holder], view: View, everything: bool, ranked: bool) -> Iterator[str]:
    order = ", the most surprising first" if ranked and len(lack) > 1 else ""
    yield view.pen.line(f"{count(len(lack), 'class lacks', 'classes lack')} it{order}")
    for holder in lack if everything else lack[:_SHOWN]:
        name = _short(holder)
        yield view.pen.line("  ", name, pad(_WIDE, name), view.place(holder.file, holder.line))
        why = _why(holder)
        if why:
            yield view.pen.line("      ", Span(why, "dim"))
    if not everything and len(lack) > _SHOWN:
        yield view.pen.line(f"  ... {len(lack) - _SHOWN} more: --all")
    yield view.pen.line()


def _why(holder: Holder) -> str:
    parts = []
    if holder.wraps:
        parts.append(f"can make a {_last(holder.wraps)}, which has it")
    elif holder.hides:
        parts.append(f"wraps a {_last(holder.hides)}, which has it")
    elif holder.like:
        parts.append(f"{holder.like_have} of {holder.like_total} classes with {_last(holder.like)} have it")
    return "; ".join(parts)


def _unknown(unknown: Sequence[Holder], view: View, everything: bool) -> Iterator[str]:
    yield view.pen.line(f"Of {count(len(unknown), 'class', 'classes')} only running tells")
    for holder in unknown if everything else unknown[:_SHOWN]:
        name = _short(holder)
        yield view.pen.line(
            "  ", name, pad(_WIDE, name), view.place(holder.file, holder.line), "  ", Span(holder.why, "dim")
        )
    if not everything and len(unknown) > _SHOWN:
        yield view.pen.line(f"  ... {len(unknown) - _SHOWN} more: --all")
    yield view.pen.line()


def _next(answer: HookAnswer, view: View, missing: bool) -> Iterator[str]:
    commands = []
    if answer.lack and not missing:
        commands.append((view.command("hooks", answer.hook, "--missing", "--all"), "every class that lacks it"))
    if answer.lookups:
        function = answer.lookups[0].place.function
        commands.append((view.command("reach", function), "which paths look it up"))
    if commands:
        yield from next_lines(view, commands)


def _short(holder: Holder) -> str:
    return _last(holder.cls)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def hooks_text(answer: HooksAnswer, view: View) -> Iterator[str]:
    """Write all hooks of the tree, one a block."""
    if not answer.hooks:
        yield view.pen.line("No attribute is seen to be looked up on a class of this tree.")
        return
    total = answer.truncated.total if answer.truncated is not None else len(answer.hooks)
    number = count(total, "name is", "names are")
    said = f"{number} looked up on classes that may lack them; {answer.gaps} some classes have and some lack"
    yield view.pen.line(Span(said, "answer"))
    yield view.pen.line()
    for row in answer.hooks:
        yield from _row(row, view)
    yield from cut_line(answer.truncated, view, "--limit N shows more")
    yield from next_lines(view, [(view.command("hooks", answer.hooks[0].hook), "who has it, who lacks it")])


def _row(row: HookRow, view: View) -> Iterator[str]:
    rest = f", {row.unknown} unknown" if row.unknown else ""
    numbers = f"{row.have} have, {row.lack} lack{rest}"
    yield view.pen.line(Span(row.hook, "name"), pad(44, row.hook), numbers, pad(26, numbers), row.family)
    place = row.places[0]
    more = f" and {len(row.places) - 1} more" if len(row.places) > 1 else ""
    missing = ", ".join(row.if_missing)
    styles = ", ".join(_STYLES[s] for s in row.styles)
    yield view.pen.line(
        "    ", view.place(place.file, place.line), f"{more}   ", Span(f"{styles}; missing: {missing}", "dim")
    )
    if row.surprising and row.have:
        yield view.pen.line("    lacking: ", ", ".join(_last(name) for name in row.surprising))
