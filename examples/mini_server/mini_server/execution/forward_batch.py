"""What goes into one forward pass."""

import dataclasses
import enum
from typing import Any

from mini_server.compat import torch


class ForwardMode(enum.Enum):
    """The phase that a batch belongs to."""

    PREFILL = enum.auto()
    DECODE = enum.auto()
    IDLE = enum.auto()

    def is_decode(self):
        return self is ForwardMode.DECODE


@dataclasses.dataclass
class ForwardBatch:
    """Hidden states and the phase."""

    mode: ForwardMode
    tokens: int
    hidden_states: Any

    @classmethod
    def dummy(cls, tokens, hidden):
        """A decode batch without meaning, for warm-up and capture."""
        return cls(ForwardMode.DECODE, tokens, torch.zeros((tokens, hidden)))

    @classmethod
    def from_request(cls, request, hidden):
        """One decode step of a request."""
        return cls.dummy(max(1, len(request.prompt.split())), hidden)
