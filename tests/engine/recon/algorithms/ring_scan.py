"""A small ring scan of discs from closed forms, without a projector of the engine.

Lines cross a body with three hot discs and a cold one. Their chords and their attenuation are
exact. The scan has a quarter of the lines of a ring, with 40 % of known background.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from engine.operators.base import LinearOperator
from engine.recon.model import BinnedModel, MapModel

N, VOXEL_MM, RADIUS_MM, N_CRYSTALS = 28, 5.0, 150.0, 96
SPACING = (VOXEL_MM,) * 3
BODY_MM, MU_PER_MM = 60.0, 0.0096
DISCS = (((28.0, 0.0), 9.0, 3.0), ((0.0, 28.0), 12.0, 3.0), ((-28.0, 0.0), 15.0, 3.0))
"""Centre, radius and activity above the body."""
COLD = ((0.0, -26.0), 14.0, -1.0)


class Matrix(LinearOperator):
    """A sparse matrix as operator."""

    def __init__(self, values: csr_array, shape: tuple[int, ...]) -> None:
        self.values, self.in_shape, self.out_shape = values, shape, values.shape[:1]
        self._turned = values.T.tocsr()

    def forward(self, x):
        return self.values @ x.ravel()

    def adjoint(self, y):
        return (self._turned @ y).reshape(self.in_shape)

    def subset(self, k, of):
        return Matrix(self.values[k::of], self.in_shape)


@dataclass(frozen=True)
class Scan:
    """Counts of a scan, and its regions.

    Attributes
    ----------
    lengths : (n_lines, n_voxels) lengths of the lines in the voxels [mm]
    counts, factors, background : (n_lines,)
    regions : masks of the discs
    around : mask of the body without discs and edge
    """

    lengths: csr_array
    counts: NDArray[np.float64]
    factors: NDArray[np.float64]
    background: NDArray[np.float64]
    regions: tuple[NDArray[np.bool_], ...]
    around: NDArray[np.bool_]

    def model(self, dtype="float64", order=slice(None)) -> MapModel:
        """Return the model, with the lines in this order."""
        columns = self.lengths, self.background, self.counts, self.factors
        lengths, background, counts, factors = (each[order].astype(dtype) for each in columns)
        A = Matrix(lengths, (1, N, N))
        model = BinnedModel.of(A, background / factors, counts, factors)
        level = (counts.sum() - background.sum()) / model.sensitivity.sum()
        start = np.full(A.in_shape, level, dtype)
        return MapModel.of(model, SPACING, start)

    def errors(self, x, reference) -> tuple[float, float, float]:
        """Return PETRIC's relative errors: rms of object and background, and worst region."""
        level = reference[self.around].mean()
        difference = (x.astype(float) - reference) / level
        inside = self.around | np.any(self.regions, axis=0)
        rms = [float(np.sqrt((difference[mask] ** 2).mean())) for mask in (inside, self.around)]
        return *rms, max(abs(float(difference[mask].mean())) for mask in self.regions)


@cache
def ring_scan(n_counts: float = 3e5, seed: int = 1) -> Scan:
    """Return a scan with Poisson noise."""
    angle = 2 * np.pi * (np.arange(N_CRYSTALS) + 0.25) / N_CRYSTALS
    points = RADIUS_MM * np.stack([np.cos(angle), np.sin(angle)], 1)
    i, j = np.triu_indices(N_CRYSTALS, N_CRYSTALS // 3)
    some = np.minimum(j - i, N_CRYSTALS - j + i) > N_CRYSTALS // 3
    p, q = points[i[some]], points[j[some]]
    order = np.random.default_rng(7).permutation(len(p))
    p, q = p[order], q[order]
    body = ((0.0, 0.0), BODY_MM, 1.0)
    expected = sum(value * chord(p, q, at, r) for at, r, value in (body, *DISCS, COLD))
    factors = np.exp(-MU_PER_MM * chord(p, q, *body[:2]))
    trues = factors * expected
    trues *= 0.6 * n_counts / trues.sum()
    background = np.full(len(p), 0.4 * n_counts / len(p))
    counts = np.random.default_rng(seed).poisson(trues + background).astype(float)
    y, x = np.meshgrid(*2 * [(np.arange(N) + 0.5 - N / 2) * VOXEL_MM], indexing="ij")
    distance = [np.hypot(x - at[0], y - at[1]) for at, _, _ in (*DISCS, COLD)]
    radii = [r for _, r, _ in (*DISCS, COLD)]
    regions = tuple((d <= r)[None] for d, r in zip(distance, radii, strict=True))
    clear = np.all([d > r + 8 for d, r in zip(distance, radii, strict=True)], axis=0)
    around = (clear & (np.hypot(x, y) < BODY_MM - 8))[None]
    return Scan(lengths_of(p, q), counts, factors, background, regions, around)


def chord(p, q, centre, radius):
    """Return the lengths of lines in a disc."""
    along = (q - p) / np.linalg.norm(q - p, axis=1)[:, None]
    to = np.asarray(centre) - p
    squares = radius**2 - (along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]) ** 2
    return 2 * np.sqrt(np.maximum(squares, 0))


def lengths_of(p, q, n_steps=1200):
    """Return the lengths of lines in voxels, by short steps along each line."""
    t = (np.arange(n_steps) + 0.5) / n_steps
    step = np.linalg.norm(q - p, axis=1) / n_steps
    rows = []
    for k, (start, end) in enumerate(zip(p, q, strict=True)):
        at = np.floor((start + t[:, None] * (end - start)) / VOXEL_MM + N / 2).astype(int)
        inside = ((at >= 0) & (at < N)).all(1)
        n_steps_in = np.bincount(at[inside, 1] * N + at[inside, 0], minlength=N * N)
        rows.append(csr_array(step[k] * n_steps_in[None]))
    return vstack(rows, format="csr")
