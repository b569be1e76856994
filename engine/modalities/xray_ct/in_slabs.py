"""X-ray CT beyond the memory: slab by slab into a file, and on from there after an interruption."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from engine.arrays import Array
from engine.backend.devices import device_of
from engine.data import volume_file
from engine.data.column_room import MEMORY, ColumnRoom, Scratch
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.errors import GeometryError, NumericalError
from engine.events import Corrected, Event, Planned, Preview
from engine.filtering.projections import planned
from engine.filtering.settings import FilterSettings
from engine.geometry.grid import ImageGrid
from engine.modalities import stages
from engine.modalities.kernel_stage import prepare_kernels
from engine.modalities.requirements import refuse_if_too_large
from engine.modalities.stages import Stage
from engine.modalities.xray_ct.model import expect_integrals
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import (
    SMALLER,
    climbing,
    estimate,
    needs_in_slabs,
)
from engine.modalities.xray_ct.slab_fdk import SlabFdk
from engine.modalities.xray_ct.slab_sizes import SlabNeeds
from engine.paths import cache_dir
from engine.reporting.context import ImageSpace, Resume, RunContext

Context = RunContext[CtProtocol]
WHAT = "projections and volume"


def in_files(scan: Projections) -> Projections:
    """Return a scan whose steps put what they make into files that go with it."""
    room = Scratch.behind(scan.values, cache_dir(), WHAT)
    return replace(scan, room=Scratch(cache_dir(), WHAT) if room is MEMORY else room)


def is_in_files(scan: Projections) -> bool:
    """Return whether the volume of a scan is made in slabs."""
    return isinstance(scan.room, Scratch)


def flow(
    context: Context, scan: Projections, space: ImageSpace, resume: Resume | None
) -> Stage[Volume]:
    """Project a prepared scan back slab by slab, and finish the volume where it lies."""
    expect_integrals(scan)
    needs = yield from _measure(context, scan, space.grid)
    work = _work(context, scan, space.grid, needs)
    yield from prepare_kernels(context, [work.compile])
    yield stages.begin(context, None)
    image = yield from _slabs(context, work, space, resume, scan.room)
    volume = yield from stages.finish(context, space, image, 1)
    if context.protocol.hounsfield is not None:
        volume = context.protocol.hounsfield.apply(volume, in_place=True)
        message = context.protocol.hounsfield.summary(volume)
        yield Corrected(context.protocol.hounsfield.kind, "applied", message)
    return volume


def _measure(context: Context, scan: Projections, grid: ImageGrid) -> Stage[SlabNeeds]:
    """Say what the run will take, and how the volume is cut up."""
    on, climbs = device_of(context.on), climbing(scan.geometry)
    requirements = estimate(context.protocol, scan.shape, grid, on=on, climbs=climbs, in_files=True)
    refuse_if_too_large(requirements, grid, SMALLER)
    yield Planned(context.on.name, f"{context.on.label}: {requirements.describe()}")
    needs = needs_in_slabs(scan.shape, grid, on, climbs=climbs)
    yield context.log.applied(
        "volume",
        "The volume does not fit the memory with all that the run makes of the projections: both "
        f"lie in files, and it is made in {needs.n_slabs} slabs of up to {needs.sizes.slices} "
        f"slices, from {needs.sizes.views} views at a time; the values are the same",
    )
    return needs


def _work(context: Context, scan: Projections, grid: ImageGrid, needs: SlabNeeds) -> SlabFdk:
    settings = context.protocol.algorithm.filter or FilterSettings()
    return SlabFdk(
        scan.values,
        planned(scan.values, scan.geometry, settings),
        grid,
        settings,
        needs.sizes,
        on=context.on,
        room=scan.room,
        on_progress=context.progress,
        profiler=context.profiler,
    )


def _slabs(
    context: Context, work: SlabFdk, space: ImageSpace, resume: Resume | None, room: ColumnRoom
) -> Stage[Array]:
    """Fill the volume's file from the first slice that is not finished; show each slab."""
    first = 0 if resume is None else resume.slices
    image = _file(context, space.grid, resume, room)
    slabs = work.slabs(first)
    if context.progress is not None:
        context.progress.begin("reconstruct", max(len(slabs), 1), len(work.chunks))
    for k, slices in enumerate(slabs, 1):
        clock = perf_counter()
        _fill(image, slices, work.slab(slices))
        _rest(image, room)
        seconds = perf_counter() - clock
        context.log.spend("reconstruct", seconds)
        yield from _show(context, space, image, slices, (k, len(slabs)), seconds)
        if context.progress is not None:
            context.progress.reach(k)
    if context.progress is not None:
        context.progress.end()
    yield context.log.measured("reconstruct", slabs=len(slabs), slices=space.grid.shape[0])
    return image


def _file(context: Context, grid: ImageGrid, resume: Resume | None, room: ColumnRoom) -> Array:
    """Return the volume: that of a run that is gone on with, or a new one, in a file."""
    if resume is not None:
        if resume.image.shape != grid.shape:
            raise GeometryError(
                f"the checkpoint's image is {resume.image.shape}, the grid {grid.shape} "
                "(z, y, x); resume with the protocol the job was started with."
            )
        if resume.slices:
            return resume.image
    if context.folder is None:
        return room.empty(grid.shape, np.float32)
    return volume_file.made(context.folder / volume_file.NAME, grid.shape)


def _fill(image: Array, slices: range, slab: Array) -> None:
    """Put a slab in its place, slice by slice: it lies in another order in memory."""
    for k, values in zip(slices, slab, strict=True):
        if not np.isfinite(values).all():
            raise NumericalError(
                f"slice {k}: the image holds values that are not numbers; the slices before it are "
                "kept; check the projections for bad pixels."
            )
        image[k] = values


def _rest(image: Array, room: ColumnRoom) -> None:
    room.rest()
    if isinstance(image, np.memmap):
        volume_file.to_disk(image)


def _show(
    context: Context,
    space: ImageSpace,
    image: Array,
    slices: range,
    of: tuple[int, int],
    seconds: float,
) -> Iterator[Event]:
    k, n_slabs = of
    history = context.log.history
    yield Preview(
        space.volume(image), 1, 1, k, n_slabs, seconds, history=history, slices=slices.stop
    )
    yield from context.profiled()
