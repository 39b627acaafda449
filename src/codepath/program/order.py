"""An order of modules in which what is imported comes before what imports it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.program.tree import ModuleInfo, Tree


def import_order(tree: Tree) -> list[str]:
    """Return the loaded modules, imported ones first; cycles are cut where they are met, starting from names in order."""
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(tree.modules):
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(_imported(tree, tree.modules[start])))]
        while stack:
            name, rest = stack[-1]
            following = next((n for n in rest if n not in seen), None)
            if following is None:
                order.append(name)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(_imported(tree, tree.modules[following]))))
    return order


def _imported(tree: Tree, module: ModuleInfo) -> Iterable[str]:
    return dict.fromkeys(_names(tree, module))


def _names(tree: Tree, module: ModuleInfo) -> Iterator[str]:
    for scope in module.scopes:
        for origins in scope.names.values():
            for origin in origins:
                if origin.form == "member":
                    inner = f"{origin.module}.{origin.name}"
                    yield from (n for n in (inner, origin.module) if n in tree.modules)
                elif origin.form == "module" and origin.module in tree.modules:
                    yield origin.module
