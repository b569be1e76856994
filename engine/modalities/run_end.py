"""End of the iterations: why they end, and the final scaling to the most likely total."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.data.runs.record import Ending
from engine.recon.algorithms import Algorithm

if TYPE_CHECKING:
    from engine.data.runs.events import Event
    from engine.protocols.run_context.context import RunContext
    from engine.protocols.study.protocol import Protocol
    from engine.recon.model import Model

MIN_SCALING = 1e-4
"""Smallest relative change of the final image that is reported."""
NO_BETTER = "the algorithm cannot improve the image any more"


class Until:
    """Ask if the user wants to stop the iterations, and store the last answer.

    Parameters
    ----------
    asked : returns True to stop the iterations now; None: never
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


def completed(
    context: RunContext[Protocol], model: Model, image: NDArray[np.float32]
) -> Generator[Event, None, NDArray[np.float32]]:
    """Return the final image of the algorithm, and report how it differs from the last iterate.

    Parameters
    ----------
    context
        run with its algorithm
    model
        system model
    image
        image after the last update
    """
    final, scale = context.protocol.algorithm.completed(model, image)
    # A total of 0 is a valid maximum of the likelihood, but never a useful image.
    if not scale:
        yield context.log.warn(
            "The expected background explains all counts, so there is no activity in "
            "the image. Check the randoms and scatter corrections, or measure longer."
        )
    elif abs(scale - 1) > MIN_SCALING:
        text = f"image scaled by {scale:.4f} to the most likely total of all counts"
        yield context.log.applied("total", text)
    return final
