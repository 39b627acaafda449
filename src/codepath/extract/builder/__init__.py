"""Builds the scopes of a file from its tree."""

from __future__ import annotations

from codepath.extract.builder import annotations, compound, comprehensions, definitions, patterns, simple
from codepath.extract.builder.scopes import build

__all__ = ["annotations", "build", "compound", "comprehensions", "definitions", "patterns", "simple"]
