"""The names of a file by what is done with them."""

from __future__ import annotations

from codepath.model import ir


class Names:
    """Collects the names of a file; see `ir.Postings`."""

    __slots__ = ("attributes", "called", "defined", "globals", "referenced", "strings", "subscripted")

    def __init__(self) -> None:
        self.defined: set[str] = set()
        self.called: set[str] = set()
        self.referenced: set[str] = set()
        self.attributes: set[str] = set()
        self.globals: set[str] = set()
        self.strings: set[str] = set()
        self.subscripted: set[str] = set()

    def postings(self) -> ir.Postings:
        """Return what was collected, sorted."""
        return ir.Postings(*(tuple(sorted(getattr(self, name))) for name in ir.Postings.__struct_fields__))
