"""Base class of system models, for any kind of data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from engine.core.arrays import Array

if TYPE_CHECKING:
    from engine.recon.model.subset_objective import SubsetObjective


class Model(ABC):
    """Interface between a scan and the driver of an algorithm.

    Attributes
    ----------
    remedy : advice for an image with values that are not numbers
    """

    remedy: ClassVar[str]

    def next_to_data(self, x: Array) -> Array:
        """Return an image on the device where the algorithm works."""
        return x

    @abstractmethod
    def objective(self, n_subsets: int) -> SubsetObjective:
        """Return the log-likelihood of the data, divided among subsets.

        Parameters
        ----------
        n_subsets
            number of subsets
        """

    def log_likelihood(self, x: Array) -> tuple[float, int] | None:
        """Return the log-likelihood of an image, and the number of skipped rows.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)

        Returns
        -------
        None if the noise is not Poisson noise
        """
        return None

    def likeliest_scale(self, x: Array, *, sure_counts: float) -> float:
        """Return the factor by which an image explains the counts best.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        sure_counts
            number of counts in events from which the total of an image is known well enough

        Returns
        -------
        1 if no better factor is known
        """
        return 1.0

    def residual(self, x: Array) -> float | None:
        """Return ‖A x − y‖ / ‖y‖ of an image; None if rows have different weights."""
        return None
