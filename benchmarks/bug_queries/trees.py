"""The trees of the bug collection: releases as wheels or folders, and what is read of their sources."""

from __future__ import annotations

import ast
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class BugTree:
    """One release. `spec` is what `--source` gets, `path` its wheel or folder, None where only codepath reads it."""

    spec: str
    path: Path | None

    def lines(self, module: str) -> tuple[str, list[str]] | None:
        """Return the file and the lines of a dotted module."""
        stem = module.replace(".", "/")
        for file in (f"{stem}.py", f"{stem}/__init__.py"):
            text = self._text(file)
            if text is not None:
                return file, text.splitlines()
        return None

    def _text(self, file: str) -> str | None:
        if self.path is None:
            return None
        if self.path.is_dir():
            found = self.path / file
            return found.read_text("utf-8") if found.is_file() else None
        return self._zip.read(file).decode("utf-8") if file in self._zip.namelist() else None

    @cached_property
    def _zip(self) -> zipfile.ZipFile:
        assert self.path is not None
        return zipfile.ZipFile(self.path)

    def module_of(self, name: str) -> str:
        """Return the module that a dotted name stands in, "" where there is none."""
        while name and self.lines(name) is None:
            name = name.rpartition(".")[0]
        return name

    def places(self, scope: str, text: str) -> list[str]:
        """Return `path.py:LINE` for the lines of a function, class or module that hold a text, in order."""
        module = self.module_of(scope)
        found = self.lines(module) if module else None
        if found is None:
            return []
        file, lines = found
        first, end = _extent("\n".join(lines), scope[len(module) + 1 :]) or (1, len(lines))
        wanted = _folded(text)
        return [f"{file}:{n}" for n in range(first, end + 1) if wanted in _folded(lines[n - 1].partition("#")[0])]


def _folded(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _extent(text: str, qualname: str) -> tuple[int, int] | None:
    """Return the first and the last line of a definition, None for a module or where there is none."""
    if not qualname:
        return None
    scope: ast.AST = ast.parse(text)
    for part in qualname.split("."):
        inner = next((d for d in _definitions(scope) if d.name == part), None)
        if inner is None:
            return None
        scope = inner
    assert isinstance(scope, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and scope.end_lineno is not None
    return scope.lineno, scope.end_lineno


def _definitions(scope: ast.AST) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child
        elif isinstance(child, (ast.If, ast.Try)):
            yield from _definitions(child)
