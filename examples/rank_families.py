"""Ranks families of classes by the attributes that code looks up by name and that only some of a family have.

python examples/rank_families.py [SPEC]
"""

from __future__ import annotations

import sys
from collections import defaultdict

import codepath


def main(source: str | None) -> None:
    """Print each family with its gaps, the family with most classes that surprisingly lack something first."""
    with codepath.Index.open(source) as index:
        families: dict[str, list[codepath.HookRow]] = defaultdict(list)
        for row in index.hooks(missing=True).hooks:
            families[row.family].append(row)
    for family, rows in sorted(families.items(), key=lambda item: -sum(len(row.surprising) for row in item[1])):
        print(f"{family or 'any class'}: {len(rows)} attributes that some lack")
        for row in sorted(rows, key=lambda row: -row.surprise)[:5]:
            names = ", ".join(name.rpartition(".")[2] for name in row.surprising[:3])
            print(
                f"    {row.hook}: {row.have} have it, {row.lack} do not{f', of these surprisingly {names}' if names else ''}"
            )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
