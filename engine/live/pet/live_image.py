"""An image of incoming events, updated with some of them at a time.

    x ← (1 − w) x + w · x / s · (N / n) Σ_j A_j / (A_j x + g_j)

over n of the N events of the image. With all events and w = 1 it is an iteration of EM. With fewer
events it is OSEM with relaxation, so that n of N events change their share of the image only. For
new events w = n / N, so that each event enters the image once. For repeated events w = B n / N, as
in a run with B subsets. w is at most 1/2, so that few events never set a voxel to zero for good.
After Cappé & Moulines, J R Stat Soc B 71 (2009) 593 (EM of a stream).

Noise of the first counts would remain for long. The image is therefore smoothed
whenever the counts have doubled. In between it gets at most the I · B updates of a run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.modalities.count_demand import ring_demand
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.operators.rays import RayProjector, Rays
from engine.recon.postprocess import Gaussian

MAX_WEIGHT = 0.5
SMOOTHED_VOXELS = 3.0
"""Full width at half maximum of the smoothing, relative to the longest voxel edge."""


class LiveImage:
    """The image of a running scan.

    Parameters
    ----------
    grid : grid of the image
    sensitivity : sensitivity over all lines
    tof : TOF bins of the scanner, None if they are not used
    updates : number of updates of a normal run, and its most subsets
    on : device and threads

    Attributes
    ----------
    values : (n_z, n_y, n_x) counts/mm of all N events
    grid, sensitivity, n_subsets : as above
    """

    def __init__(
        self,
        grid: ImageGrid,
        sensitivity: Sensitivity,
        tof: TofBins | None,
        updates: tuple[int, int],
        *,
        on: Backend,
    ) -> None:
        self.grid, self._tof, self._on = grid, tof, on
        self._max_updates, self._max_subsets = float(updates[0]), updates[1]
        self.sensitivity = sensitivity
        self._take(sensitivity)
        self.restart()

    def use(self, sensitivity: Sensitivity) -> None:
        """Use another sensitivity from the next update on.

        Parameters
        ----------
        sensitivity
            more precise sensitivity of the same grid
        """
        if sensitivity is not self.sensitivity:
            self._take(sensitivity)

    def _take(self, sensitivity: Sensitivity) -> None:
        s = sensitivity.image
        total = float(s.sum(dtype=np.float64))
        if total <= 0:
            raise DataError(
                "no line of response crosses the image; check the position and size of the image "
                "grid, and the scanner."
            )
        self.sensitivity = sensitivity
        seen = s > 0
        self._seen = seen
        self._inverse = np.divide(1, s, out=np.zeros_like(s), where=seen)
        # Uniform where the scanner sees anything, and scaled to one expected event
        self._uniform = (seen / np.float32(total)).astype(np.float32)

    def restart(self) -> None:
        """Discard all events."""
        self.values: NDArray[np.float32] = np.zeros(self.grid.shape, np.float32)
        self._n = self._smooth_at = 0
        self._left = self._max_updates

    @property
    def n_subsets(self) -> int:
        """Number of subsets; fewer if there are few events."""
        most = ring_demand(self._n, self.grid, self._tof).max_subsets
        return max(min(self._max_subsets, most), 1)

    @property
    def left(self) -> float:
        """Number of updates that are still allowed with the current counts."""
        return self._left

    def grow(self, n_new: int, n_removed: int = 0) -> int:
        """Change the number of events of the image.

        Parameters
        ----------
        n_new, n_removed
            numbers of added and of dropped events

        Returns
        -------
        n
            number of events afterwards
        """
        n = self._n + n_new - n_removed
        if self._n <= 0 or n <= 0:
            self.values = self._uniform * np.float32(max(n, 0))
        else:
            # Scaled, so that the image has the total of its events before they are projected
            self.values *= np.float32(n / self._n)
        self._n = max(n, 0)
        if self._n >= self._smooth_at:
            # Noise of the first half would stay in the image
            if self._smooth_at:
                self._smooth()
            self._smooth_at, self._left = 2 * self._n, self._max_updates
        return self._n

    def allow(self, updates: float) -> None:
        """Allow further updates, for an image of the newest events.

        Parameters
        ----------
        updates
            number of updates; the total stays below that of a run
        """
        self._left = min(self._left + updates, self._max_updates)

    def take(
        self, events: ListMode, background: NDArray[np.float32] | None, stand_for: int
    ) -> None:
        """Update the image with new events.

        Parameters
        ----------
        events
            new events, or a sample of them
        background
            (n,) expected background over factors; None without
        stand_for
            number of new events that the sample represents
        """
        self._renew(events, background, stand_for / max(self._n, 1))

    def reprocess(self, events: ListMode, background: NDArray[np.float32] | None) -> None:
        """Update the image with events that it already includes.

        Parameters
        ----------
        events
            subset of the stored events
        background
            (n,) expected background over factors; None without
        """
        weight = min(self.n_subsets * events.n_events / max(self._n, 1), MAX_WEIGHT)
        self._renew(events, background, weight)
        self._left -= weight

    def _renew(
        self, events: ListMode, background: NDArray[np.float32] | None, weight: float
    ) -> None:
        # With w = 1 a voxel that no event crosses would become 0 for good
        weight = min(weight, MAX_WEIGHT)
        A = RayProjector(
            Rays(events.scanner.positions_mm, events.crystals, events.tof_bins),
            self.grid,
            on=self._on,
            tof=self._tof,
        )
        shares, _ = A.em_numerator(self.values, background)
        change = self._on.to_host(shares)
        # The numerator of n events, scaled to all N
        change *= np.float32(weight * self._n / events.n_events)
        # Voxels without sensitivity have the inverse 0 and stay 0
        change *= self._inverse
        self.values *= np.float32(1 - weight)
        self.values += change

    def _smooth(self) -> None:
        width = SMOOTHED_VOXELS * max(self.grid.voxel_mm)
        smooth = Gaussian(fwhm_mm=width).apply(self.values, self.grid.voxel_mm)
        self.values = np.ascontiguousarray(smooth * self._seen, np.float32)
