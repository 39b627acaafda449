"""Builds the scopes of a file from its tree."""

# The modules that are imported for their entries in the tables of `state`.
import codepath.extract.builder.definitions
import codepath.extract.builder.patterns
import codepath.extract.builder.simple  # noqa: F401
from codepath.extract.builder.scopes import build

__all__ = ["build"]
