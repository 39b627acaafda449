"""Frames of a log to places of the tree: by the end of the path, the source line, and the function.

Approximates: a place is given only where path and text, or path and function, agree; where several places fit as well, none
is, unless what follows tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.trace import Frame, LogFrame

ReadLines = Callable[[str], Sequence[str]]
HeadsOf = Callable[[str], "Sequence[ir.Head]"]
FilesWith = Callable[[str], Iterable[str]]

_SITE = ("site-packages", "dist-packages")
_MOST_CANDIDATES = 200
_MODULE = "<module>"
_SHORTEST = 6  # characters of a source line that are worth a search


class Matcher:
    """Finds frames in a tree.

    Args:
        modules: Dotted module names by file.
        read: Gives the lines of a file, without line breaks; none where it cannot be read.
        heads: Gives the heads of the scopes of a file.
        files_with: Gives the files that hold a text.
    """

    def __init__(self, modules: dict[str, str], read: ReadLines, heads: HeadsOf, files_with: FilesWith) -> None:
        self._modules = modules
        self._read = read
        self._heads = heads
        self._files_with = files_with
        self._by_name: dict[str, list[str]] = {}
        for path in modules:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._found: dict[LogFrame, Frame] = {}
        self._tops = {path.partition("/")[0] for path in modules}

    def frame(self, frame: LogFrame) -> Frame:
        """Return a frame with the place where it stands."""
        found = self._found.get(frame)
        if found is None:
            found = self._found[frame] = self._find(frame)
        return found

    def _find(self, frame: LogFrame) -> Frame:
        if frame.is_cut:
            return self._cut(frame)
        if not frame.path:
            return self._by_text(frame)
        if frame.path.startswith("<"):
            return Frame(frame, None, "outside", 0)
        files = self._files(frame)
        if not files:
            return Frame(frame, None, "unknown" if self._is_named_here(frame.path) else "outside", 0)
        found = [self._in_file(frame, path) for path in files]
        found = [f for f in found if f.place is not None]
        found.sort(key=lambda f: _RANK[f.match])
        if not found:
            return Frame(frame, None, "unknown", 0)
        best = [f for f in found if f.match == found[0].match]
        return found[0] if len(best) == 1 else Frame(frame, None, "unknown", len(best))

    # --- files -------------------------------------------------------------------------------------------------------

    def _files(self, frame: LogFrame) -> list[str]:
        """Return the files of the tree that a path can mean, those that share the longest end with it."""
        parts = _parts(frame.path)
        inner = _inner(parts)
        best: list[str] = []
        most = 0
        for path in self._by_name.get(parts[-1], ()) if parts else ():
            own = path.split("/")
            shared = _shared_end(own, inner if inner is not None else parts)
            whole = shared == len(own)
            if inner is not None and not whole and inner[0] != own[0] and shared < len(inner):
                continue
            if not whole and shared < min(2, len(parts)):
                continue
            if shared > most:
                best, most = [path], shared
            elif shared == most:
                best.append(path)
        if best and most == 1 and len(parts) > 1 and not any("/" not in path for path in best):
            return [p for p in best if self._has_text(p, frame)]
        return best[:_MOST_CANDIDATES]

    def _has_text(self, path: str, frame: LogFrame) -> bool:
        return bool(frame.text) and any(line.strip() == frame.text for line in self._read(path))

    def _is_named_here(self, path: str) -> bool:
        """Tell whether a path lies in a package that the tree has, although the tree has no such file."""
        parts = _parts(path)
        inner = _inner(parts)
        return (inner[0] in self._tops) if inner else any(part in self._tops for part in parts[:-1])

    # --- lines -------------------------------------------------------------------------------------------------------

    def _in_file(self, frame: LogFrame, path: str) -> Frame:
        lines = self._read(path)
        at = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else None
        if at is not None and frame.text and at == frame.text and self._is_in(path, frame.line, frame.function):
            return self._placed(frame, path, frame.line, "exact")
        if frame.text:
            found = self._moved(frame, path, lines)
            if found is not None:
                return found
        return self._by_function(frame, path, at is not None)

    def _moved(self, frame: LogFrame, path: str, lines: Sequence[str]) -> Frame | None:
        """Return the place of a line that stands elsewhere now: in the same function, nearest to where it was."""
        same = [n for n, line in enumerate(lines, 1) if line.strip() == frame.text]
        if not same:
            return None
        inside = [n for n in same if self._is_in(path, n, frame.function)]
        fitting = inside or ([] if frame.function and len(same) > 1 else same)
        if not fitting:
            return None
        best = min(fitting, key=lambda n: (abs(n - frame.line), n))
        note = f"line {frame.line} of the log; the same text stands on line {best} here"
        return replace(self._placed(frame, path, best, "moved"), candidates=len(fitting), note=note)

    def _by_function(self, frame: LogFrame, path: str, has_line: bool) -> Frame:
        if has_line and self._is_in(path, frame.line, frame.function):
            if not frame.text:
                return self._placed(frame, path, frame.line, "line")
            note = f"line {frame.line} reads differently here: the log is of another version"
            return replace(self._placed(frame, path, frame.line, "function"), note=note)
        named = [h for h in self._heads(path) if h.form == "function" and h.id == frame.function]
        if len(named) == 1:
            note = f"line {frame.line} is not in this function here: the log is of another version"
            return replace(self._placed(frame, path, ir.line_of(named[0].at), "function"), note=note)
        return Frame(frame, None, "unknown", len(named))

    def _placed(self, frame: LogFrame, path: str, line: int, match: str) -> Frame:
        lines = self._read(path)
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        column = len(text) - len(text.lstrip())
        return Frame(frame, Place(path, line, column, self.function_at(path, line)), match)

    def _is_in(self, path: str, line: int, function: str) -> bool:
        """Tell whether a line is part of what a traceback calls `function`; nothing is said by `<lambda>` and the like."""
        if not function or (function.startswith("<") and function != _MODULE):
            return True
        last = function.rpartition(".")[2]
        around = self._function_at(path, line)
        if function == _MODULE:
            return not around
        heads = (h for h in self._heads(path) if h.form == "class" and h.id == last)
        in_class = any(ir.line_of(h.at) <= line <= ir.line_of(h.end) for h in heads)
        return around.rpartition(".")[2] == last or in_class

    def module(self, path: str) -> str:
        """Return the dotted name of a file's module."""
        return self._modules[path]

    def function_at(self, path: str, line: int) -> str:
        """Return the full dotted name of the function, or module, around a line."""
        module = self._modules[path]
        inner = self._function_at(path, line)
        return f"{module}.{inner}" if inner else module

    def _function_at(self, path: str, line: int) -> str:
        best, size = "", -1
        for head in self._heads(path):
            first, last = ir.line_of(head.at), ir.line_of(head.end)
            if head.form == "function" and first <= line <= last and (size < 0 or last - first <= size):
                best, size = head.qualname, last - first
        return best

    # --- what is left of a frame -------------------------------------------------------------------------------------

    def _by_text(self, frame: LogFrame) -> Frame:
        """Return the one place of a source line whose path is not in the log; several are counted."""
        places = self.places_of(frame.text)
        if len(places) == 1:
            return Frame(frame, places[0], "text")
        return Frame(frame, None, "unknown", len(places))

    def places_of(self, text: str) -> list[Place]:
        """Return the places where a source line stands."""
        if len(text) < _SHORTEST:
            return []
        found: list[Place] = []
        for path in self._files_with(text):
            for number, line in enumerate(self._read(path), 1):
                if line.strip() == text:
                    place = Place(path, number, len(line) - len(line.lstrip()), self.function_at(path, number))
                    found.append(place)
                    if len(found) >= _MOST_CANDIDATES:
                        return found
        return found

    def _cut(self, frame: LogFrame) -> Frame:
        """Return a frame whose path is cut off, with the number of files that begin like it."""
        files = self.begin_like(frame.path)
        return Frame(frame, None, "cut" if files else "outside", len(files))

    def begin_like(self, path: str) -> list[str]:
        """Return the files whose path may be what a cut-off path began with, sorted."""
        parts = _parts(path)
        for start, part in enumerate(parts):
            if part in self._tops or start == len(parts) - 1:
                begin = "/".join(parts[start:])
                if start == len(parts) - 1 and part not in self._tops and len(parts) > 1:
                    return []
                found = sorted(p for p in self._modules if p.startswith(begin))
                if found:
                    return found
        return []


_RANK = {"exact": 0, "moved": 1, "line": 2, "function": 3, "text": 4}


def _parts(path: str) -> list[str]:
    return [p for p in path.replace("\\", "/").split("/") if p not in ("", ".")]


def _inner(parts: list[str]) -> list[str] | None:
    """Return the parts behind the folder of installed packages, None where there is no such folder."""
    for number in range(len(parts) - 1, -1, -1):
        if parts[number] in _SITE:
            return parts[number + 1 :] or None
    return None


def _shared_end(left: Sequence[str], right: Sequence[str]) -> int:
    shared = 0
    while shared < min(len(left), len(right)) and left[-1 - shared] == right[-1 - shared]:
        shared += 1
    return shared
