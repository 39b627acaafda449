"""Kinds of rules, one a module that holds it as `KIND`: adding the module is all."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from codepath.checks.schema import Kind


@lru_cache(maxsize=1)
def kinds() -> dict[str, Kind]:
    """Return all kinds by name, sorted."""
    names = sorted(module.name for module in iter_modules(__path__))
    found = [import_module(f"{__name__}.{name}").KIND for name in names]
    return {kind.name: kind for kind in found}
