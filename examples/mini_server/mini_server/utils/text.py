"""Small functions on strings."""


def split_csv(text):
    """The non-empty parts between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]
