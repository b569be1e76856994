"""Scanners: regular polygons of modules, each with crystals in blocks.

A round ring is a polygon of modules with one crystal each; two panels are a polygon of two modules.
Crystal = (row · n_modules + module) · n_across + column. Rows run along the z axis, columns of a
module in the direction from +x to +y. There may be several layers of crystals, which share the
depth; the numbers of each further layer continue after those of the previous one. The space between
and outside crystals is empty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.judge.compiled import inner
from tests.judge.materials import LSO, Material, table

Array = NDArray[Any]


class Crystals(NamedTuple):
    """A scanner in the form for kernels."""

    turns: Array  # (n_modules, 2) cosine and sine of each module's direction
    across: Array  # (5,) blocks, crystals per block, pitch, crystal and gap between blocks, mm
    along: Array  # (5,) the same along the axis
    sizes: Array  # (9,): see `_sizes`
    coefficients: Array  # (2, energies) total and Compton, 1/mm


FACE, DEPTH, BORE, OUTER, HALF_LENGTH, FIRST_ANGLE, TILT_COS, TILT_SIN, LAYERS = range(9)


@dataclass(frozen=True)
class Scanner:
    """A polygon of modules.

    Attributes
    ----------
    n_modules : corners of the polygon
    face_mm : distance of the faces of modules from the axis
    across, along : blocks of a module around and along the axis, and crystals of a block
    pitch_mm : distance between crystal centres, around and along the axis
    crystal_mm : widths of crystals
    gap_mm : additional distance between two blocks, around and along the axis
    depth_mm : length of the crystals, all layers together
    n_layers : number of layers
    first_deg, tilt_deg : direction of module 0; rotation of each module about its face centre
    material : material of the crystals
    """

    n_modules: int
    face_mm: float
    across: tuple[int, int] = (1, 1)
    along: tuple[int, int] = (1, 1)
    pitch_mm: tuple[float, float] = (4.0, 4.0)
    crystal_mm: tuple[float, float] = (4.0, 4.0)
    gap_mm: tuple[float, float] = (0.0, 0.0)
    depth_mm: float = 20.0
    first_deg: float = 0.0
    tilt_deg: float = 0.0
    material: Material = LSO
    n_layers: int = 1

    @property
    def n_across(self) -> int:
        """Return the number of crystals across a module."""
        return self.across[0] * self.across[1]

    @property
    def n_rows(self) -> int:
        """Return the number of crystals along the axis."""
        return self.along[0] * self.along[1]

    @property
    def n_crystals(self) -> int:
        """Return the number of crystals of the scanner."""
        return self.n_per_layer * self.n_layers

    @property
    def n_per_layer(self) -> int:
        """Return the number of crystals of one layer."""
        return self.n_rows * self.n_modules * self.n_across

    @property
    def n_blocks(self) -> int:
        """Return the number of blocks of the scanner."""
        return self.along[0] * self.n_modules * self.across[0]

    @property
    def size_mm(self) -> tuple[float, float]:
        """Return the size of a module across and along the axis, including gaps."""
        counts = (self.across, self.along)
        width, length = (
            n * m * pitch + (n - 1) * gap
            for (n, m), pitch, gap in zip(counts, self.pitch_mm, self.gap_mm, strict=True)
        )
        return width, length

    def places_mm(self, depth_mm: float) -> Array:
        """Return points in all crystals of a layer at a depth below the faces, (n_per_layer, 3)."""
        u, z = (
            _middles(counts, pitch, gap)
            for counts, pitch, gap in zip(
                (self.across, self.along), self.pitch_mm, self.gap_mm, strict=True
            )
        )
        tilt = math.radians(self.tilt_deg)
        outward = self.face_mm + depth_mm * math.cos(tilt) - u * math.sin(tilt)
        sideways = depth_mm * math.sin(tilt) + u * math.cos(tilt)
        cos, sin = self.crystals.turns[:, :1], self.crystals.turns[:, 1:]
        x, y = cos * outward - sin * sideways, sin * outward + cos * sideways
        around = np.stack([x.ravel(), y.ravel()], axis=1)
        places = np.empty((self.n_rows, len(around), 3))
        places[..., :2], places[..., 2] = around, z[:, None]
        return places.reshape(-1, 3)

    @cached_property
    def crystals(self) -> Crystals:
        """Return the scanner in the form for kernels."""
        first = math.radians(self.first_deg)
        angles = first + 2 * math.pi * np.arange(self.n_modules) / self.n_modules
        lists = [
            np.array([*counts, pitch, crystal, gap], float)
            for counts, pitch, crystal, gap in zip(
                (self.across, self.along), self.pitch_mm, self.crystal_mm, self.gap_mm, strict=True
            )
        ]
        turns = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        return Crystals(turns, *lists, self._sizes(), table(self.material))

    def _sizes(self) -> Array:
        tilt, (width, length) = math.radians(self.tilt_deg), self.size_mm
        u, w = np.meshgrid(np.linspace(-width / 2, width / 2, 1001), [0.0, self.depth_mm])
        radii = np.hypot(
            self.face_mm + w * math.cos(tilt) - u * math.sin(tilt),
            w * math.sin(tilt) + u * math.cos(tilt),
        )
        bore = radii.min() * (1 - 1e-5)  # from 1001 points; the nearest one may be between them
        sizes = [
            self.face_mm,
            self.depth_mm,
            bore,
            radii.max(),
            length / 2,
            math.radians(self.first_deg),
        ]
        return np.array([*sizes, math.cos(tilt), math.sin(tilt), self.n_layers])


def _middles(counts: tuple[int, int], pitch: float, gap: float) -> Array:
    k = np.arange(counts[0] * counts[1])
    at = (k + 0.5) * pitch + k // counts[1] * gap
    return at - (at[0] + at[-1]) / 2


@inner
def cell(at, rule):
    """Return the number of the crystal at a distance from the centre of a module, −1 in a gap."""
    n, m, pitch, crystal, gap = rule[0], rule[1], rule[2], rule[3], rule[4]
    at += 0.5 * (n * (m * pitch + gap) - gap)
    block = math.floor(at / (m * pitch + gap))
    if block < 0 or block >= n:
        return -1
    at -= block * (m * pitch + gap)
    k = math.floor(at / pitch)
    if k >= m or abs(at - (k + 0.5) * pitch) > 0.5 * crystal:
        return -1
    return int(block * m + k)


@inner
def crystal_at(crystals, x, y, z):
    """Return the number of the crystal that contains a point, or −1."""
    row = cell(z, crystals.along)
    if row < 0:
        return -1
    n = len(crystals.turns)
    turn = (math.atan2(y, x) - crystals.sizes[FIRST_ANGLE]) * n / (2.0 * math.pi)
    nearest = math.floor(turn + 0.5)
    # a tilted module extends beyond its own sector
    reach = 1 if crystals.sizes[TILT_SIN] != 0.0 else 0
    for module in range(nearest - reach, nearest + reach + 1):
        column, layer = _column(crystals, module % n, x, y)
        if column >= 0:
            n_across = int(crystals.across[0] * crystals.across[1])
            return layer * layer_size(crystals) + (row * n + module % n) * n_across + column
    return -1


@inner
def _column(crystals, module, x, y):
    """Return the column across a module, or −1, and the layer."""
    cos, sin = crystals.turns[module, 0], crystals.turns[module, 1]
    w, u = cos * x + sin * y - crystals.sizes[FACE], cos * y - sin * x
    tilt_cos, tilt_sin = crystals.sizes[TILT_COS], crystals.sizes[TILT_SIN]
    depth = tilt_cos * w + tilt_sin * u
    if depth < 0.0 or depth > crystals.sizes[DEPTH]:
        return -1, 0
    n_layers = int(crystals.sizes[LAYERS])
    layer = min(int(depth / crystals.sizes[DEPTH] * n_layers), n_layers - 1)
    return cell(tilt_cos * u - tilt_sin * w, crystals.across), layer


@inner
def layer_size(crystals):
    """Return the number of crystals of a layer."""
    n_rows = int(crystals.along[0] * crystals.along[1])
    return n_rows * len(crystals.turns) * int(crystals.across[0] * crystals.across[1])


@inner
def module_of(crystals, crystal):
    """Return the number of a crystal's module."""
    n_across = int(crystals.across[0] * crystals.across[1])
    return crystal // n_across % len(crystals.turns)


@inner
def block_of(crystals, crystal):
    """Return the number of a crystal's block, which contains all of its layers."""
    crystal %= layer_size(crystals)
    n, m = int(crystals.across[0]), int(crystals.across[1])
    around = crystal % (len(crystals.turns) * n * m)
    row = crystal // (len(crystals.turns) * n * m)
    return row // int(crystals.along[1]) * len(crystals.turns) * n + around // m
