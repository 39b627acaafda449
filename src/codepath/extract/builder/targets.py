"""Stores: names, attributes, items, unpackings; and `del`."""

from __future__ import annotations

from typing import Any

import libcst as cst

from codepath.extract.builder.expressions import index_of, name_of
from codepath.extract.builder.state import Builder, visit
from codepath.model import ir


def store(
    builder: Builder, target: Any, form: str, value: int, how: tuple[int, ...] = (), annotation: int = ir.ABSENT
) -> None:
    """Append the stores of a target.

    Args:
        builder: The scope.
        target: A name, attribute, subscript, or a tuple or list of targets.
        form: The form of the definitions.
        value: The expression that is taken apart, or -1.
        how: The steps from it to what this target gets, outermost first.
        annotation: The annotation's expression, or -1.
    """
    kind = target.__class__
    if kind is cst.Name:
        builder.bind(target.value, form, builder.at(target), value, how, annotation)
    elif kind is cst.Attribute:
        owner = visit(builder, target.value)
        store_attribute(builder, target, owner, value, how, annotation)
    elif kind is cst.Subscript:
        owner = visit(builder, target.value)
        store_item(builder, target, owner, index_of(builder, target), value, how)
    else:
        _unpack(builder, target.elements, form, value, how)


def _unpack(builder: Builder, elements: Any, form: str, value: int, how: tuple[int, ...]) -> None:
    starred = False
    for number, element in enumerate(elements):
        if element.__class__ is cst.StarredElement:
            starred = True
            step = ir.REST
        else:
            step = ir.ITERATE if starred else number
        store(builder, element.value, form, value, (*how, step))


def store_attribute(
    builder: Builder, target: cst.Attribute, owner: int, value: int, how: tuple[int, ...] = (), annotation: int = -1
) -> None:
    """Append `owner.name = value` for an owner that is evaluated."""
    name = target.attr.value
    builder.names.attributes.add(name)
    builder.add(ir.StoreAttr(owner, name, value, how, annotation, builder.at(target), builder.end(target)))


def store_item(
    builder: Builder, target: cst.Subscript, owner: int, index: int, value: int, how: tuple[int, ...] = ()
) -> None:
    """Append `owner[index] = value` for an owner and index that are evaluated."""
    builder.names.subscripted.add(name_of(target.value))
    builder.add(ir.StoreItem(owner, index, value, how, builder.at(target), builder.end(target)))


def remove(builder: Builder, target: Any) -> None:
    """Append what `del target` does."""
    kind = target.__class__
    if kind is cst.Name:
        builder.flow.unbind(target.value)
        builder.add(ir.Remove(ir.ABSENT, target.value, ir.ABSENT, builder.at(target)))
    elif kind is cst.Attribute:
        builder.names.attributes.add(target.attr.value)
        owner = visit(builder, target.value)
        builder.add(ir.Remove(owner, target.attr.value, ir.ABSENT, builder.at(target)))
    elif kind is cst.Subscript:
        builder.names.subscripted.add(name_of(target.value))
        owner = visit(builder, target.value)
        index = index_of(builder, target)
        builder.add(ir.Remove(owner, "", index, builder.at(target)))
    else:
        for element in target.elements:
            remove(builder, element.value)
