"""Counts how often experts are used."""

import contextlib


class LoadRecorder:
    """Records nothing; the base of the one that does."""

    @staticmethod
    def init_new(server_args, layout):
        """A recorder that counts where rebalancing is on."""
        if not server_args.enable_rebalance:
            return LoadRecorder()
        assert layout is not None, "rebalancing needs a model with a layout"
        return CountingRecorder(layout)

    @contextlib.contextmanager
    def forward_pass(self):
        """Wraps one forward pass."""
        yield

    def on_select(self, layer_id, experts):
        """Called by the router."""


class CountingRecorder(LoadRecorder):
    """One counter for each layer and expert."""

    def __init__(self, layout):
        self.counts = [[0] * layout.experts for _ in range(layout.layers)]
        self.passes = 0

    @contextlib.contextmanager
    def forward_pass(self):
        self.passes += 1
        try:
            yield self
        finally:
            self._flush()

    def on_select(self, layer_id, experts):
        for expert in experts:
            self.counts[layer_id][expert] += 1

    def _flush(self):
        pass


_recorder = LoadRecorder()


def get_recorder():
    """The recorder of this process."""
    return _recorder


def set_recorder(value):
    """Replace the recorder of this process."""
    global _recorder
    _recorder = value
