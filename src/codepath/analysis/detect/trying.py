"""Which errors the code around an expression catches."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model import ir
from codepath.program.regions import every_region


def handlers(scope: ir.Scope, index: int) -> Iterator[ir.Handler]:
    """Yield the handlers of the `try` statements whose body holds an expression."""
    for region in every_region(scope.body):
        if isinstance(region, ir.Try) and any(_holds(one, index) for one in every_region(region.body)):
            yield from region.handlers


def catches(scope: ir.Scope, index: int, *names: str) -> bool:
    """Tell whether a `try` around an expression names one of some errors."""
    return any(name in handler.text for handler in handlers(scope, index) for name in names)


def _holds(region: ir.Region, index: int) -> bool:
    start, stop = getattr(region, "start", -1), getattr(region, "stop", -1)
    return bool(start <= index < stop)
