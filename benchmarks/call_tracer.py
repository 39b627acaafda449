"""A pytest plugin that notes which functions of a package call which while a test suite runs.

    TRACED_PACKAGE=NAME TRACED_TO=FILE pytest -p call_tracer ...

The file has `executed` and `edges`, names as `module.Class.function`. A generator or coroutine is called where it is made, not
where it is resumed; a special method that Python itself calls is called by the code that made Python do so.
Needs Python 3.12: `sys.monitoring` is asked of the package's own code only.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from types import CodeType, FunctionType, MethodType

assert sys.version_info >= (3, 12)

_RESUMABLE = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator
_FUNCTION = 0x1  # CO_OPTIMIZED: neither a module nor the body of a class
_PACKAGE = os.environ["TRACED_PACKAGE"]
_names: dict[CodeType, str | None] = {}
_executed: set[str] = set()
_edges: set[tuple[str, str]] = set()


def _top() -> tuple[str, str]:
    """Return the folder or file of the package, and the folder it stands in, without importing it."""
    spec = importlib.util.find_spec(_PACKAGE)
    assert spec is not None and spec.origin is not None, _PACKAGE
    origin = Path(spec.origin)
    top = origin.parent if spec.submodule_search_locations else origin
    return str(top), str(top.parent)


_TOP, _ROOT = _top()


def _name(code: CodeType) -> str | None:
    """Return the dotted name of code of the package, None for other code."""
    if code not in _names:
        path = code.co_filename
        found = None
        if path == _TOP or path.startswith(_TOP + os.sep):
            module = os.path.relpath(path, _ROOT).removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
            inner = code.co_qualname.replace(".<locals>", "")  # type: ignore[attr-defined]
            found = module if inner == "<module>" else f"{module}.{inner}"
        _names[code] = found
    return _names[code]


def _started(code: CodeType, offset: int) -> object:
    callee = _name(code)
    if callee is None:
        return _monitoring.DISABLE
    _executed.add(callee)
    is_special = code.co_name.startswith("__") and code.co_name.endswith("__")
    caller = sys._getframe(2) if code.co_flags & _FUNCTION else None
    if caller is not None and (is_special or not code.co_flags & _RESUMABLE):
        _note(caller.f_code, callee)
    return None


def _called(code: CodeType, offset: int, called: object, first: object) -> object:
    if _name(code) is None:
        return _monitoring.DISABLE
    if isinstance(called, MethodType):
        called = called.__func__
    if isinstance(called, FunctionType) and called.__code__.co_flags & _RESUMABLE:
        callee = _name(called.__code__)
        if callee is not None:
            _note(code, callee)
    return None


def _note(caller: CodeType, callee: str) -> None:
    name = _name(caller)
    if name is not None:
        _edges.add((name, callee))


def pytest_unconfigure(config: object) -> None:
    """Write what was noted."""
    del config
    _monitoring.set_events(_monitoring.PROFILER_ID, 0)
    _monitoring.free_tool_id(_monitoring.PROFILER_ID)
    found = {"executed": sorted(_executed), "edges": sorted(_edges)}
    Path(os.environ["TRACED_TO"]).write_text(json.dumps(found))


_monitoring = sys.monitoring  # type: ignore[attr-defined]
_monitoring.use_tool_id(_monitoring.PROFILER_ID, "calls")
_monitoring.register_callback(_monitoring.PROFILER_ID, _monitoring.events.PY_START, _started)
_monitoring.register_callback(_monitoring.PROFILER_ID, _monitoring.events.CALL, _called)
_monitoring.set_events(_monitoring.PROFILER_ID, _monitoring.events.PY_START | _monitoring.events.CALL)
