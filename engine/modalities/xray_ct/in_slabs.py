"""Filtered back projection in slabs into a file, for volumes that do not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from engine.core.arrays import Array, n_not_finite, release_pages
from engine.core.backend.devices import device_of
from engine.core.errors import GeometryError, NumericalError
from engine.core.paths import cache_dir
from engine.data.projections import Projections
from engine.data.runs.events import Event, Preview
from engine.data.runs.sharding import ProjectedSlabs
from engine.data.storage import volume_file
from engine.data.storage.columns import MEMORY, ColumnStorage, Scratch
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities import stages
from engine.modalities.kernel_steps import prepare_kernels
from engine.modalities.requirements import plan_of, refuse_if_too_large
from engine.modalities.stages import Stage
from engine.modalities.xray_ct.ct_numbers import in_hounsfield
from engine.modalities.xray_ct.model import expect_integrals
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import (
    SMALLER,
    climbing,
    estimate,
    grids_bytes,
    needs_in_slabs,
)
from engine.modalities.xray_ct.slab_fdk import SlabFdk, SlabRecipe
from engine.modalities.xray_ct.slab_sizes import SlabNeeds
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.filtering.projections import planned
from engine.recon.filtering.settings import FilterSettings

Context = RunContext[CtProtocol]
FILLED_AT_ONCE = 16
"""Number of slices that are copied to their place at once."""


def in_files(scan: Projections) -> Projections:
    """Return a scan whose steps write their results to temporary files.

    Parameters
    ----------
    scan
        scan as read
    """
    # A scan that is already in such files keeps its storage, which owns them.
    storage = Scratch.behind(scan.values, cache_dir())
    return replace(scan, storage=Scratch(cache_dir()) if storage is MEMORY else storage)


def is_in_files(scan: Projections) -> bool:
    """Return True if the volume of a scan is computed in slabs.

    Parameters
    ----------
    scan
        scan at any stage
    """
    return isinstance(scan.storage, Scratch)


def flow(
    context: Context, scan: Projections, space: ImageSpace, resume: Resume | None
) -> Stage[Volume]:
    """Reconstruct a prepared scan slab by slab, and finish the volume in its file.

    Parameters
    ----------
    context
        run with its protocol
    scan
        line integrals in temporary files
    space
        grid, unit and axes of the image
    resume
        state of an interrupted run; None for a new run
    """
    expect_integrals(scan)
    needs = yield from _measure(context, scan, space.grid)
    settings = context.protocol.algorithm.filter or FilterSettings()
    # The filter weights need all views, so they are computed before the first slab.
    plan = planned(scan.values, scan.geometry, settings)
    recipe = SlabRecipe(plan, space.grid, settings, needs.sizes)
    work = _work(context, scan, recipe)
    if context.divide is None:
        yield from prepare_kernels(context, [work.compile])
    yield stages.begin(context, None)
    image = yield from _slabs(context, work, recipe, scan, space, resume)
    volume = yield from stages.finish(context, space, image, 1)
    # In place: a second file of this size might not fit on the disk.
    return (yield from in_hounsfield(context, volume, in_place=True))


def _measure(context: Context, scan: Projections, grid: ImageGrid) -> Stage[SlabNeeds]:
    """Report the requirements of the run, and the sizes of its slabs."""
    on, climbs = device_of(context.on), climbing(scan.geometry)
    requirements = estimate(context.protocol, scan.shape, grid, on=on, climbs=climbs, in_files=True)
    refuse_if_too_large(requirements, grid, SMALLER)
    yield plan_of(context.on, requirements, grid)
    grids = grids_bytes(context.protocol, grid, on)
    needs = needs_in_slabs(scan.shape, grid, on, climbs=climbs, grids_bytes=grids)
    # At least one slab for each worker, so that none is idle.
    if context.divide is not None:
        needs = needs.divided(grid.shape[0], context.divide.n_parts)
    yield context.log.applied("volume", _slabs_text(needs, divided=context.divide is not None))
    return needs


def _slabs_text(needs: SlabNeeds, *, divided: bool) -> str:
    n, slices, views = needs.n_slabs, needs.sizes.slices, needs.sizes.views
    if divided:
        return (
            f"The workers of a cluster compute the volume in slabs: {n}, each of up to {slices} "
            f"slices, with {views} views at a time. The values equal those of one CPU"
        )
    return (
        "Volume and projections do not fit in memory together. Both are stored in temporary "
        f"files, and the volume is computed in slabs: {n}, each of up to {slices} slices, with "
        f"{views} views at a time. The values do not change"
    )


def _work(context: Context, scan: Projections, recipe: SlabRecipe) -> SlabFdk:
    return SlabFdk(
        scan.values,
        recipe.plan,
        recipe.grid,
        recipe.settings,
        recipe.sizes,
        on=context.on,
        storage=scan.storage,
        on_progress=context.progress,
        profiler=context.profiler,
    )


def _slabs_in_order(
    context: Context, work: SlabFdk, recipe: SlabRecipe, values: Array, slabs: list[range]
) -> Iterator[Array]:
    """Yield the slabs in order, computed here or by the workers of a cluster."""
    if context.divide is None:
        return (work.slab(slices) for slices in slabs)
    _, n_y, n_x = recipe.grid.shape
    projected = ProjectedSlabs(values, tuple(slabs), (n_y, n_x), recipe)
    return context.divide.slabs(projected, context.progress)


def _slabs(
    context: Context,
    work: SlabFdk,
    recipe: SlabRecipe,
    scan: Projections,
    space: ImageSpace,
    resume: Resume | None,
) -> Stage[Array]:
    """Fill the file of the volume from the first unfinished slice, and show each slab."""
    first = 0 if resume is None else resume.slices
    image = _file(context, space.grid, resume, scan.storage)
    slabs = work.slabs(first)
    if context.progress is not None:
        # Workers of a cluster report whole slabs, not chunks of views.
        passes = len(work.chunks) if context.divide is None else 1
        context.progress.begin("reconstruct", max(len(slabs), 1), passes)
    made, clock = _slabs_in_order(context, work, recipe, scan.values, slabs), perf_counter()
    k = 0
    for slab in made:
        slices, k = slabs[k], k + 1
        _fill(image, slices, slab)
        # Before the next slab is computed: zip and enumerate keep a reference to the last one.
        del slab
        # Pages of the files are released, or the system would count them as memory of this run.
        _release_pages(image, scan.storage)
        seconds = perf_counter() - clock
        context.log.add_time("reconstruct", seconds)
        yield from _show(context, space, image, slices, (k, len(slabs)), seconds)
        if context.progress is not None:
            context.progress.reach(k)
        # Showing and saving do not count as time of the reconstruction.
        clock = perf_counter()
    # An internal error: a volume with a hole must not be saved.
    if k != len(slabs):
        raise ValueError(
            f"only {k} of {len(slabs)} slabs were reconstructed, so the volume is incomplete; "
            "reconstruct it again."
        )
    if context.progress is not None:
        context.progress.end()
    yield context.log.measured("reconstruct", slabs=len(slabs), slices=space.grid.shape[0])
    return image


def _file(
    context: Context, grid: ImageGrid, resume: Resume | None, storage: ColumnStorage
) -> Array:
    """Return the file of the volume: that of the interrupted run, or a new one."""
    if resume is not None:
        if resume.image.shape != grid.shape:
            raise GeometryError(
                f"the image in the checkpoint has the shape {resume.image.shape} (z, y, x), but "
                f"the grid has {grid.shape}; resume with the protocol of the original run."
            )
        # Without finished slices there is nothing to keep, so a new file is made.
        if resume.slices:
            return resume.image
    if context.folder is None:
        return storage.empty(grid.shape, np.float32)
    return volume_file.made(context.folder / volume_file.NAME, grid.shape)


def _fill(image: Array, slices: range, slab: Array) -> None:
    """Copy a slab to its place, some slices at a time, because its order in memory differs."""
    for k in range(0, len(slices), FILLED_AT_ONCE):
        values = slab[k : k + FILLED_AT_ONCE]
        first = slices.start + k
        if n_not_finite(values):
            # A later slab can still fail; the finished slices stay in the file.
            raise NumericalError(
                f"the image has infinite or NaN values from slice {first} on; check the "
                "projections for bad pixels. Earlier slices are saved."
            )
        image[first : first + len(values)] = values
        release_pages(image)


def _release_pages(image: Array, storage: ColumnStorage) -> None:
    storage.release_pages()
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
        space.volume(image),
        1,
        1,
        k,
        n_slabs,
        seconds,
        history=history,
        slices=slices.stop,
        run=context.record(k / n_slabs),
    )
    yield from context.profiled()
