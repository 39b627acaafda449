"""The pages of docs/reference, each made from what it describes."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

import codepath
import codepath.report
from codepath.app.config import reference as config_reference
from codepath.app.rules import shipped_rules
from codepath.checks.kinds import kinds
from codepath.cli.root import root
from codepath.knowledge import reference as knowledge_reference
from codepath.report.rules_text import reference as rule_reference

_SCHEMAS = Path(codepath.report.__file__).parent / "schemas"
_MADE = "This page is made from the code: `make docs`."
_KNOWLEDGE = """\
# Knowledge files

What no analysis can see is told in TOML: the files that codepath ships (`src/codepath/knowledge/*.toml`), `codepath.toml`
in the tree or above the current folder, and the files that its `knowledge = [...]` names. Yours are read after the shipped
ones and win by the keys that each table names; `remove = true` takes an entry away. A wrong key or value is an error with
its place. `codepath status --unresolved` lists what calls hang on and writes `[[edges]]` for them.

This page is made from the schema that checks the files: `make docs`.

"""
_CONFIG = f"""\
# Configuration

`codepath.toml`, or the table `[tool.codepath]` of a pyproject.toml, nearest upwards from the tree that is asked; a folder with
`.git` ends the search. Beside the keys below it may hold every table of a [knowledge file](knowledge.md). A wrong key or value
is an error with its place.

{_MADE}

"""
_COMMANDS = f"""\
# Commands

`codepath COMMAND --help` says the same. Exit status: 0 answered, 1 findings, 2 could not answer, 130 interrupted.

{_MADE}

"""
_JSON = f"""\
# JSON documents

`--format json` gives one document, `graph --format jsonl` one row a line. Lines count from 1, columns from 0 in code points;
files are relative to the tree's root. The schemas are shipped with the package (`codepath/report/schemas`); every document
that the tests see is checked against its own.

{_MADE}

"""
_PYTHON = f"""\
# Python API

```py
import codepath

with codepath.Index.open("sglang==0.5.9") as index:
    answer = index.reach("set_global_expert_location_metadata")
    for path in answer.paths:
        print(path.feasible, [f"{{step.file}}:{{step.line}}" for step in path.steps])
```

What `codepath.__all__` names is stable; anything else may change with any release. Answers are frozen dataclasses.

{_MADE}

"""


def pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    return {
        "commands.md": _COMMANDS + "\n".join(_commands()),
        "configuration.md": _CONFIG + config_reference(),
        "json.md": _JSON + "\n".join(_documents()),
        "knowledge.md": _KNOWLEDGE + knowledge_reference(),
        "python.md": _PYTHON + "\n".join(_exported()),
        "rules.md": rule_reference(shipped_rules(), list(kinds().values())),
    }


# --- commands --------------------------------------------------------------------------------------------------------


def _commands(group: click.Group = root, before: str = "codepath") -> Iterator[str]:
    context = click.Context(group, info_name=before)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{before} {name}")
        else:
            yield from _command(command, f"{before} {name}")


def _command(command: click.Command, name: str) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    words = " ".join(piece for param in command.params for piece in param.get_usage_pieces(context))
    yield f"## {name}\n\n`{name} [OPTIONS]{f' {words}' if words else ''}`\n"
    yield _prose(command.help or command.short_help or "") + "\n"
    yield "| option | meaning |\n|---|---|"
    for param in command.params:
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record is not None:
            yield f"| {_code(_plain(record[0]))} | {_cell(_default(param, record[1]))} |"
    yield ""
    if command.epilog:
        yield "```text\n" + command.epilog.replace("\b\n", "").strip() + "\n```\n"


def _plain(names: str) -> str:
    """Return the names of an option without the choices, which versions of click list differently."""
    return re.sub(r"\s+\[[^\]]*\]", "", names).replace(" RANGE", "")


def _default(param: click.Parameter, text: str) -> str:
    kind = param.type
    choices = f" One of {', '.join(f'`{c}`' for c in kind.choices)}." if isinstance(kind, click.Choice) else ""
    return re.sub(r"\s*\[(required|default: [^\]]*|x>=\d+)(; [^\]]*)?\]", "", text) + choices


def _prose(text: str) -> str:
    return inspect.cleandoc(text.replace("\b\n", ""))


# --- JSON ------------------------------------------------------------------------------------------------------------


def _documents() -> Iterator[str]:
    schemas = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(_SCHEMAS.glob("*.json"))}
    parts = [(name, part) for schema in schemas.values() for name, part in schema.get("$defs", {}).items()]
    counts = Counter((name, json.dumps(part, sort_keys=True)) for name, part in parts)
    shared = {name: part for name, part in parts if counts[name, json.dumps(part, sort_keys=True)] > 1}
    for command, schema in schemas.items():
        yield f"## {command}\n"
        yield from _fields(schema)
        for name, part in sorted(schema.get("$defs", {}).items()):
            if shared.get(name) != part:
                yield from _part(f"{command}: {name}", part)
    yield "## Parts of several documents\n"
    for name, part in sorted(shared.items()):
        yield from _part(name, part)


def _part(title: str, part: dict[str, Any]) -> Iterator[str]:
    meaning = part.get("description", "")
    if "properties" in part:
        yield f"### {title}\n" + (f"\n{meaning}\n" if meaning else "")
        yield from _fields(part)
    else:
        yield f"### {title}\n\n{meaning or _type_of(part)}\n"


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    yield "| key | type | meaning |\n|---|---|---|"
    for name, value in schema.get("properties", {}).items():
        meaning = value.get("description", "")
        yield f"| `{name}` | {_cell(_type_of(value))} | {_cell(meaning)} |"
    yield ""


def _type_of(value: dict[str, Any]) -> str:
    """Return what a value of a schema is, in a few words."""
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{json.dumps(item)}`" for item in value["enum"])
    for several in ("oneOf", "anyOf"):
        if several in value:
            return " or ".join(dict.fromkeys(_type_of(item) for item in value[several]))
    kind = value.get("type", "any")
    if kind == "array":
        return f"list of {_type_of(value['items'])}" if isinstance(value.get("items"), dict) else "list"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


# --- Python ----------------------------------------------------------------------------------------------------------


def _exported() -> Iterator[str]:
    found = [(name, getattr(codepath, name)) for name in codepath.__all__]
    yield "## The index\n"
    yield from _index(codepath.Index)
    yield "## Functions\n"
    for name, value in found:
        if inspect.isfunction(value):
            yield from _function(f"codepath.{name}", value)
    yield "## Errors\n"
    for name, value in found:
        if inspect.isclass(value) and issubclass(value, Exception):
            yield f"### `{name}`\n\n{_doc(value)}\n"
    yield "## Answers\n"
    for name, value in found:
        if dataclasses.is_dataclass(value) and isinstance(value, type):
            yield f"### `{name}`\n\n{_doc(value)}\n"
            yield from _attributes(value)


def _index(kind: type) -> Iterator[str]:
    yield _doc(kind) + "\n"
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            yield f"### `Index.{name}`\n\n{_doc(value.fget)}\n"
        else:
            yield from _function(f"Index.{name}", getattr(value, "__func__", value))


def _function(name: str, function: Callable[..., Any]) -> Iterator[str]:
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name not in ("self", "cls")]
    words: list[str] = []
    for param in parameters:
        if param.kind is param.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        words.append(param.name if param.default is param.empty else f"{param.name}={param.default!r}")
    yield f"### `{name}({', '.join(words)})`\n\n{_doc(function)}\n"


def _attributes(kind: type) -> Iterator[str]:
    yield "| attribute | type |\n|---|---|"
    for field in dataclasses.fields(kind):
        yield f"| `{field.name}` | {_code(str(field.type))} |"
    yield ""


def _doc(value: object) -> str:
    """Return a docstring as Markdown: its sections as lists."""
    lines: list[str] = []
    in_section = False
    for line in (inspect.getdoc(value) or "").splitlines():
        if re.fullmatch(r"(Args|Raises|Attributes|Returns):", line):
            in_section = True
            lines.append(f"{line[:-1]}:\n")
        elif in_section and re.match(r"    \w[\w`]*: ", line):
            name, _, rest = line.strip().partition(": ")
            lines.append(f"- `{name}`: {rest}")
        elif in_section and line.startswith("    "):
            lines.append(f"  {line.strip()}")
        else:
            in_section = in_section and not line.strip()
            lines.append(line)
    return "\n".join(lines).strip()


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
