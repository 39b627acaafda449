"""Asks several trees which paths reach a function, and prints what differs from one to the next.

python examples/scan_releases.py NAME SPEC [SPEC ...]
"""

from __future__ import annotations

import sys
from collections import Counter

import codepath


def main(name: str, sources: list[str]) -> None:
    """Print one line a tree: how many paths are open, blocked and unknown, and the guards of the open ones."""
    for source in sources:
        with codepath.Index.open(source) as index:
            try:
                answer = index.reach(name, all_paths=True)
            except codepath.QueryError as error:
                print(f"{source}: {error.message}")
                continue
        counts = Counter(path.feasible for path in answer.paths)
        guards = {
            f"{'' if guard.polarity else 'not '}{guard.text}"
            for path in answer.paths
            if path.feasible == "open"
            for guard in path.steps[-1].guards
        }
        told = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
        print(f"{source}: {told or 'no path'}; at the call: {' and '.join(sorted(guards)) or 'no guard'}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
