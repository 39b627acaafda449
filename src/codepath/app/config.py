"""The configuration of a tree: `codepath.toml`, or `[tool.codepath]` in pyproject.toml, nearest upwards from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codepath.analysis.said import read as read_assumption
from codepath.errors import ConfigError, QueryError
from codepath.knowledge import Model, load, read
from codepath.toml import Document, parse

_KEYS: dict[str, type] = {"source": str, "package-roots": list, "include": list, "knowledge": list, "assume": dict}


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
    """

    path: Path | None = None
    source: str | None = None
    package_roots: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    models: tuple[Model, ...] = ()
    assume: tuple[str, ...] = ()


def find_config(folder: Path) -> Config:
    """Return the configuration that holds for a folder.

    Raises:
        ConfigError: The file cannot be read, or a key or value in it is wrong.
    """
    for around in (folder, *folder.parents):
        for path, at in ((around / "codepath.toml", ()), (around / "pyproject.toml", ("tool", "codepath"))):
            document = _document(path)
            if document is not None and (not at or _table(document, at) is not None):
                return _config(path, document, at)
        if (around / ".git").exists():
            break
    return Config()


def _document(path: Path) -> Document | None:
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"the configuration cannot be read: {error.strerror}", path=str(path)) from None
    if path.name == "pyproject.toml" and b"codepath" not in text:
        return None
    return parse(text, str(path))


def _table(document: Document, at: tuple[str, ...]) -> Any:
    data: Any = document.data
    for part in at:
        data = data.get(part) if isinstance(data, dict) else None
    return data


def _config(path: Path, document: Document, at: tuple[str, ...]) -> Config:
    model = read(document, at, tuple(_KEYS))
    table = _table(document, at)
    for key, kind in _KEYS.items():
        if key in table:
            _check(document, (*at, key), table[key], kind)
    files = [path.parent / name for name in table.get("knowledge", ())]
    return Config(
        path=path,
        source=table.get("source"),
        package_roots=tuple(str(path.parent / root) for root in table.get("package-roots", ())),
        include=tuple(table.get("include", ())),
        models=(*_loaded(document, at, files), model),
        assume=tuple(
            _assumed(document, (*at, "assume"), name, value) for name, value in table.get("assume", {}).items()
        ),
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


def _loaded(document: Document, at: tuple[str, ...], files: list[Path]) -> Iterator[Model]:
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise document.error((*at, "knowledge"), f"the knowledge file `{file.name}` cannot be read") from None
        yield load(text, str(file))
