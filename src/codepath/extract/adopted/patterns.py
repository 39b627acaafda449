"""Patterns of `match`."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from codepath.extract.adopted.nodes import NAME, STATEMENTS, Adopt, Adopted, block, expression, maker

_MATCH = maker(cst.Match, "subject", "cases", "indent")
_CASE = maker(cst.MatchCase, "pattern", "guard", "body")
_VALUE = maker(cst.MatchValue, "value")
_SINGLETON = maker(cst.MatchSingleton, "value")
_AS = maker(cst.MatchAs, "pattern", "name")
_OR = maker(cst.MatchOr, "patterns")
_ALTERNATIVE = maker(cst.MatchOrElement, "pattern")
_SEQUENCE = maker(cst.MatchList, "patterns")
_ELEMENT = maker(cst.MatchSequenceElement, "value")
_STAR = maker(cst.MatchStar, "name")
_MAPPING = maker(cst.MatchMapping, "elements", "rest")
_PAIR = maker(cst.MatchMappingElement, "key", "pattern")
_CLASS = maker(cst.MatchClass, "cls", "patterns", "kwds")
_KEYWORD = maker(cst.MatchKeywordElement, "pattern")


def _match(tree: Adopted, node: ast.Match) -> Any:
    cases = [
        _CASE(_pattern(tree, case.pattern), expression(tree, case.guard), block(tree, case.body)) for case in node.cases
    ]
    return tree.placed(_MATCH(expression(tree, node.subject), cases, None), node)


def _pattern(tree: Adopted, node: Any) -> Any:
    return tree.placed(_PATTERNS[node.__class__](tree, node), node)


def _name(tree: Adopted, name: str | None) -> Any:
    return None if name is None else tree.named(name)


def _sequence(tree: Adopted, node: ast.MatchSequence) -> Any:
    made = [_pattern(tree, one) for one in node.patterns]
    return _SEQUENCE([one if one.__class__ is cst.MatchStar else _ELEMENT(one) for one in made])


def _key(tree: Adopted, node: Any) -> Any:
    if node.__class__ is ast.Constant and (node.value is None or node.value.__class__ is bool):
        return tree.placed(_SINGLETON(NAME(str(node.value))), node)
    return expression(tree, node)


def _mapping(tree: Adopted, node: ast.MatchMapping) -> Any:
    pairs = zip(node.keys, node.patterns, strict=True)
    made = [_PAIR(_key(tree, key), _pattern(tree, pattern)) for key, pattern in pairs]
    return _MAPPING(made, _name(tree, node.rest))


def _class(tree: Adopted, node: ast.MatchClass) -> Any:
    plain = [_ELEMENT(_pattern(tree, one)) for one in node.patterns]
    return _CLASS(expression(tree, node.cls), plain, [_KEYWORD(_pattern(tree, one)) for one in node.kwd_patterns])


_PATTERNS: dict[type, Adopt] = {
    ast.MatchValue: lambda tree, node: _VALUE(expression(tree, node.value)),
    ast.MatchSingleton: lambda tree, node: _SINGLETON(NAME(str(node.value))),
    ast.MatchAs: lambda tree, node: _AS(
        None if node.pattern is None else _pattern(tree, node.pattern), _name(tree, node.name)
    ),
    ast.MatchOr: lambda tree, node: _OR([_ALTERNATIVE(_pattern(tree, one)) for one in node.patterns]),
    ast.MatchSequence: _sequence,
    ast.MatchStar: lambda tree, node: _STAR(_name(tree, node.name)),
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
}
STATEMENTS[ast.Match] = _match
