"""All plug-ins of this installation."""

from __future__ import annotations

from engine.core.plugins import Feature, problems, unskipped
from engine.io.formats import READERS, WRITERS
from engine.modalities import MODALITIES


def used_plug_ins() -> tuple[tuple[Feature, ...], tuple[str, ...]]:
    """Load all plug-ins; return the features in use, and a sentence for each that is skipped."""
    # The tables load the features when they are first used.
    _ = READERS.entries, WRITERS.entries
    for modality in MODALITIES:
        modality.standard()
    return unskipped(), problems()
