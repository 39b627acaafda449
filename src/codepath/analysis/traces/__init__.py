"""From a log to the tree: tracebacks read, frames matched, causes found."""
