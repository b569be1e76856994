"""Check sinograms that come with a scan, and report them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.corrections.sinogram_roles import ATTENUATION, NORMALISATION
from engine.data.input_role import InputRole
from engine.data.sinogram import Sinogram

MIN_CORRECTION = 0.99
"""Smallest accepted attenuation correction factor. The true minimum is 1, but files round."""


def already_applied(data: Sinogram, *words: str) -> str | None:
    """Return why counts are not corrected again.

    Parameters
    ----------
    data
        sinogram with the corrections that its header states
    words
        parts of the header's names of corrections; one match suffices

    Returns
    -------
    already_applied
        a clause; None if the header states no such correction
    """
    if any(data.has_applied(word) for word in words):
        return "the scan's header states that its counts are already corrected for it"
    return None


def inverse_of(factors: Array, role: InputRole) -> NDArray[np.float32]:
    """Return detection factors from correction factors.

    Parameters
    ----------
    factors
        (n_bins,) factors that multiply the counts, 0 in dead bins
    role
        role of the file, whose title appears in the error

    Returns
    -------
    inverse
        (n_bins,) float32, 0 in dead bins

    Raises
    ------
    DataError
        if a factor is negative or NaN
    """
    # Written with `not all(>=)`, because NaN must be refused too.
    if not np.all(factors >= 0):
        raise DataError(
            f"{role.title}: negative or NaN factors (number of bins: "
            f"{int(np.count_nonzero(~(factors >= 0))):,}). Each factor multiplies the counts of a "
            "bin and must be at least 0; check the file."
        )
    return np.divide(1, factors, out=np.zeros(factors.shape, np.float32), where=factors > 0)


def refuse_survival(factors: Array) -> Array:
    """Refuse transmissions in place of attenuation correction factors.

    Parameters
    ----------
    factors
        (n_bins,) at least 1, or 0 in dead bins

    Returns
    -------
    factors
        the same factors

    Raises
    ------
    DataError
        if a factor is between 0 and 0.99, which a correction factor cannot be
    """
    # 0 marks a dead bin; anything else below 1 would mean that matter adds photons.
    below = (factors > 0) & (factors < MIN_CORRECTION)
    if np.any(below):
        raise DataError(
            f"{ATTENUATION.title}: correction factors below 1 (number of bins: "
            f"{int(np.count_nonzero(below)):,}, minimum: {float(factors[below].min()):.3g}). Each "
            "correction factor must be at least 1; if the values are transmissions, invert them."
        )
    return factors


def refuse_negative(counts: Array, role: InputRole) -> Array:
    """Refuse expected counts below 0.

    Parameters
    ----------
    counts
        (n_bins,) expected counts
    role
        role of the file, whose title appears in the error

    Returns
    -------
    counts
        the same counts

    Raises
    ------
    DataError
        if a value is negative or NaN, because the Poisson model has no negative means
    """
    if not np.all(counts >= 0):
        raise DataError(
            f"{role.title}: negative or NaN counts (number of bins: "
            f"{int(np.count_nonzero(~(counts >= 0))):,}). Expected counts must be at least 0; use "
            "the estimate before smoothing or tail fitting, or set negative bins to 0."
        )
    return counts


def unknown_counts(data: Sinogram, role: InputRole) -> str | None:
    """Return why values of normalised counts cannot be converted to counts.

    Parameters
    ----------
    data
        sinogram with its auxiliary files
    role
        role of the values

    Returns
    -------
    unknown_counts
        a clause; None if they are counts, or if the normalisation is known
    """
    if not is_of_normalised(data, role):
        return None
    if NORMALISATION.key in data.auxiliary:
        return None
    return (
        "the estimate refers to normalised counts, and there are no normalisation "
        "factors; load them"
    )


def is_of_normalised(data: Sinogram, role: InputRole) -> bool:
    """Return True if the values of a role refer to normalised counts and the prompts do not.

    Parameters
    ----------
    data
        sinogram with its auxiliary files
    role
        role of the values
    """
    return role.key in data.normalised and not data.has_applied("norm")


def expected_of(data: Sinogram, role: InputRole) -> Array:
    """Return the counts expected in each bin, in the units of the prompts.

    Parameters
    ----------
    data
        sinogram with its auxiliary files
    role
        role of the values; its file must be attached

    Returns
    -------
    expected
        (n_bins,), multiplied by detection factors if the file refers to normalised counts

    Raises
    ------
    DataError
        if a value is negative
    """
    values = refuse_negative(data.auxiliary[role.key], role)
    if not is_of_normalised(data, role):
        return values
    return values * inverse_of(data.auxiliary[NORMALISATION.key], NORMALISATION)


def spread_text(factors: Array) -> str:
    """Describe the number of bins with a factor and the spread of the factors.

    Parameters
    ----------
    factors
        (n_bins,) factors, 0 in dead bins

    Returns
    -------
    spread_text
        a clause for the summary
    """
    used = factors[factors > 0]
    varies = 100 * float(used.std(dtype=np.float64) / used.mean(dtype=np.float64))
    return (
        f"factors of {len(used):,} bins vary by {varies:.1f} %, {len(factors) - len(used):,} dead"
    )
