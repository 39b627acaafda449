"""The version of the facts, apart from the parser so that a warm question need not import it."""

EXTRACTOR_VERSION: int = 2
