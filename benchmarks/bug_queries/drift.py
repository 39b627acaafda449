"""Queries about siblings and about names that drifted apart."""

from __future__ import annotations

from bug_queries.asking import not_built

QUERIES = {
    "siblings": not_built("siblings"),
    "set-difference": not_built("set-difference"),
    "protocol": not_built("missing-protocol"),
    "signature-drift": not_built("signature-drift"),
    "env": not_built("flags"),
    "choices": not_built("flags"),
    "truthy-optional-int": not_built("flags"),
    "truthy-callable": not_built("flags"),
    "stale-import": not_built("stale-name"),
    "module-called": not_built("stale-name"),
    "conditional-import": not_built("stale-name"),
    "dead-probe": not_built("dead-probe"),
}
