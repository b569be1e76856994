"""Values for the bins of a sinogram, from files with complete or incomplete headers.

A file can contain only direct planes, made by rebinning. They are expanded by the inverse of
single-slice rebinning: each plane gets the direct plane with the same axial centre
(Daube-Witherspoon & Muehllehner, J Nucl Med 28 (1987) 1717). Siemens' software estimates scatter in
this form, for normalised counts.
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
    normalised : True if they refer to counts that are already normalised
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
        """True if they refer to counts that are already normalised."""
        return False

    @property
    def negative_is_dead(self) -> bool:
        """True if factors below 0 mark dead bins, as in Siemens' software."""
        return False

    @abstractmethod
    def describe(self) -> str:
        """Return one line about the values."""

    @abstractmethod
    def of(self, layout: SinogramLayout, title: str, *, is_factor: bool) -> Bins:
        """Return the values in the bins of a scan.

        Parameters
        ----------
        layout
            bins of the scan
        title
            name of the quantity in error messages
        is_factor
            True for multiplicative factors, False for expected counts

        Returns
        -------
        (n_bins,) float32

        Raises
        ------
        GeometryError
            if the file has other bins, or factors that depend on TOF
        """

    def for_timed_counts(
        self, timed: TimedCounts, layout: SinogramLayout, title: str
    ) -> Bins | None:
        """Return the value next to each timed count of a scan.

        Parameters
        ----------
        timed
            counts of the scan by TOF bin
        layout
            bins of the scan
        title
            name of the quantity in error messages

        Returns
        -------
        (n,) float32; None if the file has no TOF bins

        Raises
        ------
        GeometryError
            if the TOF bins differ, or only one of both states their order
        """
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
    def negative_is_dead(self) -> bool:
        return self.is_siemens

    @property
    def normalised(self) -> bool:
        # Siemens estimates scatter in direct planes for normalised counts; the header does not
        # state it.
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
        # Readers can sum TOF bins on reading; the note in `info` is then the only trace of them.
        n_times = self.data.info.get(SUMMED_TIMES, times.n_times if times else 1)
        # Factors are equal in all TOF bins in our model, so one value per line cannot represent
        # them.
        if is_factor and n_times > 1:
            raise GeometryError(
                f"{title}: {self.name} has separate factors for {n_times} TOF bins, which are not "
                "supported; choose factors without TOF bins."
            )
        return self._for(self.data.prompts, layout, title, may_spread=not is_factor)

    def for_timed_counts(
        self, timed: TimedCounts, layout: SinogramLayout, title: str
    ) -> Bins | None:
        own = self.data.timed
        if own is None:
            return None
        if own.n_times != timed.n_times:
            raise GeometryError(
                f"{title}: {self.name} has {own.n_times} TOF bins, but the scan has "
                f"{timed.n_times}; choose the file that belongs to the scan, or one without time "
                "of flight."
            )
        if own.is_ordered != timed.is_ordered:
            raise GeometryError(
                f"{title}: only one of {self.name} and the scan states the order of its TOF bins; "
                "choose the file that belongs to the scan, or one without TOF bins."
            )
        values = np.empty(len(timed.counts), np.float32)
        for time in range(own.n_times):
            # One TOF bin at a time: a dense sinogram of all TOF bins can exceed the memory.
            rows = timed.of_time(time)
            stated = own.dense(time, self.data.layout.n_bins)
            placed = self._for(stated, layout, title, may_spread=True)
            values[rows] = placed[timed.bins[rows]]
        return values

    def _for(self, values: Bins, layout: SinogramLayout, title: str, *, may_spread: bool) -> Bins:
        """Return values of the file's bins for those of a scan."""
        own = self.data.layout
        # The identity includes scanner and bins, so values can be used without rearranging.
        if own.identity == layout.identity:
            return values
        # Direct planes differ from the scan only axially; views and tangential bins must be
        # identical.
        across = (own.n_views, own.n_tangential, own.bin_mm)
        alike = own.identity[0] == layout.identity[0]
        fits = across == (layout.n_views, layout.n_tangential, layout.bin_mm)
        if may_spread and self._is_direct and alike and fits:
            return spread(values, layout)
        raise GeometryError(
            f"{title}: the file and the scan have different bins (file: {own.scanner.name!r}, "
            f"{own.describe()}; scan: {layout.scanner.name!r}, {layout.describe()}); choose the "
            "file that belongs to this scan and has the same bins."
        )

    def randoms(self) -> StatedBins:
        """Return the randoms of a file that also contains prompts; else the file itself."""
        # Files of some scanners contain prompts and delayeds; the user selected this one as
        # randoms.
        found = self.data.auxiliary.get(DELAYEDS)
        if found is None:
            return self
        # Without the time bins: randoms are equal in all TOF bins.
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
    def negative_is_dead(self) -> bool:
        return True

    @property
    def normalised(self) -> bool:
        return is_2d(self.name)

    def describe(self) -> str:
        return f"{len(self.values):,} values without a header"

    def of(self, layout: SinogramLayout, title: str, *, is_factor: bool) -> Bins:
        # Siemens orders segments 0, -1, +1, -2, +2; without a header no other order is known.
        middles = [each.mean_difference for each in layout.segments]
        if middles != sorted(middles, key=lambda middle: (abs(middle), middle)):
            raise GeometryError(
                f"{title}: {self.name} has no header, so its bins must be in Siemens order, but "
                "the bins of the scan are in a different order; write the file with a header."
            )
        # The size of the file is the only sign of TOF bins.
        parts = self._times(layout)
        if is_factor and len(parts) > 1:
            raise GeometryError(
                f"{title}: {self.name} has separate factors for {len(parts)} TOF bins, which are "
                "not supported; choose factors without TOF bins."
            )
        if len(parts) > 1:
            return self._placed(parts.sum(axis=0), layout)
        n = len(self.values)
        # A rebinned estimate has direct planes only; it is valid for expected counts, not for
        # factors.
        if n == layout.n_bins or (not is_factor and self.normalised and n == _n_direct(layout)):
            return self._placed(self.values, layout)
        if not is_factor and not self.normalised and n == 2 * layout.n_bins:
            # The first half contains the measured delayeds, the second half the smoothed ones.
            return self.values[layout.n_bins :]
        raise GeometryError(
            f"{title}: {self.name} has {n:,} values, but the scan has {layout.n_bins:,} bins; "
            "choose the file that belongs to this scan and has the same bins."
        )

    def for_timed_counts(
        self, timed: TimedCounts, layout: SinogramLayout, title: str
    ) -> Bins | None:
        parts = self._times(layout)
        if len(parts) != timed.n_times:
            return None
        values = np.empty(len(timed.counts), np.float32)
        for time, part in enumerate(parts):
            # Only bins with counts get a value; a dense array for each TOF bin would be large.
            rows = timed.of_time(time)
            values[rows] = self._placed(part, layout)[timed.bins[rows]]
        return values

    def _times(self, layout: SinogramLayout) -> Bins:
        """(n_times, n) values of each time of the scan where there are so many, else all in one."""
        tof, n = layout.scanner.tof, len(self.values)
        for of_time in (layout.n_bins, _n_direct(layout) if self.normalised else 0):
            # With two TOF bins the size would be that of a file with delayeds and smoothed
            # delayeds.
            if tof is not None and tof.n_bins > 2 and n == tof.n_bins * of_time:
                return self.values.reshape(tof.n_bins, of_time)
        return self.values[None]

    def _placed(self, values: Bins, layout: SinogramLayout) -> Bins:
        """Return values of all bins, or of direct planes, in the bins of a scan."""
        return values if len(values) == layout.n_bins else spread(values, layout)


def is_2d(name: str) -> bool:
    """Return True if a file name indicates rebinned planes ("2d")."""
    return "2d" in name.lower()


def n_direct(layout: SinogramLayout) -> int:
    """Return the number of direct planes, half a ring apart."""
    return 2 * layout.scanner.settings.n_rings - 1


def _n_direct(layout: SinogramLayout) -> int:
    """Return the number of bins in the direct planes."""
    return n_direct(layout) * layout.n_views * layout.n_tangential


def spread(values: Bins, layout: SinogramLayout) -> Bins:
    """Expand the values of direct planes to all planes of a layout.

    Parameters
    ----------
    values
        (n_direct · n_views · n_tangential,)
    layout
        bins of the scan

    Returns
    -------
    (n_bins,) with the direct plane at the axial centre of each plane
    """
    # The sum of both ends in units of PER_PITCH is twice the centre, so half rings are whole
    # numbers.
    plane = layout.plane_ends.sum(-1) // PER_PITCH + n_direct(layout) // 2
    return np.ascontiguousarray(values.reshape(n_direct(layout), -1)[plane].reshape(-1))
