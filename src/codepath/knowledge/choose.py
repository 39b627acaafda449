"""The knowledge that holds for one tree: the models chosen for it, merged."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from codepath.errors import ConfigError
from codepath.knowledge.read import Model, Removal, nearest
from codepath.knowledge.schema import BY_NAME, TABLES
from codepath.model.knowledge import Knowledge

_Rows = dict[str, dict[tuple[str, ...], Any]]


def choose(models: Iterable[Model], user_models: Iterable[Model], modules: Collection[str]) -> Knowledge:
    """Return what the models say about a tree; a later model wins over an earlier one, key by key.

    Args:
        models: The shipped models. Those about a project are read after those that hold for every tree.
        user_models: The user's, read after all shipped ones, in this order.
        modules: Dotted names of the modules of the tree.

    Raises:
        ConfigError: A model takes away what no model says.
    """
    shipped, users = list(models), list(user_models)
    shipped.sort(key=lambda model: model.project is not None)
    rows: _Rows = {table.name: {} for table in TABLES}
    known: dict[str, set[tuple[str, ...]]] = {table.name: set() for table in TABLES}
    for model in (*shipped, *users):
        holds = _holds(model, modules)
        for table in TABLES:
            for row in getattr(model.holds, table.field):
                key = table.key_of(row)
                known[table.name].add(key)
                if holds:
                    rows[table.name][key] = row
        for removal in model.removals:
            if removal.key not in known[removal.table]:
                raise _nothing_removed(model, removal, known[removal.table])
            if holds:
                rows[removal.table].pop(removal.key, None)
    return _sorted(rows)


def _holds(model: Model, modules: Collection[str]) -> bool:
    return model.project is None or all(module in modules for module in model.project.detect)


def _sorted(rows: _Rows) -> Knowledge:
    found = {}
    for table in TABLES:
        held = rows[table.name]
        in_order = table.field in ("entry_points", "launches")  # as written: the first is what people start most
        ordered = [held[key] for key in (held if in_order else sorted(held))]
        if table.field == "architectures":
            ordered.sort(key=lambda row: (row.capability, row.name))
        found[table.field] = tuple(ordered)
    return Knowledge(**found)


def _nothing_removed(model: Model, removal: Removal, known: Collection[tuple[str, ...]]) -> ConfigError:
    name = " ".join(removal.key)
    help = nearest(name, [" ".join(key) for key in known])
    message = f"no earlier {BY_NAME[removal.table].title} says `{name}`, so there is nothing to remove"
    return ConfigError(message, path=model.path, line=removal.line, column=removal.column, help=help)
