"""Files of known findings: sorted JSON without line numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable

from codepath.errors import ConfigError
from codepath.model.checks import Known

NAME = "codepath-baseline.json"
_MAX = 16 << 20  # bytes


def read_baseline(data: bytes, path: str) -> tuple[Known, ...]:
    """Return the entries of a baseline.

    Raises:
        ConfigError: It is none.
    """
    if len(data) > _MAX:
        raise ConfigError(f"the baseline is longer than {_MAX:,} bytes", path=path)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise ConfigError("the baseline is no JSON", path=path) from None
    rows = document.get("findings") if isinstance(document, dict) else None
    if not isinstance(rows, list) or document.get("schema") != 1 or not all(_is_entry(row) for row in rows):
        help = ("codepath check --update-baseline writes it anew",)
        raise ConfigError("the file is no baseline of this version", path=path, help=help)
    return tuple(Known(row["rule"], row["subject"], row["fingerprint"]) for row in rows)


def _is_entry(row: object) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(k), str) for k in ("rule", "subject", "fingerprint"))


def baseline_text(entries: Iterable[Known]) -> str:
    """Return the text of a baseline."""
    rows = [{"rule": k.rule, "subject": k.subject, "fingerprint": k.fingerprint} for k in entries]
    return json.dumps({"schema": 1, "findings": rows}, indent=2) + "\n"
