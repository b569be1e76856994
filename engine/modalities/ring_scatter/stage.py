"""Scatter stage of a run: use supplied scatter, simulate it, or warn about its absence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from engine.core.backend import Backend
from engine.corrections.scatter import NEEDS_ATTENUATION, RingScatter
from engine.data.listmode import ListMode
from engine.data.runs.events import Corrected
from engine.geometry.scanner import Scanner
from engine.modalities import stages
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import RunContext
from engine.protocols.study.protocol import Protocol

if TYPE_CHECKING:
    from engine.corrections.scatter_estimation.simulation import ScatterTable
    from engine.data.sinogram import Sinogram
    from engine.modalities.ring_scatter.counts import CountedLines
    from engine.modalities.ring_scatter.estimate import ScatterEstimate

D = TypeVar("D", ListMode, "Sinogram")
P = TypeVar("P", bound=Protocol)
ENDS = 0.1
"""Fraction of the length at each end that shows if activity extends beyond the image."""
GOES_ON = 0.25
"""Activity at an end relative to the middle above which it is assumed to extend beyond."""


class ScatteringScan(ABC, Generic[D]):
    """A scan with all other corrections applied, as input of the scatter estimate.

    Attributes
    ----------
    data : the counts
    scanner : scanner of the counts
    attenuates : True if their attenuation is corrected
    is_clean : True if they contain no scatter: simulated without it, or already corrected
    """

    data: D
    scanner: Scanner
    attenuates: bool
    is_clean: bool

    @abstractmethod
    def counted(self, *, on: Backend) -> CountedLines:
        """Return a part of the counts, from which their scatter is estimated.

        Parameters
        ----------
        on
            device of the images
        """

    @abstractmethod
    def with_scatter(self, table: ScatterTable, *, on: Backend) -> D:
        """Return the counts with the scatter that a table predicts for them.

        Parameters
        ----------
        table
            scatter per unit of line efficiency
        on
            device, for its number of threads
        """

    @abstractmethod
    def size_mm(self) -> tuple[float, float]:
        """Return diameter and length of the object [mm]."""

    @property
    @abstractmethod
    def n_counts(self) -> int:
        """Total number of counts."""


def correct_scatter(
    context: RunContext[P], scatter: RingScatter[D], scan: ScatteringScan[D]
) -> Stage[D]:
    """Estimate the scatter of a scan, or report the bias without it.

    Parameters
    ----------
    context
        run with its log
    scatter
        settings of the correction
    scan
        scan with all other corrections

    Returns
    -------
    correct_scatter
        the counts with their scatter, or unchanged

    Raises
    ------
    DataError
        if the correction is switched on and impossible
    """
    if scatter.use == "off":
        text = "switched off in the protocol" + _cost(context, scan)
        yield context.log.corrected(Corrected(scatter.kind, "off", text))
        return scan.data
    obstacle = scatter.obstacle(scan.data)
    # Without attenuation correction the image is too low inside, and so is its scatter.
    if scatter.simulates(scan.data) and not scan.attenuates:
        obstacle = obstacle or NEEDS_ATTENUATION
    if obstacle is not None:
        if scatter.use == "on":
            raise scatter.refusal(obstacle)
        text = obstacle + _cost(context, scan)
        needless = scatter.is_needless(scan.data)
        row = Corrected(scatter.kind, "unavailable", text, is_needless=needless)
        yield context.log.corrected(row)
        return scan.data
    # A supplied estimate is an ordinary correction, without any image.
    if not scatter.simulates(scan.data):
        return (yield from stages.correct(context, [scatter], scan.data))
    return (yield from _simulate(context, scatter, scan))


def _simulate(context: RunContext[P], scatter: RingScatter[D], scan: ScatteringScan[D]) -> Stage[D]:
    from engine.modalities.ring_scatter.estimate import estimate_scatter  # for few scans

    yield context.log.start("scatter", "Simulating the scatter")
    with context.profiler.span("scatter", events=scan.n_counts):
        estimate = estimate_scatter(
            scan.counted(on=context.on), scatter, on_tick=context.ticker("scatter")
        )
        expected = scan.with_scatter(estimate.table, on=context.on)
    # Recorded as numbers, so that a reader can judge the estimate without the log.
    context.log.facts["scatter"] = {
        "fraction": estimate.fraction,
        "scale": estimate.fit.scale if estimate.fit.is_used else None,
        "scales_along_axis": estimate.along.record(),
        "rounds": estimate.rounds,
    }
    row = Corrected(scatter.kind, "applied", estimate.describe(), estimate.profile)
    yield context.log.corrected(row)
    for warning in _warnings(estimate):
        yield context.log.warn(warning, about=scatter.kind)
    yield context.log.end("scatter", fraction_percent=100 * estimate.fraction)
    yield from context.profiled()
    return expected


def _warnings(estimate: ScatterEstimate) -> list[str]:
    # The μ-map or the randoms are wrong if scaling needs an implausible factor.
    found = []
    if estimate.fit.is_used and not estimate.along.is_plausible:
        found.append(f"Scatter is {estimate.along.describe()}.")
    ends = _ends(estimate)
    if ends > GOES_ON:
        found.append(
            "Activity extends to the end of the axial field of view (there it is "
            f"{100 * ends:.0f} % of the activity in the middle). Scatter from outside "
            "the field of view is not simulated. Only the scaling to the tails "
            "accounts for it."
        )
    return found


def _ends(estimate: ScatterEstimate) -> float:
    """Return the activity at the fuller end, relative to the mean of the middle half."""
    # Sums over slices: noise of single voxels does not matter.
    profile = estimate.image.values.sum(axis=(1, 2), dtype=np.float64)
    n = len(profile)
    few = max(1, round(ENDS * n))
    middle = profile[n // 4 : n - n // 4].mean()
    return float(max(profile[:few].mean(), profile[-few:].mean()) / middle) if middle > 0 else 0.0


def _cost(context: RunContext[P], scan: ScatteringScan[D]) -> str:
    """Return the bias without scatter correction, as the end of a sentence."""
    # The model of a cylinder needs a round scanner, and clean data have no bias.
    if not scan.scanner.is_round or scan.is_clean:
        return ""
    from engine.corrections.scatter_estimation.cost import cost_of  # for few scans

    with context.profiler.span("correct"):
        cost = cost_of(scan.scanner, *scan.size_mm(), on=context.on)
        return f": {cost.describe()}"
