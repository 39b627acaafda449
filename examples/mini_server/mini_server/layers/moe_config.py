"""How experts exchange tokens: the backend of the target and of the draft."""

import enum
from contextlib import contextmanager


class A2ABackend(enum.Enum):
    """A way to send tokens to experts on other ranks."""

    NONE = "none"
    FLASH = "flash"
    MESH = "mesh"

    @classmethod
    def _missing_(cls, value):
        if value is None:
            return cls.NONE
        for member in cls:
            if value == member.value:
                return member
        return None

    def is_none(self):
        return self == A2ABackend.NONE

    def is_flash(self):
        return self == A2ABackend.FLASH


_a2a_backend = None
_draft_a2a_backend = None


def init_a2a_backends(server_args):
    """Fix both backends for this process."""
    global _a2a_backend, _draft_a2a_backend
    _a2a_backend = A2ABackend(server_args.a2a)
    _draft_a2a_backend = A2ABackend(None)


def get_a2a_backend():
    """The backend to build layers with; NONE when nothing fixed it."""
    global _a2a_backend
    if _a2a_backend is None:
        _a2a_backend = A2ABackend.NONE
    return _a2a_backend


@contextmanager
def draft_a2a_backend():
    """Build the layers of a draft model with the draft's backend."""
    global _a2a_backend
    before = _a2a_backend
    try:
        _a2a_backend = _draft_a2a_backend
        yield
    finally:
        _a2a_backend = before
