"""Tracebacks in logs: noisy, of several processes, cut off at either end."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codepath.analysis.traces.lines import line_of, parts_of, stream_of
from codepath.analysis.traces.reading import read_log
from codepath.model.trace import Traceback

PLAIN = """\
Traceback (most recent call last):
  File "/srv/app/main.py", line 12, in run
    total = start(args)
            ^^^^^^^^^^^
  File "/srv/app/pkg/core.py", line 3, in start
    return TABLE[args.key]
           ~~~~~^^^^^^^^^^
KeyError: 12
"""


def read(text: str) -> tuple[Traceback, ...]:
    return read_log(text.encode()).tracebacks


def shape(one: Traceback) -> list[tuple[str, int, str]]:
    return [(f.path.rpartition("/")[2], f.line, f.function) for f in one.frames]


WHOLE = [("main.py", 12, "run"), ("core.py", 3, "start")]


def prefixed(prefix: str, text: str = PLAIN) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def test_a_plain_traceback() -> None:
    (one,) = read(PLAIN)
    assert shape(one) == WHOLE
    assert (one.exception, one.message, one.starts, one.line) == ("KeyError", "12", True, 1)
    assert one.frames[1].text == "return TABLE[args.key]"
    assert one.frames[1].marked == (7, 22)


@pytest.mark.parametrize(
    "prefix",
    [
        "[rank3]: ",
        "[2026-02-14 10:25:51 TP0] ",
        "(Worker_TP1 pid=812) ERROR 02-14 10:25:51 [core.py:708] ",
        "2026-02-14T10:25:51.123456Z ",
        "server-0  | ",
        "\x1b[36m(Actor pid=12, ip=10.0.0.1)\x1b[0m ",
        "some > odd > prefix: ",
        "2026-02-14T10:25:51.123456789Z stderr F ",
        "Feb 14 10:25:51 node-3 python3[1234]: ",
        "2026-02-14 10:25:51.123 | ERROR    | app.main:run:90 - ",
        "[1,3]<stderr>:",
        " 0: 2026-02-14 10:25:51 [ERROR] ",
        "ERROR:app.main:",
        "3: ",
        "> ",
        "| ",
        "    ",
    ],
)
def test_prefixes(prefix: str) -> None:
    found = [one for one in read(f"noise\n{prefixed(prefix)}more noise\n") if one.frames]
    assert [shape(one) for one in found] == [WHOLE]


@pytest.mark.parametrize(
    "prefix", ["[rank3]: ", "[2026-02-14 10:25:51 TP0] ", "(W pid=8) ERROR 02-14 10:25:51 [c.py:7] "]
)
def test_known_prefixes_leave_the_exception_whole(prefix: str) -> None:
    (one,) = read(prefixed(prefix))
    assert (one.exception, one.message) == ("KeyError", "12")
    assert one.frames[0].text == "total = start(args)"


def test_only_the_head_has_a_prefix() -> None:
    head, *rest = PLAIN.splitlines()
    text = "\n".join([f"[2026-02-14 10:25:51 TP0] Scheduler hit an exception: {head}", *rest, "[TP1] going on"])
    (one,) = read(text)
    assert shape(one) == WHOLE
    assert one.exception == "KeyError"


def test_two_ranks_line_by_line() -> None:
    lines = [f"[rank{rank}]: {line}" for line in PLAIN.splitlines() for rank in (1, 0)]
    (one,) = read("\n".join(lines))
    assert shape(one) == WHOLE
    assert one.count == 2
    assert one.streams == ("[rank1]", "[rank0]")


def test_two_processes_without_prefixes_that_write_the_same() -> None:
    lines = [line for line in PLAIN.splitlines() for _ in range(2)]
    assert WHOLE in [shape(one) for one in read("\n".join(lines))]


def test_chains() -> None:
    text = f"{PLAIN}\nThe above exception was the direct cause of the following exception:\n\n{PLAIN}"
    text = text.replace("KeyError: 12", "ValueError: no", 1)
    first, second = read(text)
    assert (first.exception, second.exception) == ("ValueError", "KeyError")
    assert (first.link, second.link) == ("", "cause")
    during = "During handling of the above exception, another exception occurred:"
    assert [one.link for one in read(f"{PLAIN}\n{during}\n\n{PLAIN.replace('12', '13')}")] == ["", "context"]


def test_groups() -> None:
    text = dedent("""\
          + Exception Group Traceback (most recent call last):
          |   File "/srv/app/main.py", line 12, in run
          |     total = start(args)
          | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
          +-+---------------- 1 ----------------
            | Traceback (most recent call last):
            |   File "/srv/app/pkg/core.py", line 3, in start
            |     return TABLE[args.key]
            | KeyError: 12
            +---------------- 2 ----------------
            | Traceback (most recent call last):
            |   File "/srv/app/pkg/core.py", line 9, in other
            |     raise ValueError("no")
            | ValueError: no
            +------------------------------------
        """)
    found = read(text)
    assert [one.exception for one in found] == ["ExceptionGroup", "KeyError", "ValueError"]
    assert [f.line for one in found for f in one.frames] == [12, 3, 9]


def test_the_last_lines_only() -> None:
    (one,) = read("\n".join(PLAIN.splitlines()[3:]))
    assert not one.starts
    assert shape(one) == [("core.py", 3, "start")]
    (one,) = read("\n".join(PLAIN.splitlines()[2:]))
    assert (one.frames[0].path, one.frames[0].text) == ("", "total = start(args)")


@pytest.mark.parametrize(
    "tail", ['  File "/srv/app/pkg/co', '  File "/srv/app/pkg/core.py"', '  File "/srv/app/pkg/core.py", li']
)
def test_cut_off_in_a_path(tail: str) -> None:
    (one,) = read("\n".join([*PLAIN.splitlines()[:4], tail]))
    assert one.frames[-1].is_cut
    assert one.frames[-1].path.startswith("/srv/app/pkg/co")
    assert one.exception == ""


def test_a_progress_bar_and_a_json_string() -> None:
    assert shape(read("  0%|   | 0/4\r 25%|#  | 1/4\r" + PLAIN)[0]) == WHOLE
    quoted = '{"level": "error", "msg": "failed\\n' + PLAIN.replace('"', '\\"').replace("\n", "\\n") + '"}'
    assert shape(read(quoted)[0]) == WHOLE


def test_a_fault_handler_prints_the_innermost_frame_first() -> None:
    text = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f1 (most recent call first):\n"
    text += '  File "/srv/app/pkg/core.py", line 3 in start\n  File "/srv/app/main.py", line 12 in run\n'
    (one,) = read(text)
    assert shape(one) == WHOLE


def test_recursion_and_a_message_of_several_lines() -> None:
    lines = PLAIN.splitlines()
    text = "\n".join([*lines[:7], "  [Previous line repeated 993 more times]", "RuntimeError: one", "two", "", "three"])
    (one,) = read(text)
    assert shape(one) == WHOLE
    assert one.message == "one\ntwo"


def test_no_traceback() -> None:
    assert read("all is well\nKilled\n") == ()
    assert read("") == ()


def test_a_stream_has_no_times_in_its_name() -> None:
    assert stream_of("[2026-02-14 10:25:51 TP0] ") == "[TP0]"
    assert stream_of("(W pid=8) ERROR 02-14 10:25:51 [core.py:7] ") == "(W pid=8)"


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 200_000,
        'File "' * 100_000,
        "\x1b[" + "1;" * 500_000,
        "\x1b]" * 200_000,
        "^" * 400_000 + "x",
        "+-" * 200_000,
        "    " + "~^" * 200_000 + "y\n",
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n' + "a." * 100_000,
        ('  File "a.py", line 99999999999999999999, in f\n' * 5_000),
        "Traceback (most recent call last):\n" * 20_000,
    ],
    ids=range(10),
)
def test_hostile_logs_are_read(hostile: str) -> None:
    read_log(hostile.encode())


@given(st.text(alphabet=st.sampled_from('\n\r \t|+-^~[]():"\\,.\x1bFile linenTracb(mostcd)0123456789é'), max_size=600))
def test_any_text_is_read(text: str) -> None:
    read_log(text.encode())
    assert all(line_of(*part).number == part[0] for part in parts_of(text))


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    read_log(data)


@pytest.mark.parametrize("prefix", ["Feb 14 10:25:51 node-3 python3[1234]: ", "3: ", "> ", "    ", "\x1b[31m"])
def test_all_of_a_traceback_behind_a_prefix_of_an_unknown_form(prefix: str) -> None:
    (one,) = [one for one in read(f"noise\n{prefixed(prefix)}more noise\n") if one.frames]
    message = one.message.partition("\n")[0]
    assert (one.exception, message, one.frames[1].text) == ("KeyError", "12", "return TABLE[args.key]")


def test_lines_written_twice() -> None:
    (one,) = read("".join(f"{line}\n{line}\n" for line in PLAIN.splitlines()))
    assert (shape(one), one.exception, one.message) == (WHOLE, "KeyError", "12")


def test_noise_between_frames() -> None:
    lines = PLAIN.splitlines()
    (one,) = read("\n".join([*lines[:3], "Loading shards:  12% | 8/64 [00:51<05:51]", *lines[3:], ""]))
    assert (shape(one), one.exception, one.message) == (WHOLE, "KeyError", "12")


def test_a_line_behind_an_exception_without_a_message_is_not_its_message() -> None:
    (one,) = read(PLAIN.replace("KeyError: 12", "AssertionError") + "going down\n")
    assert (one.exception, one.message) == ("AssertionError", "")


def test_tabs() -> None:
    (one,) = read(PLAIN.replace("    ", "\t\t").replace("  File", "\tFile"))
    assert (shape(one), one.exception) == (WHOLE, "KeyError")


def test_quotes_of_html() -> None:
    (one,) = read(PLAIN.replace('"', "&quot;"))
    assert (shape(one), one.exception) == (WHOLE, "KeyError")


def test_a_string_of_json_ends_where_it_ends() -> None:
    (one,) = read(json.dumps({"level": "error", "text": PLAIN, "host": "a"}) + "\n")
    assert (shape(one), one.exception, one.message) == (WHOLE, "KeyError", "12")


def test_a_box() -> None:
    (one,) = read(
        """\
╭──────────────────── Traceback (most recent call last) ─────────────────────╮
│ /srv/app/main.py:12 in run                                                 │
│                                                                            │
│    11 │   def run(args):                                                   │
│ ❱  12 │   │   start(args)                                                  │
│                                                                            │
│ /srv/app/pkg/core.py:3 in start                                            │
│                                                                            │
│ ❱ 3 │   return TABLE[args.key]                                             │
╰────────────────────────────────────────────────────────────────────────────╯
KeyError: 12
"""
    )
    assert (shape(one), one.exception, one.message) == (WHOLE, "KeyError", "12")
    assert [f.text for f in one.frames] == ["start(args)", "return TABLE[args.key]"]


def test_what_is_left_without_frames() -> None:
    (one,) = read("[TP0]     return TABLE[args.key]\n[TP0]            ~~~~~^^^\n[TP0] KeyError: 12\n")
    assert ([f.text for f in one.frames], one.exception, one.message) == (["return TABLE[args.key]"], "KeyError", "12")
    (one,) = read("went down\npkg.errors.LoadError: no such file\n")
    assert (one.frames, one.exception, one.message, one.starts) == ((), "pkg.errors.LoadError", "no such file", False)
    assert read("no error here\nERROR: it failed\n") == ()
