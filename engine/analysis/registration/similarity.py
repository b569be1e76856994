"""Similarity of a μ-map and an emission image (normalised mutual information).

    I = Σ_ab p_ab ln(p_ab / (p_a p_b))        mutual information [nat]
    similarity = 2 I / (H_a + H_b)            of the image a and the map b; 0 to 1

p is the joint histogram at the points of a lattice. Each point has a random position in its cell,
so that voxels of the two images never coincide everywhere (grid artefacts). An emission image
without attenuation correction shows the contour and the lungs; values need not be proportional. A
point divides its map value between the two nearest bins, so the similarity is smooth in the motion.
Viola and Wells, Int. J. Comput. Vis. 24 (1997) 137; Studholme et al., Pattern Recognit. 32 (1999).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.core.errors import DataError
from engine.data.joining import joined
from engine.data.rigid_resampling import values_at
from engine.data.volume import Volume
from engine.geometry.rigid_motion import Matrix, RigidMotion

IMAGE_BINS, MAP_BINS = 24, 24
HIGHEST = 99.5
"""Percentile of the image at which its last bin ends, so that a bladder does not use all bins."""
HIGHEST_PER_MM = 0.018
"""Attenuation at which the last bin of the map ends (bone)."""
SEED = 20261123
MAX_POINTS = 50_000
MIN_OVERLAP = 0.2
"""Minimum fraction of the image covered by the map; points outside it do not count."""
SMOOTH = 0.5
"""Standard deviation of the smoothing, in units of the point spacing."""


class Likeness:
    """Similarity of a map and an image, as a function of the motion of the map.

    Parameters
    ----------
    image
        image of the emission scan
    mu_map
        attenuation [1/mm]
    spacing_mm
        distance between points [mm]
    seed
        seed of the random point shifts
    """

    def __init__(
        self, image: Volume, mu_map: Volume, spacing_mm: float, *, seed: int = SEED
    ) -> None:
        self._map = _smoothed(mu_map, spacing_mm)
        self._middle = mu_map.grid.centre_mm
        self._lower, self._upper = mu_map.grid.lower_mm, mu_map.grid.upper_mm
        smooth = _smoothed(image, spacing_mm)
        self._points = _lattice(image, spacing_mm, seed)
        # The square root spreads the low values of the body over more bins than the hot organs get.
        values = np.sqrt(np.maximum(values_at(smooth, self._points), 0))
        top = float(np.percentile(values, HIGHEST))
        if not top > 0:
            raise DataError("the emission image contains no activity; choose another image.")
        bins = np.minimum(values / top * IMAGE_BINS, IMAGE_BINS - 1).astype(np.intp)
        self._rows = bins * MAP_BINS

    def __call__(self, motion: RigidMotion) -> float:
        """Return the similarity after a motion of the map, 0 to 1."""
        places = motion.back(self._points, self._middle)
        # A map that leaves the image would keep a high similarity on the few points that remain.
        inside = np.asarray((places > self._lower) & (places < self._upper)).all(axis=1)
        if np.count_nonzero(inside) < MIN_OVERLAP * len(places):
            return 0.0
        found = values_at(self._map, places[inside])
        place = np.clip(found / HIGHEST_PER_MM, 0, 1) * (MAP_BINS - 1)
        lower = np.minimum(place.astype(np.intp), MAP_BINS - 2)
        part, n, rows = place - lower, IMAGE_BINS * MAP_BINS, self._rows[inside]
        joint = np.bincount(rows + lower, 1 - part, n)
        joint += np.bincount(rows + lower + 1, part, n)
        return _normalised(joint.reshape(IMAGE_BINS, MAP_BINS) / joint.sum())


def _normalised(joint: Matrix) -> float:
    entropies = [_entropy(joint.sum(axis=axis)) for axis in (0, 1)]
    both = sum(entropies)
    return 2 * (both - _entropy(joint.ravel())) / both if both > 0 else 0.0


def _entropy(p: Matrix) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _lattice(image: Volume, spacing_mm: float, seed: int) -> Matrix:
    """Return points (n, 3) over the whole image, each at a random position in its cell [mm]."""
    lower, upper = image.grid.lower_mm, image.grid.upper_mm
    step_mm = max(spacing_mm, float(np.cbrt(np.prod(upper - lower) / MAX_POINTS)))
    n = np.maximum(((upper - lower) / step_mm).astype(int), 1)
    cells = np.stack(np.meshgrid(*(np.arange(k) for k in n), indexing="ij"), -1).reshape(-1, 3)
    chance = np.random.default_rng(seed).random(cells.shape)
    return np.asarray(lower + (cells + chance) * (upper - lower) / n)


def _smoothed(volume: Volume, spacing_mm: float) -> Volume:
    """Return a volume without details finer than the point spacing."""
    from scipy.ndimage import gaussian_filter

    voxel = volume.grid.voxel_mm
    # Joining voxels first makes the filter much cheaper for a fine map.
    x, y, z = (max(int(spacing_mm / 2 / edge), 1) for edge in voxel)
    coarse = joined(volume, (x, y, z))
    sigma = [SMOOTH * spacing_mm / edge for edge in coarse.grid.voxel_mm[::-1]]
    values = gaussian_filter(coarse.values, sigma, mode="nearest", truncate=3)
    return replace(coarse, values=values)
