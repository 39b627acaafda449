"""Which expert lives in which slot. One layout a process."""

import dataclasses
import logging
from typing import List, Optional

logger = logging.getLogger(__name__)


@dataclasses.dataclass
class LayoutConfig:
    """The three numbers that a layout is made from."""

    layers: int
    experts: int
    groups: int = 1

    @staticmethod
    def from_model_class(model_config):
        """The numbers that a model class gives of itself, or None."""
        model_class = model_config.model_class
        if hasattr(model_class, "get_layout_config"):
            return model_class.get_layout_config(model_config)
        else:
            return None


@dataclasses.dataclass
class ExpertLayout:
    """For each layer, the expert of each slot."""

    slots: List[List[int]]
    groups: int

    @property
    def layers(self):
        return len(self.slots)

    @property
    def experts(self):
        return len(set(self.slots[0])) if self.layers else 0

    @staticmethod
    def init_trivial(server_args, model_config):
        """Expert n in slot n."""
        common = ExpertLayout._init_common(server_args, model_config)
        if common is None:
            return None
        config = common["config"]
        slots = [list(range(config.experts)) for _ in range(config.layers)]
        return ExpertLayout(slots, config.groups)

    @staticmethod
    def init_from_text(server_args, model_config, text):
        """The order of experts as given, the same in every layer."""
        common = ExpertLayout._init_common(server_args, model_config)
        if common is None:
            return None
        order = [int(part) for part in text.split(",")]
        return ExpertLayout([list(order) for _ in range(common["config"].layers)], common["config"].groups)

    @staticmethod
    def _init_common(server_args, model_config):
        config = LayoutConfig.from_model_class(model_config)
        if config is None:
            return None
        return {"config": config, "ranks": server_args.tp_size}

    def update(self, other, layer_ids):
        """Take over some layers of another layout, in place."""
        for layer_id in layer_ids:
            self.slots[layer_id] = other.slots[layer_id]


_layout: Optional[ExpertLayout] = None


def get_layout():
    """The layout of this process, or None."""
    return _layout


def set_expert_layout(value):
    """Store the layout of this process, once."""
    global _layout
    assert _layout is None, "the layout is set once a process"
    _layout = value


def compute_initial_expert_layout(server_args, model_config):
    """The layout to start with, or None for a model that has no experts."""
    text = server_args.init_layout
    if text == "trivial":
        return ExpertLayout.init_trivial(server_args, model_config)
    logger.info("layout from the command line")
    return ExpertLayout.init_from_text(server_args, model_config, text)
