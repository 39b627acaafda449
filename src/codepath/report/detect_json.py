"""What detectors see, as parts of JSON documents."""

from __future__ import annotations

from codepath.model.detect import Detected


def detected_document(one: Detected) -> dict[str, object]:
    """Return what a detector sees as documents have it."""
    return {
        "kind": one.kind,
        "form": one.form,
        "class": one.owner,
        "attribute": one.name,
        "base": one.base or None,
        "method": one.method or None,
        "message": one.message,
        "place": one.place,
        "precision": one.precision,
        "surprise": one.surprise,
        "evidence": [{"place": note.place, "what": note.text} for note in one.notes],
        "guards": one.guards,
    }
