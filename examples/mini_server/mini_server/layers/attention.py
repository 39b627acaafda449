"""Attention: the layer, the backends and the table of backends."""

import logging

from mini_server.comm.capability import device_capability, is_hopper, tile_shape
from mini_server.layers.linear import RowLinear
from mini_server.layers.module import Module

logger = logging.getLogger(__name__)

ATTENTION_BACKENDS = {}


def register_attention(name):
    """Put the decorated function into the table."""

    def put(function):
        ATTENTION_BACKENDS[name] = function
        return function

    return put


class AttentionBackend:
    """The kernels behind an attention layer."""

    needs_tuning = False

    def __init__(self, runner):
        self.runner = runner

    def attend(self, x):
        raise NotImplementedError


class PlainBackend(AttentionBackend):
    """No kernel at all."""

    def attend(self, x):
        return x + x


class TriBackend(AttentionBackend):
    """Kernels that tune themselves before the first use."""

    needs_tuning = True

    def __init__(self, runner):
        super().__init__(runner)
        self.tiles = {}

    def tune_grouped(self, sizes):
        """Choose tiles for grouped heads."""
        for size in sizes:
            self.tiles[size] = 32 * size

    def tune_latent(self, sizes):
        """Choose tiles for latent heads."""
        self.tiles = dict.fromkeys(sizes, 64)

    def attend(self, x):
        return x * 2


class FlashBackend(AttentionBackend):
    """Kernels with fixed tiles."""

    def __init__(self, runner):
        super().__init__(runner)
        self.tile = tile_shape(device_capability()[0])

    def attend(self, x):
        return x * 3


@register_attention("plain")
def make_plain(runner):
    return PlainBackend(runner)


@register_attention("tri")
def make_tri(runner):
    return TriBackend(runner)


@register_attention("flash")
def make_flash(runner):
    if not is_hopper():
        logger.warning("the flash backend was tuned on another device")
    return FlashBackend(runner)


class Attention(Module):
    """One attention layer."""

    def __init__(self, hidden, layer_id):
        super().__init__()
        self.layer_id = layer_id
        self.out = RowLinear(hidden)

    def forward(self, x, backend):
        return self.out(backend.attend(x))
