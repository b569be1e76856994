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
    asked : returns whether they shall end now; None: nobody asks
    """

    def __init__(self, asked: Callable[[], bool] | None) -> None:
        self._asked = asked
        self.is_reached = False

    def __call__(self) -> bool:
        """Return whether the iterations shall end now."""
        self.is_reached = self._asked is not None and self._asked()
        return self.is_reached

    def ending_of(self, algorithm: Algorithm, done: int, reason: str) -> tuple[Ending, str]:
        """Return how iterations ended after so many updates, and why.

        `reason` is that of the algorithm, empty if it gave none.
        """
        if done >= algorithm.n_iterations * algorithm.n_subsets:
            return "done", ""
        if self.is_reached:
            return "stopped", ""
        return "converged", reason or NO_BETTER
