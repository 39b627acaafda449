"""Writes the generated pages of docs/reference.

python -m tests.tools.write_reference
"""

from __future__ import annotations

from pathlib import Path

from tests.tools.pages import pages

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def main() -> None:
    """Write every page."""
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
