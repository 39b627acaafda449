"""The line that failed, where the log's own line is not proved by its text: the one of the function that can fail so.

Approximates: under (where several lines of the function fit as well, or none does, the line stays).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from codepath.analysis.traces.site import Site
from codepath.analysis.traces.tables import key_cause
from codepath.analysis.traces.templates import said, templates_of
from codepath.model import ir
from codepath.program.regions import every_region

_ATTRIBUTE = re.compile(r".{0,220} has no attribute '(\w{1,200})'")


def relocated(site: Site, exception: str, message: str) -> Site:
    """Return a failing place on the only line of its function that can raise such an exception."""
    lines = sorted(set(_lines(site, exception, message)))
    return replace(site, line=lines[0], marked=None) if len(lines) == 1 else site


def _lines(site: Site, exception: str, message: str) -> Iterator[int]:
    found = _ATTRIBUTE.match(message) if exception == "AttributeError" else None
    for index, expr in enumerate(site.exprs):
        if found is not None and isinstance(expr, ir.Attr) and expr.id == found[1]:
            yield ir.line_of(expr.end)
        if exception == "KeyError" and isinstance(expr, ir.Subscript):
            line = ir.line_of(site.exprs[index].at)
            if key_cause(replace(site, line=line, marked=None), message) is not None:
                yield line
    for region in every_region(site.scope.body) if site.scope is not None else ():
        if isinstance(region, ir.Assert) and exception == "AssertionError":
            yield ir.line_of(region.at)
        if isinstance(region, ir.Raise) and region.exc >= 0 and _raises(site, region.exc, exception, message):
            yield ir.line_of(region.at)


def _raises(site: Site, index: int, exception: str, message: str) -> bool:
    """Tell whether what is raised has the class and the text of an exception."""
    call = site.exprs[index]
    if not isinstance(call, ir.Call) or site.scope is None:
        return False
    func = site.exprs[call.func]
    if not isinstance(func, (ir.Name, ir.Attr)) or func.id != exception:
        return False
    text = message.partition("\n")[0].strip()
    return not text or any(said(template, text) for template in templates_of(site.scope, call, False))
