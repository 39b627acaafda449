"""What becomes of the steps below a function between two trees: added, dropped, moved, run under other conditions.

Steps are matched by their names among those of one call, so that a function may move to another file; of a step that is only in
one of the trees what is inside is not compared.

Approximates: over (a step that was renamed is dropped and added).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from codepath.analysis.pictures.explore import Node
from codepath.model.answers import Guard

Titled = Callable[[str, str], str]
"""Returns the name of a function without its module, by its dotted name and the kind of the step."""
_CHECKS = frozenset(["assert", "early-raise", "try", "except"])


def marked(base: Sequence[Node], head: Sequence[Node], title: Titled) -> list[Node]:
    """Return the steps of the second tree, told what became of each, with those that only the first one has among them."""
    return _Comparison(title).level(list(base), list(head), None)


class _Comparison:
    def __init__(self, title: Titled) -> None:
        self._title = title
        self._seen: set[int] = set()

    def level(self, base: list[Node], head: list[Node], parent: Node | None) -> list[Node]:
        """Compare the steps of one call; return those of the second tree and the dropped ones in order."""
        pairs = self._pairs(base, head)
        of_base = {id(head[h]): base[b] for b, h in pairs}
        met = {b for b, _ in pairs}
        for node in head:
            before = of_base.get(id(node))
            if before is None:
                node.change = "added"
            else:
                self._one(before, node)
        found = list(head)
        for number, node in enumerate(base):
            if number in met:
                continue
            node.change, node.parent = "dropped", parent
            _deepen(node, parent)
            after = next((h for b, h in reversed(pairs) if b < number), None)
            place = found.index(head[after]) + 1 if after is not None else 0
            while place < len(found) and found[place].change == "dropped":
                place += 1
            found.insert(place, node)
        return found

    def _pairs(self, base: Sequence[Node], head: Sequence[Node]) -> list[tuple[int, int]]:
        """Return the positions of steps that are the same, sorted; those out of order are marked as moved."""
        names, others = [self._key(n) for n in base], [self._key(n) for n in head]
        blocks = SequenceMatcher(None, names, others, autojunk=False).get_matching_blocks()
        pairs = [(b.a + n, b.b + n) for b in blocks for n in range(b.size)]
        left = [n for n in range(len(names)) if n not in {b for b, _ in pairs}]
        for number in sorted(set(range(len(others))) - {h for _, h in pairs}):
            match = next((b for b in left if names[b] == others[number]), None)
            if match is None:
                continue
            left.remove(match)
            pairs.append((match, number))
            head[number].change = "moved"
            head[number].was = f"after {names[match - 1]}" if match else "the first"
        return sorted(pairs)

    def _key(self, node: Node) -> str:
        return self._title(node.ran, node.step.kind)

    def _one(self, base: Node, head: Node) -> None:
        """Compare a step that both trees have, and what it runs."""
        was, now = _conditions(base), _conditions(head)
        if was != now and not head.change:
            head.change = "changed"
            head.was = " and ".join(was) or "run without conditions"
        old, new = base.repeats or base, head.repeats or head
        if base.is_cut or head.is_cut or old.is_cut or new.is_cut or id(new) in self._seen:
            return
        if not (base.is_open and head.is_open):
            return
        self._seen.add(id(new))
        new.children = self.level(old.children, new.children, new)


def _deepen(node: Node, parent: Node | None) -> None:
    """Give a step of another tree the depth that it has below a step of this one."""
    more = (parent.depth if parent is not None else 0) + 1 - node.depth
    for one in node.all():
        one.depth += more


def _conditions(node: Node) -> list[str]:
    """Return under which conditions a step runs in its call, as text: a step that cannot run has one more."""
    found = {_text(g) for g in node.guards if g.kind not in _CHECKS}
    return sorted(found) + ([] if node.is_open else ["never"])


def _text(guard: Guard) -> str:
    return guard.text if guard.polarity else f"not ({guard.text})"
