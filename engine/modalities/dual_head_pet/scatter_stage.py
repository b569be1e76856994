"""Scatter stage of a dual-head run: use supplied scatter, simulate it, or warn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.corrections.histogram import LineAttenuation, LineScatter
from engine.corrections.scatter import NEEDS_ATTENUATION
from engine.data.histogram import Column, Histogram
from engine.data.layered_response import StoredResponse
from engine.data.runs.events import Corrected
from engine.modalities import stages
from engine.modalities.dual_head_pet import model as dual_head_pet
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.scatter_estimate import estimate_scatter
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import RunContext

Context = RunContext[DualHeadProtocol]
Support = NDArray[np.bool_] | None


def started(data: Histogram, response: StoredResponse, support: Support) -> NDArray[np.float32]:
    """Return the uniform image that explains the counts, 0 outside the support.

    Parameters
    ----------
    data
        corrected histogram
    response
        response of the scanner
    support
        voxels that can contain activity; None for all
    """
    start = dual_head_pet.uniform_start(data, response)
    # EM multiplies, so a voxel that starts at 0 stays at 0.
    return start if support is None else start * support


def correct_scatter(
    context: Context,
    data: Histogram,
    own: Column | None,
    response: StoredResponse,
    support: Support,
) -> Stage[Histogram]:
    """Estimate the scatter of corrected counts.

    Parameters
    ----------
    context
        run with its log
    data
        corrected histogram
    own
        factors without attenuation; None if all are 1
    response
        response of the scanner
    support
        voxels that can contain activity; None for all

    Returns
    -------
    correct_scatter
        the counts with their scatter, or unchanged

    Raises
    ------
    DataError
        if the correction is switched on and impossible
    """
    scatter = context.protocol.corrections.of(LineScatter)
    # A supplied estimate is an ordinary correction, without any image.
    if scatter.use == "off" or not scatter.simulates(data):
        return (yield from stages.correct(context, [scatter], data))
    obstacle = scatter.obstacle(data)
    attenuation = context.protocol.corrections.of(LineAttenuation)
    # Without attenuation correction the image is too low inside, and so is its scatter.
    if obstacle is None and attenuation.use == "off":
        obstacle = NEEDS_ATTENUATION
    if obstacle is not None:
        if scatter.use == "on":
            raise scatter.refusal(obstacle)
        yield context.log.corrected(Corrected(scatter.kind, "unavailable", obstacle))
        return data
    yield context.log.start("scatter", "Simulating the scatter")
    with context.profiler.span("scatter", events=int(data.n_prompts)):
        estimate = estimate_scatter(
            data,
            own,
            response,
            started(data, response, support),
            scatter,
            on=context.on,
            on_tick=context.ticker("scatter"),
        )
    context.log.facts["scatter"] = {"fraction": estimate.fraction, "rounds": estimate.rounds}
    yield context.log.corrected(Corrected(scatter.kind, "applied", estimate.describe()))
    yield context.log.end("scatter", fraction_percent=100 * estimate.fraction)
    yield from context.profiled()
    return data.with_background(estimate.expected)
