"""Trees of libcst's classes made from what `ast` parsed: the builder reads one kind of tree, whichever parser made it.

`ast` parses ten times as fast as libcst, and knows every place. Only f-strings, whose inner places it gets wrong before
Python 3.12, are parsed by libcst, one at a time; and whole files whose syntax is newer than this Python's.
"""

# The modules that are imported for their entries in the tables of `nodes`.
import codepath.extract.adopted.expressions
import codepath.extract.adopted.patterns
import codepath.extract.adopted.statements  # noqa: F401
from codepath.extract.adopted.nodes import adopt

__all__ = ["adopt"]
