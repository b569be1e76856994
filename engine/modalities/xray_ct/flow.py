"""Steps of an X-ray CT run, from file to volume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.core.backend.devices import device_of
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.corrections.base import inputs_of
from engine.corrections.preprocess import STEPS
from engine.corrections.preprocess.plausibility import doubts_of_steps
from engine.data.projections import Projections
from engine.data.runs.events import Loaded
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_projections
from engine.modalities import stages
from engine.modalities.attaching import attach_inputs
from engine.modalities.kernel_steps import prepare_kernels
from engine.modalities.reader_notes import report_notes
from engine.modalities.requirements import Requirements, plan_of, refuse_if_too_large
from engine.modalities.stages import Stage
from engine.modalities.xray_ct import in_slabs
from engine.modalities.xray_ct import model as xray_ct
from engine.modalities.xray_ct.axis_text import axis_text
from engine.modalities.xray_ct.ct_numbers import in_hounsfield
from engine.modalities.xray_ct.dry_run import dry_run, without_values
from engine.modalities.xray_ct.extent import Region, grown
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import (
    SMALLER,
    climbing,
    estimate,
    estimate_unread,
    remedy,
)
from engine.modalities.xray_ct.warm_up import of_projections, of_rows
from engine.operators.xray.transform import XrayTransform
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.protocols.run_context.provenance import hash_array
from engine.recon.filtering.projections import planned
from engine.recon.filtering.settings import FilterSettings
from engine.recon.filtering.truncation import cut_sides

Context = RunContext[CtProtocol]

NO_PATIENT = "xyz"
"""Axes of a volume if the position of the patient in the scanner is unknown."""


def flow(
    context: Context, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, preprocess, model, iterate, finish.

    Parameters
    ----------
    context
        inputs and log of the run
    resume
        state of an interrupted run; None for a new run
    finish_early
        returns True if the user wants to stop; None: never
    """
    protocol = context.protocol
    scan = yield from read(context)
    scan = yield from into_files(context, scan)
    scan = yield from prepare(context, scan)
    wanted = space_of(scan, protocol)
    direct = protocol.algorithm.direct
    if direct and protocol.between:
        yield context.log.warn(
            f"{protocol.algorithm.title} has no iterations, so the filters between iterations are "
            "not applied; filter the finished image instead."
        )
    # Direct reconstructions never enlarge the grid: each voxel is independent of the others.
    if direct and (in_slabs.is_in_files(scan) or context.divide is not None):
        return (yield from in_slabs.flow(context, scan, wanted, resume))
    worked, region = yield from enlarged_grid(context, scan, wanted)
    requirements = needs_of(context, scan, worked.grid)
    # Known only now, or less memory is free than before.
    if requirements.disk_bytes:
        given = scan if in_slabs.is_in_files(scan) else in_slabs.in_files(scan)
        if direct:
            return (yield from in_slabs.flow(context, given, wanted, resume))
        from engine.modalities.xray_ct import iterations_in_slabs

        spaces = wanted, (worked, region)
        return (yield from iterations_in_slabs.flow(context, given, *spaces, resume, finish_early))
    streams = yield from report_requirements(context, requirements, worked.grid, wanted.grid)
    A = xray_ct.projector(
        scan,
        worked.grid,
        on=context.on,
        adjoint=protocol.adjoint,
        streams=streams,
        on_progress=context.progress,
        profiler=context.profiler,
    )
    # The projector decides which kernels are needed, so it comes before their compilation.
    row_filter = protocol.algorithm.filter
    kernels = of_projections(A, direct=direct) if row_filter is None else of_rows(A, row_filter)
    yield from prepare_kernels(context, kernels)
    if not direct:
        yield from report_adjoint(context, A)
    yield stages.begin(context, resume)
    model = xray_ct.build(scan, A, direct=direct)
    start = xray_ct.empty_start(worked.grid)
    image, done = yield from stages.iterate(
        context,
        worked,
        model,
        start,
        resume,
        finish_early,
        n_rows=scan.values.size,
        rows="pixels",
    )
    # Crop before finishing, so that filters do not process voxels that are thrown away.
    volume = yield from stages.finish(context, wanted, image[region], done)
    return (yield from in_hounsfield(context, volume))


def read(context: Context) -> Stage[Projections]:
    """Read the projections.

    Parameters
    ----------
    context
        inputs and log of the run
    """
    yield context.log.start("read", "Reading the scan")
    with context.profiler.span("read"):
        given = context.scan
        scan = given if isinstance(given, Projections) else read_projections(context.study.data)
        scan = attach_inputs(context, inputs_of(STEPS), scan)
    # The digest is of the values as read: it identifies the scan, not its preparation.
    context.log.facts = facts_of(scan) | {"values_sha256": hash_array(scan.values)}
    context.log.scanner = fingerprint(scan)
    n_views, n_rows, n_columns = scan.shape
    yield Loaded(f"{n_views} views of {n_columns} × {n_rows} pixels", context.log.facts)
    yield from report_notes(context, scan.notes)
    yield from stages.warn_of_misfit(context, context.protocol.misfit(scan.geometry))
    yield context.log.end("read", views=n_views)
    return scan


def into_files(context: Context, scan: Projections) -> Stage[Projections]:
    """Prepare the scan for processing in files if the volume does not fit in memory.

    Parameters
    ----------
    context
        run with its protocol
    scan
        scan as read

    Returns
    -------
    into_files
        the same scan; its steps write to temporary files if needed
    """
    # A dry run of the steps gives the final geometry before any value is processed.
    empty_scan = without_values(scan)
    steps = [getattr(context.protocol.steps, step.kind) for step in STEPS]
    prepared = dry_run(empty_scan, steps).empty_scan
    grid = space_of(prepared, context.protocol).grid
    requirements = estimate_unread(context.protocol, prepared, grid, on=device_of(context.on))
    if not requirements.disk_bytes:
        return scan
    refuse_if_too_large(requirements, grid, SMALLER)
    yield plan_of(context.on, requirements, grid)
    return in_slabs.in_files(scan)


def space_of(scan: Projections, protocol: CtProtocol) -> ImageSpace:
    """Return grid, unit and axes of the image of a prepared scan.

    Parameters
    ----------
    scan
        prepared scan
    protocol
        protocol of the run
    """
    # Without a pixel size, 1 pixel counts as 1 mm, and the unit says so.
    unit = "1/mm" if scan.pixel_mm_known else "1/pixel"
    axes = scan.info.get("axes", NO_PATIENT)
    return ImageSpace(protocol.grid.grid_for(scan.geometry), unit, axes)


def prepare(context: Context, scan: Projections) -> Stage[Projections]:
    """Convert detector counts to line integrals.

    Parameters
    ----------
    context
        run with its protocol
    scan
        scan as read

    Raises
    ------
    DataError
        if values are not finite after all steps
    """
    protocol = context.protocol
    yield context.log.start("correct", "Preparing the projections")
    # Each step reports its result, so that the log shows the reason for a poor image.
    scan = yield from stages.correct(context, protocol.steps.steps(), scan)
    if scan.n_not_finite:
        raise DataError(
            f"{context.study.data.name}: {scan.n_not_finite:,} of {scan.values.size:,} values are "
            "infinite or NaN; switch on the bad-pixel correction."
        )
    context.log.axis = axis_text(context.log.corrections, scan)
    for step, doubt in doubts_of_steps(scan):
        # A doubt without a step is about the angles, which belong to the scan.
        yield context.log.warn(doubt, about=step, is_assumption=not step)
    # Weights for truncation and short scans are known only from the prepared values.
    if protocol.algorithm.filter is not None:
        plan = planned(scan.values, scan.geometry, protocol.algorithm.filter)
        messages = (*plan.messages, *_method(context, scan, protocol.algorithm.filter))
        message = "; ".join(sentence.rstrip(".") for sentence in messages)
        yield context.log.applied("weights", message)
        for warning in plan.warnings:
            yield context.log.warn(warning)
    yield context.log.end("correct")
    yield from context.profiled()
    return scan


def _method(context: Context, scan: Projections, settings: FilterSettings) -> tuple[str, ...]:
    """Return a sentence about the method of back projection, unless it is the direct one."""
    if settings.method == "direct":
        return ()
    from engine.recon.filtering.gridding import describe_method  # most runs do not need its kernels

    grid = space_of(scan, context.protocol).grid
    # The method changes the image, so the record names it.
    return (describe_method(settings, scan.geometry, grid, context.on),)


def enlarged_grid(
    context: Context, scan: Projections, wanted: ImageSpace
) -> Stage[tuple[ImageSpace, Region]]:
    """Enlarge the grid of iterations to all voxels that attenuated rays cross.

    Parameters
    ----------
    context
        run with its log
    scan
        prepared scan
    wanted
        space of the requested image

    Returns
    -------
    enlarged_grid
        the enlarged space, and the region of the requested image in it
    """
    if context.protocol.algorithm.direct:
        return wanted, (slice(None),) * 3
    grid, region = grown(scan, wanted.grid)
    if grid != wanted.grid:
        # The larger grid costs memory and time, so the user should know the reason.
        message = (
            f"The rays cross more than the volume of {wanted.grid.describe()}. The "
            f"iterations use {grid.describe()}, and the image is cropped to the volume"
        )
        yield context.log.applied("volume", message)
    # Truncated on both sides: the object extends beyond any volume that rays can determine.
    if all(cut_sides(scan.values)):
        yield context.log.warn(
            "The object is wider than the detector. Iterations cannot model the part "
            "outside the detector, so values near the edge are too large. Filtered "
            "back projection extrapolates the rows instead."
        )
    return replace(wanted, grid=grid), region


def needs_of(context: Context, scan: Projections, grid: ImageGrid) -> Requirements:
    """Return the requirements of a run on a prepared scan.

    Parameters
    ----------
    context
        run with its protocol
    scan
        prepared scan
    grid
        grid of the iterations
    """
    on, in_files = device_of(context.on), in_slabs.is_in_files(scan)
    climbs = context.protocol.algorithm.direct and climbing(scan.geometry)
    return estimate(context.protocol, scan.shape, grid, on=on, climbs=climbs, in_files=in_files)


def report_requirements(
    context: Context, requirements: Requirements, grid: ImageGrid, image: ImageGrid
) -> Stage[bool]:
    """Report the requirements of a run, and refuse one that does not fit.

    Parameters
    ----------
    context
        run with its log
    requirements
        requirements of the run
    grid
        grid of the iterations
    image
        grid of the image, which can be smaller

    Returns
    -------
    report_requirements
        True if data pass through the memory of a GPU in parts
    """
    refuse_if_too_large(requirements, grid, remedy(context.protocol))
    yield plan_of(context.on, requirements, image)
    return requirements.gpu is not None and requirements.gpu.streams


def report_adjoint(context: Context, A: XrayTransform) -> Stage[None]:
    """Report which back projection an iterative algorithm uses, and its error as an adjoint.

    Parameters
    ----------
    context
        run with its log
    A
        projector
    """
    yield context.log.start("adjoint", "Comparing forward and back projection")
    if context.progress is not None:
        context.progress.begin("adjoint", 1, 2)
    # An inexact adjoint lets some algorithms diverge, so its error is part of the record.
    message = xray_ct.describe_adjoint(A)
    yield context.log.applied("adjoint", message)
    yield context.log.end("adjoint")


def facts_of(scan: Projections) -> Plain:
    """Return facts of a scan for the window and the provenance, as JSON values.

    Parameters
    ----------
    scan
        scan as read
    """
    geometry = scan.geometry
    n_views, n_rows, n_columns = scan.shape
    facts: Plain = scan.info | {
        "beam": geometry.beam,
        "views": n_views,
        "detector": f"{n_columns} × {n_rows} pixels",
        "pixel_mm": list(geometry.pixel_size_mm) if scan.pixel_mm_known else None,
        "counts": scan.kind,
    }
    if geometry.beam == "cone":
        facts["source_axis_mm"] = float(geometry.source_axis_mm.mean())
        facts["source_detector_mm"] = float(geometry.source_detector_mm.mean())
    return facts


def fingerprint(scan: Projections) -> Plain:
    """Return all vectors of the geometry, for the digest in the provenance.

    Parameters
    ----------
    scan
        scan as read
    """
    geometry = scan.geometry
    vectors = ("source_mm", "detector_mm", "u_mm", "v_mm")
    return {
        "beam": geometry.beam,
        "shape": list(geometry.shape),
        **{name: getattr(geometry, name).tolist() for name in vectors},
    }
