"""Switches that come from the environment."""

import os


class EnvFlag:
    """A yes/no switch named by an environment variable.

    The object itself is always true: ask `get()`.
    """

    def __init__(self, name, default=False):
        self.name = name
        self.default = default

    def get(self):
        """Whether the variable is set to a true word; the default when it is not set."""
        raw = os.environ.get(self.name)
        if raw is None:
            return self.default
        return self._parse(raw)

    def _parse(self, raw):
        return raw.strip().lower() in ("yes", "true", "on", "1")

    def set(self, value):
        """Write the switch for this process and its children."""
        os.environ[self.name] = "1" if value else "0"


class EnvInt(EnvFlag):
    """A number from the environment."""

    def _parse(self, raw):
        return int(raw)


class Flags:
    """Every switch of the server in one place."""

    LOG_LAYOUT = EnvFlag("MINI_LOG_LAYOUT")
    LOG_STEPS = EnvFlag("MINI_LOG_STEPS")
    SPEC_COMPOSED = EnvFlag("MINI_SPEC_COMPOSED")
    LOADER_THREADS = EnvInt("MINI_LOADER_THREADS", default=2)


flags = Flags()
