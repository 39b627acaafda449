"""Blocks after attention: dense, or a choice of experts."""

from mini_server.layers.activation import make_activation
from mini_server.layers.linear import Linear, RowLinear
from mini_server.layers.module import Module, Param, PathOp
from mini_server.layers.moe_config import get_a2a_backend
from mini_server.layout.expert_layout import get_layout
from mini_server.layout.load_recorder import get_recorder
from mini_server.layout.route import RouteInfo, to_slots


class Router(PathOp):
    """Chooses experts for each token."""

    def __init__(self, layer_id, experts):
        super().__init__()
        self.layer_id = layer_id
        self.experts = experts

    def forward_plain(self, x, info=None):
        wanted = list(range(min(2, self.experts)))
        get_recorder().on_select(self.layer_id, wanted)
        return to_slots(info, wanted)


class LocalExperts(Module):
    """All experts on this rank."""

    def __init__(self, experts, hidden, layer_id):
        super().__init__()
        self.experts = experts
        self.layer_id = layer_id
        self.weight = Param(experts, hidden, weight_loader=self.weight_loader)

    def weight_loader(self, param, tensor):
        """Copy a tensor to every slot that holds its expert."""
        layout = get_layout()
        if layout is None:
            self._load_one(param, tensor)
            return
        for _ in layout.slots[self.layer_id]:
            self._load_one(param, tensor)

    def _load_one(self, param, tensor):
        param.data = tensor

    def forward(self, x, slots):
        return x * len(slots)


class ExchangedExperts(LocalExperts):
    """Experts on many ranks."""

    def forward(self, x, slots):
        return super().forward(self.send(x), slots)

    def send(self, x):
        """To the ranks that hold the experts, and back."""
        return x + x


def get_expert_class(backend):
    """The class of experts for a way of exchange."""
    return LocalExperts if backend.is_none() else ExchangedExperts


class SparseBlock(Module):
    """A router and its experts."""

    def __init__(self, config, layer_id):
        super().__init__()
        self.layer_id = layer_id
        backend = get_a2a_backend()
        self._use_a2a = not backend.is_none()
        self.gate = Linear(config.hidden)
        self.router = Router(layer_id, config.experts)
        self.experts = get_expert_class(backend)(
            experts=config.experts, hidden=config.hidden, layer_id=layer_id
        )

    def forward(self, x, batch):
        if not self._use_a2a:
            return self.forward_local(x)
        return self.forward_a2a(x)

    def forward_local(self, x):
        """Every expert is here."""
        return self.experts(x, self.router(self.gate(x)))

    def forward_a2a(self, x):
        """Experts may be elsewhere."""
        scores = self.gate(x)
        if x.shape[0] > 0:
            slots = self.router(scores, info=RouteInfo.init_new(layer_id=self.layer_id))
        else:
            slots = []
        return self.experts(x, slots)

    def op_gate(self, state):
        """First part of a pass in pieces."""
        state["scores"] = self.gate(state["x"])

    def op_route(self, state):
        """Second part."""
        state["slots"] = self.router(state["scores"])

    def op_experts(self, state):
        """Third part."""
        state["x"] = self.experts(state["x"], state["slots"])


class DenseBlock(Module):
    """Two matrices and an activation."""

    def __init__(self, config, layer_id):
        super().__init__()
        self.up = Linear(config.hidden)
        self.act = make_activation("gate")
        self.down = RowLinear(config.hidden, reduce=False)

    def forward(self, x, batch):
        return self.down(self.act(self.up(x)))


def operations_of(block):
    """A sparse block in pieces, so that two batches can take turns."""
    return [block.op_gate, block.op_route, block.op_experts]


def run_operations(operations, x):
    """Run the pieces one after the other."""
    state = {"x": x}
    for operation in operations:
        operation(state)
    return state["x"]
