"""How boxes and arrows of a sheet look: shape, words and colour say the same, so that none is needed alone."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.sheets import Arrow, Box, Sheet


@dataclass(frozen=True, slots=True)
class Look:
    """A sign, what it means, and how Graphviz and Mermaid draw it: attributes, and what stands around a label."""

    sign: str
    meaning: str
    dot: dict[str, str]
    mermaid: tuple[str, str] = ("[", "]")


BOXES = {
    "entry": Look(
        "▶",
        "a way in",
        {"shape": "box", "style": "filled,rounded", "fillcolor": "#e3f7e8", "color": "#1b6b35"},
        ("([", "])"),
    ),
    "target": Look(
        "■",
        "what is asked about",
        {"shape": "box3d", "fillcolor": "#ffd8a8", "color": "#a33c00", "penwidth": "2"},
        ("{{", "}}"),
    ),
    "function": Look("●", "a function", {"shape": "box", "fillcolor": "#ffffff", "color": "#333333"}),
    "class": Look("●", "a class", {"shape": "box", "fillcolor": "#ffffff", "color": "#333333"}),
    "abstract": Look(
        "◌",
        "leaves methods abstract",
        {"shape": "box", "style": "filled,dashed", "fillcolor": "#f6efff", "color": "#5b2a86"},
        ("[/", "/]"),
    ),
    "error": Look(
        "✗",
        "error: crashes on a target",
        {"shape": "box", "peripheries": "2", "fillcolor": "#ffe0dc", "color": "#a1160a"},
        ("{{", "}}"),
    ),
    "warning": Look(
        "!",
        "warning: silently wrong on a target",
        {"shape": "folder", "fillcolor": "#ffe9c7", "color": "#a33c00"},
        ("[/", "/]"),
    ),
    "info": Look(
        "~",
        "info: falls back on a target",
        {"shape": "box", "style": "filled,rounded", "fillcolor": "#eef4ff", "color": "#1d4f91"},
        ("(", ")"),
    ),
    "covered": Look("✓", "misses no target", {"shape": "box", "fillcolor": "#ffffff", "color": "#333333"}),
}
ARROWS = {
    "open": Look("→", "can happen", {"color": "#1b6b35", "fontcolor": "#1b6b35"}, ("-->", "")),
    "unknown": Look(
        "⇢", "not known whether it can", {"color": "#8a6100", "fontcolor": "#8a6100", "style": "dashed"}, ("-.->", "")
    ),
    "before": Look(
        "→", "before what blocks a path", {"color": "#333333", "fontcolor": "#333333", "penwidth": "0.7"}, ("---->", "")
    ),
    "blocked": Look(
        "⊣",
        "cannot happen",
        {"color": "#6b6b6b", "fontcolor": "#6b6b6b", "style": "dotted", "arrowhead": "tee"},
        ("-.-x", ""),
    ),
    "extends": Look("▷", "extends", {"color": "#333333", "arrowhead": "empty"}, ("-->", "")),
}
CHANGES = {
    "added": "+ added",
    "dropped": "\u2212 dropped",
    "changed": "≠ changed",
    "moved": "↕ runs elsewhere in the order",
}
"""What became of a thing between two trees, as it is written."""
CHANGED = {
    "added": {"color": "#1b6b35", "penwidth": "3"},
    "dropped": {"color": "#a1160a", "penwidth": "3", "style": "dashed,filled"},
    "changed": {"color": "#8a6100", "penwidth": "3"},
    "moved": {"color": "#8a6100", "penwidth": "3"},
}


def points_up(sheet: Sheet) -> bool:
    """Tell whether arrows lead to what stands above: from a class to its base."""
    return bool(sheet.arrows) and all(arrow.kind == "extends" for arrow in sheet.arrows)


def box_lines(box: Box) -> list[str]:
    """Return what is written in a box."""
    change = [CHANGES[box.change]] if box.change else []
    return [f"{BOXES[box.kind].sign} {box.title}", *change, *box.lines]


def arrow_lines(arrow: Arrow) -> list[str]:
    """Return what is written at an arrow."""
    return [*([CHANGES[arrow.change]] if arrow.change else []), *arrow.lines]


def sheet_legend(sheet: Sheet) -> list[tuple[str, str, str]]:
    """Return the kinds that a sheet has, each with its sign and meaning."""
    boxes, arrows = {b.kind for b in sheet.boxes}, {a.kind for a in sheet.arrows}
    found = [(k, look.sign, look.meaning) for k, look in BOXES.items() if k in boxes]
    return found + [(k, look.sign, look.meaning) for k, look in ARROWS.items() if k in arrows]
