"""Writes the generated pages of docs/reference.

python tests/tools/write_reference.py
"""

from __future__ import annotations

from pathlib import Path

from codepath.app.rules import shipped_rules
from codepath.checks.kinds import kinds
from codepath.knowledge import reference
from codepath.report.rules_text import reference as rule_reference

TOP = Path(__file__).resolve().parents[2]
KNOWLEDGE = TOP / "docs" / "reference" / "knowledge.md"
RULES = TOP / "docs" / "reference" / "rules.md"
_INTRO = """\
# Knowledge files

What no analysis can see is told in TOML: the files that codepath ships (`src/codepath/knowledge/*.toml`), `codepath.toml`
in the tree or above the current folder, and the files that its `knowledge = [...]` names. Yours are read after the shipped
ones and win by the keys that each table names; `remove = true` takes an entry away. A wrong key or value is an error with
its place. `codepath status --unresolved` lists what calls hang on and writes `[[edges]]` for them.

This page is made from the schema that checks the files: `python tests/tools/write_reference.py`.

"""


def knowledge_page() -> str:
    """Return the page on knowledge files."""
    return _INTRO + reference()


def rules_page() -> str:
    """Return the page on rules and their kinds."""
    return rule_reference(shipped_rules(), list(kinds().values()))


if __name__ == "__main__":
    KNOWLEDGE.parent.mkdir(parents=True, exist_ok=True)
    KNOWLEDGE.write_text(knowledge_page(), encoding="utf-8")
    RULES.write_text(rules_page(), encoding="utf-8")
