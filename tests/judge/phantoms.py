"""Phantoms that emit and attenuate photons, made of solids or of voxels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.judge.cells import MIXED, cells_of
from tests.judge.compiled import cached, inner
from tests.judge.materials import VACUUM, Material, table
from tests.judge.solids import ROW, Solid, Vector, contains, draw_in
from tests.judge.streams import uniform

Array = NDArray[Any]


class World(NamedTuple):
    """A phantom in the form for kernels."""

    solids: Array  # (n, ROW), later ones are on top of earlier ones
    cells: Array  # (z, y, x) see `tests.judge.cells`
    lattice: Array  # (4,) lower corner and edge of the cells, mm
    materials: Array  # (n,) row of `coefficients`
    activities: Array  # (n,) per mm³
    shares: Array  # (n,) cumulative share of all decays, as if no solid covered another
    labels: Array  # (z, y, x) row of `coefficients`; empty for solids
    voxel_shares: Array  # (z · y · x,) cumulative share of all decays
    voxels: Array  # (6,) lower corner and edges, mm
    box: Array  # (6,) lower and upper corner of all matter, mm
    coefficients: Array  # (materials, 2, energies) total and Compton, 1/mm
    most: Array  # (energies,) largest total


@dataclass(frozen=True)
class Region:
    """A solid with one material and one activity concentration [any unit, per mm³]."""

    solid: Solid
    material: Material = VACUUM
    activity: float = 0.0


@dataclass(frozen=True)
class Phantom:
    """Overlapping regions; at each point, the last region that contains it applies."""

    name: str
    regions: tuple[Region, ...]

    @cached_property
    def world(self) -> World:
        """Return the phantom in the form for kernels."""
        rows = np.array([r.solid.row() for r in self.regions]).reshape(-1, ROW)
        used = list(dict.fromkeys(r.material for r in self.regions))
        activities = np.array([r.activity for r in self.regions])
        decays = activities * [r.solid.volume_mm3 for r in self.regions]
        matter = [r.solid.reach_mm() for r in self.regions if r.material != VACUUM]
        corners = [*(low for low, _ in matter)], [*(high for _, high in matter)]
        lower = np.min(corners[0], axis=0) if matter else np.zeros(3)
        upper = np.max(corners[1], axis=0) if matter else np.zeros(3)
        return World(
            rows,
            *cells_of(tuple(r.solid for r in self.regions)),
            np.array([used.index(r.material) for r in self.regions], np.int64),
            activities,
            np.cumsum(decays) / max(decays.sum(), 1e-300),
            np.zeros((0, 0, 0), np.uint8),
            np.zeros(0),
            np.array([0.0, 0, 0, 1, 1, 1]),
            np.concatenate([lower, upper]),
            *_coefficients(used),
        )

    def at(self, points: Array) -> tuple[Array, Array]:
        """Return activity per mm³ and attenuation at 511 keV [1/mm] at points, (n, 3) [mm]."""
        tops = np.empty(len(points), np.int64)
        _tops(self.world, np.ascontiguousarray(points, float), tops)
        activity = np.array([*(r.activity for r in self.regions), 0.0])
        mu = np.array([*(r.material.total(511.0) for r in self.regions), 0.0])
        return activity[tops], mu[tops]


@dataclass(frozen=True, eq=False)
class VoxelPhantom:
    """Voxels [z, y, x] of materials and activities.

    Attributes
    ----------
    name : name of the phantom
    labels : (z, y, x) uint8, index of the material of each voxel
    materials : materials by index
    activity : (z, y, x) concentration [any unit, per mm³]
    voxel_mm : (x, y, z) edges
    centre_mm : (x, y, z) centre of the box of voxels
    """

    name: str
    labels: Array
    materials: tuple[Material, ...]
    activity: Array
    voxel_mm: Vector
    centre_mm: Vector = (0.0, 0.0, 0.0)

    @cached_property
    def world(self) -> World:
        """Return the phantom in the form for kernels."""
        size = np.array(self.labels.shape[::-1]) * self.voxel_mm
        lower = np.array(self.centre_mm) - size / 2
        shares = np.cumsum(self.activity.ravel(), dtype=float)
        return World(
            np.zeros((0, ROW)),
            *cells_of(()),
            np.zeros(0, np.int64),
            np.zeros(0),
            np.zeros(0),
            np.ascontiguousarray(self.labels, np.uint8),
            shares / shares[-1],
            np.concatenate([lower, self.voxel_mm]),
            np.concatenate([lower, lower + size]),
            *_coefficients(self.materials),
        )


def _coefficients(materials: list[Material] | tuple[Material, ...]) -> tuple[Array, Array]:
    coefficients = np.array([table(material) for material in materials])
    return coefficients, coefficients[:, 0].max(axis=0)


@cached
def _tops(world, points, out):
    for i in range(len(points)):
        out[i] = top(world, points[i, 0], points[i, 1], points[i, 2])


@inner
def top(world, x, y, z):
    """Return the number of the last solid that contains a point, or −1."""
    lattice, shape = world.lattice, world.cells.shape
    i = math.floor((x - lattice[0]) / lattice[3])
    j = math.floor((y - lattice[1]) / lattice[3])
    k = math.floor((z - lattice[2]) / lattice[3])
    if 0 <= i < shape[2] and 0 <= j < shape[1] and 0 <= k < shape[0]:
        known = world.cells[k, j, i]
        if known != MIXED:
            return np.int64(known)
    return searched_top(world.solids, x, y, z)


@inner
def searched_top(solids, x, y, z):
    """Return the same by a search through all solids."""
    for k in range(len(solids) - 1, -1, -1):
        if contains(solids[k], x, y, z):
            return k
    return -1


@inner
def material_at(world, x, y, z):
    """Return the row of coefficients at a point, −1 in a vacuum."""
    if world.labels.size == 0:
        k = top(world, x, y, z)
        return -1 if k < 0 else world.materials[k]
    v, shape = world.voxels, world.labels.shape
    i = int((x - v[0]) / v[3])
    j = int((y - v[1]) / v[4])
    k = int((z - v[2]) / v[5])
    if 0 <= i < shape[2] and 0 <= j < shape[1] and 0 <= k < shape[0]:
        return np.int64(world.labels[k, j, i])
    return -1


@inner
def draw_decay(world, stream, point):
    """Set `point` to the position of a decay."""
    if world.labels.size == 0:
        while True:
            u, k = uniform(stream), 0
            while world.shares[k] <= u:
                k += 1
            draw_in(world.solids[k], stream, point)
            # another solid covers this part
            if top(world, point[0], point[1], point[2]) == k:
                return
    n = np.searchsorted(world.voxel_shares, uniform(stream), side="right")
    shape, v = world.labels.shape, world.voxels
    point[0] = v[0] + (n % shape[2] + uniform(stream)) * v[3]
    point[1] = v[1] + (n // shape[2] % shape[1] + uniform(stream)) * v[4]
    point[2] = v[2] + (n // (shape[2] * shape[1]) + uniform(stream)) * v[5]
