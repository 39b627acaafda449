"""Activations."""

from mini_server.layers.module import Module, PathOp


class SmoothGate(PathOp):
    """The activation of the dense blocks."""

    def forward_plain(self, x):
        return x * 1

    def forward_cuda(self, x):
        return x * 1


class FastTanh(Module):
    """The activation of the vision part."""

    def forward(self, x):
        return x + x


_ACTIVATIONS = {"gate": SmoothGate, "tanh": FastTanh}


def make_activation(name):
    """The activation of that name."""
    if (found := _ACTIVATIONS.get(name)) is None:
        raise ValueError(f"no activation {name!r}")
    return found()
