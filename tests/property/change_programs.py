"""Trees of a few modules, and changes of them: statements put in, taken out and replaced anywhere."""

from __future__ import annotations

from hypothesis import strategies as st

Files = dict[str, str]

BASE: Files = {
    "app/devices.py": """
import torch
from functools import lru_cache, partial

LIMITS = {9: {2: 64}, 10: {2: 128}}
NAMES = ["a", "b"]


def capability(device: int = 0):
    major, minor = torch.cuda.get_device_capability(device)
    return major, minor


def _has_major(majors, strict=False):
    major = torch.cuda.get_device_capability()[0]
    return major in majors


is_old = lru_cache(maxsize=1)(partial(_has_major, majors=[8]))
is_new = lru_cache(maxsize=1)(partial(_has_major, majors=[9, 10]))


@lru_cache(maxsize=1)
def is_any():
    return is_old() or is_new()


def limit(world):
    return LIMITS[capability()[0]][world]
""",
    "app/kernels.py": """
import logging

from app.devices import is_any, is_new, limit

logger = logging.getLogger(__name__)


class Kernel:
    name = "base"

    def run(self, x):
        return x

    def close(self):
        return None


class Fast(Kernel):
    def run(self, x):
        logger.info("fast")
        return self.close()


class Slow(Kernel):
    def close(self):
        return limit(2)


def plain(x):
    return x


def other(x):
    return plain(x)


TABLE = {"plain": plain, "other": other}


def choose(server):
    if is_new():
        kernel = Fast()
    else:
        kernel = Slow()
    if server.fast and is_any():
        return kernel
    return Slow()


def visit(kernel, name):
    method = getattr(kernel, "visit_" + name, None)
    if isinstance(kernel, Fast):
        kernel.run(1)
    return method
""",
    "app/server.py": """
from app import kernels
from app.devices import capability, is_any
from app.kernels import TABLE, choose


class Server:
    def __init__(self, fast):
        self.fast = fast
        self.limit = 5
        self.kernel = choose(self)
        self.major = capability()[0]

    def start(self):
        if self.major >= 10 and is_any():
            self.kernel.run(self.limit)
        self.step("plain")

    def step(self, name):
        TABLE[name](self.limit)
        kernels.visit(self.kernel, name)
        self.kernel.close()


def main():
    server = Server(True)
    server.start()


if __name__ == "__main__":
    main()
""",
}

_MODULE_LINES = """
FRESH_LIMITS = {9: 1, 12: 2}
FRESH_NUMBER = 7
LIMITS = {9: {2: 64}, 10: {2: 128}, 12: {2: 32}}
LIMITS = {9: {2: 64}}
NAMES = ["c"]
is_fresh = is_old
TABLE = {"plain": other}
logger = None
import os
from functools import wraps
from app.devices import is_old as fresh_old
from app.kernels import Fast as FreshFast
from app.kernels import *
def fresh_predicate(): return torch.cuda.get_device_capability()[0] == 12
def fresh_caller(): return is_any() and fresh_predicate()
def fresh_use(device: int = 0): return capability(device)
def fresh_object(server): return server.kernel
def fresh_kernel(): return Fast()
def close(): return 5
def fresh_given(): return _has_major([1], strict=True)
is_third = lru_cache(maxsize=1)(partial(_has_major, majors=[12]))
is_strange = partial(plain, is_any)
class FreshKernel(Kernel): pass
class Apart: limit = 3
Server.fast = True
main()
# a comment
""".strip().splitlines()

_BODY_LINES = """
pass
return None
return 5
return is_any()
return is_new()
return Fast()
return x
return self.kernel
if is_new(): return 3
if not is_any(): raise ValueError("no")
if self.major in (9, 10): self.limit = 6
if self.major >= 9: pass
if server.fast: return None
if isinstance(kernel, Slow): return None
self.limit = 7
self.limit = "Fast"
self.limit = is_any()
self.kernel = None
self.kernel = Slow()
self.fresh = is_new()
major = 5
kernel = None
kernel = Slow()
local = capability()
local = capability()[0]
local = LIMITS.get(9)
local = [is_any(), 3]
local = lambda: kernel
local = [k for k in NAMES]
logger.info("something")
logger.info(f"{x}")
print("a", 5)
print(kernel)
torch.cuda.synchronize()
other(5)
other(Fast())
plain(is_any)
visit(Fast(), "x")
TABLE["plain"](3)
global LIMITS
for one in (1, 2): limit(one)
while is_any(): break
with torch.no_grad(): capability()
assert is_any(), "no"
del x
""".strip().splitlines()

_REPLACED = [
    ("[9, 10]", "[9, 10, 12]"),
    ("in majors", "not in majors"),
    ("is_old() or is_new()", "is_new()"),
    ("[8]", "(8,)"),
    ("is_new():", "is_new() and is_any():"),
    ("self.major >= 10 and", "self.major >= 9 and"),
    ("self.major >= 10 and", "self.fast and"),
    ('"fast"', '"very fast"'),
    ("majors=[8]", "majors=[8], strict=True"),
    ("major, minor", "minor, major"),
    ("kernel = Fast()", "kernel = Slow()"),
    ("plain(x)", "x"),
    ("Slow()", "Fast()"),
    ("(device: int = 0)", "(device: int = 1)"),
    ("(server)", "(server, more=None)"),
    ("visit_", "run_"),
    ("def close", "def shut"),
    ("5", "6"),
    ("== ", "!= "),
    ("return major in majors", "return majors"),
    ("capability()[0]", "capability()"),
]


@st.composite
def trees(draw: st.DrawFn) -> Files:
    """Return a tree: the same one with a few statements more, so that not all starts are alike."""
    files = dict(BASE)
    for _ in range(draw(st.integers(0, 3))):
        draw_edit(draw, files)
    return files


@st.composite
def changes(draw: st.DrawFn) -> tuple[Files, Files]:
    """Return a tree before and after a change."""
    before = draw(trees())
    after = dict(before)
    for _ in range(draw(st.integers(1, 3))):
        draw_edit(draw, after)
    return before, after


def draw_edit(draw: st.DrawFn, files: Files) -> None:
    """Change one file in one place."""
    path = draw(st.sampled_from(sorted(files)))
    kind = draw(st.sampled_from(["module", "body", "body", "replace", "replace", "take out", "wrap"]))
    lines = files[path].splitlines()
    if kind == "replace":
        old, new = draw(st.sampled_from(_REPLACED))
        files[path] = files[path].replace(old, new, 1)
        return
    if kind == "module":
        at = draw(st.sampled_from([n for n, line in enumerate(lines) if not line] or [len(lines)]))
        if _is_top(lines, at):
            lines.insert(at, draw(st.sampled_from(_MODULE_LINES)))
    else:
        inside = [n for n, line in enumerate(lines) if line.startswith("    ") and not line.strip().startswith("def ")]
        at = draw(st.sampled_from(inside))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        if kind == "take out":
            lines[at] = f"{indent}pass"
        elif kind == "wrap" and not lines[at].rstrip().endswith(":"):
            lines[at] = f"{indent}if is_any():\n{indent}    {lines[at].strip()}"
        else:
            lines.insert(at, indent + draw(st.sampled_from(_BODY_LINES)))
    files[path] = "\n".join(lines) + "\n"


def _is_top(lines: list[str], at: int) -> bool:
    following = next((line for line in lines[at:] if line), "")
    return not following.startswith(" ")
