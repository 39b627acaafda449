"""Records which functions of the example server call which, while it really runs.

    python tests/tools/record_calls.py            writes observed_calls.json and observed_more.json beside the example

Each run below starts the server in a process of its own. A `sitecustomize` module on PYTHONPATH installs a profile
function in that process and in every process it starts; the example itself knows nothing of it. Needs CPython 3.11,
because code objects have no qualified name before.

What an edge [caller, callee] says: the callee's frame stood directly on the caller's frame. Names are
`module.Class.function`, nested functions `outer.inner`, lambdas `outer.<lambda>`; comprehensions and class bodies
count as what is around them, module code is the module. Frames of `contextlib` and the generated `__init__` of a
dataclass are looked through. A generator or coroutine runs on the frame of whoever resumes it: such an edge is kept
only where that is a `with` statement or the caller's code mentions the callee's name. Calls that a library makes are
listed apart, as `through_library` in observed_more.json, with the library's module; calls on an empty stack (targets
of threads and processes) and imports are in neither list.
"""

from __future__ import annotations

import inspect
import json
import operator
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT_VARIABLE = "RECORD_CALLS_ROOT"
FILE_VARIABLE = "RECORD_CALLS_FILE"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mini_server"
qualified_name: Callable[[CodeType], str] = operator.attrgetter("co_qualname")
FOLDED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
LAUNCH = ("-m", "mini_server.launch", "--dry-run")

Row = tuple[str, ...]

RUNS: tuple[tuple[dict[str, str], tuple[str, ...]], ...] = (
    ({}, LAUNCH),
    ({}, (*LAUNCH, "--a2a", "flash", "--layout-algorithm", "static", "--init-layout", "3,2,1,0")),
    ({}, (*LAUNCH, "--model", "WideForCausalLM", "--a2a", "mesh", "--disable-overlap")),
    ({}, (*LAUNCH, "--model", "DenseForCausalLM", "--disable-graph", "--force-graph")),
    ({}, (*LAUNCH, "--model", "QuietForCausalLM", "--attention-backend", "flash")),
    ({"MINI_LOG_LAYOUT": "1"}, (*LAUNCH, "--model", "WrappedForCausalLM")),
    ({}, (*LAUNCH, "--model", "ShellForCausalLM", "--disable-graph")),
    ({}, (*LAUNCH, "--enable-rebalance", "--graph-sizes", "2")),
    ({}, (*LAUNCH, "--spec", "chain")),
    ({"MINI_SPEC_COMPOSED": "1"}, (*LAUNCH, "--spec", "chain")),
    ({}, (*LAUNCH, "--spec", "tree", "--spec-steps", "4")),
    ({}, (*LAUNCH, "--spec", "lone", "--draft-model", "NextLiteForCausalLM")),
    ({}, (*LAUNCH, "--spec", "ngram")),
    ({}, (*LAUNCH, "--tp", "2", "--enable-symm-mem")),
    ({}, (*LAUNCH, "--dp", "2")),
    ({}, (*LAUNCH, "--dp", "2", "--enable-dp-attention")),
    ({}, (*LAUNCH, "--device", "cpu")),
    ({}, (*LAUNCH, "--device", "xpu")),
    ({}, (*LAUNCH, "--runner", "stub")),
    ({}, (*LAUNCH, "--rpc-mode")),
    ({}, (*LAUNCH, "--encoder-only")),
    ({}, ("-m", "mini_server.bench_runner")),
    ({}, ("-c", "from mini_server.cli.main import main; main(['env'])")),
    ({}, ("-c", "from mini_server.cli.main import main; main(['bench', '--check'])")),
    ({}, ("-c", "from mini_server.cli.main import main; main(['serve', '--dry-run'])")),
)


class CallRecorder:
    """A profile function that appends each new edge to a file as soon as it is seen."""

    def __init__(self, root: str, file: str) -> None:
        self.root = os.path.join(root, "")
        self.descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.seen: set[Row] = set()
        self.names: dict[CodeType, str | None] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "call":
            return
        callee = self.name_of(frame.f_code)
        if callee is None:
            return
        self.write("ran", callee)
        caller, library = self.caller_of(frame)
        if caller is None or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return
        name = self.name_of(caller.f_code)
        assert name is not None
        if name == callee and frame.f_code.co_name in FOLDED:
            return
        if is_resumed(frame.f_code) and not is_entered(frame.f_back):
            library = None if mentions(caller.f_code, frame.f_code.co_name) else library or "a resumed generator"
        if library is None:
            self.write("edge", name, callee)
        else:
            self.write("through", name, callee, library)

    def name_of(self, code: CodeType) -> str | None:
        """The dotted name of a function of the package, or None for code from elsewhere."""
        if code not in self.names:
            self.names[code] = self.make_name(code)
        return self.names[code]

    def make_name(self, code: CodeType) -> str | None:
        if not code.co_filename.startswith(self.root):
            return None
        module = code.co_filename[len(self.root) :].removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
        parts = [part for part in qualified_name(code).split(".") if part != "<locals>" and part not in FOLDED]
        if code.co_name not in FOLDED and not code.co_flags & inspect.CO_OPTIMIZED:
            parts.pop()
        return ".".join([module, *parts])

    def caller_of(self, frame: FrameType) -> tuple[FrameType | None, str | None]:
        """The nearest frame of the package below, and the library's module where one stands between."""
        library = None
        below = frame.f_back
        while below is not None and self.name_of(below.f_code) is None:
            if not is_transparent(below.f_code):
                library = library or str(below.f_globals.get("__name__", "?"))
            below = below.f_back
        return below, library

    def write(self, *row: str) -> None:
        if row not in self.seen:
            self.seen.add(row)
            os.write(self.descriptor, (json.dumps(row) + "\n").encode())


def is_transparent(code: CodeType) -> bool:
    """Whether a frame is machinery of a `with` statement or of a dataclass."""
    return code.co_filename.endswith("contextlib.py") or (code.co_filename, code.co_name) == ("<string>", "__init__")


def is_resumed(code: CodeType) -> bool:
    """Whether code belongs to a generator or a coroutine, which run when somebody resumes them."""
    flags = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    return bool(code.co_flags & flags) and code.co_name not in FOLDED


def is_entered(frame: FrameType | None) -> bool:
    """Whether a frame is that of a `with` statement's machinery."""
    return frame is not None and frame.f_code.co_filename.endswith("contextlib.py")


def mentions(code: CodeType, name: str) -> bool:
    """Whether a name stands in the code of a function or of a comprehension inside it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType) and constant.co_name in FOLDED]
    return name in (*code.co_names, *code.co_varnames, *code.co_freevars) or any(mentions(each, name) for each in inner)


def install() -> None:
    """Start to record in this process, where the environment asks for it."""
    root, file = os.environ.get(ROOT_VARIABLE), os.environ.get(FILE_VARIABLE)
    if root and file:
        recorder = CallRecorder(root, file)
        threading.setprofile(recorder)
        sys.setprofile(recorder)


def record(
    runs: tuple[tuple[dict[str, str], tuple[str, ...]], ...] = RUNS, example: Path = EXAMPLE, timeout: float = 120.0
) -> set[Row]:
    """Run the example and give back the rows that were seen.

    Args:
        runs: For each run, additions to the environment and the words after `python`.
        example: The folder that holds the package.
        timeout: Seconds that one run may take.

    Raises:
        RuntimeError: A run ended with another status than 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "rows")
        tools = str(Path(__file__).resolve().parent)
        Path(folder, "sitecustomize.py").write_text("import record_calls\n\nrecord_calls.install()\n", encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MINI_")}
        environment |= {
            ROOT_VARIABLE: str(example),
            FILE_VARIABLE: file,
            "PYTHONPATH": os.pathsep.join([folder, tools]),
        }
        environment |= {"CUDA_VISIBLE_DEVICES": "", "PYTHONDONTWRITEBYTECODE": "1"}
        for extra, words in runs:
            done = subprocess.run(
                [sys.executable, *words],
                cwd=example,
                env=environment | extra,
                timeout=timeout,
                capture_output=True,
                text=True,
            )
            if done.returncode != 0:
                raise RuntimeError(f"`python {' '.join(words)}` ended with {done.returncode}:\n{done.stderr}")
        return {tuple(json.loads(line)) for line in Path(file).read_text(encoding="utf-8").splitlines()}


def rows_of(rows: set[Row], kind: str) -> list[list[str]]:
    """The rows of one kind without the kind, sorted."""
    return sorted(list(row[1:]) for row in rows if row[0] == kind)


def write_lines(file: Path, rows: list[list[str]], head: str = "[", tail: str = "]\n") -> None:
    """Write JSON with one row a line, so that a difference can be read."""
    body = ",\n".join(json.dumps(row) for row in rows)
    file.write_text(f"{head}\n{body}\n{tail}", encoding="utf-8")


def main() -> int:
    """Record every run and write both files."""
    rows = record()
    edges, through = rows_of(rows, "edge"), rows_of(rows, "through")
    executed = [name for (name,) in rows_of(rows, "ran")]
    write_lines(EXAMPLE / "observed_calls.json", edges)
    write_lines(
        EXAMPLE / "observed_more.json",
        through,
        head=f'{{"executed": {json.dumps(executed, indent=0)},\n"through_library": [',
        tail="]}\n",
    )
    print(f"{len(edges)} edges, {len(through)} through a library, {len(executed)} functions ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
