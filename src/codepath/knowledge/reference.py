"""The reference page of the knowledge files, made from the schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.knowledge.schema import TABLES, Key, Table, keys_of


def reference() -> str:
    """Return the reference as Markdown: a heading and a table of keys for each table of a file."""
    return "\n".join(line for table in TABLES for line in _table(table)).rstrip("\n") + "\n"


def _table(table: Table) -> Iterator[str]:
    yield f"## `{table.title}`"
    yield ""
    yield table.meaning
    if table.is_list:
        by = " and ".join(f"`{key}`" for key in table.identity)
        yield f"A later file wins by {by}."
    yield ""
    yield "| key | type | required | meaning |"
    yield "|---|---|---|---|"
    for name, key in _flat(keys_of(table)):
        kind = key.kind.text if key.kind is not None else "table"
        yield f"| `{name}` | {kind} | {'yes' if key.required else 'no'} | {key.meaning} |"
    yield ""


def _flat(keys: Iterable[Key], prefix: str = "") -> Iterator[tuple[str, Key]]:
    for key in keys:
        yield prefix + key.name, key
        yield from _flat(key.inner, f"{prefix}{key.name}.")
