"""A model without experts."""

from mini_server.layers.attention import Attention
from mini_server.layers.linear import Linear
from mini_server.layers.module import Module
from mini_server.layers.moe import DenseBlock


class DenseLayer(Module):
    """Attention, then a dense block."""

    def __init__(self, config, layer_id):
        super().__init__()
        self.attention = Attention(config.hidden, layer_id)
        self.block = self.make_block(config, layer_id)

    def make_block(self, config, layer_id):
        """What follows attention; subclasses choose."""
        return DenseBlock(config, layer_id)

    def forward(self, x, batch, backend):
        x = self.attention(x, backend)
        return self.block(x, batch)


class DenseForCausalLM(Module):
    """Embedding and layers."""

    layer_class = DenseLayer

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = Linear(config.hidden)
        self.layers = [self.layer_class(config, number) for number in range(config.layers)]

    def embed(self, ids):
        """Vectors of tokens."""
        return self.embedding(ids)

    def forward(self, x, batch, backend):
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x, batch, backend)
        return x


EntryClass = DenseForCausalLM
