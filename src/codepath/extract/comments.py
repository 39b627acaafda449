"""Comments that silence rules."""

from __future__ import annotations

import io
import re
import tokenize
import warnings

from codepath.model import ir

_COMMENT = re.compile(r"#\s*codepath:\s*(ignore|ignore-file)\s*\[([^\]]*)\]\s*(.*)")
_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.COMMENT})


def suppressions(text: str) -> tuple[ir.Suppression, ...]:
    """Return the suppressions of a file in source order.

    A comment on a line of its own, outside of brackets, stands on the statement that follows.
    """
    if "codepath:" not in text:
        return ()
    found: list[ir.Suppression] = []
    waiting: list[tuple[tokenize.TokenInfo, re.Match[str]]] = []
    first = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.COMMENT:
                    match = _COMMENT.match(token.string)
                    if match:
                        waiting.append((token, match))
                elif token.type == tokenize.NEWLINE or token.type == tokenize.ENDMARKER:
                    found += [_suppression(*each, first or each[0].start[0], token.start[0]) for each in waiting]
                    waiting, first = [], 0
                elif token.type not in _LAYOUT and not first:
                    first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        found += [_suppression(*each, each[0].start[0], each[0].start[0]) for each in waiting]
    return tuple(found)


def _suppression(token: tokenize.TokenInfo, match: re.Match[str], first: int, last: int) -> ir.Suppression:
    rules = tuple(filter(None, (rule.strip() for rule in match[2].split(","))))
    form = "line" if match[1] == "ignore" else "file"
    line, column = token.start
    return ir.Suppression(form, rules, match[3].strip(), min(first, line), max(last, line), ir.pack(line, column))  # type: ignore[arg-type]
