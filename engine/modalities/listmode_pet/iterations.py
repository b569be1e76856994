"""Iterations of list mode, from corrected prompts to an image and its units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.corrections.calibration import concentration_of
from engine.data.calibration import CONCENTRATION
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.modalities import stages
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.model import SystemModel

if TYPE_CHECKING:
    from engine.data.error_map import ErrorMap

Context = RunContext[ListModeProtocol]


def iterated(
    context: Context,
    space: ImageSpace,
    prompts: ListMode,
    sensitivity: Sensitivity,
    resume: Resume | None,
    finish_early: Callable[[], bool] | None,
    *,
    part: int | None = None,
) -> Stage[tuple[NDArray[np.float32], int, ErrorMap | None]]:
    """Run the algorithm on corrected prompts.

    Parameters
    ----------
    context
        run with its protocol
    space
        grid and units of the iterates and of the finished image
    prompts
        corrected prompts
    sensitivity
        sensitivity image
    resume
        state of an interrupted run; None for a new run
    finish_early
        returns True if the user wants to stop; None: never
    part
        number of the time frame; None for a single image

    Returns
    -------
    iterated
        the last image, its number of updates, and the error of the finished image
    """
    model = build(context, prompts, sensitivity, space.grid)
    start = listmode_pet.uniform_start(model)
    image, done = yield from stages.iterate(
        context,
        space,
        model,
        start,
        resume,
        finish_early,
        n_rows=prompts.n_events,
        # The kernel projects forward and back in one pass over the events.
        is_fused=True,
    )
    if context.protocol.error_replicates is None:
        return image, done, None
    from engine.modalities.error_maps.stage import computed_error  # few runs have an error map

    columns = prompts.crystals, prompts.tof_bins
    counts = [each for each in columns if each is not None]
    error = yield from computed_error(
        context, space, model, start, image, done, counts=counts, part=part
    )
    return image, done, error


def build(
    context: Context, prompts: ListMode, sensitivity: Sensitivity, grid: ImageGrid
) -> SystemModel:
    """Return the system model of corrected prompts.

    Parameters
    ----------
    context
        run with its protocol
    prompts
        corrected prompts
    sensitivity
        sensitivity image
    grid
        grid of the image
    """
    return listmode_pet.build(
        prompts,
        grid,
        sensitivity,
        on=context.on,
        reproducible=context.protocol.reproducible,
        on_progress=context.progress,
        profiler=context.profiler,
        divide=None if context.divide is None else context.divide.updates,
    )


def in_units(space: ImageSpace, prompts: ListMode) -> ImageSpace:
    """Return the meaning of the image's values, with Bq/mL for the finished one if possible.

    Parameters
    ----------
    space
        grid and unit of the iterates
    prompts
        corrected prompts with their calibration
    """
    # Without a calibration the image keeps the unit of the iterates.
    found = concentration_of(prompts)
    if found is None:
        return space
    return replace(space, finished_unit=CONCENTRATION, per_value=found.per_count)
