"""The regions inside regions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.model import ir


def every_region(regions: Iterable[ir.Region]) -> Iterator[ir.Region]:
    """Yield regions and all that is inside them, outer first."""
    for region in regions:
        yield region
        for body in inner_bodies(region):
            yield from every_region(body)


def inner_bodies(region: ir.Region) -> tuple[tuple[ir.Region, ...], ...]:
    """Return the bodies inside a compound region, in source order."""
    if isinstance(region, (ir.If, ir.While, ir.For)):
        return (region.body, region.orelse)
    if isinstance(region, ir.With):
        return (region.body,)
    if isinstance(region, ir.Try):
        return (region.body, *(h.body for h in region.handlers), region.orelse, region.final)
    if isinstance(region, ir.Match):
        return tuple(case.body for case in region.cases)
    return ()
