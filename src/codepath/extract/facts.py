"""One file's bytes to the facts of it."""

from __future__ import annotations

from codepath.errors import SourceError
from codepath.extract.builder import build
from codepath.extract.builder.state import File
from codepath.extract.comments import suppressions
from codepath.extract.decode import Text, decode
from codepath.extract.parsing import DEEP, SHALLOW, parse, refusal, run_deep
from codepath.extract.texts import Lines
from codepath.model import ir


def facts_of(data: bytes, path: str) -> ir.ModuleFacts:
    """Return the facts of a file; see `codepath.extract.extract`."""
    source = decode(data, path)
    try:
        try:
            return _facts(source, path, SHALLOW)
        except (RecursionError, MemoryError):
            return run_deep(lambda: _facts(source, path, DEEP))
    except (RecursionError, MemoryError):
        raise SourceError("the code is nested too deeply", path=path, line=1) from None
    except SourceError:
        raise
    except Exception as error:  # such as `*x = y`, which parses and does not compile
        raise refusal(source.text, path, error) from None


def _facts(source: Text, path: str, depth: int) -> ir.ModuleFacts:
    text = source.text
    parsed = parse(text, path, depth)
    lines = Lines(text)
    file = File(parsed.places, lines, len(parsed.module.default_indent))
    last = len(lines.lines)
    heads, scopes = build(file, parsed.module, ir.pack(last, len(lines.lines[-1])))
    return ir.ModuleFacts(
        lines=last - 1 if lines.lines[-1] == "" else last,
        encoding=source.encoding,
        bom=source.bom,
        heads=heads,
        scopes=tuple([ir.encode_scope(scope) for scope in scopes]),
        suppressions=suppressions(text),
        postings=file.names.postings(),
        ast_refused=parsed.ast_refused,
    )
