"""End of the iterations: all are done, the algorithm stops, or the user stops."""

from __future__ import annotations

from collections.abc import Callable

from engine.data.runs.record import Ending
from engine.recon.algorithms import Algorithm

NO_BETTER = "the algorithm cannot improve the image any more"


class Until:
    """Ask if the user wants to stop the iterations, and store the last answer.

    Parameters
    ----------
    asked : returns True to stop the iterations now; None if nobody asks
    """

    def __init__(self, asked: Callable[[], bool] | None) -> None:
        self._asked = asked
        self.is_reached = False

    def __call__(self) -> bool:
        """Return True if the iterations must stop now."""
        # Stored, because the answer may change before the end is recorded.
        self.is_reached = self._asked is not None and self._asked()
        return self.is_reached

    def ending_of(self, algorithm: Algorithm, done: int, reason: str) -> tuple[Ending, str]:
        """Return how iterations ended, and the reason.

        Parameters
        ----------
        algorithm
            algorithm of the run
        done
            number of updates
        reason
            reason that the algorithm gave; empty if it gave none
        """
        # All updates done counts as complete, even if the user asked to stop during the last one.
        if done >= algorithm.n_iterations * algorithm.n_subsets:
            return "done", ""
        if self.is_reached:
            return "stopped", ""
        # An algorithm that ends on its own has reached its tolerance, or cannot improve.
        return "converged", reason or NO_BETTER
