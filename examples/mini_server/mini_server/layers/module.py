"""The base of everything that a model is made of."""


class Param:
    """A shape that becomes a tensor when weights are read."""

    def __init__(self, *shape, weight_loader=None):
        self.shape = shape
        self.data = None
        if weight_loader is not None:
            self.weight_loader = weight_loader


class Module:
    """Calling a module runs its `forward`."""

    def __init__(self):
        self.training = False

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, *args, **kwargs):
        raise NotImplementedError(type(self).__name__)

    def children(self):
        """The modules among the attributes, lists included."""
        for value in vars(self).values():
            if isinstance(value, Module):
                yield value
            elif isinstance(value, list):
                yield from (item for item in value if isinstance(item, Module))

    def walk(self):
        """This module and all below it."""
        yield self
        for child in self.children():
            yield from child.walk()

    def named_params(self):
        """Pairs of a name and a parameter, all below included."""
        for number, module in enumerate(self.walk()):
            for name, value in vars(module).items():
                if isinstance(value, Param):
                    yield f"{number}.{name}", value


class PathOp(Module):
    """An operator with one method a device; which one runs is chosen once."""

    def __init__(self):
        super().__init__()
        self._forward_method = self.pick_method()

    def forward(self, *args, **kwargs):
        return self._forward_method(*args, **kwargs)

    def pick_method(self):
        """The method for this device."""
        from mini_server.compat import torch

        if torch.cuda.is_available():
            return self.forward_cuda
        return self.forward_plain

    def forward_plain(self, *args, **kwargs):
        raise NotImplementedError

    def forward_cuda(self, *args, **kwargs):
        return self.forward_plain(*args, **kwargs)

    def enter_capture(self):
        """Use the path that can be captured."""
        self._forward_method = self.forward_plain

    def leave_capture(self):
        """Use the fast path again."""
        self._forward_method = self.pick_method()
