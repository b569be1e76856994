"""Iterations in slabs, with volumes and projections in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from engine.core.arrays import Array, release_pages
from engine.core.backend.devices import device_of
from engine.core.paths import cache_dir
from engine.data.projections import Projections
from engine.data.storage import volume_file
from engine.data.storage.iterates import IterateStorage, remove_iterates
from engine.data.storage.out_of_core import OutOfCore
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities import stages
from engine.modalities.kernel_steps import prepare_kernels
from engine.modalities.requirements import plan_of, refuse_if_too_large
from engine.modalities.stages import Stage
from engine.modalities.xray_ct.ct_numbers import in_hounsfield
from engine.modalities.xray_ct.extent import Region
from engine.modalities.xray_ct.model import describe_adjoint, expect_integrals
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import estimate, needs_of_iterations, remedy
from engine.modalities.xray_ct.warm_up import of_projections
from engine.operators.xray.slabs import SlabbedXrayTransform, parts_within
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.recon.model import LinearModel

Context = RunContext[CtProtocol]


def flow(
    context: Context,
    scan: Projections,
    wanted: ImageSpace,
    worked: tuple[ImageSpace, Region],
    resume: Resume | None,
    finish_early: Callable[[], bool] | None,
) -> Stage[Volume]:
    """Iterate on the enlarged space in slabs, and crop the requested image from it.

    Parameters
    ----------
    context
        run with its protocol
    scan
        line integrals in temporary files
    wanted
        space of the requested image
    worked
        space of the iterations, and the region of the requested image in it
    resume
        state of an interrupted run; None for a new run
    finish_early
        returns True if the user wants to stop; None: never
    """
    expect_integrals(scan)
    space, region = worked
    A, storage = yield from _projector(context, scan, space.grid, wanted.grid)
    # A small pair of views has the same kernels, and its adjoint error can be measured quickly.
    sample = A.of_a_pair()
    yield from prepare_kernels(context, of_projections(sample, direct=False))
    yield context.log.start("adjoint", "Comparing forward and back projection")
    yield context.log.applied("adjoint", describe_adjoint(sample))
    yield context.log.end("adjoint")
    yield stages.begin(context, resume)
    spacing = space.grid.voxel_mm[::-1]
    model = LinearModel(
        A, cast(Array, OutOfCore(storage).asarray(scan.values, np.float32)), spacing
    )
    # Zeros that occupy no memory: the algorithm copies its start into its own file.
    start = np.broadcast_to(np.float32(0), space.grid.shape)
    try:
        image, done = yield from stages.iterate(
            context,
            space,
            model,
            start,
            resume,
            finish_early,
            n_rows=scan.values.size,
            rows="pixels",
        )
        cut_out = _cut_out(context, storage, image, region)
    finally:
        # Files of iterates are large, so they are removed even after an error.
        if context.folder is not None:
            remove_iterates(context.folder)
    volume = yield from stages.finish(context, wanted, cut_out, done)
    return (yield from in_hounsfield(context, volume, in_place=True))


def _projector(
    context: Context, scan: Projections, grid: ImageGrid, image: ImageGrid
) -> Stage[tuple[SlabbedXrayTransform, IterateStorage]]:
    """Report the requirements of the run, and the sizes of slabs and chunks."""
    protocol, on = context.protocol, device_of(context.on)
    requirements = estimate(protocol, scan.shape, grid, on=on, in_files=True)
    refuse_if_too_large(requirements, grid, remedy(protocol))
    yield plan_of(context.on, requirements, image)
    needs = needs_of_iterations(protocol, scan.shape, grid, on, are_there=True)
    threads = max(context.on.threads, 1)
    parts = parts_within(scan.shape, grid, budget_bytes=needs.budget_bytes, threads=threads)
    slabs, chunks = len(parts.slabs), len(parts.views)
    text = (
        "The volumes of the iterations do not fit in memory. Volumes and projections "
        f"are stored in temporary files and processed in parts (slabs: {slabs}, slices per slab: "
        f"at most {max(map(len, parts.slabs))}, chunks of views: {chunks}, views per chunk: at "
        f"most {max(map(len, parts.views))}). The values are the same to rounding"
    )
    yield context.log.applied("volume", text)
    storage = IterateStorage(cache_dir(), job=context.folder, budget_bytes=needs.budget_bytes)
    A = SlabbedXrayTransform(
        scan.geometry,
        grid,
        parts,
        on=context.on,
        storage=storage,
        on_progress=context.progress,
        profiler=context.profiler,
    )
    return A, storage


def _cut_out(context: Context, storage: IterateStorage, image: Array, region: Region) -> Array:
    """Return a region of an image in a file of its own, copied slice by slice."""
    found = image[region]
    n_z, n_y, n_x = found.shape
    if context.folder is None:
        out = storage.empty((n_z, n_y, n_x), np.float32)
    else:
        out = volume_file.made(context.folder / volume_file.NAME, (n_z, n_y, n_x))
    for k in range(n_z):
        out[k] = found[k]
        release_pages(image)
        release_pages(out)
    return out
