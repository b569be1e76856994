"""Base class of system models, for any kind of data."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from engine.core.arrays import Array


class Model(ABC):
    """Interface between a scan and the driver of an algorithm.

    Attributes
    ----------
    remedy : advice for an image with values that are not numbers
    """

    remedy: ClassVar[str]

    def next_to_data(self, x: Array) -> Array:
        """Return an image where the algorithm works on it."""
        return x

    def log_likelihood(self, x: Array) -> tuple[float, int] | None:
        """Log-likelihood of an image, and rows skipped; None where the noise is not Poisson's."""
        return None

    def likeliest_scale(self, x: Array, *, sure_counts: float) -> float:
        """Return the factor by which `x` explains the counts best; 1 where nothing is to be gained.

        sure_counts : counts of events from which on the total of an image is taken to be known
        """
        return 1.0

    def residual(self, x: Array) -> float | None:
        """‖A x − y‖ / ‖y‖; None where rows do not weigh the same."""
        return None
