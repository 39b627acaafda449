"""Messages between processes, and the table that says who handles which."""

import dataclasses
from typing import Any, Callable, List, Tuple, Type


@dataclasses.dataclass
class GenerateReq:
    """A prompt to go on with."""

    prompt: str
    tokens: int = 2


@dataclasses.dataclass
class GenerateReply:
    """The continuation of a prompt."""

    text: str


@dataclasses.dataclass
class FlushReq:
    """Empty the caches."""


@dataclasses.dataclass
class UpdateWeightsReq:
    """Load other weights into the running model."""

    path: str
    recapture: bool = False


@dataclasses.dataclass
class ControlReq:
    """Something to do that is not a request."""

    action: str


@dataclasses.dataclass
class FreezeReq:
    """Stop collecting garbage."""


@dataclasses.dataclass
class ShutdownReq:
    """End the process."""


class MessageTable:
    """Runs the function that is listed for the type of a message."""

    def __init__(self, entries: List[Tuple[Type, Callable]]):
        self._entries = entries

    def __call__(self, message: Any):
        for kind, handler in self._entries:
            if isinstance(message, kind):
                return handler(message)
        raise ValueError(f"no handler for {type(message).__name__}")
