"""Base class of phantoms: activity and attenuation, and their exact line integrals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.checked import checked, checked_class
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.kernels.rays import chords, emission
from engine.simulate.shapes import Shape, kind_of
from engine.simulate.spans import may_cross, spans

Quantity = Literal["activity", "mu"]
BUNDLE = 2048
"""Lines processed together. Adjacent lines miss most shapes, which then cost nothing, and the
arrays of many shapes fit into the processor cache."""
UNITS: dict[Quantity, str] = {"activity": "relative", "mu": "1/mm"}


class Phantom(ABC):
    """Object of a simulation.

    Points are (n, 3) as (x, y, z) [mm]. Lines run from the rows of one such array to the rows of
    another one.
    """

    name: str

    @abstractmethod
    def activity_at(self, points_mm: Array) -> Array:
        """Return the relative activity per volume at points.

        Parameters
        ----------
        points_mm
            (n, 3) points [mm]

        Returns
        -------
        Array
            (n,); 0 outside the object
        """

    @abstractmethod
    def mu_at(self, points_mm: Array) -> Array:
        """Return the attenuation coefficient at points [1/mm].

        Parameters
        ----------
        points_mm
            (n, 3) points [mm]

        Returns
        -------
        Array
            (n,); 0 outside the object
        """

    @abstractmethod
    def activity_integral(self, first_mm: Array, second_mm: Array) -> Array:
        """Return line integrals of the activity [mm, relative].

        Parameters
        ----------
        first_mm, second_mm
            (n, 3) ends of the lines [mm]

        Returns
        -------
        Array
            (n,) integrals between the ends
        """

    @abstractmethod
    def mu_integral(self, first_mm: Array, second_mm: Array) -> Array:
        """Return line integrals of the attenuation coefficient, dimensionless.

        Parameters
        ----------
        first_mm, second_mm
            (n, 3) ends of the lines [mm]

        Returns
        -------
        Array
            (n,) integrals between the ends
        """

    @abstractmethod
    def emission_places(self, first_mm: Array, second_mm: Array, rng: np.random.Generator) -> Array:
        """Return random positions of emission on lines, distributed like the activity.

        Parameters
        ----------
        first_mm, second_mm
            (n, 3) ends of the lines [mm]
        rng
            source of the random numbers

        Returns
        -------
        Array
            (n,) fractions of the line from first to second end; NaN for a line without activity
        """

    def may_cross_activity(self, first_mm: Array, second_mm: Array) -> NDArray[np.bool_]:
        """Return False for lines that cannot pass activity, judged by their projection across z.

        Parameters
        ----------
        first_mm, second_mm
            (n, 3) ends of the lines [mm]

        Returns
        -------
        NDArray of bool
            (n,); True if unsure
        """
        return np.ones(len(first_mm), bool)

    @abstractmethod
    def rasterise(
        self, grid: ImageGrid, quantity: Quantity = "activity", *, oversample: int = 3
    ) -> Volume:
        """Return the mean of activity or attenuation in each voxel.

        Parameters
        ----------
        grid
            grid of the image
        quantity
            "activity" (relative) or "mu" [1/mm]
        oversample
            sample points along each edge of a voxel, where the object is not known exactly
        """


@checked_class()
@dataclass(frozen=True)
class ShapePhantom(Phantom):
    """Sum of shapes. A hole is a shape with negative values inside another one.

    Attributes
    ----------
    name : name in messages and provenance
    shapes : shapes with their activity and attenuation
    """

    name: str
    shapes: tuple[Shape, ...]

    def activity_at(self, points_mm: Array) -> Array:
        return self._at(points_mm, [s.activity for s in self.shapes])

    def mu_at(self, points_mm: Array) -> Array:
        return self._at(points_mm, [s.mu_per_mm for s in self.shapes])

    def activity_integral(self, first_mm: Array, second_mm: Array) -> Array:
        return self._integral(first_mm, second_mm, [s.activity for s in self.shapes])

    def mu_integral(self, first_mm: Array, second_mm: Array) -> Array:
        return self._integral(first_mm, second_mm, [s.mu_per_mm for s in self.shapes])

    def may_cross_activity(self, first_mm: Array, second_mm: Array) -> NDArray[np.bool_]:
        seen = np.zeros(len(first_mm), bool)
        for shape in self.shapes:
            if shape.activity > 0:
                x, y, _ = shape.centre_mm
                seen |= distances_mm((x, y), first_mm, second_mm) <= shape.reach_mm
        return seen

    def emission_places(self, first_mm: Array, second_mm: Array, rng: np.random.Generator) -> Array:
        active = may_cross([s for s in self.shapes if s.activity], first_mm, second_mm)
        enter, leave = spans(active, first_mm, second_mm)
        values = np.array([s.activity for s in active])
        upto = np.maximum(values, 0)[:, None] * (leave - enter)
        # Row by row, which is twenty times as fast as `cumsum` along the first axis.
        for before, row in pairwise(upto):
            row += before
        places = np.full(len(first_mm), np.nan)
        waiting = np.flatnonzero(upto[-1] > 0) if len(upto) else np.empty(0, int)
        while n := len(waiting):
            random = rng.random((3, n))
            n_again = emission.try_places(waiting, random, enter, leave, upto, values, places)
            waiting = waiting[:n_again]
        return places

    @checked(positive=("oversample",))
    def rasterise(
        self, grid: ImageGrid, quantity: Quantity = "activity", *, oversample: int = 3
    ) -> Volume:
        values = np.zeros(grid.shape, np.float32)
        for shape in self.shapes:
            value = shape.activity if quantity == "activity" else shape.mu_per_mm
            if value:
                # Small shapes in a large grid: only their own voxels change.
                box, share = shape.coverage_in_box(grid, oversample)
                values[box] += value * share
        # Rounding can leave small negative sums where a hole cancels a shape.
        return Volume(np.maximum(values, 0), grid, UNITS[quantity], {"phantom": self.name})

    def _at(self, points_mm: Array, values: list[float]) -> Array:
        total = np.zeros(len(points_mm))
        for shape, value in zip(self.shapes, values, strict=True):
            if value:
                total += value * shape.contains(points_mm)
        return _without_dust(total)

    def _integral(self, first_mm: Array, second_mm: Array, values: list[float]) -> Array:
        total = np.zeros(len(first_mm))
        counting = [(s, v) for s, v in zip(self.shapes, values, strict=True) if v]
        if counting:
            shapes = [shape for shape, _ in counting]
            ends = np.ascontiguousarray(np.hstack([first_mm, second_mm]).T, np.float64)
            frames = np.stack([shape.to_frame for shape in shapes])
            centres = np.array([shape.centre_mm for shape in shapes], np.float64)
            kinds = np.array([kind_of(shape) for shape in shapes])
            weights = np.array([value for _, value in counting], np.float64)
            chords.sums(ends, frames, centres, kinds, weights, total)
        return _without_dust(total * np.linalg.norm(second_mm - first_mm, axis=1))


def distances_mm(place_mm: tuple[float, float], first_mm: Array, second_mm: Array) -> Array:
    """Return the distances of a point from lines, all projected along z.

    Parameters
    ----------
    place_mm
        (x, y) of the point [mm]
    first_mm, second_mm
        (n, 3) ends of the lines [mm]

    Returns
    -------
    Array
        (n,) distances from the infinite lines [mm]
    """
    x, y = (first_mm[:, axis] - place_mm[axis] for axis in (0, 1))
    dx, dy = (second_mm[:, axis] - first_mm[:, axis] for axis in (0, 1))
    length = np.maximum(np.hypot(dx, dy), 1e-9)
    return np.asarray(np.abs(x * dy - y * dx) / length)


def _without_dust(total: Array) -> Array:
    """Set values to 0 that are only rounding errors of shapes that cancel."""
    return np.where(total > 1e-9, total, 0)
