"""What pyproject.toml, setup.cfg and setup.py say about package roots and console scripts; none is executed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Any

MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")

_MAX_BYTES = 2**20
_SETUP_ROOT = re.compile(
    r"""package_dir\s*=\s*\{\s*["']{2}\s*:\s*["']([^"'\n]+)|find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?["']([^"'\n]+)"""
)
_SETUP_SCRIPTS = re.compile(r"""["']console_scripts["']\s*:\s*\[([^\]]*)\]""")
_QUOTED = re.compile(r"""["']([^"'\n]+)["']""")
_SCRIPT = re.compile(r"\s*([^\s=\[#;][^=]*?)\s*=\s*([\w.]+\s*:\s*[\w.]+|[\w.]+)\s*(?:\[.*)?$")

Read = Callable[[str], bytes]


def declared_roots(project: str, names: frozenset[str], read: Read) -> list[str]:
    """Return the folders that a project's manifests name as package roots, each inside the tree and without final `/`.

    Args:
        project: The project's folder in the tree, "" or with a final `/`.
        names: Which manifests are there.
        read: Gives the bytes of a path.
    """
    found: list[str] = []
    if "pyproject.toml" in names:
        found += _toml_roots(_toml(read, project + "pyproject.toml"))
    if "setup.cfg" in names:
        config = _config(_text(read, project + "setup.cfg"))
        found += _config_roots(config)
    if "setup.py" in names:
        found += [a or b for a, b in _SETUP_ROOT.findall(_text(read, project + "setup.py"))]
    return list(dict.fromkeys(root for folder in found for root in _inside(project, folder)))


def declared_scripts(project: str, names: frozenset[str], read: Read) -> set[tuple[str, str]]:
    """Return the console scripts (name, "pkg.mod:func") of a project's manifests; arguments as in `declared_roots`."""
    lines: list[str] = []
    if "pyproject.toml" in names:
        data = _toml(read, project + "pyproject.toml")
        for table in (_table(data, "project", "scripts"), _table(data, "tool", "poetry", "scripts")):
            lines += [f"{name}={_reference(value)}" for name, value in table.items()]
    if "setup.cfg" in names:
        config = _config(_text(read, project + "setup.cfg"))
        lines += config.get("options.entry_points", {}).get("console_scripts", "").splitlines()
    if "setup.py" in names:
        for block in _SETUP_SCRIPTS.findall(_text(read, project + "setup.py")):
            lines += _QUOTED.findall(block)
    return parse_scripts(lines)


def entry_point_scripts(text: str) -> set[tuple[str, str]]:
    """Return the console scripts of an `entry_points.txt`."""
    lines: list[str] = []
    section = ""
    for line in text.splitlines():
        if line.strip().startswith("["):
            section = line.strip()
        elif section == "[console_scripts]":
            lines.append(line)
    return parse_scripts(lines)


def parse_scripts(lines: list[str]) -> set[tuple[str, str]]:
    """Return (name, "pkg.mod:func") of lines `name = pkg.mod:func [extra]`; other lines are left out."""
    matches = filter(None, map(_SCRIPT.match, lines))
    return {(match[1].strip(), re.sub(r"\s", "", match[2])) for match in matches}


def metadata_version(text: str) -> str | None:
    """Return the version that METADATA or PKG-INFO gives."""
    match = re.search(r"^Version:[ \t]*(\S+)", text.partition("\n\n")[0], re.MULTILINE | re.IGNORECASE)
    return match[1] if match else None


def _toml_roots(data: dict[str, Any]) -> Iterator[str]:
    setuptools = _table(data, "tool", "setuptools")
    where = _table(setuptools, "packages", "find").get("where")
    yield from _strings(_table(setuptools, "package-dir").get(""))
    yield from _strings(where)
    for package in _strings(_table(data, "tool", "hatch", "build", "targets", "wheel").get("packages")):
        yield posixpath.dirname(package.rstrip("/"))
    yield from _strings(_table(data, "tool", "hatch", "build", "targets", "wheel").get("sources"))
    for package in _strings(_table(data, "tool", "scikit-build", "wheel").get("packages")):
        yield posixpath.dirname(package.rstrip("/"))
    poetry = _table(data, "tool", "poetry").get("packages")
    for entry in poetry if isinstance(poetry, list) else ():
        if isinstance(entry, dict):
            yield from _strings(entry.get("from"))
    yield from _strings(_table(data, "tool", "pdm", "build").get("package-dir"))
    yield from _strings(_table(data, "tool", "maturin").get("python-source"))


def _config_roots(config: dict[str, dict[str, str]]) -> Iterator[str]:
    for line in config.get("options", {}).get("package_dir", "").replace(",", "\n").splitlines():
        package, equals, folder = line.partition("=")
        if equals and not package.strip():
            yield folder.strip()
    yield from config.get("options.packages.find", {}).get("where", "").split()


def _inside(project: str, folder: str) -> Iterator[str]:
    """Yield a folder of a manifest as a path in the tree; nothing for patterns and for places outside the project."""
    if "*" in folder or folder.startswith("/") or "\\" in folder:
        return
    inner = posixpath.normpath(folder or ".")
    if inner == ".":
        yield project.rstrip("/")
    elif inner.split("/")[0] != "..":
        yield project + inner


def _reference(value: object) -> str:
    """Return a script's function; poetry also writes `{ reference = "pkg.mod:func", type = "console" }`."""
    if isinstance(value, dict):
        value = value.get("reference", value.get("callable"))
    return value if isinstance(value, str) else ""


def _table(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    value: Any = data
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, str)]


def _text(read: Read, path: str) -> str:
    from codepath.errors import SourceError

    try:
        return read(path)[:_MAX_BYTES].decode("utf-8", "replace")
    except SourceError:
        return ""


def _toml(read: Read, path: str) -> dict[str, Any]:
    """Return a manifest's data, {} where it is not TOML: a tree with a broken manifest can still be read."""
    from codepath.errors import ConfigError
    from codepath.toml import parse

    try:
        return parse(_text(read, path), path).data
    except ConfigError:
        return {}


def _config(text: str) -> dict[str, dict[str, str]]:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
        return {section: dict(parser[section]) for section in parser.sections()}
    except configparser.Error:
        return {}
