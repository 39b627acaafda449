"""Just enough of a tensor library for a start without a GPU.

MINI_FAKE_CAPABILITY, such as "12.0", says which GPU is pretended.
"""

import os


class Tensor:
    """A shape without numbers."""

    def __init__(self, shape):
        self.shape = tuple(shape)

    def __add__(self, other):
        return Tensor(self.shape)

    def __mul__(self, other):
        return Tensor(self.shape)

    def __repr__(self):
        return f"Tensor(shape={self.shape})"


def zeros(shape, device=None):
    """A tensor of that shape; no memory is taken."""
    return Tensor(shape)


class _CudaGraph:
    """Counts how often it was replayed."""

    def __init__(self):
        self.captured = False
        self.replays = 0

    def replay(self):
        self.replays += 1


class _GraphContext:
    """What `with cuda.graph(g)` enters."""

    def __init__(self, graph):
        self.target = graph

    def __enter__(self):
        return self.target

    def __exit__(self, kind, value, trace):
        self.target.captured = kind is None
        return False


class _Cuda:
    """The names under `torch.cuda` that the server uses."""

    CUDAGraph = _CudaGraph
    graph = _GraphContext

    def is_available(self):
        return True

    def get_device_capability(self, device=0):
        major, _, minor = os.environ.get("MINI_FAKE_CAPABILITY", "9.0").partition(".")
        return int(major), int(minor or 0)

    def mem_get_info(self, device=0):
        return 40 << 30, 80 << 30


cuda = _Cuda()
