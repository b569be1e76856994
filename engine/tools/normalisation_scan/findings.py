"""What a person should look at in a measured normalisation, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.geometry.ring import RingScanner
from engine.tools.normalisation_scan.fixed_point import SMALL, MeasuredComponents
from engine.tools.normalisation_scan.line_tally import LineTally

MOST_SILENT = 0.02
"""Part of the crystals without counts above which the place of the source is in doubt."""
LARGEST_ERROR = 0.02
"""Standard error of the median crystal above which measuring longer is advised."""
MOST_RANDOMS = 0.2
"""Delayeds over prompts above which the source is too strong."""
EVEN = (0.7, 1.4)
"""Factors of the geometry on top of its closed form that a scanner may well have."""
MOST_SCATTERING = 1.0
"""μ times the diameter of a full cylinder above which scatter is no small part: 18 % of counts."""
SCATTERED = 0.213
"""Scatter for each true, and for each μ times the diameter: 30 % of what is counted of 20 cm of
water and 38 % of 30 cm, followed photon by photon and counted from 425 keV."""


def warnings_on(found: MeasuredComponents, tally: LineTally) -> tuple[str, ...]:
    """Return the sentences; none where nothing is amiss."""
    return tuple(_warnings(found, tally))


def _warnings(found: MeasuredComponents, tally: LineTally) -> Iterator[str]:
    yield from _of_crystals(found, tally.scanner)
    yield from _of_counts(tally)
    if found.change > SMALL:
        yield (
            f"The steps ended before the components had settled: they still changed by "
            f"{found.change:.2g} of their standard errors."
        )
    geometry, errors = found.components.geometry, found.errors.geometry
    if geometry is not None and errors is not None:
        yield from _of_geometry(geometry, errors)


def _of_crystals(found: MeasuredComponents, scanner: RingScanner) -> Iterator[str]:
    crystals, errors = found.components.crystals, found.errors.crystals
    if crystals is None or errors is None:
        return
    alive = scanner.alive
    n, silent = int(alive.sum()), int(np.count_nonzero(crystals[alive] <= 0))
    if silent:
        doubt = silent > MOST_SILENT * n
        ask = " Was the source where it is said to be, and as long?" if doubt else ""
        yield f"{silent:,} of {n:,} crystals were not seen and count as dead.{ask}"
    error = float(np.nanmedian(errors))
    if error > LARGEST_ERROR:
        times = (error / 0.01) ** 2
        yield (
            f"The median crystal is known to {100 * error:.1f} % only; 1 % wants {times:.2g} times "
            "the counts."
        )


def _of_counts(tally: LineTally) -> Iterator[str]:
    trues = float(tally.counts.geometry.sum())
    both = float(tally.squares.geometry.sum())
    delayeds = (both - trues) / 2
    if not delayeds:
        yield "The scans hold no delayed coincidences, so that randoms are not taken off."
    elif delayeds > MOST_RANDOMS * (trues + delayeds):
        yield (
            f"Randoms are {100 * delayeds / (trues + delayeds):.0f} % of the prompts; take less "
            "activity, so that they stay below 20 % and dead time is small."
        )
    source = tally.source
    thickness = source.mu_per_mm * 2 * source.radius_mm
    if not source.inner_mm and thickness > MOST_SCATTERING:
        ratio = SCATTERED * thickness
        yield (
            f"Of a cylinder this wide some {100 * ratio / (1 + ratio):.0f} % of what is counted is "
            "scatter, which is not taken off: the tangential curve holds some of it. A thinner "
            "source or a rotating line is truer."
        )


def _of_geometry(
    geometry: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    errors: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> Iterator[str]:
    known = np.isfinite(errors)
    unseen = known.size - int(known.sum())
    if unseen:
        yield (
            f"{unseen:,} of {known.size:,} classes of lines were not reached by the source and "
            "keep the closed form."
        )
    low, high = EVEN
    sure = known & (errors < 0.05)
    far = sure & ((geometry < low) | (geometry > high))
    if far.any():
        yield (
            f"{int(far.sum()):,} classes of lines are far from their closed form "
            f"({geometry[far].min():.2g} to {geometry[far].max():.2g} times); was the source where "
            "it is said to be?"
        )
