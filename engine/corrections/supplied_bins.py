"""Check sinograms that come with a scan, and report them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.corrections.sinogram_roles import ATTENUATION, NORMALISATION
from engine.data.input_role import InputRole
from engine.data.sinogram import Sinogram

LEAST_CORRECTION = 0.99
"""Attenuation correction factors are 1 and more; files round."""


def why_done(data: Sinogram, *words: str) -> str | None:
    """Return why counts are not corrected once more; None where nothing says that they were."""
    if any(data.has_applied(word) for word in words):
        return "the scan's header states that its counts are already corrected for it"
    return None


def inverse_of(factors: Array, role: InputRole) -> NDArray[np.float32]:
    """Detection factors from those that counts are multiplied with, 0 in dead bins."""
    if not np.all(factors >= 0):
        raise DataError(
            f"{role.title}: {int(np.count_nonzero(factors < 0)):,} bins are below 0, "
            "expected factors that multiply the counts, with 0 for bins without "
            "measurement; check the file."
        )
    return np.divide(1, factors, out=np.zeros(factors.shape, np.float32), where=factors > 0)


def refuse_survival(factors: Array) -> Array:
    """Refuse the share of photons that is left in place of its inverse."""
    below = (factors > 0) & (factors < LEAST_CORRECTION)
    if np.any(below):
        raise DataError(
            f"{ATTENUATION.title}: {int(np.count_nonzero(below)):,} bins are below 1, "
            f"minimum {float(factors[below].min()):.3g}, expected correction factors "
            "of at least 1; if these are transmissions, invert them."
        )
    return factors


def refuse_negative(counts: Array, role: InputRole) -> Array:
    """Refuse expected counts below 0."""
    if not np.all(counts >= 0):
        raise DataError(
            f"{role.title}: {int(np.count_nonzero(counts < 0)):,} bins are below 0, "
            "expected counts of at least 0; use the estimate before smoothing or tail "
            "fitting, or set negative bins to 0."
        )
    return counts


def unknown_counts(data: Sinogram, role: InputRole) -> str | None:
    """Return why values of normalised counts cannot become counts; None where they can."""
    if not is_of_normalised(data, role):
        return None
    if NORMALISATION.key in data.auxiliary:
        return None
    return (
        "the estimate refers to normalised counts, and there are no normalisation "
        "factors; load them"
    )


def is_of_normalised(data: Sinogram, role: InputRole) -> bool:
    """Return True if the values of a role are of normalised counts, and the prompts are not."""
    return role.key in data.normalised and not data.has_applied("norm")


def expected_of(data: Sinogram, role: InputRole) -> Array:
    """Return the counts expected in each bin, of what may be of normalised counts."""
    values = refuse_negative(data.auxiliary[role.key], role)
    if not is_of_normalised(data, role):
        return values
    return values * inverse_of(data.auxiliary[NORMALISATION.key], NORMALISATION)


def spread_words(factors: Array) -> str:
    """Say how many bins have a factor, and how much the factors vary."""
    used = factors[factors > 0]
    varies = 100 * float(used.std(dtype=np.float64) / used.mean(dtype=np.float64))
    return (
        f"factors of {len(used):,} bins vary by {varies:.1f} %, {len(factors) - len(used):,} dead"
    )
