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
    scanner, window : rings, and the energies that they count
    mu_map : attenuation [1/mm]
    grid : grid of the coarse images
    lines : that stand for all of the scanner
    rays : (n,) lines of the rows, events or bins that have counts, with their time bins
    counts : (n,) of each row
    efficiency : (n,) what the line of each counts of the photons that reach it
    randoms : (n,) expected in each row, were all counts taken
    share : part of the counts of the scan that the rows are
    on, reproducible : the device, and whether its sums are exact
    """

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
        """Improve the image of a round; yields updates done and in all.

        `scatter` (n,) is expected in each row, were all counts taken.
        """

    @abstractmethod
    def trues(self) -> Values:
        """(n,) trues that the image expects in each row, were all counts taken."""

    def spread_mm(self, reach_mm: float) -> float:
        """Return the distance of the lines of a row from its central line, at a radius [mm]."""
        return 0.0

    @property
    def image(self) -> Values:
        """(n_z, n_y, n_x) the newest image, of all counts [counts/mm]."""
        if self._image is None:
            raise DataError("scatter is not simulated because there is no image.")
        return self._image

    @property
    def is_timed(self) -> bool:
        """True if time bins are told apart."""
        return self.rays.tof_bins is not None
