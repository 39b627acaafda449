"""`--add-ignore`: comments that silence findings, written into the files of a folder."""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from codepath.errors import CodepathError, QueryError
from codepath.model.checks import Finding

_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER})


@dataclass(frozen=True, slots=True)
class Ignored:
    """How many comments were written into how many files; `left_out` are the places, `path:line`, that took none."""

    comments: int
    files: int
    left_out: tuple[str, ...]


def add_ignores(folder: str, findings: Iterable[Finding], reason: str) -> Ignored:
    """Silence findings by a comment above the statement of each.

    Args:
        folder: The folder of the tree; files outside of it, and links, are not written.
        findings: What is to be silenced.
        reason: Why; one line.

    Raises:
        QueryError: The reason is none.
        CodepathError: A file cannot be written.
    """
    reason = reason.strip()
    if not reason or not reason.isprintable():
        raise QueryError("an ignore needs a reason: one line of text that prints")
    wanted: dict[str, dict[int, set[str]]] = {}
    for finding in findings:
        wanted.setdefault(finding.place.file, {}).setdefault(finding.place.line, set()).add(finding.rule)
    comments, files = 0, 0
    left_out: list[str] = []
    for path, lines in sorted(wanted.items()):
        done = _write(folder, path, lines, reason)
        comments += len(done)
        files += bool(done)
        left_out += [f"{path}:{line}" for line in sorted(lines) if line not in done]
    return Ignored(comments, files, tuple(left_out))


def _write(folder: str, path: str, lines: Mapping[int, Iterable[str]], reason: str) -> set[int]:
    """Write the comments of one file; return the lines that took one."""
    file = Path(folder, *path.split("/"))
    if not _is_inside(folder, file):
        return set()
    try:
        data = file.read_bytes()
        new, done = _commented(data, lines, reason)
        if done:
            file.write_bytes(new)
    except OSError as error:
        raise CodepathError(f"`{path}` cannot be written: {error.strerror or error}") from error
    return done


def _is_inside(folder: str, file: Path) -> bool:
    """Tell whether a file lies in a folder and no link leads to it."""
    top = Path(folder).resolve()
    return file.is_file() and file.resolve() == top / os.path.relpath(file, folder)


def _commented(data: bytes, lines: Mapping[int, Iterable[str]], reason: str) -> tuple[bytes, set[int]]:
    """Return a file with a comment above the statement of each line, and the lines that took one."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
        kept = text.splitlines(keepends=True)
        starts = {line: first for line in lines for first, last in _statements(text) if first <= line <= last}
    except (SyntaxError, UnicodeError, LookupError, tokenize.TokenError):
        return data, set()
    rules: dict[int, set[str]] = {}
    for line, first in starts.items():
        rules.setdefault(first, set()).update(lines[line])
    for first in sorted(rules, reverse=True):
        below = kept[first - 1]
        indent = below[: len(below) - len(below.lstrip())]
        end = "\r\n" if below.endswith("\r\n") else "\n"
        kept.insert(first - 1, f"{indent}# codepath: ignore[{', '.join(sorted(rules[first]))}] {reason}{end}")
    try:
        return "".join(kept).encode(encoding), set(starts)
    except UnicodeError:  # the reason has letters that the file's encoding lacks
        return data, set()


def _statements(text: str) -> list[tuple[int, int]]:
    """Return the first and last lines of the statements of a file; of a compound one, those of its head."""
    found: list[tuple[int, int]] = []
    first = 0
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.type == tokenize.NEWLINE:
            found.append((first, token.start[0]))
            first = 0
        elif token.type not in _LAYOUT and not first:
            first = token.start[0]
    return found
