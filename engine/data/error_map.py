"""Error of an image: its bootstrap replicates, and figures from them.

A replicate is x_c = x + scale · d_c, with the image x, whole numbers d_c from −127 to 127, and a
scale for each voxel. The rounding adds less than 0.01 % to a standard deviation. The error of any
figure of an image, such as the mean of a region or a maximum, is the standard deviation of this
figure over the replicates,

    σ² = Σ_c ( f(x_c) − f̄ )² / (n − 1),

which includes the correlation of neighbouring voxels. The estimate itself has a standard error of
about σ / √(2 (n − 1)), 16 % with 20 replicates. Intervals therefore use Student's t with n − 1
degrees of freedom.

Efron & Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993, chapter 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError

STEPS = 127
"""Largest deviation in steps of the scale, that of int8."""
MIN_REPLICATES = 2
"""Fewest replicates that have a standard deviation."""
Method = Literal["bootstrap", "hessian"]
METHODS: dict[Method, str] = {
    "bootstrap": "bootstrap replicates",
    "hessian": "replicates from the Hessian",
}
"""Replicates of each method, after their number."""


@dataclass(frozen=True, eq=False)
class ErrorMap:
    """Replicates of an image.

    Attributes
    ----------
    image : (n_z, n_y, n_x) float32, the values that the error belongs to
    deviations : (n, n_z, n_y, n_x) int8, difference of each replicate from the image in steps
    scale : (n_z, n_y, n_x) float32, size of a step in the unit of the image
    seed : start of the random numbers
    method : "bootstrap": reconstructions of resampled counts; "hessian": those of the linearised
        problem (`engine.recon.algorithms.linear_errors`)
    counts : digest of the counts that were resampled, in their order; empty if unknown

    Examples
    --------
    >>> import numpy as np
    >>> from engine.data.error_map import ErrorMap
    >>> image = np.full((1, 1, 2), 5, np.float32)
    >>> error = ErrorMap.of(image, [image - 1, image + 1], seed=1)
    >>> error.standard_deviation.round(2).tolist()
    [[[1.41, 1.41]]]
    """

    image: NDArray[np.float32]
    deviations: NDArray[np.int8]
    scale: NDArray[np.float32]
    seed: int
    method: Method = "bootstrap"
    counts: str = ""

    def __post_init__(self) -> None:
        if not self.deviations.shape[1:] == self.scale.shape == self.image.shape:
            raise GeometryError(
                f"the replicates have the shape {self.deviations.shape[1:]}, their scale has "
                f"{self.scale.shape}, and the image has {self.image.shape} (z, y, x); all three "
                "must come from the same image."
            )

    @classmethod
    def of(
        cls,
        image: NDArray[np.float32],
        replicates: Sequence[NDArray[np.float32]],
        seed: int,
        method: Method = "bootstrap",
        counts: str = "",
    ) -> ErrorMap:
        """Return the error map of an image.

        Parameters
        ----------
        image
            (n_z, n_y, n_x)
        replicates
            images of the replicates, of the same shape
        seed
            start of the random numbers
        method
            method of the replicates
        counts
            digest of the counts that were resampled; empty if unknown
        """
        largest = np.zeros(image.shape, np.float32)
        for each in replicates:
            np.maximum(largest, abs(each - image), out=largest)
        scale = largest / np.float32(STEPS)
        divisor = np.where(scale > 0, scale, np.float32(1))
        deviations = np.empty((len(replicates), *image.shape), np.int8)
        for deviation, each in zip(deviations, replicates, strict=True):
            np.rint((each - image) / divisor, out=deviation, casting="unsafe")
        return cls(image, deviations, scale, seed, method, counts)

    @property
    def n(self) -> int:
        """Number of replicates."""
        return len(self.deviations)

    @property
    def source(self) -> str:
        """Number, method and seed of the replicates, for a caption."""
        return f"{self.n} {METHODS[self.method]} (seed {self.seed})"

    @cached_property
    def standard_deviation(self) -> NDArray[np.float32]:
        """(n_z, n_y, n_x) standard deviation of each voxel, in the unit of the image."""
        found = np.empty(self.scale.shape, np.float32)
        # By planes, because the deviations of all replicates would be four times as large.
        for z, plane in enumerate(self.scale):
            spread = self.deviations[:, z].astype(np.float32).std(axis=0, ddof=1)
            np.multiply(spread, plane, out=found[z])
        return found

    def at(self, index: tuple[int, int, int]) -> float:
        """Return the standard deviation of one voxel, in the unit of the image.

        Parameters
        ----------
        index
            (z, y, x) of the voxel
        """
        # The map of all voxels takes seconds, and a pointer needs one value at once.
        spread = self.deviations[:, *index].astype(np.float64).std(ddof=1)
        return float(spread * self.scale[index])

    @cached_property
    def bias(self) -> NDArray[np.float32]:
        """(n_z, n_y, n_x) mean of the replicates minus the image."""
        mean = self.deviations.mean(axis=0, dtype=np.float32)
        return mean * self.scale

    def replicates(self) -> Iterator[NDArray[np.float32]]:
        """Yield the replicates, (n_z, n_y, n_x) each."""
        for deviation in self.deviations:
            yield self.image + deviation * self.scale

    def of_values(self, image: NDArray[np.float32]) -> ErrorMap:
        """Return the error map of an array with the same values as the image.

        Parameters
        ----------
        image
            (n_z, n_y, n_x) copy of the image
        """
        return replace(self, image=image)

    def scaled(self, image: NDArray[np.float32], factor: float) -> ErrorMap:
        """Return the error map of the image in another unit.

        Parameters
        ----------
        image
            (n_z, n_y, n_x) the image times the factor
        factor
            value in the new unit for a value of 1
        """
        scale = (self.scale * np.float64(abs(factor))).astype(np.float32)
        # A negative factor reverses the deviations; −128 does not occur.
        deviations = self.deviations if factor > 0 else -self.deviations
        return replace(self, image=image, deviations=deviations, scale=scale)

    def within(self, window: tuple[slice, ...]) -> ErrorMap:
        """Return the error map of a part of the image.

        Parameters
        ----------
        window
            slices along z, y and x
        """
        return replace(
            self,
            image=self.image[window],
            deviations=self.deviations[:, *window],
            scale=self.scale[window],
        )
