"""Executes a section under a profiler and tells which calls between its functions happened."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

_HARNESS = """
import json, sys, threading
root = sys.argv[1]
seen = set()
CO_OPTIMIZED = 1
def name(code, module):
    q = getattr(code, "co_qualname", None)
    q = q.replace(".<locals>", "") if q is not None else code.co_name
    return module if code.co_name == "<module>" else f"{module}.{q}"
def own(frame):
    return frame is not None and frame.f_code.co_filename.startswith(root)
def skip(frame):
    c = frame.f_code
    plain = c.co_flags & CO_OPTIMIZED or c.co_name == "<module>"
    return c.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>") or not plain
def prof(frame, event, arg):
    if event != "call" or not own(frame) or skip(frame) or frame.f_code.co_name == "<module>":
        return
    back = frame.f_back
    line = back.f_lineno if back is not None else 0
    while back is not None and own(back) and skip(back):
        line = line if back.f_code.co_name[:1] != "<" else back.f_back.f_lineno
        back = back.f_back
    if not own(back):
        return
    seen.add((back.f_code.co_filename[len(root)+1:], line, name(frame.f_code, frame.f_globals["__name__"])))
sys.path.insert(0, root)
sys.setprofile(prof)
import main
sys.setprofile(None)
print(json.dumps(sorted(seen)))
"""


def observed(files: dict[str, str]) -> set[tuple[str, int, str]]:
    """Return (file, line, callee) of each call between functions of the files, made while importing `main`."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for path, text in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        command = [sys.executable, "-I", "-c", _HARNESS, str(root)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return {(f, line, name) for f, line, name in json.loads(done.stdout)}
