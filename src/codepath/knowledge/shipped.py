"""The models that come with the package."""

from __future__ import annotations

from functools import lru_cache

from codepath.knowledge.read import Model, load


@lru_cache(maxsize=1)
def shipped() -> tuple[Model, ...]:
    """Return the models of the package, sorted by file name."""
    from importlib.resources import files  # costs more than reading the models, and only they need it

    found = [entry for entry in files(__package__).iterdir() if entry.name.endswith(".toml")]
    return tuple(load(entry.read_bytes(), entry.name) for entry in sorted(found, key=lambda entry: entry.name))
