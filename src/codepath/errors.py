"""Every exception of the program. Only `cli` prints them."""

from __future__ import annotations


class CodepathError(Exception):
    """A question could not be answered.

    Args:
        message: One factual sentence without a final full stop.
        help: Lines that say the way out, each printed behind `=`.
    """

    def __init__(self, message: str, *, help: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.__dict__.copy()))


class SourceError(CodepathError):
    """A file or a tree cannot be read or parsed.

    Args:
        path: The file, as the tree names it, or the tree's spec.
        line: From 1, or 0 where there is none.
        column: From 0 in code points.
    """

    def __init__(
        self, message: str, *, path: str = "", line: int = 0, column: int = 0, help: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, help=help)
        self.path = path
        self.line = line
        self.column = column


class ConfigError(CodepathError):
    """A configuration or knowledge file is wrong; `path`, `line` (from 1) and `column` (from 0) say where."""

    def __init__(
        self, message: str, *, path: str = "", line: int = 0, column: int = 0, help: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, help=help)
        self.path = path
        self.line = line
        self.column = column


class StoreError(CodepathError):
    """The cache cannot be used."""


class RuleError(ConfigError):
    """A rule file is wrong; `excerpt` is the source line at its place."""

    excerpt = ""


class QueryError(CodepathError):
    """The question names something that is not there, or more than one thing."""


class AmbiguousError(QueryError):
    """A word means several things; `query` is the word, `candidates` are (full name, place as text)."""

    query = ""
    candidates: tuple[tuple[str, str], ...] = ()


def _rebuild(kind: type[CodepathError], message: str, state: dict[str, object]) -> CodepathError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    error.__dict__.update(state)
    return error
