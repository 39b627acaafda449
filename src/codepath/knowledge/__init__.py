"""What is known of libraries and projects: the TOML models, read into plain data."""

from __future__ import annotations

from codepath.knowledge.aliases import meant
from codepath.knowledge.choose import choose
from codepath.knowledge.read import Model, Removal, load, read
from codepath.knowledge.reference import reference
from codepath.knowledge.shipped import shipped

__all__ = ["Model", "Removal", "choose", "load", "meant", "read", "reference", "shipped"]
