"""Monte Carlo response of any two crystals: random points and sampled lines, without symmetry."""

from __future__ import annotations

import numpy as np

from engine.geometry.dual_head import DualHead


def brute_force(scanner: DualHead, lor: int, rng: np.random.Generator, n_points: int) -> np.ndarray:
    """Return the detection probability of every voxel (n_z, n_y, n_x) for crystals without gaps.

    The whole slab attenuates photons, because there are no gaps. Each line is sampled at
    `n_along` random positions, one in each of its equal steps.
    """
    s, grid, n_along = scanner.settings, scanner.grid, 64
    layers = np.divmod(lor // scanner.orientations.n_pairs, s.n_layers)
    place = scanner.orientations.places(np.array([lor % scanner.orientations.n_pairs]))
    row, column = (np.array([place[i][0], place[i + 2][0]], float) for i in (0, 1))
    middle = np.array([(column - (s.n_columns - 1) / 2), (row - (s.n_rows - 1) / 2)]) * s.pitch_mm
    depth, *across = rng.random((3, 2, n_points))
    depth = (depth + np.array(layers)[:, None]) * s.thickness_mm / s.n_layers
    side = np.array([-1.0, 1.0])[:, None]
    x, z = (m[:, None] + (u - 0.5) * s.pitch_mm for m, u in zip(middle, across, strict=True))
    ends = np.stack([x, side * (s.separation_mm / 2 + depth), z], -1)
    step = ends[1] - ends[0]
    length = np.linalg.norm(step, axis=1)
    obliquity = length / step[:, 1]
    weight = np.exp(-s.attenuation_per_mm * depth.sum(axis=0) * obliquity) / length**2
    volume = s.crystal_mm**2 * s.thickness_mm / s.n_layers
    voxel = np.prod(grid.voxel_mm)
    scale = (s.attenuation_per_mm * volume) ** 2 / (2 * np.pi * voxel * n_points * n_along)
    image = np.zeros(grid.n_voxels)
    for i in range(n_along):
        t = (i + rng.random(n_points)) / n_along
        at = np.floor(grid.to_voxels(ends[0] + t[:, None] * step)).astype(int)[:, ::-1]
        inside = ((at >= 0) & (at < grid.shape)).all(axis=1)
        flat = np.ravel_multi_index(at[inside].T, grid.shape)
        image += np.bincount(flat, (weight * length * scale)[inside], grid.n_voxels)
    return image.reshape(grid.shape)
