"""System model of list-mode PET from corrected events, a grid and a sensitivity image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend, cpu
from engine.core.errors import DataError
from engine.core.profiling import Profiler
from engine.data.listmode import ListMode
from engine.data.runs.sharding import DivideUpdates, TracedEvents
from engine.geometry.grid import ImageGrid
from engine.geometry.order import ray_order
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.operators.rays import RayProjector, Rays, RayVariant
from engine.recon.model import ListModeModel, SystemModel

OnProgress = Callable[[int, int], None]

CHECKED_AT_ONCE = 4_000_000
"""Number of events whose lines are tested at once."""
SORT_BYTES = 64
"""Memory of the device for sorting, per event [bytes]."""


@dataclass(frozen=True)
class Prepared:
    """Prompts ready for tracing.

    Attributes
    ----------
    data : prompts on live lines of response, sorted in space
    n_dropped : prompts on gaps, on dead crystals or outside the lines of the scanner
    """

    data: ListMode
    n_dropped: int


def prepare(data: ListMode, *, on: Backend, by_content: bool = False) -> Prepared:
    """Return the prompts that the model can explain, sorted in space.

    Later steps rely on this order. Neighbouring events cross neighbouring voxels, so that every
    B-th event is a fair subset and the image stays in the cache of the CPU. The order is the same
    on every device, and for sorting while reading.

    Parameters
    ----------
    data
        scan with its line factors
    on
        device
    by_content
        True for an order that does not depend on that of the file

    Raises
    ------
    DataError
        if no prompt is on a live line
    """
    n_prompts = data.n_prompts
    prompts = _explained(data, on)
    if prompts.n_events == 0:
        raise DataError(
            f"none of the {n_prompts:,} prompts in the scan is on a usable line of response; "
            "check the scanner and the normalisation."
        )
    prepared = prompts if data.n_ordered is not None else _along_space(prompts, on)
    if by_content:
        from engine.modalities.listmode_pet.content_order import sorted_by_content

        prepared = sorted_by_content(prepared)
    return Prepared(prepared, n_prompts - prompts.n_events)


def _explained(data: ListMode, on: Backend) -> ListMode:
    """Return the prompts on lines of response with a detection probability above 0."""
    if data.n_ordered is not None:
        prompts, factors = data.ordered, data.factors
        # Events that were sorted while reading are on lines of response already.
        return prompts if factors is None else prompts.select_where(lambda rows: factors[rows] > 0)
    prompts = data.prompts
    usable = _live(prompts, on)
    if prompts.factors is not None:
        usable &= prompts.factors > 0
    return prompts if usable.all() else prompts.select(usable)


def _live(events: ListMode, on: Backend) -> NDArray[np.bool_]:
    """Return if each event is on a line of response, (n,)."""
    live = np.empty(events.n_events, bool)
    # In pieces, because the check needs several temporary arrays per event.
    for start in range(0, events.n_events, CHECKED_AT_ONCE):
        rows = slice(start, start + CHECKED_AT_ONCE)
        crystals = on.to_device(events.crystals[rows])
        live[rows] = on.to_host(events.scanner.in_coincidence(crystals))
    return live


def _along_space(events: ListMode, on: Backend) -> ListMode:
    """Return the events sorted; one column after the other passes through the device."""
    # Both devices sort by the same keys, so the order is the same.
    if on.gpu is not None and on.gpu.free_bytes() < SORT_BYTES * events.n_events:
        on = cpu(on.threads)  # slower; the order is the same
    # Sorting on the device is faster, but needs memory for keys and order at once.
    order = ray_order(events.scanner.positions_mm, on.to_device(events.crystals))
    return events.select_by(lambda column: on.to_host(on.to_device(column)[order]))


def without_tof(data: ListMode) -> ListMode:
    """Return the scan as a scanner without time of flight would record it.

    Parameters
    ----------
    data
        scan with or without time of flight
    """
    return replace(data, tof_bins=None)


def build(
    prompts: ListMode,
    grid: ImageGrid,
    sensitivity: Sensitivity,
    *,
    on: Backend,
    reproducible: bool = False,
    on_progress: OnProgress | None = None,
    variant: RayVariant | None = None,
    profiler: Profiler | None = None,
    divide: DivideUpdates | None = None,
) -> SystemModel:
    """Return the system model of prompts from `prepare`.

    Parameters
    ----------
    prompts
        sorted prompts with their background
    grid
        grid of the image
    sensitivity
        sensitivity image on this grid
    on
        device
    reproducible
        True for integer sums
    on_progress
        called with the work done and in total; None if it is not needed
    variant
        kernel variant; None for the tuned one
    profiler
        profiler of the run; None if it is not needed
    divide
        distributes updates to other processes; None if all is computed here
    """
    points = prompts.scanner.positions_mm
    tof = prompts.scanner.tof if prompts.tof_bins is not None else None
    projector = RayProjector(
        Rays(points, prompts.crystals, prompts.tof_bins),
        grid,
        on=on,
        storage=prompts.storage,
        tof=tof,
        reproducible=reproducible,
        on_progress=on_progress,
        variant=variant,
        profiler=profiler,
    )
    background = relative_background(prompts)
    events = ListModeModel(projector, background, sensitivity.image)
    model: SystemModel = events
    # Workers compute the updates; subsets and stopping stay in this process.
    if divide is not None:
        from engine.recon.model import ShardedModel

        columns = (prompts.crystals, prompts.tof_bins, tof, background)
        traced = TracedEvents(points, *columns, grid)
        model = ShardedModel.of(events, divide(traced, on_progress))
    # The blur is applied once per image, outside the tracing of rays.
    if prompts.point_spread is None:
        return model
    from engine.operators.point_spread import PointSpreadBlur
    from engine.recon.model import BlurredModel

    return BlurredModel.of(model, PointSpreadBlur(prompts.point_spread, grid))


def refuse_empty_subsets(prompts: ListMode, n_subsets: int) -> None:
    """Refuse fewer events than subsets: an empty subset says nothing about the image.

    Parameters
    ----------
    prompts
        corrected prompts
    n_subsets
        number of subsets

    Raises
    ------
    DataError
        if a subset would have no event
    """
    n_events = prompts.n_events
    if n_events < n_subsets:
        raise DataError(
            f"the scan has only {n_events:,} prompts on usable lines of response for "
            f"{n_subsets:,} subsets; set algorithm.subsets to at most {n_events:,}, or leave it "
            "empty."
        )


def uniform_start(model: SystemModel) -> NDArray[np.float32]:
    """Return the uniform image that explains the number of events.

    Parameters
    ----------
    model
        system model

    Returns
    -------
    uniform_start
        0 where the sensitivity is 0

    Raises
    ------
    DataError
        if no line crosses the image
    """
    seen = model.sensitivity > 0
    total = float(np.sum(model.sensitivity, dtype=np.float64))
    if total <= 0:
        raise DataError(
            "no line of response crosses the image; check the position and size of the image "
            "grid, and the scanner."
        )
    # The mean activity at which the expected number of events equals the measured one.
    level = model.A.out_shape[0] / total
    return np.where(seen, np.float32(level), np.float32(0)).astype(np.float32)


def relative_background(prompts: ListMode) -> NDArray[np.float32]:
    """Return the background relative to the line factors, g = c / (n a), (n,).

    Parameters
    ----------
    prompts
        sorted prompts with their background; without it, g is 0
    """
    background, factors = prompts.background, prompts.factors
    if background is None:
        return np.zeros(prompts.n_events, np.float32)
    if factors is None:
        return background
    return prompts.column(lambda rows: background[rows] / factors[rows])
