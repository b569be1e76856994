"""Sums over the 26 neighbours of each voxel, on any device, with identical bits.

The weight of a pair is its voxel size along x divided by the distance of the two centres [mm], as
in STIR: 1 for neighbours along x, 1/√2 and 1/√3 for diagonals of cubic voxels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of, only_read
from engine.core.backend import gpu_of
from engine.core.errors import GeometryError
from engine.kernels.blocks import run_blocks
from engine.kernels.neighbours import pairs
from engine.operators.planes import VOXELS_AT_ONCE

BLOCKS_PER_THREAD = 4
"""Blocks of planes of each thread; each of them computes a part of one more plane."""
N_HALF, STEPS = pairs.N_HALF, pairs.STEPS
_ALL: NDArray[np.uint8] = np.zeros((0, 0, 0, 0), np.uint8)


class Potential(IntEnum):
    """Potential of a pair of neighbours; see `engine.kernels.neighbours.pairs`."""

    QUADRATIC = pairs.QUADRATIC
    RELATIVE = pairs.RELATIVE
    HUBER = pairs.HUBER


class Term(IntEnum):
    """Quantity that is summed over the neighbours; see `engine.kernels.neighbours.pairs`."""

    VALUE = pairs.VALUE
    GRADIENT = pairs.GRADIENT
    HESSIAN = pairs.HESSIAN
    CURVATURE = pairs.CURVATURE


def neighbour_weights(spacing_mm: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the weights of the 26 neighbours, in the order of `STEPS`.

    Parameters
    ----------
    spacing_mm
        (z, y, x) voxel spacing
    """
    distance: NDArray[np.float64] = np.linalg.norm(STEPS * np.asarray(spacing_mm), axis=1)
    return spacing_mm[-1] / distance


@dataclass(frozen=True, eq=False)
class NeighbourSums:
    """Sums of one potential over the neighbours of each voxel.

    Attributes
    ----------
    potential : φ of a pair
    spacing_mm : (z, y, x) voxel spacing
    numbers : γ or δ, and ε
    kappa : (n_z, n_y, n_x) κ; 0 excludes a voxel. None: 1 in all voxels
    shares : (13, n_z, n_y, n_x) uint8, twice the share of each pair; None: all pairs count fully
    threads : CPU threads; a GPU image is processed on its GPU
    """

    potential: Potential
    spacing_mm: tuple[float, ...]
    numbers: tuple[float, float] = (0.0, 0.0)
    kappa: Array | None = None
    shares: NDArray[np.uint8] | None = None
    threads: int = 1
    _cached: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __call__(self, term: Term, x: Array, vector: Array | None = None) -> Array:
        """Return Σ_m w_nm κ_n κ_m t(x_n, x_m) of each voxel n, on the device of the image.

        Parameters
        ----------
        term
            quantity to sum
        x
            (n_z, n_y, n_x) float32 or float64 image
        vector
            (n_z, n_y, n_x) vector of HESSIAN; None for other terms

        Raises
        ------
        GeometryError
            if images have different shapes
        """
        x = module_of(x).ascontiguousarray(x)
        vector = x if vector is None else module_of(x).ascontiguousarray(vector, x.dtype)
        for each in (vector, self.kappa):
            if each is not None and each.shape != x.shape:
                raise GeometryError(
                    f"prior: got an image of shape {each.shape}, expected {x.shape}; use images "
                    "on the grid of the reconstruction."
                )
        if module_of(x) is np:
            return self._on_host(term, x, vector)
        return self._on_device(term, x, vector)

    def _on_host(self, term: Term, x: Array, vector: Array) -> Array:
        weights, numbers = self._tables(x.dtype)
        (kappa, spans), shares = self._kappa(x), _ALL if self.shares is None else self.shares
        out = np.empty_like(x)
        images = [only_read(each) for each in (x, vector, kappa, spans, weights, shares)]
        fixed = only_read(STEPS), only_read(numbers)
        numbers_of = int(term), int(self.potential)

        def work(_: int, start: int, stop: int) -> None:
            buffers = np.zeros((3, x.shape[2]), x.dtype)
            pairs.add_pairs(start, stop, *numbers_of, *images, *fixed, buffers, out)

        n = len(x)
        if self.threads == 1 or x.size <= VOXELS_AT_ONCE:  # not worth a thread
            work(0, 0, n)
            return out
        planes = -(-n // (BLOCKS_PER_THREAD * self.threads))
        run_blocks(work, n, self.threads, rows=planes, in_turn=False)
        return out

    def _on_device(self, term: Term, x: Array, vector: Array) -> Array:
        from engine.kernels.neighbours import device_pairs

        gpu, key = gpu_of(x), (gpu_of(x), str(x.dtype))
        if key not in self._cached:
            weights, numbers = self._tables(x.dtype)
            shares = None if self.shares is None else gpu.upload(self.shares)
            tables = device_pairs.tables_of(gpu, weights, STEPS, pairs.ORDER, numbers)
            self._cached[key] = shares, tables
        shares, tables = self._cached[key]
        numbers_of = int(term), int(self.potential)
        return device_pairs.sums(gpu, *numbers_of, x, vector, self._kappa(x)[0], shares, tables)

    def _kappa(self, x: Array) -> tuple[Array, Array]:
        """Return κ on the device of an image and in its type, and the span of each row on a CPU."""
        xp = module_of(x)
        key = xp.__name__, str(x.dtype), x.shape
        if key not in self._cached:
            kappa = xp.ones(x.shape, x.dtype) if self.kappa is None else xp.asarray(self.kappa)
            kappa = xp.ascontiguousarray(kappa.astype(x.dtype, copy=False))
            self._cached[key] = kappa, _spans(kappa) if xp is np else None
        return self._cached[key]

    def _tables(self, dtype: Any) -> tuple[Array, Array]:
        weights = neighbour_weights(self.spacing_mm).astype(dtype)
        return weights, np.array([*self.numbers, 0.5, 1.0], dtype)


def _spans(kappa: Array) -> NDArray[np.int32]:
    """Return the first voxel of each row that is not 0, and the one after the last."""
    found = np.zeros((*kappa.shape[:2], 2), np.int32)
    for z, plane in enumerate(kappa):
        is_some = plane != 0
        found[z, :, 0] = is_some.argmax(axis=1)
        found[z, :, 1] = kappa.shape[2] - is_some[:, ::-1].argmax(axis=1)
        # A row of zeros has no voxel.
        found[z, ~is_some.any(axis=1)] = 0
    return found
