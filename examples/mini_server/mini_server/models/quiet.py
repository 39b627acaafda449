"""A model whose numbers come from a file that may be old."""

from mini_server.layout.expert_layout import LayoutConfig
from mini_server.models.sparse import SparseForCausalLM


class QuietForCausalLM(SparseForCausalLM):
    """Has the hook, and the hook may still give nothing."""

    @classmethod
    def get_layout_config(cls, model_config):
        try:
            return LayoutConfig(layers=model_config.layers, experts=model_config.routed_experts)
        except Exception:
            return None


EntryClass = QuietForCausalLM
