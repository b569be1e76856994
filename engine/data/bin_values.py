"""Values for the bins of a sinogram, from files with complete or incomplete headers.

Direct planes, into which oblique ones were rebinned, are spread again by the inverse of
single-slice rebinning: each plane takes the direct one whose middle along z is its own (Daube-
Witherspoon & Muehllehner, J Nucl Med 28 (1987) 1717). Siemens' software estimates scatter so, for
counts that are normalised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from engine.core.errors import GeometryError
from engine.data.sinogram import DELAYEDS, SUMMED_TIMES, Bins, Sinogram
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.sinogram_layout import PER_PITCH, SinogramLayout


@dataclass(frozen=True)
class BinSummary:
    """Summary of bin values after reading.

    Attributes
    ----------
    text : one line about them
    normalised : True if they are of counts that are normalised already
    """

    text: str
    normalised: bool


class BinValues(ABC):
    """Values for the bins of a scan."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the run, one sentence each."""
        return ()

    @property
    def normalised(self) -> bool:
        """True if they are of counts that are normalised already."""
        return False

    @property
    def dead_below_0(self) -> bool:
        """True if factors below 0 mark dead bins, as in Siemens' software."""
        return False

    @abstractmethod
    def describe(self) -> str:
        """One line about them."""

    @abstractmethod
    def of(self, layout: SinogramLayout, title: str, *, is_factor: bool) -> Bins:
        """Return them for the bins of a scan; raises `GeometryError` where they are of others."""

    def for_timed_counts(
        self, timed: TimedCounts, layout: SinogramLayout, title: str
    ) -> Bins | None:
        """(n,) expected beside each timed count of a scan; None where times are not told."""
        return None

    def summary(self) -> BinSummary:
        """Return a summary without the values."""
        return BinSummary(self.describe(), self.normalised)


@dataclass(frozen=True, eq=False)
class StatedBins(BinValues):
    """Values from a file with a header for its bins.

    Attributes
    ----------
    data : the file
    name : name of the file
    is_siemens : True if Siemens' software wrote it
    """

    data: Sinogram
    name: str
    is_siemens: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        return self.data.notes

    @property
    def dead_below_0(self) -> bool:
        return self.is_siemens

    @property
    def normalised(self) -> bool:
        is_estimate = self.is_siemens and (self._is_direct or is_2d(self.name))
        return is_estimate or self.data.has_applied("norm")

    @property
    def _is_direct(self) -> bool:
        """True if all planes are direct, of all rings."""
        own = self.data.layout
        return len(own.segments) == 1 and own.n_planes == n_direct(own)

    def describe(self) -> str:
        return self.data.layout.describe()

    def of(self, layout: SinogramLayout, title: str, *, is_factor: bool) -> Bins:
        times = self.data.timed
        n_times = self.data.info.get(SUMMED_TIMES, times.n_times if times else 1)
        if is_factor and n_times > 1:
            raise GeometryError(
                f"{title}: {self.name} has factors for each of {n_times} TOF bins; "
                "choose factors without time of flight."
            )
        return self._for(self.data.prompts, layout, title, may_spread=not is_factor)

    def for_timed_counts(
        self, timed: TimedCounts, layout: SinogramLayout, title: str
    ) -> Bins | None:
        own = self.data.timed
        if own is None:
            return None
        if (own.n_times, own.is_ordered) != (timed.n_times, timed.is_ordered):
            raise GeometryError(
                f"{title}: {self.name} has {own.n_times} TOF bins, but the scan has "
                f"{timed.n_times}, or only one of them states their order; choose the "
                "file that was made with the scan, or one without time of flight."
            )
        values = np.empty(len(timed.counts), np.float32)
        for time in range(own.n_times):
            rows = timed.of_time(time)
            stated = own.dense(time, self.data.layout.n_bins)
            placed = self._for(stated, layout, title, may_spread=True)
            values[rows] = placed[timed.bins[rows]]
        return values

    def _for(self, values: Bins, layout: SinogramLayout, title: str, *, may_spread: bool) -> Bins:
        """Return values of the file's bins for those of a scan."""
        own = self.data.layout
        if own.identity == layout.identity:
            return values
        across = (own.n_views, own.n_tangential, own.bin_mm)
        alike = own.identity[0] == layout.identity[0]
        fits = across == (layout.n_views, layout.n_tangential, layout.bin_mm)
        if may_spread and self._is_direct and alike and fits:
            return spread(values, layout)
        raise GeometryError(
            f"{title}: the file has {own.describe()} of {own.scanner.name!r}, but the scan has "
            f"{layout.describe()} of {layout.scanner.name!r}; choose the file of this scan, with "
            "the same bins."
        )

    def randoms(self) -> StatedBins:
        """Return the randoms of a file that holds prompts, too."""
        found = self.data.auxiliary.get(DELAYEDS)
        if found is None:
            return self
        alone = Sinogram(self.data.layout, found, self.data.duration_s, info=self.data.info)
        return StatedBins(alone, self.name, self.is_siemens)


@dataclass(frozen=True, eq=False)
class BareBins(BinValues):
    """Values without a header, in the bin order of the scan, segments 0, -1, +1, ....

    Attributes
    ----------
    values : (n,) all numbers of the file
    name : name of the file
    """

    values: Bins
    name: str

    @property
    def notes(self) -> tuple[str, ...]:
        return ((f"{self.name} has no header, so the program assumes the bin order of the scan."),)

    @property
    def dead_below_0(self) -> bool:
        return True

    @property
    def normalised(self) -> bool:
        return is_2d(self.name)

    def describe(self) -> str:
        return f"{len(self.values):,} values without a header"

    def of(self, layout: SinogramLayout, title: str, *, is_factor: bool) -> Bins:
        middles = [each.mean_difference for each in layout.segments]
        if middles != sorted(middles, key=lambda middle: (abs(middle), middle)):
            raise GeometryError(
                f"{title}: {self.name} has no header, and the bin order of the scan is "
                "not that of Siemens; write the file with a header."
            )
        parts = self._times(layout)
        if is_factor and len(parts) > 1:
            raise GeometryError(
                f"{title}: {self.name} has factors for each of {len(parts)} TOF bins; "
                "choose factors without time of flight."
            )
        if len(parts) > 1:
            return self._placed(parts.sum(axis=0), layout)
        n = len(self.values)
        if n == layout.n_bins or (not is_factor and self.normalised and n == _n_direct(layout)):
            return self._placed(self.values, layout)
        if not is_factor and not self.normalised and n == 2 * layout.n_bins:
            return self.values[layout.n_bins :]  # delayeds first, then what is smoothed of them
        raise GeometryError(
            f"{title}: {self.name} has {n:,} values, but the scan has "
            f"{layout.n_bins:,} bins; choose the file of this scan, with the same "
            "bins."
        )

    def for_timed_counts(
        self, timed: TimedCounts, layout: SinogramLayout, title: str
    ) -> Bins | None:
        parts = self._times(layout)
        if len(parts) != timed.n_times:
            return None
        values = np.empty(len(timed.counts), np.float32)
        for time, part in enumerate(parts):
            rows = timed.of_time(time)
            values[rows] = self._placed(part, layout)[timed.bins[rows]]
        return values

    def _times(self, layout: SinogramLayout) -> Bins:
        """(n_times, n) values of each time of the scan where there are so many, else all in one."""
        tof, n = layout.scanner.tof, len(self.values)
        for of_time in (layout.n_bins, _n_direct(layout) if self.normalised else 0):
            if tof is not None and tof.n_bins > 2 and n == tof.n_bins * of_time:
                return self.values.reshape(tof.n_bins, of_time)
        return self.values[None]

    def _placed(self, values: Bins, layout: SinogramLayout) -> Bins:
        """Return values of all bins, or of direct planes, in the bins of a scan."""
        return values if len(values) == layout.n_bins else spread(values, layout)


def is_2d(name: str) -> bool:
    """Return True if a name says that planes were rebinned."""
    return "2d" in name.lower()


def n_direct(layout: SinogramLayout) -> int:
    """Direct planes of all rings, half a ring apart."""
    return 2 * layout.scanner.settings.n_rings - 1


def _n_direct(layout: SinogramLayout) -> int:
    """Bins of the direct planes."""
    return n_direct(layout) * layout.n_views * layout.n_tangential


def spread(values: Bins, layout: SinogramLayout) -> Bins:
    """Return the values of direct planes in all planes of a layout."""
    plane = layout.plane_ends.sum(-1) // PER_PITCH + n_direct(layout) // 2  # in half rings
    return np.ascontiguousarray(values.reshape(n_direct(layout), -1)[plane].reshape(-1))
