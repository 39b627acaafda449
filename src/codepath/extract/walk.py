"""A source-order walk of a libcst tree over the fields that hold what needs a place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

# Class -> child fields in source order; a class that is absent is a leaf. F-strings are leaves: see `codegen_places`.
# Type parameters are left out. `elif` and everything else that Python's own tree nests is nested here too.
FIELDS: dict[type, tuple[str, ...]] = {
    cst.Module: ("body",),
    cst.IndentedBlock: ("body",),
    cst.SimpleStatementLine: ("body",),
    cst.SimpleStatementSuite: ("body",),
    cst.FunctionDef: ("decorators", "params", "returns", "body"),
    cst.ClassDef: ("decorators", "bases", "keywords", "body"),
    cst.Decorator: ("decorator",),
    cst.If: ("test", "body", "orelse"),
    cst.Else: ("body",),
    cst.While: ("test", "body", "orelse"),
    cst.For: ("target", "iter", "body", "orelse"),
    cst.With: ("items", "body"),
    cst.WithItem: ("item", "asname"),
    cst.AsName: ("name",),
    cst.Try: ("body", "handlers", "orelse", "finalbody"),
    cst.TryStar: ("body", "handlers", "orelse", "finalbody"),
    cst.ExceptHandler: ("type", "body"),
    cst.ExceptStarHandler: ("type", "body"),
    cst.Finally: ("body",),
    cst.Match: ("subject", "cases"),
    cst.MatchCase: ("pattern", "guard", "body"),
    cst.MatchAs: ("pattern",),
    cst.MatchOr: ("patterns",),
    cst.MatchOrElement: ("pattern",),
    cst.MatchList: ("patterns",),
    cst.MatchTuple: ("patterns",),
    cst.MatchSequenceElement: ("value",),
    cst.MatchMapping: ("elements",),
    cst.MatchMappingElement: ("key", "pattern"),
    cst.MatchClass: ("cls", "patterns", "kwds"),
    cst.MatchKeywordElement: ("pattern",),
    cst.MatchValue: ("value",),
    cst.Expr: ("value",),
    cst.Assign: ("targets", "value"),
    cst.AssignTarget: ("target",),
    cst.AnnAssign: ("target", "annotation", "value"),
    cst.AugAssign: ("target", "value"),
    cst.Annotation: ("annotation",),
    cst.Return: ("value",),
    cst.Raise: ("exc", "cause"),
    cst.From: ("item",),
    cst.Assert: ("test", "msg"),
    cst.TypeAlias: ("name", "value"),
    cst.Import: ("names",),
    cst.ImportFrom: ("names",),
    cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    cst.Param: ("annotation", "default"),
    cst.Call: ("func", "args"),
    cst.Arg: ("value",),
    cst.Attribute: ("value",),
    cst.SubscriptElement: ("slice",),
    cst.Index: ("value",),
    cst.Slice: ("lower", "upper", "step"),
    cst.BinaryOperation: ("left", "right"),
    cst.UnaryOperation: ("expression",),
    cst.Comparison: ("left", "comparisons"),
    cst.ComparisonTarget: ("comparator",),
    cst.IfExp: ("body", "test", "orelse"),
    cst.Lambda: ("params", "body"),
    cst.Await: ("expression",),
    cst.Yield: ("value",),
    cst.NamedExpr: ("target", "value"),
    cst.Tuple: ("elements",),
    cst.List: ("elements",),
    cst.Set: ("elements",),
    cst.Element: ("value",),
    cst.StarredElement: ("value",),
    cst.Dict: ("elements",),
    cst.DictElement: ("key", "value"),
    cst.StarredDictElement: ("value",),
    cst.ListComp: ("elt", "for_in"),
    cst.SetComp: ("elt", "for_in"),
    cst.GeneratorExp: ("elt", "for_in"),
    cst.DictComp: ("key", "value", "for_in"),
    cst.CompFor: ("target", "iter", "ifs", "inner_for_in"),
    cst.CompIf: ("test",),
}
if hasattr(cst, "StarredDictComp"):
    FIELDS[cst.StarredDictComp] = ("value", "for_in")
if hasattr(cst, "LazyImport"):
    FIELDS[cst.LazyImport] = ("names",)
    FIELDS[cst.LazyImportFrom] = ("names",)

_REVERSED = {kind: tuple(reversed(names)) for kind, names in FIELDS.items()}


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


def collect(root: cst.CSTNode, wanted: frozenset[type]) -> list[Any]:
    """Return the nodes below `root` whose class is wanted, in pre-order, children in source order.

    Tuples without a node of their own in `ast` (`x[a, b]`, `del a, b`) are entered but not returned.
    """
    found: list[Any] = []
    add = found.append
    stack: list[Any] = [root]
    pop, push, extend = stack.pop, stack.append, stack.extend
    fields = _REVERSED
    while stack:
        node = pop()
        kind = node.__class__
        if kind is tuple or kind is list:
            extend(node[::-1])
            continue
        if kind in wanted:
            add(node)
        names = fields.get(kind)
        if names is not None:
            for name in names:
                value = getattr(node, name)
                if value:
                    push(value)
        elif kind is cst.Subscript:
            elements = elements_of(node)
            push(node.slice if elements is None else [element.value for element in elements])
            push(node.value)
        elif kind is cst.BooleanOperation:
            extend(operands(node)[::-1])
        elif kind is cst.Del:
            target = node.target
            push(target.elements if target.__class__ is cst.Tuple and not target.lpar else target)
    return found
