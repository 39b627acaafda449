"""Queries about siblings and about names that drifted apart."""

from __future__ import annotations

from bug_queries.asking import not_built

QUERIES = {
    "siblings": not_built("siblings"),
    "set-difference": not_built("set-difference"),
    "protocol": not_built("missing-protocol"),
    "signature-drift": not_built("signature-drift"),
    "stale-import": not_built("stale-name"),
    "module-called": not_built("stale-name"),
    "conditional-import": not_built("stale-name"),
}
