"""A model with experts."""

from mini_server.layers.moe import DenseBlock, SparseBlock, operations_of, run_operations
from mini_server.layout.expert_layout import LayoutConfig
from mini_server.models.dense import DenseForCausalLM, DenseLayer
from mini_server.utils import LazyValue


class SparseLayer(DenseLayer):
    """Experts in every layer but the first."""

    def make_block(self, config, layer_id):
        if layer_id == 0 and config.layers > 1:
            return DenseBlock(config, layer_id)
        return SparseBlock(config, layer_id)

    def forward_in_pieces(self, x, backend):
        """The same as `forward`, for a sparse block, piece by piece."""
        x = self.attention(x, backend)
        return run_operations(operations_of(self.block), x)


class SparseForCausalLM(DenseForCausalLM):
    """The model that the other ones build on."""

    layer_class = SparseLayer

    def __init__(self, config):
        super().__init__(config)
        self._expert_weights = LazyValue(
            lambda: {
                number: layer.block.experts.weight
                for number, layer in enumerate(self.layers)
                if isinstance(layer.block, SparseBlock)
            }
        )

    @property
    def expert_weights(self):
        """The weights of the experts by layer."""
        return self._expert_weights.value

    @classmethod
    def get_layout_config(cls, model_config):
        """The numbers that an expert layout is made from."""
        return LayoutConfig(layers=model_config.layers, experts=model_config.experts)


class WideForCausalLM(DenseForCausalLM):
    """More experts, and the lazy value itself where others give what it holds."""

    layer_class = SparseLayer

    def __init__(self, config):
        super().__init__(config)
        self.expert_weights = LazyValue(lambda: dict(enumerate(self.layers)))

    @classmethod
    def get_layout_config(cls, model_config):
        return LayoutConfig(layers=model_config.layers, experts=model_config.experts, groups=2)


EntryClass = [SparseForCausalLM, WideForCausalLM]
