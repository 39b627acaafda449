"""How each query of the bug collection is asked and judged: one `Query` a word, whatever the case.

A module of this package holds `QUERIES`, a dict from the words of `expected.check.query` to what asks them: adding a module is
all. `asked` are the commands that a person would type, `flagged` reads the fault out of the JSON answers.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from bug_queries.asking import Query


def queries() -> dict[str, Query]:
    """Return all queries by their words."""
    found: dict[str, Query] = {}
    for module in sorted(m.name for m in iter_modules(__path__) if m.name not in ("asking", "snippets", "trees")):
        found.update(import_module(f"{__name__}.{module}").QUERIES)
    return found
