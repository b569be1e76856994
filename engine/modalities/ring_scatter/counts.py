"""Input of the scatter estimate: counts on lines, and images of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.energy import EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.modalities.ring_scatter.lines import SampledLines
from engine.operators.rays import Rays

Values = NDArray[np.float32]


class CountedLines(ABC):
    """A subsample of the counts of a scan. Their factors include attenuation.

    Attributes
    ----------
    scanner, window : rings, and their energy window
    mu_map : attenuation [1/mm]
    grid : grid of the coarse images
    lines : lines that represent all lines of the scanner
    rays : (n,) lines of the rows with counts (events or bins), with their time bins
    counts : (n,) counts of each row
    efficiency : (n,) fraction of the arriving photons that the line of each row counts
    randoms : (n,) expected in each row if all counts were used
    share : fraction of the counts of the scan in these rows
    on, reproducible : the device, and True if its sums are exact
    """

    # "if all counts were used": rows of a subsample keep their own randoms and scatter, because
    # these are expected per line, not per count.
    scanner: Scanner
    window: EnergyWindow
    mu_map: Volume
    grid: ImageGrid
    lines: SampledLines
    rays: Rays
    counts: Values
    efficiency: Values
    randoms: Values
    share: float
    on: Backend
    reproducible: bool = False
    _image: Values | None = None

    @abstractmethod
    def updated(self, number: int, scatter: Values) -> Iterator[tuple[int, int]]:
        """Improve the image of a round; yield the updates done and in total.

        Parameters
        ----------
        number
            number of the round, from 0
        scatter
            (n,) expected in each row if all counts were used
        """

    @abstractmethod
    def trues(self) -> Values:
        """Return the trues that the image predicts in each row if all counts were used, (n,)."""

    def spread_mm(self, reach_mm: float) -> float:
        """Return the largest distance of a row's lines from its central line [mm].

        Parameters
        ----------
        reach_mm
            radius at which the distance counts

        Returns
        -------
        spread_mm
            0 for events, which have a single line
        """
        return 0.0

    @property
    def image(self) -> Values:
        """The latest image, scaled to all counts [counts/mm], (n_z, n_y, n_x)."""
        if self._image is None:
            raise DataError(
                "scatter cannot be simulated before the first image; reconstruct an image first."
            )
        return self._image

    @property
    def is_timed(self) -> bool:
        """True if time bins are distinguished."""
        return self.rays.tof_bins is not None
