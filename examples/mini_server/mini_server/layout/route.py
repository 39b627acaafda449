"""From the experts that a token wants to the slots where they live."""

import dataclasses
from typing import List, Optional

from mini_server.layout.expert_layout import get_layout
from mini_server.server_args import get_global_args


@dataclasses.dataclass
class RouteInfo:
    """The slots of one layer, as the router needs them."""

    algorithm: str
    slots: List[int]

    @classmethod
    def init_new(cls, layer_id: int) -> Optional["RouteInfo"]:
        """The route of a layer; None where no algorithm is chosen."""
        algorithm = get_global_args().layout_algorithm
        layout = get_layout()
        assert layout is not None

        if algorithm is None:
            return None
        return cls(algorithm, layout.slots[layer_id])


def to_slots(info, wanted):
    """The slots of the wanted experts."""
    if info is None:
        return wanted
    return [info.slots[expert] for expert in wanted]
