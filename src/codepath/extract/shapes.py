"""Shapes of libcst's trees that differ from those of `ast`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst


def operands(node: cst.BooleanOperation) -> list[cst.BaseExpression]:
    """Return the operands of `a and b and c`, flattened as `ast` does: not through parentheses."""
    kind = node.operator.__class__
    right = [node.right]
    left: cst.BaseExpression = node.left
    while isinstance(left, cst.BooleanOperation) and not left.lpar and left.operator.__class__ is kind:
        right.append(left.right)
        left = left.left
    right.append(left)
    right.reverse()
    return right


def elements_of(node: cst.Subscript) -> Sequence[cst.BaseElement] | None:
    """Return the elements of the tuple in `x[(a, b)]`: `ast` cannot tell it from `x[a, b]`, so it has no place."""
    if len(node.slice) == 1:
        only = node.slice[0]
        index = only.slice
        if (
            isinstance(index, cst.Index)
            and isinstance(index.value, cst.Tuple)
            and not index.star
            and not isinstance(only.comma, cst.Comma)
        ):
            return index.value.elements
    return None
