"""The configuration of a tree: `codepath.toml`, or `[tool.codepath]` in pyproject.toml, nearest upwards from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from codepath.analysis.said import read as read_assumption
from codepath.errors import ConfigError, QueryError
from codepath.knowledge import Model, load, read
from codepath.toml import Document, parse

_KEYS: dict[str, tuple[type, str]] = {
    "source": (str, "the SPEC that is asked where the command line names none; relative to the file"),
    "package-roots": (list, "the folders where names of modules begin"),
    "include": (list, "of `tests` and `vendored`: folders that are else left out"),
    "knowledge": (list, "more knowledge files, read after those that codepath ships"),
    "assume": (dict, 'assumptions where a question says no other: `name = value`, `"name !=" = value`, or a list'),
    "queries": (list, "folders of rules; `queries` beside the file where it is absent"),
    "baseline": (str, "the file of known findings; `codepath-baseline.json` beside the file where it is absent"),
    "select": (list, "patterns of the rules that run where the command line chooses none"),
    "ignore": (list, "patterns of the rules that do not run"),
}
_FORMS: dict[type, str] = {str: "string", list: "list of strings", dict: "table"}
ReadFile: TypeAlias = "Callable[[Path], bytes | None]"
"""Gives the bytes of a file, None where there is none."""


@dataclass(frozen=True, slots=True)
class Config:
    """What a configuration file says.

    Args:
        path: The file, None where there is none.
        source: The SPEC that is asked where none is given; relative to the file.
        package_roots: Folders where module names begin, absolute.
        include: Of `tests` and `vendored`.
        models: The user's own knowledge, read after the shipped one.
        assume: Assumptions that hold where a question says no other, as `--assume` takes them.
        queries: Folders of rules, absolute; None where the file names none.
        baseline: The file of known findings, absolute; None where the file names none.
        select: Patterns of the rules that run where the command line chooses none.
        ignore: Patterns of the rules that do not.
    """

    path: Path | None = None
    source: str | None = None
    package_roots: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    models: tuple[Model, ...] = ()
    assume: tuple[str, ...] = ()
    queries: tuple[str, ...] | None = None
    baseline: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def reference() -> str:
    """Return the keys as a Markdown table."""
    rows = [f"| `{name}` | {_FORMS[kind]} | {meaning} |\n" for name, (kind, meaning) in _KEYS.items()]
    return "| key | type | meaning |\n|---|---|---|\n" + "".join(rows)


def read_file(path: Path) -> bytes | None:
    """Return the bytes of a file on the disk, None where there is none.

    Raises:
        ConfigError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", path=str(path)) from None


def find_config(folder: Path, read: ReadFile = read_file) -> Config:
    """Return the configuration that holds for a folder; `read` gives the files.

    Raises:
        ConfigError: The file cannot be read, or a key or value in it is wrong.
    """
    for around in (folder, *folder.parents):
        for path, at in ((around / "codepath.toml", ()), (around / "pyproject.toml", ("tool", "codepath"))):
            document = _document(path, read)
            if document is not None and (not at or _table(document, at) is not None):
                return _config(path, document, at, read)
        if (around / ".git").exists():
            break
    return Config()


def _document(path: Path, read: ReadFile) -> Document | None:
    text = read(path)
    if text is None:
        return None
    if path.name == "pyproject.toml" and b"codepath" not in text:
        return None
    return parse(text, str(path))


def _table(document: Document, at: tuple[str, ...]) -> Any:
    data: Any = document.data
    for part in at:
        data = data.get(part) if isinstance(data, dict) else None
    return data


def _config(path: Path, document: Document, at: tuple[str, ...], open_file: ReadFile) -> Config:
    model = read(document, at, tuple(_KEYS))
    table = _table(document, at)
    for key, (kind, _meaning) in _KEYS.items():
        if key in table:
            _check(document, (*at, key), table[key], kind)
    files = [path.parent / name for name in table.get("knowledge", ())]
    return Config(
        path=path,
        source=table.get("source"),
        package_roots=tuple(str(path.parent / root) for root in table.get("package-roots", ())),
        include=tuple(table.get("include", ())),
        models=(*_loaded(document, at, files, open_file), model),
        assume=tuple(
            _assumed(document, (*at, "assume"), name, value) for name, value in table.get("assume", {}).items()
        ),
        queries=tuple(str(path.parent / name) for name in table["queries"]) if "queries" in table else None,
        baseline=str(path.parent / table["baseline"]) if "baseline" in table else None,
        select=tuple(table.get("select", ())),
        ignore=tuple(table.get("ignore", ())),
    )


def _assumed(document: Document, at: tuple[str, ...], name: str, value: object) -> str:
    """Return an entry of `[assume]` as `--assume` takes it: NAME = VALUE, a list being one of several values.

    A name may end with an operator: `"server_args.tp_size !=" = 1`.
    """
    bare, _, operator = name.partition(" ")
    allowed = isinstance(value, (bool, int, float, str, list))
    if not allowed or operator.strip() not in ("", "!=", "<", "<=", ">", ">=", "in", "not in"):
        raise document.error((*at, name), "an assumption is a name with a string, a number, a truth value or a list")
    op = operator.strip() or ("in" if isinstance(value, list) else "=")
    text = f"{bare} {op} {value!r}"
    try:
        read_assumption(text)
    except QueryError as error:
        raise document.error((*at, name), str(error)) from None
    return text


def _check(document: Document, key: tuple[str, ...], value: object, kind: type) -> None:
    if kind is dict and not isinstance(value, dict):
        raise document.error(key, f"`{key[-1]}` must be a table")
    if not isinstance(value, kind):
        raise document.error(key, f"`{key[-1]}` must be a {'string' if kind is str else 'list of strings'}")
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        raise document.error(key, f"`{key[-1]}` must be a list of strings")


def _loaded(document: Document, at: tuple[str, ...], files: list[Path], open_file: ReadFile) -> Iterator[Model]:
    for file in files:
        text = open_file(file)
        if text is None:
            raise document.error((*at, "knowledge"), f"there is no knowledge file `{file.name}`")
        yield load(text, str(file))
