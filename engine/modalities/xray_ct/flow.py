"""X-ray CT from file to volume, on one screen, and its stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.backend.devices import device_of
from engine.corrections.base import inputs_of
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.errors import DataError
from engine.events import Corrected, Loaded, Planned
from engine.filtering.projections import planned
from engine.filtering.truncation import cut_sides
from engine.io import read_projections
from engine.modalities import stages
from engine.modalities.kernel_stage import prepare_kernels
from engine.modalities.requirements import refuse_if_too_large
from engine.modalities.stages import Stage
from engine.modalities.xray_ct import model as xray_ct
from engine.modalities.xray_ct.extent import Region, grown
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import SMALLER, estimate
from engine.modalities.xray_ct.warm_up import of_projections
from engine.operators.xray import XrayTransform
from engine.preprocess import STEPS
from engine.preprocess.plausibility import doubts
from engine.reporting.context import Resume, RunContext
from engine.reporting.provenance import hash_array

NO_PATIENT = "xyz"
"""Axes of a volume where nobody says how a patient lay in the scanner."""


def flow(
    record: RunContext, resume: Resume | None, finish_early: Callable[[], bool] | None
) -> Stage[Volume]:
    """Read, preprocess, model, iterate, finish."""
    protocol = _protocol(record)
    scan = yield from read(record)
    scan = yield from prepare(record, protocol, scan)
    wanted = record.grid
    region = yield from make_room(record, scan)
    streams = yield from measure_requirements(record, protocol, scan)
    A = xray_ct.projector(
        scan,
        record.grid,
        on=record.on,
        adjoint=protocol.adjoint,
        streams=streams,
        on_progress=record.progress,
        profiler=record.profiler,
    )
    yield from prepare_kernels(record, of_projections(A, direct=protocol.algorithm.direct))
    if not protocol.algorithm.direct:
        yield from report_adjoint(record, A)
    yield stages.begin(record, resume)
    model = xray_ct.build(scan, A)
    start = xray_ct.empty_start(record.grid)
    image, done = yield from stages.iterate(
        record, model, start, resume, finish_early, n_rows=scan.values.size, rows="pixels"
    )
    record.grid = wanted
    volume = yield from stages.finish(record, image[region], done)
    if protocol.hounsfield is not None:
        volume = protocol.hounsfield.apply(volume)
        message = protocol.hounsfield.summary(volume)
        yield Corrected(protocol.hounsfield.kind, "applied", message)
    return volume


def read(record: RunContext) -> Stage[Projections]:
    """Read the projections."""
    yield record.start("read", "Reading the scan")
    with record.profiler.span("read"):
        scan = read_projections(record.study.data)
        scan = stages.attach_inputs(record, inputs_of(STEPS), scan)
    record.unit = "1/mm" if scan.pixel_mm_known else "1/pixel"
    record.axes = scan.info.get("axes", NO_PATIENT)
    record.facts = facts_of(scan) | {"values_sha256": hash_array(scan.values)}
    record.scanner = fingerprint(scan)
    n_views, n_rows, n_columns = scan.shape
    yield Loaded(f"{n_views} views of {n_columns} × {n_rows} pixels", record.facts)
    for note in scan.notes:
        yield record.warn(note)
    yield record.end("read", views=n_views)
    return scan


def prepare(record: RunContext, protocol: CtProtocol, scan: Projections) -> Stage[Projections]:
    """Turn what the detector counted into line integrals; then the grid is known."""
    yield record.start("correct", "Preparing the projections")
    scan = yield from stages.correct(record, protocol.steps.steps(), scan)
    if scan.n_not_finite:
        raise DataError(
            f"{record.study.data.name}: {scan.n_not_finite:,} of {scan.values.size:,} values are "
            "infinite or no numbers; switch the correction of bad pixels on."
        )
    for doubt in doubts(scan):
        yield record.warn(doubt)
    record.grid = protocol.grid.grid_for(scan.geometry)
    if protocol.algorithm.filter is not None:
        plan = planned(scan.values, scan.geometry, protocol.algorithm.filter)
        message = "; ".join(sentence.rstrip(".") for sentence in plan.messages)
        record.corrections.append({"kind": "weights", "state": "applied", "text": message})
        yield Corrected("weights", "applied", message)
        for warning in plan.warnings:
            yield record.warn(warning)
    yield record.end("correct")
    yield from record.profiled()
    return scan


def make_room(record: RunContext, scan: Projections) -> Stage[Region]:
    """Let iterations have all voxels that the rays through the object pass; return those wanted."""
    region: Region = (slice(None),) * 3
    if record.protocol.algorithm.direct:
        return region
    wanted = record.grid
    record.grid, region = grown(scan, wanted)
    if record.grid != wanted:
        message = (
            f"The rays meet more than the volume of {wanted.describe()}: iterations have "
            f"{record.grid.describe()}, and the picture is cut out of it"
        )
        record.corrections.append({"kind": "volume", "state": "applied", "text": message})
        yield Corrected("volume", "applied", message)
    if all(cut_sides(scan.values)):
        yield record.warn(
            "The object is wider than the detector: iterations cannot explain what lies beyond it "
            "and make values near the edge too large; filtered back projection continues the rows."
        )
    return region


def measure_requirements(
    record: RunContext, protocol: CtProtocol, scan: Projections
) -> Stage[bool]:
    """Say what the run will take; return whether it goes through a GPU's memory in parts."""
    on = device_of(record.on)
    requirements = estimate(protocol, scan.shape, record.grid, on=on)
    refuse_if_too_large(requirements, record.grid, SMALLER)
    yield Planned(record.on.name, f"{record.on.label}: {requirements.describe()}")
    return requirements.gpu is not None and requirements.gpu.streams


def report_adjoint(record: RunContext, A: XrayTransform) -> Stage[None]:
    """Say which back projection an iterative algorithm gets, and how good an adjoint it is."""
    yield record.start("adjoint", "Comparing the back projection with the line integrals")
    if record.progress is not None:
        record.progress.begin("adjoint", 1, 2)
    message = xray_ct.describe_adjoint(A)
    record.corrections.append({"kind": "adjoint", "state": "applied", "text": message})
    yield Corrected("adjoint", "applied", message)
    yield record.end("adjoint")


def facts_of(scan: Projections) -> dict[str, Any]:
    """Plain facts of a scan for the window and for provenance."""
    geometry = scan.geometry
    n_views, n_rows, n_columns = scan.shape
    facts: dict[str, Any] = scan.info | {
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


def fingerprint(scan: Projections) -> dict[str, Any]:
    """Return all vectors of the geometry, for the provenance's digest."""
    geometry = scan.geometry
    vectors = ("source_mm", "detector_mm", "u_mm", "v_mm")
    return {
        "beam": geometry.beam,
        "shape": list(geometry.shape),
        **{name: getattr(geometry, name).tolist() for name in vectors},
    }


def _protocol(record: RunContext) -> CtProtocol:
    protocol = record.study.protocol
    if not isinstance(protocol, CtProtocol):
        raise TypeError(f"no protocol of CT: {protocol!r}")
    return protocol
