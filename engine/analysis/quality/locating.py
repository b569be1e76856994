"""Find position and rotation of a phantom by matching its layout to the image.

    score = Σ (t − t̄) v / ‖t − t̄‖

t is the layout sampled on the image grid. For each rotation all positions are tried at once by
Fourier transforms. The best one is refined by the simplex method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.analysis.quality.quality_report import Placement, Points
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

Layout = Callable[[Points, Points, Points, float], Points]
"""Function of phantom coordinates [mm] and the width of its soft edges [mm]."""
COARSE, FINER = 40, 56
"""Maximum number of voxels along an axis, during the search and during the refinement."""
SAME = 1e-3
AXES = (0, 1, 2)
TURNS_DEG = tuple(float(t) for t in range(0, 360, 10))


def soft(distance_mm: Points, width_mm: float) -> Points:
    """Return the fraction inside a surface, from the signed distance to it.

    Parameters
    ----------
    distance_mm
        distance to the surface [mm], negative inside
    width_mm
        width of the transition from 1 (inside) to 0 (outside) [mm]
    """
    return np.clip(0.5 - distance_mm / width_mm, 0, 1)


def locate(
    volume: Volume,
    layout: Layout,
    *,
    turns_deg: Sequence[float] = TURNS_DEG,
    flips: Sequence[bool] = (False, True),
) -> Placement:
    """Return the position of a phantom with its axis along z.

    Parameters
    ----------
    volume
        image of the phantom
    layout
        relative activity of the phantom
    turns_deg, flips
        rotations about z [deg] and reversals to try

    Raises
    ------
    DataError
        if the image has the same value everywhere
    """
    if not np.ptp(volume.values) > 0:
        raise DataError("all values of the image are equal; choose an image of a phantom.")
    start = _searched(_coarser(volume, COARSE), layout, turns_deg, flips)
    return _refined(_coarser(volume, FINER), layout, start)


def _searched(
    volume: Volume, layout: Layout, turns_deg: Sequence[float], flips: Sequence[bool]
) -> Placement:
    grid = volume.grid
    # The correlation by FFT is circular. The padding keeps a shifted template from wrapping around.
    padded = tuple(int(1.5 * n) for n in grid.shape)
    image = np.fft.rfftn(volume.values - volume.values.mean(), padded, AXES)
    best = (-np.inf, Placement(grid.centre_mm))
    for flipped in flips:
        for turn in turns_deg:
            middle = Placement(grid.centre_mm, turn, flipped)
            template = np.conj(np.fft.rfftn(_unit(layout, grid, middle), padded, AXES))
            likeness = np.fft.irfftn(image * template, padded, AXES)
            k = int(np.argmax(likeness))
            # Symmetric layouts match equally well at several turns. The margin makes the first one
            # win, so that rounding does not decide.
            if likeness.flat[k] > best[0] * (1 + SAME):
                # Indices in the upper half of a circular correlation are negative shifts.
                shift = [
                    i if i < n // 2 else i - n
                    for i, n in zip(np.unravel_index(k, padded), padded, strict=True)
                ]
                x, y, z = (
                    c + int(s) * v
                    for c, s, v in zip(grid.centre_mm, shift[::-1], grid.voxel_mm, strict=True)
                )
                best = float(likeness.flat[k]), Placement((x, y, z), turn, flipped)
    return best[1]


def _refined(volume: Volume, layout: Layout, start: Placement) -> Placement:
    from scipy import optimize

    values = volume.values - volume.values.mean()

    def dissimilarity(p: NDArray[np.float64]) -> float:
        at = Placement((p[0], p[1], p[2]), p[3], start.flipped)
        return -float(np.sum(_unit(layout, volume.grid, at) * values))

    begin = np.array([*start.centre_mm, start.turn_deg])
    steps = np.diag([*(np.array(volume.grid.voxel_mm) / 2), 3.0])
    simplex = np.vstack([begin, begin + steps])
    found = optimize.minimize(
        dissimilarity,
        begin,
        method="Nelder-Mead",
        # `fatol` 0 leaves the stop to `xatol` (0.02 mm and degrees): the score's scale depends on
        # the image.
        options={"initial_simplex": simplex, "xatol": 0.02, "fatol": 0, "maxfev": 160},
    )
    x, y, z, turn = (float(v) for v in found.x)
    return Placement((x, y, z), turn, start.flipped)


def _unit(layout: Layout, grid: ImageGrid, at: Placement) -> NDArray[np.float64]:
    """Return the layout on a grid, with mean 0 and norm 1."""
    z, y, x = (grid.centres_mm(axis).astype(np.float64) for axis in (2, 1, 0))
    points = at.to_phantom(x[None, None, :], y[None, :, None], z[:, None, None])
    sampled = np.broadcast_to(layout(*points, max(grid.voxel_mm)), grid.shape)
    sampled = sampled - sampled.mean()
    norm = float(np.linalg.norm(sampled))
    # A layout outside the grid has norm 0. It keeps the score 0 and is never the best.
    return np.asarray(sampled / norm if norm else sampled)


def _coarser(volume: Volume, max_edge: int) -> Volume:
    """Return means of blocks of voxels, at most `max_edge` along an axis, without the rest."""
    blocks = [max(1, -(-n // max_edge)) for n in volume.grid.shape]
    used = [n // b * b for n, b in zip(volume.grid.shape, blocks, strict=True)]
    begin = [(n - k) // 2 for n, k in zip(volume.grid.shape, used, strict=True)]
    values = volume.values[tuple(slice(b, b + k) for b, k in zip(begin, used, strict=True))]
    shape = [s for k, b in zip(used, blocks, strict=True) for s in (k // b, b)]
    means = np.nan_to_num(values).reshape(shape).mean(axis=(1, 3, 5), dtype=np.float64)
    voxel = tuple(v * b for v, b in zip(volume.grid.voxel_mm, blocks[::-1], strict=True))
    lower = volume.grid.lower_mm + np.array(begin[::-1]) * np.array(volume.grid.voxel_mm)
    centre = lower + np.array(means.shape[::-1]) * np.array(voxel) / 2
    n_z, n_y, n_x = means.shape
    grid = ImageGrid(
        (n_z, n_y, n_x),
        (voxel[0], voxel[1], voxel[2]),
        (float(centre[0]), float(centre[1]), float(centre[2])),
    )
    return Volume(means.astype(np.float32), grid, volume.unit)
