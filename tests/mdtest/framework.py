"""Graph semantics as documents: annotated snippets in Markdown, checked against the call graph and against Python.

A heading states a rule; the snippets under it (```py, or ```py path/to/file.py for several files) carry comments
`# calls: a, b`, `# guards: cond`, with `MISSING` or `SPURIOUS` before a tag for a known fault. A tag used in a section is
exhaustive there. `<!-- run -->` also executes the section and compares the calls that happen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from codepath.program.graph import CallGraph
from tests.support import graph_of

_TAGS = r"(?:MISSING |SPURIOUS )?(?:calls|guards): "
_TAG = re.compile(rf"(?:(?P<flag>MISSING|SPURIOUS) )?(?P<tag>calls|guards): (?P<items>[^#]*?)(?=[\s,]+{_TAGS}|$)")
_FENCE = re.compile(r"^```py(?: (?P<path>\S+))?$")


@dataclass(frozen=True)
class Note:
    """One annotation: the items of a tag on a line, with its flag."""

    file: str
    line: int
    tag: str
    items: tuple[str, ...]
    flag: str


@dataclass
class Section:
    """A heading with its files and annotations; `line` is the heading's."""

    title: str
    line: int
    run: bool = False
    files: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def sections(path: Path) -> Iterator[Section]:
    """Yield the sections of a document that hold code."""
    section: Section | None = None
    file: str | None = None
    lines: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if file is not None:
            if line == "```":
                assert section is not None
                section.files[file] = "\n".join(lines) + "\n"
                section.notes.extend(_notes(file, lines))
                file = None
            else:
                lines.append(line)
        elif line.startswith("## "):
            if section is not None and section.files:
                yield section
            section = Section(line[3:], number)
        elif line == "<!-- run -->" and section is not None:
            section.run = True
        elif (fence := _FENCE.match(line)) is not None:
            assert section is not None, f"{path}:{number}: code before any heading"
            file, lines = fence["path"] or "main.py", []
    if section is not None and section.files:
        yield section


def _notes(file: str, lines: list[str]) -> Iterator[Note]:
    for number, line in enumerate(lines, 1):
        _, mark, comment = line.partition("  # ")
        for found in _TAG.finditer(comment) if mark else ():
            items = tuple(item.strip() for item in re.split(r",\s*(?![^()\[\]]*[)\]])", found["items"]) if item.strip())
            yield Note(file, number, found["tag"], tuple(i for i in items if i != "-"), found["flag"] or "")


def check(section: Section) -> list[str]:
    """Return what is wrong with a section: differences between annotations and the call graph."""
    assert section.notes, f"no tag in {section.title!r}"
    graph = graph_of(section.files)
    calls: dict[tuple[str, int], set[str]] = {}
    guards: dict[tuple[str, int], set[str]] = {}
    for caller, row in graph.everything():
        for step in graph.steps_of(caller, row):
            if (
                (step.kind == "import" and not step.callee.endswith(".__getattr__"))
                or step.resolution == "by-name"
                or (graph.function(step.callee) is None and not _is_class(step.callee, graph))
            ):
                continue
            key = (step.file, step.line)
            calls.setdefault(key, set()).add(step.callee)
            guards.setdefault(key, set()).update(_guard(g.text, g.polarity) for g in step.guards if g.kind != "try")
    problems = _compare(section, "calls", calls)
    if any(n.tag == "guards" for n in section.notes):
        problems += _compare(section, "guards", guards)
    return problems


def _is_class(name: str, graph: CallGraph) -> bool:
    return any(n.name == name and n.kind == "class" for n in graph.named(name.rpartition(".")[2]))


def _guard(text: str, polarity: bool) -> str:
    return text if polarity else f"not ({text})"


def _compare(section: Section, tag: str, found: dict[tuple[str, int], set[str]]) -> list[str]:
    problems: list[str] = []
    wanted: dict[tuple[str, int], set[str]] = {}
    known: dict[str, dict[tuple[str, int], set[str]]] = {"MISSING": {}, "SPURIOUS": {}}
    for note in section.notes:
        if note.tag == tag:
            target = known[note.flag] if note.flag else wanted
            target.setdefault((note.file, note.line), set()).update(note.items)
    places = set(wanted) | (set(found) if tag == "calls" else set()) | set(known["MISSING"]) | set(known["SPURIOUS"])
    for place in sorted(places):
        got = {_short(name, section) for name in found.get(place, set())} if tag == "calls" else found.get(place, set())
        missing, spurious = known["MISSING"].get(place, set()), known["SPURIOUS"].get(place, set())
        where = f"{place[0]}:{place[1]}"
        problems += [f"{where}: MISSING {tag}: {x} is found now" for x in sorted(missing & got)]
        problems += [f"{where}: SPURIOUS {tag}: {x} is gone now" for x in sorted(spurious - got)]
        problems += [f"{where}: no {tag}: {x}" for x in sorted(wanted.get(place, set()) - got)]
        problems += [f"{where}: unexpected {tag}: {x}" for x in sorted(got - wanted.get(place, set()) - spurious)]
    return problems


def _short(name: str, section: Section) -> str:
    """Names are written without the module in a document of one file."""
    return name.removeprefix("main.") if set(section.files) == {"main.py"} else name
