"""Names outside the tree that stand for others."""

from __future__ import annotations

from collections.abc import Mapping


def meant(name: str, aliases: Mapping[str, str]) -> str:
    """Return the name that a dotted name outside the tree stands for.

    Args:
        name: A dotted name.
        aliases: What prefixes stand for. The longest one wins; its meaning is looked up in turn, each prefix once.
    """
    used = set()
    while True:
        prefix, rest = name, ""
        while prefix not in aliases:
            prefix, dot, last = prefix.rpartition(".")
            if not dot:
                return name
            rest = f".{last}{rest}"
        if prefix in used or aliases[prefix] == prefix:
            return name
        used.add(prefix)
        name = aliases[prefix] + rest
