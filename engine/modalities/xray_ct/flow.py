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
from engine.data.runs.events import Loaded, Planned
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_projections
from engine.modalities import stages
from engine.modalities.attaching import attach_inputs
from engine.modalities.kernel_stage import prepare_kernels
from engine.modalities.reader_notes import say
from engine.modalities.requirements import Requirements, refuse_if_too_large
from engine.modalities.stages import Stage
from engine.modalities.xray_ct import in_slabs
from engine.modalities.xray_ct import model as xray_ct
from engine.modalities.xray_ct.axis_text import axis_words
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
from engine.modalities.xray_ct.warm_up import of_projections
from engine.operators.xray.transform import XrayTransform
from engine.protocols.run_context.context import ImageSpace, Resume, RunContext
from engine.protocols.run_context.provenance import hash_array
from engine.recon.filtering.projections import planned
from engine.recon.filtering.truncation import cut_sides

Context = RunContext[CtProtocol]

NO_PATIENT = "xyz"
"""Axes of a volume where nobody says how a patient lay in the scanner."""


def flow(
    context: Context, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, preprocess, model, iterate, finish."""
    protocol = context.protocol
    scan = yield from read(context)
    scan = yield from into_files(context, scan)
    scan = yield from prepare(context, scan)
    wanted = space_of(scan, protocol)
    direct = protocol.algorithm.direct
    if direct and (in_slabs.is_in_files(scan) or context.divide is not None):
        return (yield from in_slabs.flow(context, scan, wanted, resume))
    worked, region = yield from enlarged_grid(context, scan, wanted)
    requirements = needs_of(context, scan, worked.grid)
    if requirements.disk_bytes:  # known now, or there is less memory than there was
        given = scan if in_slabs.is_in_files(scan) else in_slabs.in_files(scan)
        if direct:
            return (yield from in_slabs.flow(context, given, wanted, resume))
        from engine.modalities.xray_ct import iterations_in_slabs

        spaces = wanted, (worked, region)
        return (yield from iterations_in_slabs.flow(context, given, *spaces, resume, finish_early))
    streams = yield from say_requirements(context, requirements, worked.grid)
    A = xray_ct.projector(
        scan,
        worked.grid,
        on=context.on,
        adjoint=protocol.adjoint,
        streams=streams,
        on_progress=context.progress,
        profiler=context.profiler,
    )
    yield from prepare_kernels(context, of_projections(A, direct=direct))
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
    volume = yield from stages.finish(context, wanted, image[region], done)
    return (yield from in_hounsfield(context, volume))


def read(context: Context) -> Stage[Projections]:
    """Read the projections."""
    yield context.log.start("read", "Reading the scan")
    with context.profiler.span("read"):
        given = context.scan
        scan = given if isinstance(given, Projections) else read_projections(context.study.data)
        scan = attach_inputs(context, inputs_of(STEPS), scan)
    context.log.facts = facts_of(scan) | {"values_sha256": hash_array(scan.values)}
    context.log.scanner = fingerprint(scan)
    n_views, n_rows, n_columns = scan.shape
    yield Loaded(f"{n_views} views of {n_columns} × {n_rows} pixels", context.log.facts)
    yield from say(context, scan.notes)
    yield from stages.say_misfit(context, context.protocol.misfit(scan.geometry))
    yield context.log.end("read", views=n_views)
    return scan


def into_files(context: Context, scan: Projections) -> Stage[Projections]:
    """Have the steps put projections into files where the volume does not fit the memory."""
    empty_scan = without_values(scan)
    steps = [getattr(context.protocol.steps, step.kind) for step in STEPS]
    prepared = dry_run(empty_scan, steps).empty_scan
    grid = space_of(prepared, context.protocol).grid
    requirements = estimate_unread(context.protocol, prepared, grid, on=device_of(context.on))
    if not requirements.disk_bytes:
        return scan
    refuse_if_too_large(requirements, grid, SMALLER)
    yield Planned(context.on.name, f"{context.on.label}: {requirements.describe()}")
    return in_slabs.in_files(scan)


def space_of(scan: Projections, protocol: CtProtocol) -> ImageSpace:
    """Return what the image of a prepared scan means; pixels of unknown size count as 1 mm."""
    unit = "1/mm" if scan.pixel_mm_known else "1/pixel"
    axes = scan.info.get("axes", NO_PATIENT)
    return ImageSpace(protocol.grid.grid_for(scan.geometry), unit, axes)


def prepare(context: Context, scan: Projections) -> Stage[Projections]:
    """Turn what the detector counted into line integrals."""
    protocol = context.protocol
    yield context.log.start("correct", "Preparing the projections")
    scan = yield from stages.correct(context, protocol.steps.steps(), scan)
    if scan.n_not_finite:
        raise DataError(
            f"{context.study.data.name}: {scan.n_not_finite:,} of {scan.values.size:,} "
            "values are infinite or not numbers; switch on the correction of bad "
            "pixels."
        )
    context.log.axis = axis_words(context.log.corrections, scan)
    for step, doubt in doubts_of_steps(scan):
        yield context.log.warn(doubt, about=step)
    if protocol.algorithm.filter is not None:
        plan = planned(scan.values, scan.geometry, protocol.algorithm.filter)
        message = "; ".join(sentence.rstrip(".") for sentence in plan.messages)
        yield context.log.applied("weights", message)
        for warning in plan.warnings:
            yield context.log.warn(warning)
    yield context.log.end("correct")
    yield from context.profiled()
    return scan


def enlarged_grid(
    context: Context, scan: Projections, wanted: ImageSpace
) -> Stage[tuple[ImageSpace, Region]]:
    """Let iterations have all voxels that the rays through the object pass; and those wanted."""
    if context.protocol.algorithm.direct:
        return wanted, (slice(None),) * 3
    grid, region = grown(scan, wanted.grid)
    if grid != wanted.grid:
        message = (
            f"The rays cross more than the volume of {wanted.grid.describe()}. The "
            f"iterations use {grid.describe()}, and the image is cropped to the volume"
        )
        yield context.log.applied("volume", message)
    if all(cut_sides(scan.values)):
        yield context.log.warn(
            "The object is wider than the detector. Iterations cannot model the part "
            "outside the detector, so values near the edge are too large. Filtered "
            "back projection extrapolates the rows instead."
        )
    return replace(wanted, grid=grid), region


def needs_of(context: Context, scan: Projections, grid: ImageGrid) -> Requirements:
    """Return what the run will take, now that it is known what the scan saw."""
    on, in_files = device_of(context.on), in_slabs.is_in_files(scan)
    climbs = context.protocol.algorithm.direct and climbing(scan.geometry)
    return estimate(context.protocol, scan.shape, grid, on=on, climbs=climbs, in_files=in_files)


def say_requirements(context: Context, requirements: Requirements, grid: ImageGrid) -> Stage[bool]:
    """Say what the run will take; return whether it goes through a GPU's memory in parts."""
    refuse_if_too_large(requirements, grid, remedy(context.protocol))
    yield Planned(context.on.name, f"{context.on.label}: {requirements.describe()}")
    return requirements.gpu is not None and requirements.gpu.streams


def report_adjoint(context: Context, A: XrayTransform) -> Stage[None]:
    """Say which back projection an iterative algorithm gets, and how good an adjoint it is."""
    yield context.log.start("adjoint", "Comparing forward and back projection")
    if context.progress is not None:
        context.progress.begin("adjoint", 1, 2)
    message = xray_ct.describe_adjoint(A)
    yield context.log.applied("adjoint", message)
    yield context.log.end("adjoint")


def facts_of(scan: Projections) -> Plain:
    """Plain facts of a scan for the window and for provenance."""
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
    """Return all vectors of the geometry, for the provenance's digest."""
    geometry = scan.geometry
    vectors = ("source_mm", "detector_mm", "u_mm", "v_mm")
    return {
        "beam": geometry.beam,
        "shape": list(geometry.shape),
        **{name: getattr(geometry, name).tolist() for name in vectors},
    }
