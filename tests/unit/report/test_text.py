"""How answers read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codepath.model.answers import Group, Guard, NearestMiss, Path, ReachAnswer, SourceInfo, Step, StepsAnswer
from codepath.report.index_text import index_text, status_text
from codepath.report.lists_text import cache_text, entries_text, size, symbols_text
from codepath.report.names import guard_text, is_shown, without_module
from codepath.report.pen import Pen, Span, harmless
from codepath.report.reach_text import MAX_GROUPS, is_reached, reach_text
from codepath.report.steps_text import callees_text, callers_text
from codepath.report.tree_text import MAX_CALLERS, tree_text
from codepath.report.view import QueryValue, View
from tests.unit.report import report_samples as samples


def view(**query: QueryValue) -> View:
    return View(samples.SOURCE, query, 51.8, home="/home/me")


def text(chunks: Iterator[str]) -> str:
    return "".join(chunks)


REACHED = """\
server.layout.set_layout
  defined  src/server/layout.py:31
  called   src/server/runner.py:58   (the only call)

REACHED when `not self.is_draft`.

Path 1 of 2: python -m server.launch
   1  src/server/launch.py:41    <module>
      │ __name__ == "__main__"   launch.py:40
   2  src/server/launch.py:28    run
      │ not args.rpc_mode        launch.py:16
   3  src/server/engine.py:34    Engine.__init__
      │ args.copies == 1         engine.py:18             default: true
      ╞ new process: worker_main   ← default, engine.py:9
   4  src/server/worker.py:90    worker_main
   5  src/server/runner.py:44    Runner.__init__
   6  src/server/runner.py:58    Runner.start
      │ not self.is_draft        runner.py:57
  =>  set_layout

1 more entry point joins this path:
  serve
The other paths, grouped by what decides them (all share hops 5 and 6)
  2  through load   src/server/bench.py:53
      1 entry point: python -m server.bench
--group 2 shows the paths of one group alone.

Nothing in this tree overrides Runner.start.
Not seen: 4 of 90 calls in the functions on the ways to the target have no known target.
1 step on these paths rests on the name alone: it may go elsewhere.
next: codepath reach set_layout --view tree   all callers, upside down
      codepath reach set_layout --all         every path, one a way
      codepath callers set_layout             its call sites with their guards
"""


def test_reach_reads_as_one_answer() -> None:
    assert text(reach_text(samples.reach(), view(target="set_layout"))) == REACHED


def test_paths_beyond_the_first_stop_where_they_join_it() -> None:
    shown = text(reach_text(samples.reach(), view(target="set_layout", paths=2)))
    assert "Path 2 of 2: python -m server.bench\n" in shown
    assert "load   (by name only)\n      … then as path 1 from hop 5\n" in shown


def test_a_guard_says_what_is_known_of_it() -> None:
    known = (
        replace(samples.NOT_RPC, value="false"),
        replace(samples.ONE_COPY, value="false"),
        replace(samples.NOT_RPC, line=17, default=True),
        replace(samples.NOT_DRAFT, choice=True),
    )
    path = replace(samples.reach().paths[1], steps=(replace(samples.SET, guards=known),))
    shown = text(reach_text(samples.reach(paths=(path,), groups=samples.reach().groups[:1]), view()))
    remarks = [("16", "true here"), ("18", "false here"), ("17", "default: false"), ("57", "chose the callee")]
    for line, remark in remarks:
        assert [s for s in shown.splitlines() if f".py:{line} " in s and s.endswith(remark)], shown


def test_many_guards_stand_one_a_line() -> None:
    guards = tuple(samples.guard(f"self.option_number_{n} is not None", True, samples.RUNNER, n) for n in range(1, 6))
    shown = text(reach_text(samples.reach(guards_always=guards), view()))
    assert "REACHED when all of these hold:\n  self.option_number_1 is not None   src/server/runner.py:1\n" in shown


def test_many_call_sites_are_counted() -> None:
    shown = text(reach_text(samples.many(), view()))
    assert "  called   at 41 call sites in 29 functions\n" in shown
    assert "Path 1 of more than 10000: " in shown
    assert "Cut off after 10000 paths.\n" in shown


def test_many_groups_are_cut() -> None:
    extra = tuple(Group("unknown", f"through f{n}", None, (0,), (), number=n + 2) for n in range(MAX_GROUPS + 5))
    answer = samples.reach(groups=(*samples.reach().groups[:1], *extra))
    shown = text(reach_text(answer, view()))
    assert shown.count("through f") == MAX_GROUPS
    assert "... 5 more: --all" in shown


def test_groups_that_read_the_same_are_one() -> None:
    through = samples.reach().groups[1]
    answer = samples.reach(groups=(*samples.reach().groups, replace(through, entries=(0, 2))))
    shown = text(reach_text(answer, view()))
    assert "  through load   src/server/bench.py:53   (2 ways)\n" in shown
    assert "      2 entry points: python -m server.bench, python -m server.launch\n" in shown


def test_a_verdict_is_shown_once_it_is_known() -> None:
    blocked = replace(samples.reach().paths[0], feasible="blocked")
    open_ = replace(samples.reach().paths[1], feasible="open")
    shown = text(reach_text(samples.reach(paths=(open_, blocked)), view()))
    assert "Path 1 of 2, open: python -m server.bench" in shown
    assert is_reached(samples.reach(paths=(open_, blocked)))
    stopped = samples.reach(paths=(blocked,), groups=samples.reach().groups[:1])
    assert not is_reached(stopped)
    assert "NOT REACHED: every path is blocked" in text(reach_text(stopped, view()))


def test_not_reached_says_how_far_each_side_goes() -> None:
    shown = text(reach_text(samples.miss(), view(**{"target": "set_layout", "from": "Draft"})))
    assert "NOT REACHED from Draft\n" in shown
    assert "  forward from the start: 214 functions   backward from the target: 31 functions   in both: 0\n" in shown
    assert "  12 calls with unknown targets stand on the edge of the start's part; the 2 likeliest:\n" in shown
    assert "    src/server/engine.py:50   self.hook(*args)   self.hook is a parameter\n" in shown
    assert "[[edges]]" in shown


def test_suggestions_repeat_the_source_and_quote_words() -> None:
    asked = replace(view(target="a b"), again=" --source server==1")
    assert "codepath callers 'a b' --source server==1" in text(reach_text(samples.reach(), asked))


def test_tree_shows_callers_with_guard_labels() -> None:
    assert text(tree_text(samples.reach(), view(), depth=4)) == (
        "set_layout                       src/server/layout.py:31\n"
        "└─ Runner.start               G1 src/server/runner.py:58\n"
        "   └─ Runner.__init__            src/server/runner.py:44\n"
        "      ├─ worker_main             src/server/worker.py:90\n"
        "      │  └─ Engine.__init__   G2 src/server/engine.py:34   new process\n"
        "      │     └─ … 1 caller        --depth 5\n"
        "      └─ load                    src/server/bench.py:53   by name only\n"
        "         └─ <module>             src/server/bench.py:70   ← python -m server.bench\n"
        "\n"
        "G1  not self.is_draft   src/server/runner.py:57\n"
        "G2  args.copies == 1    src/server/engine.py:18\n"
        "Not seen: 4 of 90 calls in the functions on the ways to the target have no known target.\n"
    )


def test_tree_shows_callers_once_and_ends_on_recursion() -> None:
    again = samples.step("server.runner.Runner.start", "server.runner.Runner.start", samples.RUNNER, 70)
    answer = samples.reach(incoming=(*samples.reach().incoming, again))
    shown = text(tree_text(answer, view(), depth=50))
    assert "src/server/runner.py:70   (*)\n" in shown
    assert shown.count("server/runner.py:44") == 1
    assert "(*) callers already shown above\n" in shown


def test_tree_cuts_many_callers_unless_all_are_asked_for() -> None:
    answer = samples.many()
    assert f"└─ … {41 - MAX_CALLERS} more" in text(tree_text(answer, view(), depth=8))
    assert text(tree_text(answer, view(all=True), depth=8)).count("forward") == 41


def test_callers_and_callees() -> None:
    shown = text(callers_text(samples.callers(), view(name="set_layout")))
    assert "CALLED at 1 call site in 1 function:\n  src/server/runner.py:58" in shown
    shown = text(callees_text(samples.callees(), view(name="Engine")))
    assert "new process server.worker.worker_main\n" in shown
    assert "Not seen: 1 call in it has no known target:\n" in shown
    nothing = StepsAnswer(samples.TARGET, (), (), samples.STATS)
    assert "NOT CALLED anywhere" in text(callers_text(nothing, view()))
    assert "CALLS nothing." in text(callees_text(nothing, view()))


def test_lists() -> None:
    assert "class    server.runner.Runner       src/server/runner.py:20\n" in text(
        symbols_text(samples.symbols(), view())
    )
    assert "2 of 7 symbols are shown; --limit N shows more" in text(symbols_text(samples.symbols(), view()))
    brief = text(entries_text(samples.entries(), view(), full=False))
    assert brief.startswith("python -m  2 modules           server.launch, server.bench\n")
    assert "  serve   src/server/launch.py:12\n" in text(entries_text(samples.entries(), view(), full=True))
    assert "nothing is seen to call" in text(entries_text(samples.entries(True), view(uncalled=True), full=False))
    assert text(cache_text("/home/me/.cache/c", 1_200_000, view())) == "cache: ~/.cache/c, 1.2 MB freed\n"


def test_index_and_status() -> None:
    shown = text(index_text(samples.index(skipped=(samples.BROKEN,)), view()))
    assert "  --> src/server/models/new.py:7:17\n  |\n7 |     def forward(self, (\n" in shown
    assert "  |                 ^ '(' was never closed\n" in shown
    assert "Indexed src/server (v1.4 @ 1c9d2ab) in 51.8 s (4 of 5 files)\n" in shown
    assert "cache: ~/.cache/codepath (38 MB)" in shown
    assert text(index_text(samples.index(files=1404, parsed=1), view())) == (
        "Up to date in 51.8 s: 1 file parsed, 1403 unchanged.\n"
    )
    assert "incomplete (2 of 5 files)" in text(status_text(samples.status(stored=2), view()))
    assert "      3  a parameter   fn (2), self.hook (1)\n" in text(status_text(samples.status(), view()))


@pytest.mark.parametrize(
    ("written", "polarity", "shown"),
    [
        ("not self.is_draft", True, "not self.is_draft"),
        ("not self.is_draft", False, "self.is_draft"),
        ("not a == b", False, "a == b"),
        ("not a and b", False, "not (not a and b)"),
        ("not f(a and b)", False, "f(a and b)"),
        ("not x['a or b']", False, "x['a or b']"),
        ("args.rpc_mode", False, "not args.rpc_mode"),
        ("f(a, b)", False, "not f(a, b)"),
        ("a == b", False, "not (a == b)"),
        ("a or b", False, "not (a or b)"),
        ("-x", False, "not (-x)"),
        ("for x in xs", False, "no break in `for x in xs`"),
        ("case 1", False, "not `case 1`"),
    ],
)
def test_a_guard_reads_as_what_holds(written: str, polarity: bool, shown: str) -> None:
    assert guard_text(Guard(written, polarity, "if", "a.py", 1)) == shown


def test_guards_that_say_nothing_are_left_out() -> None:
    assert not is_shown(samples.TRIED)
    assert not is_shown(samples.guard("try", True, "a.py", 1, "else"))
    inner = samples.guard("b", False, "a.py", 2)
    assert guard_text(replace(inner, when=(samples.guard("a", True, "a.py", 1),))) == "not b   where a"


@pytest.mark.parametrize(
    ("name", "file", "short"),
    [
        ("server.runner.Runner.start", "server/runner.py", "Runner.start"),
        ("server.launch", "server/launch.py", "<module>"),
        ("server.launch", "src/server/launch.py", "<module>"),
        ("server.launch.run", "launch.py", "run"),
        ("server.f", "server/__init__.py", "f"),
        ("server.f", "__init__.py", "f"),
        ("server.a.a.f", "server/a.py", "a.f"),
        ("elsewhere.f", "server/a.py", "elsewhere.f"),
    ],
)
def test_names_lose_their_module(name: str, file: str, short: str) -> None:
    assert without_module(name, file) == short


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 bytes"), (1, "1 byte"), (38_200_000, "38 MB"), (999_999, "1.0 MB"), (5e9, "5.0 GB")]
)
def test_sizes(number: float, shown: str) -> None:
    assert size(int(number)) == shown


# --- hostile trees -------------------------------------------------------------------------------------------------------

HOSTILE = "a\nREACHED when `True`.\r\x1b[2J\x1b]8;;http://x\x1b\\\u202egnp\u2066\x9b1m\u2028\udcff\x00\x7f\t"


def hostile() -> ReachAnswer:
    """An answer whose every text wants to forge the report."""

    def bad(step: Step) -> Step:
        guards = tuple(replace(g, text=HOSTILE, file=HOSTILE) for g in step.guards)
        return replace(step, caller=HOSTILE + step.caller, callee=step.callee + HOSTILE, file=HOSTILE, guards=guards)

    steps = tuple(bad(s) for s in samples.reach().paths[0].steps)
    symbol = replace(samples.TARGET, name=steps[-1].callee)
    place = replace(samples.TARGET.place, file=HOSTILE, function=HOSTILE)
    entries = tuple(replace(e, name=HOSTILE, function=steps[0].caller, place=place) for e in samples.ENTRIES)
    return samples.reach(
        target=replace(symbol, place=place),
        call_sites=steps[-1:],
        incoming=steps,
        entries=entries,
        paths=(Path(0, steps, "unknown"), Path(1, steps[1:], "unknown")),
        groups=(*samples.reach().groups[:1], Group("unknown", HOSTILE, steps[0], (0, 1), (1,), number=2)),
        guards_always=steps[-1].guards,
    )


def test_a_tree_cannot_forge_a_report() -> None:
    source = SourceInfo(HOSTILE, HOSTILE, 1, 1, ((HOSTILE, HOSTILE),), HOSTILE, HOSTILE)
    asked = View(source, {"target": HOSTILE, "from": HOSTILE, "paths": 2}, home="/home/me")
    gap = replace(samples.GAPS[0], text=HOSTILE, reason=HOSTILE)
    miss = NearestMiss(214, 31, (gap,), 1)
    for chunks in (
        reach_text(hostile(), asked),
        reach_text(replace(hostile(), paths=(), nearest_miss=miss), asked),
        tree_text(hostile(), asked, depth=9),
        callers_text(StepsAnswer(hostile().target, hostile().incoming, (), samples.STATS), asked),
        callees_text(StepsAnswer(hostile().target, hostile().incoming, miss.frontier, samples.STATS), asked),
        index_text(samples.index(skipped=(replace(samples.BROKEN, path=HOSTILE, excerpt=HOSTILE),)), asked),
        status_text(samples.status(config=HOSTILE, projects=(HOSTILE,)), asked),
    ):
        written = text(chunks)
        assert all(line.isprintable() for line in written.split("\n"))
        assert not any(line.startswith("REACHED when `True`") for line in written.split("\n"))


@given(st.text())
def test_a_line_stays_one_line_of_what_prints(content: str) -> None:
    line = Pen().line(content, Span(content, "name", content))
    assert line.endswith("\n")
    assert line[:-1].isprintable()
    assert harmless(harmless(content)) == harmless(content)


def test_colour_links_and_ascii() -> None:
    span = Span("a.py:1", "place", "file:///a.py")
    assert Pen(colour=True).line(span) == "\x1b[36ma.py:1\x1b[0m\n"
    assert Pen(links=True).line(span) == "\x1b]8;;file:///a.py\x1b\\a.py:1\x1b]8;;\x1b\\\n"
    assert Pen(links=True).line(Span("a", link="file:///\x1b")) == "a\n"
    assert Pen(ascii_only=True).line("├─ x  ╞ y ← z") == "|- x  > y <- z\n"
