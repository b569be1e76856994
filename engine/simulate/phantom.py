"""Base class of phantoms: activity and attenuation, and their exact line integrals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.simulate.shapes import Shape
from engine.simulate.spans import may_cross, spans

Quantity = Literal["activity", "mu"]
BUNDLE = 2048
"""Lines taken together; where they run side by side, shapes they all miss cost nothing. Arrays
of many shapes stay in the cache of the processor."""
UNITS: dict[Quantity, str] = {"activity": "relative", "mu": "1/mm"}


class Phantom(ABC):
    """Object of a simulation.

    Points are (n, 3) as (x, y, z) [mm]; lines run from the rows of one such array to those of
    another.
    """

    name: str

    @abstractmethod
    def activity_at(self, points_mm: Array) -> Array:
        """(n,) activity per volume, relative."""

    @abstractmethod
    def mu_at(self, points_mm: Array) -> Array:
        """(n,) attenuation coefficient [1/mm]."""

    @abstractmethod
    def activity_integral(self, first_mm: Array, second_mm: Array) -> Array:
        """(n,) line integrals of the activity [mm, relative]."""

    @abstractmethod
    def mu_integral(self, first_mm: Array, second_mm: Array) -> Array:
        """(n,) line integrals of the attenuation coefficient, without unit."""

    @abstractmethod
    def emission_places(self, first_mm: Array, second_mm: Array, rng: np.random.Generator) -> Array:
        """(n,) random places of emission, as fractions of the way from first to second."""

    def may_be_seen(self, first_mm: Array, second_mm: Array) -> NDArray[np.bool_]:
        """(n,) whether lines may pass activity at some height, judged across z; yes if unsure."""
        return np.ones(len(first_mm), bool)

    @abstractmethod
    def rasterise(
        self, grid: ImageGrid, quantity: Quantity = "activity", *, oversample: int = 3
    ) -> Volume:
        """Return the mean of activity or attenuation in each voxel."""


@dataclass(frozen=True)
class ShapePhantom(Phantom):
    """Sum of shapes. A hole is a shape with negative values inside another one."""

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

    def may_be_seen(self, first_mm: Array, second_mm: Array) -> NDArray[np.bool_]:
        seen = np.zeros(len(first_mm), bool)
        for shape in self.shapes:
            if shape.activity > 0:
                x, y, _ = shape.centre_mm
                seen |= distances_mm((x, y), first_mm, second_mm) <= shape.reach_mm
        return seen

    def emission_places(self, first_mm: Array, second_mm: Array, rng: np.random.Generator) -> Array:
        # drawn from the positive shapes, then thinned by what the negative ones take away
        active = may_cross([s for s in self.shapes if s.activity], first_mm, second_mm)
        enter, leave = spans(active, first_mm, second_mm)
        value = np.array([[s.activity] for s in active]).reshape(-1, 1)
        giving = np.maximum(value, 0)
        upto = np.cumsum(giving * (leave - enter), axis=0)
        places = np.full(len(first_mm), np.nan)
        left = np.flatnonzero(upto[-1] > 0) if len(upto) else np.empty(0, int)
        while len(left):
            at = rng.random(len(left)) * upto[-1, left]
            shape = (upto[:, left] <= at).sum(axis=0).clip(max=len(value) - 1)
            start, stop = enter[shape, left], leave[shape, left]
            place = start + (stop - start) * rng.random(len(left))
            inside = (enter[:, left] <= place) & (place < leave[:, left])
            given, absorbed = (giving * inside).sum(axis=0), (value * inside).sum(axis=0)
            accepted = rng.random(len(left)) * given < absorbed
            places[left[accepted]] = place[accepted]
            left = left[~accepted]
        return places

    def rasterise(
        self, grid: ImageGrid, quantity: Quantity = "activity", *, oversample: int = 3
    ) -> Volume:
        values = np.zeros(grid.shape, np.float32)
        for shape in self.shapes:
            value = shape.activity if quantity == "activity" else shape.mu_per_mm
            if value:
                values += value * shape.coverage(grid, oversample)
        return Volume(np.maximum(values, 0), grid, UNITS[quantity], {"phantom": self.name})

    def _at(self, points_mm: Array, values: list[float]) -> Array:
        total = np.zeros(len(points_mm))
        for shape, value in zip(self.shapes, values, strict=True):
            if value:
                total += value * shape.contains(points_mm)
        return _without_dust(total)

    def _integral(self, first_mm: Array, second_mm: Array, values: list[float]) -> Array:
        total = np.zeros(len(first_mm))
        value_of = {id(s): v for s, v in zip(self.shapes, values, strict=True) if v}
        counting = [s for s in self.shapes if id(s) in value_of]
        for start in range(0, len(total), BUNDLE):
            rows = slice(start, start + BUNDLE)
            near = may_cross(counting, first_mm[rows], second_mm[rows])
            enter, leave = spans(near, first_mm[rows], second_mm[rows])
            total[rows] = np.array([value_of[id(s)] for s in near]) @ (leave - enter)
        return _without_dust(total * np.linalg.norm(second_mm - first_mm, axis=1))


def distances_mm(place_mm: tuple[float, float], first_mm: Array, second_mm: Array) -> Array:
    """(n,) distances of a place (x, y) from lines, all seen along z."""
    x, y = (first_mm[:, axis] - place_mm[axis] for axis in (0, 1))
    dx, dy = (second_mm[:, axis] - first_mm[:, axis] for axis in (0, 1))
    length = np.maximum(np.hypot(dx, dy), 1e-9)
    return np.asarray(np.abs(x * dy - y * dx) / length)


def _without_dust(total: Array) -> Array:
    """Set to zero what rounding leaves where shapes cancel."""
    return np.where(total > 1e-9, total, 0)
