"""What evaluates each kind of expression."""

from __future__ import annotations

from typing import Final

from codepath.model import ir
from codepath.program import calling, displays, expressions, storing
from codepath.program.frame import Frame, Handlers

HANDLERS: Final[Handlers] = {
    ir.Const: Frame.const,
    **calling.HANDLERS,
    **displays.HANDLERS,
    **expressions.HANDLERS,
    **storing.HANDLERS,
}
