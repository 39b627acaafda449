"""The places of keys, errors with places, and hostile input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codepath.errors import ConfigError
from codepath.toml import MAX_DEPTH, MAX_SIZE, Document, KeyPath, parse

TEXT = """\
# a comment with [brackets] and = signs
title = "x"
"quoted key" = 1
'literal.key' = 2
"esc\\u0061ped" = 3
a.b."c.d" = [1, [2, 3],
    4]  # comment

[table.inner]
  key = {x = 1, "y z" = {deep = [{q = 0}]}}
text = \"\"\"
[not.a.table]
key = 1
"quotes" \\\"\"\" \"\"\"\"\"
raw = '''
'[x]'''

[[list]]
name = "first"
  [list.sub]
  k = 1
[[list]]
name = 2020-01-01 10:00:00
[[list.sub]]
z = 1
[[list.sub]]
z = 2
[table]
late = true
"""


@pytest.mark.parametrize(
    ("key_path", "place"),
    [
        ((), (1, 0)),
        (("title",), (2, 0)),
        (("quoted key",), (3, 0)),
        (("literal.key",), (4, 0)),
        (("escaped",), (5, 0)),
        (("a",), (6, 0)),
        (("a", "b"), (6, 2)),
        (("a", "b", "c.d"), (6, 4)),
        (("a", "b", "c.d", 0), (6, 13)),
        (("a", "b", "c.d", 1, 1), (6, 20)),
        (("a", "b", "c.d", 2), (7, 4)),
        (("table", "inner"), (9, 7)),
        (("table", "inner", "key", "x"), (10, 9)),
        (("table", "inner", "key", "y z", "deep", 0, "q"), (10, 34)),
        (("table", "inner", "text"), (11, 0)),
        (("table", "inner", "raw"), (15, 0)),
        (("list", 0), (18, 2)),
        (("list", 0, "sub", "k"), (21, 2)),
        (("list", 1, "name"), (23, 0)),
        (("list", 1, "sub", 1, "z"), (27, 0)),
        (("table", "late"), (29, 0)),
    ],
)
def test_a_key_has_its_place(key_path: KeyPath, place: tuple[int, int]) -> None:
    assert parse(TEXT, "f.toml").place(key_path) == place


def test_every_key_of_a_document_has_a_place_of_its_own() -> None:
    check_places(parse(TEXT, "f.toml"), TEXT)


def test_a_missing_key_is_placed_where_its_table_stands() -> None:
    document = parse(TEXT, "f.toml")
    assert document.place(("list", 1, "absent", "more")) == document.place(("list", 1))
    assert document.place(("absent",)) == (1, 0)


def test_line_ends_of_two_characters_and_a_byte_order_mark_do_not_shift_places() -> None:
    document = parse(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode(), "f.toml")
    assert document.place(("table", "late")) == (29, 0)
    assert document.place(("title",)) == (2, 0)


def test_columns_count_code_points() -> None:
    document = parse('k = {"\u00e4\U0001f600" = 1, b = 2}'.encode(), "f.toml")
    assert document.place(("k", "b")) == (1, 15)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a = 1\nb = = 2\n", 2, 4, "not valid TOML: invalid value"),
        ("a = 1\na = 2\n", 2, 5, "not valid TOML: cannot overwrite a value"),
        ("[a\n", 1, 2, "not valid TOML: expected ']' at the end of a table declaration"),
        ('a = "x', 1, 6, "not valid TOML: unterminated string"),
        (b"ok = 1\n\xc3\xa4\xff = 1\n", 2, 1, "the file is not UTF-8"),
        ("a = " + "[" * 5000, 1, 4 + MAX_DEPTH, f"keys or values are nested more than {MAX_DEPTH} deep"),
        ("\na" + ".a" * 5000 + " = 1", 2, 2 * MAX_DEPTH, f"keys or values are nested more than {MAX_DEPTH} deep"),
    ],
)
def test_an_error_has_its_place(text: str | bytes, line: int, column: int, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "dir/f.toml")
    error = caught.value
    assert (error.path, error.line, error.column, error.message) == ("dir/f.toml", line, column, message)


def test_brackets_in_strings_and_comments_are_no_nesting() -> None:
    many = "[{" * (MAX_DEPTH + 1)
    text = f"# {many}\na = ['{many}', \"{many}\", '''{many}''', \"\"\"{many}\"\"\"]\n"
    assert len(parse(text, "f.toml").data["a"]) == 4


def test_a_long_file_is_refused() -> None:
    with pytest.raises(ConfigError, match="longer than"):
        parse("#" * (MAX_SIZE + 1), "f.toml")


@pytest.mark.parametrize(
    "unit", ["[", "{", "a.", "[[a]]\n", "[a.b]\n", '"""', "'''", '"\\', "a={a=", "a = [\n", "1,", "#", "a=1,"]
)
def test_repeated_pieces_give_data_or_an_error(unit: str) -> None:
    for prefix in ("", "a = [", "a = "):
        try:
            parse(prefix + unit * 20_000, "f.toml")
        except ConfigError as error:
            assert error.path == "f.toml"


def test_an_integer_beyond_the_limit_is_an_error() -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        parse("a = " + "9" * 10_000, "f.toml")


# --- properties ----------------------------------------------------------------------------------------------------------

_KEYS = st.text(st.sampled_from("ab.\"'\\ \u00e4\U0001f600=[]#\n"), max_size=4)
_SCALARS = st.sampled_from(
    ["1", "-0.5", "true", "'[x'", '"}\\""', '""', "''", '"""\n"x"\n"""', "2020-01-01", "'''[\n]'''"]
)


@st.composite
def _values(draw: st.DrawFn, depth: int = 0) -> str:
    form = draw(st.sampled_from(["scalar", "array", "table"])) if depth < 3 else "scalar"
    if form == "scalar":
        return draw(_SCALARS)
    if form == "array":
        items = draw(st.lists(_values(depth + 1), max_size=3))
        gap = draw(st.sampled_from([",", " , ", ",\n # [c]\n\t"]))
        return f"[{gap.join(items)}]"
    keys = draw(st.lists(_KEYS, max_size=3, unique=True))
    return "{" + ", ".join(f"{_quoted(key)} = {draw(_values(depth + 1))}" for key in keys) + "}"


@st.composite
def _texts(draw: st.DrawFn) -> str:
    tops = draw(st.lists(_KEYS, max_size=4, unique=True))
    lines = [f"{_quoted(key)}.{_quoted(draw(_KEYS))} = {draw(_values())}" for key in tops]
    for key in draw(st.lists(_KEYS, max_size=3, unique=True)):
        for _ in range(draw(st.integers(1, 3))):
            lines.append(f"[[ list . {_quoted(key)} ]] # [c]")
            inner = draw(st.lists(_KEYS, max_size=2, unique=True))
            lines.extend(f" {_quoted(name)}= {draw(_values())}" for name in inner)
    return draw(st.sampled_from(["\n", "\r\n", "\n\n  "])).join(lines)


def _quoted(key: str) -> str:
    if re.fullmatch("[a-z]+", key):
        return key
    escaped = key.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _paths(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in pairs:
        yield (*path, key)
        yield from _paths(held, (*path, key))


def check_places(document: Document, text: str) -> None:
    """Assert that each key of the data stands at its place in the text."""
    lines = text.split("\n")
    for path in _paths(document.data):
        line, column = document.place(path)
        key = path[-1]
        there = lines[line - 1][column:]
        if isinstance(key, str):
            assert there.startswith((key, f"'{key}'", _quoted(key), '"esc')), (path, there)
        else:
            assert there.strip(), path


@given(_texts())
def test_all_keys_of_valid_text_have_their_places(text: str) -> None:
    try:
        document = parse(text, "f.toml")
    except ConfigError as error:
        assert "cannot" in error.message.lower() or "illegal" in error.message.lower(), error.message
        return
    check_places(document, text)


@given(st.text(st.sampled_from("ab=.,[]{}\"'\\#\n\r\t 1-\u00e4\ufeff\x00")))
def test_any_text_gives_data_or_an_error_within_it(text: str) -> None:
    try:
        document = parse(text, "f.toml")
    except ConfigError as error:
        assert 0 <= error.line <= text.count("\n") + 1
        assert error.column >= 0
        return
    for path in _paths(document.data):
        assert document.place(path) != (0, 0)


@given(st.binary(max_size=60))
def test_any_bytes_give_data_or_an_error(data: bytes) -> None:
    try:
        parse(data, "f.toml")
    except ConfigError as error:
        assert error.path == "f.toml"


@given(st.data())
def test_a_damaged_real_file_gives_data_or_an_error(data: st.DataObject) -> None:
    text = files("codepath.knowledge").joinpath("web.toml").read_text("utf-8")
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 40)))
    damaged = text[:start] + data.draw(st.text(st.sampled_from("[]{}\"'=.,\n\\#"), max_size=3)) + text[stop:]
    try:
        check_places(parse(damaged, "f.toml"), damaged)
    except ConfigError as error:
        assert error.path == "f.toml"
