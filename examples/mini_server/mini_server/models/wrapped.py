"""A model that sees: a vision part around a language model."""

from mini_server.layers import activation
from mini_server.layers.linear import Linear
from mini_server.layers.module import Module
from mini_server.models.sparse import SparseForCausalLM

try:
    from mini_server.layers.activation import FusedTanh as VisionTanh
except ImportError:
    from mini_server.layers.activation import FastTanh as VisionTanh

    activation.FusedTanh = VisionTanh


class VisionPart(Module):
    """Turns an image into vectors."""

    def __init__(self, hidden):
        super().__init__()
        self.project = Linear(hidden)
        self.act = VisionTanh()

    def forward(self, x):
        return self.act(self.project(x))


class WrappedForCausalLM(Module):
    """Delegates the language to another model."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.vision = VisionPart(config.hidden)
        self.language_model = SparseForCausalLM(config)

    @property
    def expert_weights(self):
        return self.language_model.expert_weights

    def embed(self, ids):
        return self.language_model.embed(ids) + self.vision(ids)

    def forward(self, x, batch, backend):
        return self.language_model(x, batch, backend)


EntryClass = WrappedForCausalLM
