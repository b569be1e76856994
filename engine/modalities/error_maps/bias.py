"""Noise and bias of an image: one line for each run with an error map.

Four numbers, all over the object: the voxels of the smoothed image above a tenth of its typical
activity f̄ = Σ f² / Σ f, without the layer that the smoothing adds:

- the share of voxels within two standard deviations of 0. There the limit x ≥ 0 cuts off the noise
  and raises the mean, by an amount that the mean of the replicates shows. Voxels without an error,
  which the Hessian leaves out, are among them.
- the correlation length of the noise, the full width at which ρ(lag) = 1/2 along each axis. Noise
  of a smaller region is hardly reduced by averaging.
- the contrast that a small sphere would keep at the hottest place of the image. Voxels and final
  filters blur the sphere. In a penalised image the prior does too: its local response
  is (F + R'')⁻¹ F (Fessler & Rogers, IEEE TIP 5 (1996) 1346). Blur of the scanner outside the
  model adds to it.
- the noise of a typical voxel. Where it is high, few counts make the distribution of a voxel
  skewed, and errors of single voxels become too small (`docs/physics/errors.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion

from engine.data.error_map import ErrorMap
from engine.operators.gaussian import smoothed

OBJECT_SHARE = 0.1
"""Activity of the object relative to the typical activity."""
SIGMA = 1.5
"""Standard deviation of the smoothing [voxels]."""
LAYER = 2
"""Layer that the smoothing adds to the object [voxels]; an edge falls to a tenth at 1.3 σ."""
SPHERE_MM, SPHERE_VOXELS = 10.0, 4
"""Diameter of the sphere: the smallest one of NEMA NU 2, or this number of voxels if smaller."""
LONGEST_LAG = 24
"""Longest lag of the correlation [voxels]."""
REPLICATES = 8
"""Replicates from which the correlation is estimated; each has many voxels."""
MAX_NOISE = 0.2
"""Noise of a typical voxel up to which 95 % intervals of voxels covered 93 to 97 %."""
_PARTS = 5
"""Points along each edge of a voxel at the border of a sphere."""
Change = Callable[[NDArray[np.float32]], NDArray[np.float32]]


class ImageBias(NamedTuple):
    """Figures of the bias of an image.

    Attributes
    ----------
    near_zero : share of the object's voxels within two standard deviations of 0
    shift : mean of the replicates minus the image, over the object and relative to its mean
    correlation_mm : (x, y, z) full width at half maximum of the correlation of the noise; infinite
        if it does not fall to a half within `LONGEST_LAG` voxels
    unknown : share of the object's voxels without an error
    noise : median standard deviation of the object's voxels, relative to the smoothed image
    sphere_mm : diameter of the sphere
    contrast_recovery : share of the sphere's contrast in the image, 0 to 1; None if unknown
    """

    near_zero: float
    shift: float
    correlation_mm: tuple[float, float, float]
    unknown: float
    noise: float
    sphere_mm: float
    contrast_recovery: float | None

    def __str__(self) -> str:
        lengths = " × ".join(
            f"{each:.1f}" if np.isfinite(each) else "unknown" for each in self.correlation_mm
        )
        unknown = ""
        # Smaller shares would be shown as 0.0 %.
        if self.unknown >= 0.0005:
            unknown = f" ({_percent(self.unknown)} have no known error)"
        sphere = ""
        if self.contrast_recovery is not None:
            recovery = _percent(self.contrast_recovery, 0)
            sphere = (
                f". A sphere of {self.sphere_mm:.3g} mm keeps at most {recovery} of its contrast"
            )
        return (
            f"{_percent(self.near_zero)} of the object's voxels are within two standard deviations "
            f"of 0{unknown}. Replicates are {_percent(abs(self.shift))} "
            f"{'above' if self.shift > 0 else 'below'} the image on average. Noise is correlated "
            f"over {lengths} mm (x, y, z){sphere}"
        )

    @property
    def doubt(self) -> str:
        """Sentence for the user if the noise is too high for errors of voxels; "" otherwise."""
        if self.noise <= MAX_NOISE:
            return ""
        return (
            f"A typical voxel varies by {_percent(self.noise, 0)}. Above "
            f"{_percent(MAX_NOISE, 0)}, errors of voxels can be too small. Errors of regions are "
            "more exact. Larger voxels or a wider final filter reduce the noise"
        )


def _percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


def bias_of(
    error: ErrorMap, voxel_mm: tuple[float, float, float], response: Change | None = None
) -> ImageBias | None:
    """Return the numbers of an image; None if it is empty.

    Parameters
    ----------
    error
        image with its replicates
    voxel_mm
        (x, y, z) edges of a voxel [mm]
    response
        returns the change of the image if a weak object is added to the truth; None if it is not
        known
    """
    image, spread = error.image, error.standard_deviation
    smooth = smoothed(image, (SIGMA,) * 3).clip(min=0)
    total = float(smooth.sum(dtype=np.float64))
    if total <= 0:
        return None
    typical = float((smooth * smooth).sum(dtype=np.float64)) / total
    above = smooth > OBJECT_SHARE * typical
    eroded = binary_erosion(above, iterations=LAYER, border_value=1)
    whole = eroded if eroded.any() else above
    inside = whole & (spread > 0)
    if not inside.any():
        return None
    unknown = 1 - float(np.count_nonzero(inside)) / np.count_nonzero(whole)
    near_zero = float(((image < 2 * spread) | (spread == 0))[whole].mean())
    # The smoothed image is above 0 in all of the object, and is near the mean of many scans.
    relative = float(np.median(spread[inside] / smooth[inside]))
    mean = float(image[inside].mean(dtype=np.float64))
    shift = float(error.bias[inside].mean(dtype=np.float64)) / mean
    noise = _Noise.of(error, inside)
    x_mm, y_mm, z_mm = (
        noise.width(axis) * edge for axis, edge in zip((2, 1, 0), voxel_mm, strict=True)
    )
    diameter = min(SPHERE_MM, SPHERE_VOXELS * max(voxel_mm))
    recovery = None
    if response is not None:
        at = np.unravel_index(int(smooth.argmax()), image.shape)
        sphere = _sphere(at, diameter, voxel_mm, image)
        # The mean over the sphere, in which voxels at its border count in part.
        recovery = float((response(sphere) * sphere).sum(dtype=np.float64))
        recovery /= float(sphere.sum(dtype=np.float64))
    return ImageBias(near_zero, shift, (x_mm, y_mm, z_mm), unknown, relative, diameter, recovery)


class _Noise(NamedTuple):
    """Noise of the replicates over an object.

    Attributes
    ----------
    error : the replicates
    inside : (n_z, n_y, n_x) bool, voxels of the object
    middle : (n_z, n_y, n_x) mean of the deviations
    weights : (n_z, n_y, n_x) factor of a deviation for a standard deviation of 1
    """

    error: ErrorMap
    inside: NDArray[np.bool_]
    middle: NDArray[np.float32]
    weights: NDArray[np.floating]

    @classmethod
    def of(cls, error: ErrorMap, inside: NDArray[np.bool_]) -> _Noise:
        """Return the noise of an error map."""
        middle = error.deviations.mean(axis=0, dtype=np.float32)
        weights = error.scale / np.where(inside, error.standard_deviation, np.float32(1))
        return cls(error, inside, middle, weights)

    def width(self, axis: int) -> float:
        """Return the full width at half maximum of the correlation along an axis [voxels]."""
        before = 1.0
        for lag in range(1, min(LONGEST_LAG, self.inside.shape[axis] - 1) + 1):
            now = self._correlation(axis, lag)
            if now <= 0.5:
                return 2 * (lag - 1 + (before - 0.5) / (before - now))
            before = now
        return np.inf

    def _correlation(self, axis: int, lag: int) -> float:
        """Return the correlation of voxels at a distance along an axis."""
        n = self.inside.shape[axis]
        front, back = (
            tuple(part if k == axis else slice(None) for k in range(3))
            for part in (slice(0, n - lag), slice(lag, n))
        )
        both, total = self.inside[front] & self.inside[back], 0.0
        for deviation in self.error.deviations[:REPLICATES]:
            noise = (deviation - self.middle) * self.weights
            total += float((noise[front] * noise[back])[both].sum(dtype=np.float64))
        n, n_used = self.error.n, min(REPLICATES, self.error.n)
        # Differences from the mean of n replicates have (n − 1) / n of the variance.
        return total / max(int(both.sum()) * n_used * (n - 1) / n, 1e-300)


def _sphere(
    at: tuple[np.intp, ...],
    diameter_mm: float,
    voxel_mm: tuple[float, float, float],
    image: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the share of each voxel inside a sphere."""
    parts = (np.arange(_PARTS) + 0.5) / _PARTS - 0.5
    squares = [
        (((np.arange(n) - centre)[:, np.newaxis] + parts) * edge) ** 2
        for n, centre, edge in zip(image.shape, at, voxel_mm[::-1], strict=True)
    ]
    z, y, x = squares
    found = np.zeros(image.shape, np.float32)
    reach = [np.flatnonzero((each <= diameter_mm**2 / 4).any(axis=1)) for each in squares]
    box = tuple(slice(each[0], each[-1] + 1) for each in reach)
    distances = (
        z[box[0], np.newaxis, np.newaxis, :, np.newaxis, np.newaxis]
        + y[np.newaxis, box[1], np.newaxis, np.newaxis, :, np.newaxis]
        + x[np.newaxis, np.newaxis, box[2], np.newaxis, np.newaxis, :]
    )
    found[box] = (distances <= diameter_mm**2 / 4).mean(axis=(3, 4, 5))
    return found
