"""A model that is only a shell: instances pass every name on."""

from mini_server.models.sparse import SparseForCausalLM


class ShellForCausalLM:
    """What an instance has not, its inner model answers. The class answers nothing."""

    def __init__(self, config):
        self.core = SparseForCausalLM(config)

    def __getattr__(self, name):
        if name == "core":
            raise AttributeError(name)
        return getattr(self.core, name)

    def __hasattr__(self, name):
        return hasattr(self.core, name)

    def __call__(self, *args):
        return self.core(*args)


EntryClass = ShellForCausalLM
