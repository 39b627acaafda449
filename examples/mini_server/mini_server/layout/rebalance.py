"""Moves experts to where there is room."""

from mini_server.layout.expert_layout import ExpertLayout, get_layout


class Rebalancer:
    """Moves one layer after each forward pass, once a round is over."""

    def __init__(self, get_model, on_done, every=1):
        self._get_model = get_model
        self._on_done = on_done
        self._every = every
        self._steps = self._make_steps()

    def on_forward_end(self):
        """Go on by one step."""
        next(self._steps)

    def _make_steps(self):
        while True:
            for _ in range(self._every):
                yield
            yield from self._rebalance()

    def _rebalance(self):
        layout = get_layout()
        moved = ExpertLayout([list(reversed(row)) for row in layout.slots], layout.groups)
        weights = self._get_model().expert_weights
        for layer_id in weights.keys():
            layout.update(moved, [layer_id])
            yield
        self._on_done(len(weights))
