"""The examples in a rule.md, which are the tests of the rule.

A snippet stands between "```py" lines; the name of its file may follow `py`, `main.py` where none does. The files of one
example follow each other without a heading or an `<!-- example -->` line between them; a file after `before` is one of the
tree before, for kinds that compare two. A comment `# finding: ID` demands a finding of the rule at that line and `# ok: ID`
that there is none; both also say that the example holds for that rule. Other files, such as `codepath.toml`, stand between
"```toml NAME" lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r"^```(?:py|toml)(?: (?P<before>before))?(?: (?P<path>[\w./-]+))?$")
_TAG = re.compile(r"# (?P<tag>finding|ok): (?P<rule>[a-z][a-z0-9-]*)")
_SAFE = re.compile(r"[A-Za-z_][\w-]*(/[A-Za-z_][\w-]*)*\.(py|toml)")


@dataclass
class Example:
    """One example: `line` is where it starts, `found` and `fine` are the (file, line) of each tag."""

    line: int
    files: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    found: list[tuple[str, int]] = field(default_factory=list)
    fine: list[tuple[str, int]] = field(default_factory=list)


def examples(document: str, rule: str) -> Iterator[Example]:
    """Yield the examples of a document that are tagged for a rule."""
    example = Example(0)
    path, is_before, lines = "", False, list[str]()
    for number, line in enumerate(document.splitlines(), 1):
        if path:
            if line != "```":
                lines.append(line)
                continue
            (example.before if is_before else example.files)[path] = "\n".join(lines) + "\n"
            if not is_before:
                _tags(example, path, lines, rule)
            path = ""
        elif (fence := _FENCE.match(line)) is not None:
            example.line = example.line or number
            path, is_before, lines = fence["path"] or "main.py", fence["before"] is not None, []
            if not _SAFE.fullmatch(path):
                path = "main.py"
        elif line.startswith("#") or line == "<!-- example -->":
            if example.found or example.fine:
                yield example
            example = Example(0)
    if example.found or example.fine:
        yield example


def _tags(example: Example, path: str, lines: list[str], rule: str) -> None:
    for number, line in enumerate(lines, 1):
        for tag in _TAG.finditer(line):
            if tag["rule"] == rule:
                (example.found if tag["tag"] == "finding" else example.fine).append((path, number))


def headings(document: str) -> list[str]:
    """Return the headings of the second level."""
    inside, found = False, []
    for line in document.splitlines():
        inside = inside != line.startswith("```")
        if not inside and line.startswith("## "):
            found.append(line[3:].strip())
    return found
