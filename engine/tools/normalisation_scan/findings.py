"""Warnings about a measured normalisation, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.geometry.ring import RingScanner
from engine.tools.normalisation_scan.convergence import SMALL
from engine.tools.normalisation_scan.fixed_point import MeasuredComponents
from engine.tools.normalisation_scan.line_tally import LineTally

MAX_SILENT = 0.02
"""Share of crystals without counts above which the position of the source is questioned."""
LARGEST_ERROR = 0.02
"""Standard error of the median crystal above which a longer scan is recommended."""
MAX_RANDOMS = 0.2
"""Delayeds / prompts above which the source is too strong."""
EVEN = (0.7, 1.4)
"""Normal range of geometric factors relative to their closed form."""
MAX_SCATTERING = 1.0
"""μ times the diameter of a full cylinder above which scatter matters: 18 % of the counts."""
SCATTERED = 0.213
"""Scatter per true and per μ times the diameter: 30 % of the counts for 20 cm of water and 38 % for
30 cm, from photon tracking with a threshold of 425 keV.
"""


def warnings_on(found: MeasuredComponents, tally: LineTally) -> tuple[str, ...]:
    """Return the warnings; an empty tuple if everything is normal.

    Parameters
    ----------
    found
        measured components
    tally
        counts, scanner and source
    """
    return tuple(_warnings(found, tally))


def _warnings(found: MeasuredComponents, tally: LineTally) -> Iterator[str]:
    # The most common problems first
    yield from _of_crystals(found, tally.scanner)
    yield from _of_counts(tally)
    if found.change > SMALL:
        yield (
            "The iterations ended before the components converged; the last step still changed "
            f"them by {found.change:.2g} of their standard errors."
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
        doubt = silent > MAX_SILENT * n
        ask = " Check the position and length of the source." if doubt else ""
        yield f"Crystals without counts: {silent:,} of {n:,}. They are treated as dead.{ask}"
    # The median: a few crystals at the ends always have few counts
    error = float(np.nanmedian(errors))
    if error > LARGEST_ERROR:
        # The error falls with the square root of the counts
        times = (error / 0.01) ** 2
        yield (
            f"The error of the median crystal is {100 * error:.1f} %; an error of 1 % needs "
            f"{times:.2g} times as many counts."
        )


def _of_counts(tally: LineTally) -> Iterator[str]:
    trues = float(tally.counts.geometry.sum())
    both = float(tally.squares.geometry.sum())
    # counts = prompts − delayeds, squares = prompts + delayeds
    delayeds = (both - trues) / 2
    if not delayeds:
        yield "The scans contain no delayed coincidences, so randoms are not subtracted."
    elif delayeds > MAX_RANDOMS * (trues + delayeds):
        yield (
            f"Randoms are {100 * delayeds / (trues + delayeds):.0f} % of the prompts; use less "
            "activity, so that they stay below 20 % and the dead time is small."
        )
    source = tally.source
    thickness = source.mu_per_mm * 2 * source.radius_mm
    if not source.inner_mm and thickness > MAX_SCATTERING:
        ratio = SCATTERED * thickness
        yield (
            f"About {100 * ratio / (1 + ratio):.0f} % of the counts from such a wide cylinder are "
            "scatter, which is not subtracted and affects the tangential factors. A thinner source "
            "or a rotating line source is more accurate."
        )


def _of_geometry(
    geometry: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    errors: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> Iterator[str]:
    known = np.isfinite(errors)
    # Lines at large ring differences or radii may miss a short source
    unseen = known.size - int(known.sum())
    if unseen:
        yield (
            f"The source does not reach {unseen:,} of {known.size:,} classes of lines, which keep "
            "their calculated factors."
        )
    low, high = EVEN
    # Classes with large errors may be far off by noise alone
    sure = known & (errors < 0.05)
    far = sure & ((geometry < low) | (geometry > high))
    if far.any():
        yield (
            f"The factors of {int(far.sum()):,} classes of lines are {geometry[far].min():.2g} to "
            f"{geometry[far].max():.2g} times their calculated values; check the position of the "
            "source."
        )
