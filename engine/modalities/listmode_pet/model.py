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
from engine.modalities.listmode_pet.content_order import sorted_by_content
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.operators.point_spread import PointSpreadBlur
from engine.operators.rays import RayProjector, Rays, RayVariant
from engine.recon.model import BlurredModel, ListModeModel, ShardedModel, SystemModel

OnProgress = Callable[[int, int], None]

CHECKED_AT_ONCE = 4_000_000
"""Events whose lines are looked up together."""
SORT_BYTES = 64
"""Memory of the device that sorting takes for each event."""


@dataclass(frozen=True)
class Prepared:
    """Prompts ready for tracing.

    Attributes
    ----------
    data : prompts on live lines of response, neighbours in space next to each other
    n_dropped : prompts left out because their line has a gap, a dead crystal or is not one
    """

    data: ListMode
    n_dropped: int


def prepare(data: ListMode, *, on: Backend, by_content: bool = False) -> Prepared:
    """Keep the prompts the model can explain and sort them along space.

    Later steps count on the order: neighbouring events cross neighbouring voxels, so that every
    B-th event is a fair subset and the image stays in the processor's cache. The order is the
    same on every device, and whether the events were sorted as they were read or are now.

    by_content : True if the order is the same for any order of the events in the scan
    """
    n_prompts = data.n_prompts
    prompts = _explained(data, on)
    if prompts.n_events == 0:
        raise DataError(
            f"the scan has no prompt on a live line of response ({data.n_events} "
            f"events read, {n_prompts} on gaps or dead crystals); check scanner and "
            "normalisation."
        )
    prepared = prompts if data.n_ordered is not None else _along_space(prompts, on)
    if by_content:
        prepared = sorted_by_content(prepared)
    return Prepared(prepared, n_prompts - prompts.n_events)


def _explained(data: ListMode, on: Backend) -> ListMode:
    """Return the prompts on lines of response that see something."""
    if data.n_ordered is not None:
        prompts, factors = data.ordered, data.factors
        return prompts if factors is None else prompts.select_where(lambda rows: factors[rows] > 0)
    prompts = data.prompts
    usable = _live(prompts, on)
    if prompts.factors is not None:
        usable &= prompts.factors > 0
    return prompts if usable.all() else prompts.select(usable)


def _live(events: ListMode, on: Backend) -> NDArray[np.bool_]:
    """(n,) whether each event lies on a line of response."""
    live = np.empty(events.n_events, bool)
    for start in range(0, events.n_events, CHECKED_AT_ONCE):
        rows = slice(start, start + CHECKED_AT_ONCE)
        crystals = on.to_device(events.crystals[rows])
        live[rows] = on.to_host(events.scanner.in_coincidence(crystals))
    return live


def _along_space(events: ListMode, on: Backend) -> ListMode:
    """Return the events sorted; one column after the other passes through the device."""
    if on.gpu is not None and on.gpu.free_bytes() < SORT_BYTES * events.n_events:
        on = cpu(on.threads)  # slower; the order is the same
    order = ray_order(events.scanner.positions_mm, on.to_device(events.crystals))
    return events.select_by(lambda column: on.to_host(on.to_device(column)[order]))


def without_tof(data: ListMode) -> ListMode:
    """Return the scan as a scanner without time of flight would have seen it."""
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
    """Compose the model of `prepare`d prompts.

    variant, profiler : see `RayProjector`; divide : has others compute the updates
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
    background = _background(prompts)
    events = ListModeModel(projector, background, sensitivity.image)
    model: SystemModel = events
    if divide is not None:
        columns = (prompts.crystals, prompts.tof_bins, tof, background)
        traced = TracedEvents(points, *columns, grid)
        model = ShardedModel.of(events, divide(traced, on_progress))
    if prompts.point_spread is None:
        return model
    return BlurredModel.of(model, PointSpreadBlur(prompts.point_spread, grid))


def refuse_empty_subsets(prompts: ListMode, n_subsets: int) -> None:
    """Refuse fewer events than subsets: one without events says nothing about the image."""
    n_events = prompts.n_events
    if n_events < n_subsets:
        raise DataError(
            f"the scan has {n_events:,} prompts on live lines of response for "
            f"{n_subsets:,} subsets, and each subset needs at least one; set "
            "algorithm.subsets=1, or leave it empty."
        )


def uniform_start(model: SystemModel) -> NDArray[np.float32]:
    """Return the constant image, where anything is seen, that explains the number of events."""
    seen = model.sensitivity > 0
    total = float(np.sum(model.sensitivity, dtype=np.float64))
    if total <= 0:
        raise DataError(
            "no line of response crosses the image; check the centre and size of the "
            "grid, and the scanner."
        )
    level = model.A.out_shape[0] / total
    return np.where(seen, np.float32(level), np.float32(0)).astype(np.float32)


def _background(prompts: ListMode) -> NDArray[np.float32]:
    """Additive counts as the divided-out line sees them, g = c / (n a)."""
    background, factors = prompts.background, prompts.factors
    if background is None:
        return np.zeros(prompts.n_events, np.float32)
    if factors is None:
        return background
    return prompts.column(lambda rows: background[rows] / factors[rows])
