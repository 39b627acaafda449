"""For any bytes, `extract` returns facts or raises `SourceError`."""

from __future__ import annotations

import pickle
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codepath.errors import SourceError
from codepath.extract import extract
from tests.unit.extract.checking import check_facts, facts_of

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SEEDS = [
    (LIBRARY / name).read_bytes()[:6000] for name in ("textwrap.py", "contextlib.py", "dataclasses.py", "fractions.py")
]
PIECES = [
    b"match x:\n  case [1, *y] if z: pass\n",
    b"def f(a, /, b=1, *c, d, **e) -> 'T': yield\n",
    b"f'{x!r:>{y}} {z}'\n",
    b"type X[T] = int\n",
    b"async def g():\n  async with a as b: await c\n",
    "é = 'ü'\n".encode(),
    b"x = lambda: (yield)\n",
    b"try: pass\nexcept* E: pass\n",
    b"@a\nclass C[T](B, k=1): x: int = 1\n",
    b"t'{x}'\n",
    b"del (a, b), c[1:2, ...]\n",
    b"\x00",
    b"\xff",
    b"\f",
    b"\r",
    b"\\\n",
    b"(",
    b'"""',
]


def attempt(data: bytes) -> SourceError | None:
    try:
        check_facts(extract(data, "x.py"))
    except SourceError as error:
        assert error.path == "x.py" and error.line >= 1 and error.column >= 0 and error.message
        assert "\n" not in error.message and "cannot be read" not in error.message
        assert pickle.loads(pickle.dumps(error)).line == error.line
        return error
    return None


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    attempt(data)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abx01 \n\t()[]{}:,.='\"#\\*@+-<>!~&|;\r\féifordefclasslambda", max_size=60))
def test_any_text(text: str) -> None:
    attempt(text.encode())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=6), st.lists(st.integers(0, 3), max_size=6))
def test_pieces_of_syntax(pieces: list[bytes], indents: list[int]) -> None:
    attempt(b"".join(b" " * indent + piece for indent, piece in zip([*indents, *[0] * 6], pieces, strict=False)))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_mutated_files(seed: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(seed)))
    stop = data.draw(st.integers(start, min(start + 400, len(seed))))
    how = data.draw(st.sampled_from(["cut", "double", "flip", "end", "piece"]))
    if how == "cut":
        mutated = seed[:start] + seed[stop:]
    elif how == "double":
        mutated = seed[:stop] + seed[start:]
    elif how == "end":
        mutated = seed[:start]
    elif how == "piece":
        mutated = seed[:start] + data.draw(st.sampled_from(PIECES)) + seed[start:]
    else:
        mutated = seed[:start] + bytes([seed[start - 1] ^ 1 << data.draw(st.integers(0, 7))]) + seed[start + 1 :]
    attempt(mutated)


def failure(data: bytes) -> tuple[int, int, str]:
    error = attempt(data)
    assert error is not None
    return error.line, error.column, error.message


def test_a_syntax_error_has_the_place_that_python_gives() -> None:
    assert failure(b"x = 1\ny = (1,\n\nz = 2\n") == (2, 4, "'(' was never closed")
    assert failure("é = 'ü' $ 1\n".encode())[:2] == (1, 8)
    assert failure(b"def f():\nx = 1\n")[0] == 2
    assert failure(b"x\n*y = z\n") == (2, 0, "starred assignment target must be in a list or tuple")


def test_bytes_that_are_no_text() -> None:
    assert failure(b"x = 1\ny = '\xff'\n") == (2, 5, "byte 0xff is not utf-8")
    assert failure(b"# coding: nonsense\n") == (1, 0, "the encoding 'nonsense' is unknown")
    assert failure(b"#\n# coding: rot13\n") == (2, 0, "the encoding 'rot13' is unknown")
    assert failure(b"x = 1\n  \0\n") == (2, 2, "the file has a null byte")
    assert failure(b"\xef\xbb\xbf# coding: latin-1\n")[0] == 1
    assert failure(b"# coding: utf-16\nx = 1\n")
    assert failure(b"# coding: ascii\nx = '\xc3\xbc'\n") == (2, 5, "byte 0xc3 is not ascii")


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000 + ")" * 5000,
        "x = " + "not " * 100_000 + "y",
        "x = " + "-" * 100_000 + "1",
        "x = " + "[" * 300 + "]" * 300,
        "x = " + " + ".join(["a"] * 5000),
        "x = a" + ".b" * 5000,
        "".join(" " * depth + "if x:\n" for depth in range(150)) + " " * 150 + "y",
        "t'' +" + "(" * 3000,
    ],
)
def test_code_that_is_nested_too_deeply(code: str) -> None:
    assert attempt(code.encode()) is not None


@pytest.mark.parametrize(
    "code",
    [
        "x = " + " + ".join(["a"] * 2500),
        "x = " + " and ".join(["a"] * 6000),
        "x = " + " or ".join(f"a{number} and b" for number in range(3000)),
        "x = (" + "'a' " * 2000 + ")",
        "if a: x\n" + "".join(f"elif a == {number}: x = {number}\n" for number in range(1500)) + "else: y\n",
        "x = a" + ".b()" * 600,
        "x = [" + "a, " * 5000 + "]",
        "x = {" + "1: [2], " * 3000 + "}",
    ],
)
def test_long_chains_are_read(code: str) -> None:
    assert len(facts_of(code).heads) == 1
    check_facts(facts_of(code))


@pytest.mark.parametrize(
    ("data", "encoding", "bom", "lines"),
    [
        (b"", "utf-8", False, 0),
        (b"x", "utf-8", False, 1),
        (b"x\r\ny\r\n", "utf-8", False, 2),
        (b"x\ry\r", "utf-8", False, 2),
        (b"\xef\xbb\xbfx = '\xc3\xbc'; y\n", "utf-8", True, 1),
        (b"\xef\xbb\xbf# coding: utf8\nx", "utf-8", True, 2),
        (b"#!/x\n# -*- coding: latin-1 -*-\nx = '\xfc\xfc'; y\n", "iso8859-1", False, 3),
        ("# coding: cp932\nx = '日本'; y\n".encode("cp932"), "cp932", False, 2),
        (b"x = 1\n\n# coding: nonsense\n", "utf-8", False, 3),
    ],
)
def test_encodings(data: bytes, encoding: str, bom: bool, lines: int) -> None:
    facts = extract(data, "x.py")
    check_facts(facts)
    assert (facts.encoding, facts.bom, facts.lines) == (encoding, bom, lines)
