"""Scale the final image to the most likely total, and report it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.data.runs.events import Event
    from engine.protocols.run_context.context import RunContext
    from engine.protocols.study.protocol import Protocol
    from engine.recon.model import Model

LEAST_SCALING = 1e-4
"""Smallest relative change of the final image that is reported."""


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
    # A total of 0 is a valid maximum of the likelihood, but never what the user wants.
    if not scale:
        yield context.log.warn(
            "The expected background explains all counts, so there is no activity in "
            "the image. Check the randoms and scatter corrections, or measure longer."
        )
    elif abs(scale - 1) > LEAST_SCALING:
        text = f"image scaled by {scale:.4f} to the most likely total of all counts"
        yield context.log.applied("total", text)
    return final
