"""Draft models: one layer that guesses the token after the next."""

from mini_server.layers.linear import Linear
from mini_server.layers.module import Module
from mini_server.models.sparse import SparseForCausalLM, SparseLayer


class NextForCausalLM(SparseForCausalLM):
    """Shares the methods of its parent, not its `__init__`."""

    def __init__(self, config):
        Module.__init__(self)
        self.config = config
        self.embedding = Linear(config.hidden)
        self.layers = [SparseLayer(config, layer_id=0)]


class NextLiteForCausalLM(NextForCausalLM):
    """The same with a head that is loaded in its own way."""

    def __init__(self, config):
        super().__init__(config)
        self.head = Linear(config.hidden)

    def load_weights(self, weights):
        for name, tensor in weights:
            for prefix in ("0.", "1."):
                if name.startswith(prefix):
                    break
            else:
                self._load_other(name, tensor)

    def _load_other(self, name, tensor):
        dict(self.named_params())[name].data = tensor


EntryClass = [NextForCausalLM, NextLiteForCausalLM]
