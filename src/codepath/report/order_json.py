"""The answer to `order` as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.orders import OrderAnswer
from codepath.report.assumed import assumption_data
from codepath.report.documents import document
from codepath.report.encode import pretty
from codepath.report.view import View


def order_json(answer: OrderAnswer, view: View) -> Iterator[str]:
    """Write the answer to `order`."""
    own = {
        "first": answer.first,
        "then": answer.then,
        "verdict": answer.verdict,
        "contexts": answer.contexts,
        "starts": answer.starts,
        "spelled": answer.spelled,
        "assumptions": [assumption_data(met, bool(met.variables)) for met in answer.assumptions],
    }
    yield pretty(document(view, answer.stats, answer.truncated, own))
