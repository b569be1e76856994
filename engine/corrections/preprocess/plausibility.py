"""Warn about preprocessing results that make an image doubtful without an error."""

from __future__ import annotations

from collections.abc import Iterator

from engine.corrections.preprocess.bad_pixels import BadPixels
from engine.corrections.preprocess.base import percent
from engine.corrections.preprocess.consistency import doubt_of_angles
from engine.corrections.preprocess.flat_field import FlatField
from engine.corrections.preprocess.logarithm import Logarithm
from engine.data.projections import Projections

MAX_REPLACED = 0.05
"""Fraction of replaced values above which a warning appears."""
MAX_CLIPPED = 0.05
"""Fraction of clipped values above which a warning appears."""

MAX_SATURATED = 0.05
"""Fraction of flat-field values at full scale above which a warning appears."""


def doubts(projections: Projections) -> tuple[str, ...]:
    """Return one sentence for each warning about projections after their steps."""
    return tuple(text for _, text in doubts_of_steps(projections))


def doubts_of_steps(projections: Projections) -> Iterator[tuple[str, str]]:
    """Yield the kind of the doubtful step, empty if it is none, and a sentence with the reason."""
    n = projections.values.size
    replaced = projections.info.get(BadPixels.kind, {})
    n_replaced = replaced.get("unmeasured", 0) + replaced.get("outliers", 0)
    n_clipped = projections.info.get(Logarithm.kind, {}).get("clipped", 0)
    saturated = projections.info.get(FlatField.kind, {}).get("saturated_flats", 0.0)
    if saturated > MAX_SATURATED:
        text = (
            f"{percent(saturated, 1)} of the flat-field values are at full scale. The "
            "open beam may be brighter than recorded, and line integrals too small. "
            "Repeat scan and flat fields with less exposure."
        )
        yield FlatField.kind, text
    if n_replaced > MAX_REPLACED * n:
        text = (
            f"{percent(n_replaced, n)} of the values are saturated, defective or "
            "outliers and were interpolated from their neighbours. Repeat the scan "
            "with less exposure, or crop the detector."
        )
        yield BadPixels.kind, text
    if n_clipped > MAX_CLIPPED * n:
        text = (
            f"{percent(n_clipped, n)} of the values are at or below the dark level and "
            "were clipped before the logarithm. Check the projections, the flat "
            "fields and the dark fields."
        )
        yield Logarithm.kind, text
    # Angles are checked only on line integrals: moments of transmissions are not conserved.
    if projections.kind == "integrals" and (doubt := doubt_of_angles(projections)) is not None:
        yield "", doubt
