"""Tests of the resource estimates of a CT run, before and after its scan is read."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.backend.devices import cpu_device
from engine.data.projections import Projections
from engine.data.runs.events import Planned
from engine.geometry.orbits import circle, circular_cone, helical
from engine.io import write_projections
from engine.jobs.reconstruction import run
from engine.modalities.requirements import BASE_BYTES
from engine.modalities.studies import Study
from engine.modalities.xray_ct.dry_run import without_values
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import estimate, estimate_unread, largest_grid
from engine.protocols.study.assignments import with_settings
from engine.simulate.integrals import line_integrals
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder

ON = cpu_device(2)
REGION = ("grid.voxel_mm=[0.4, 0.4, 0.4]", "grid.diameter_mm=8", "grid.length_mm=4")
STEPS = ("steps.rings.use=off", "steps.centre.use=off", "steps.bad_pixels.use=off")


@pytest.fixture(scope="module")
def scan():
    """Return a disc in a cone beam."""
    geometry = circular_cone(
        circle(20), source_axis_mm=300.0, source_detector_mm=450.0, shape=(24, 100), pixel_mm=1.5
    )
    shape = Cylinder((6.0, -4.0, 0.0), (20.0, 20.0, 7.0), mu_per_mm=0.02)
    values = line_integrals(ShapePhantom("of a test", (shape,)), geometry, threads=2)
    return Projections(values.astype(np.float32), geometry, "integrals")


def protocol(algorithm: str) -> CtProtocol:
    return with_settings(CtProtocol(), (f"algorithm.kind={algorithm}", *REGION, *STEPS))


def planned(scan, plan, folder) -> tuple[float, int]:
    """Return the memory [MiB] and the time [s] that the run itself states."""
    write_projections(scan, folder / "scan.h5")
    events = run(Study(data=folder / "scan.h5", protocol=plan), on=cpu(2))
    message = next(event.text for event in events if isinstance(event, Planned))
    need, unit, minutes, seconds = re.search(
        r"Memory needed: ([\d.]+) (MiB|GiB), .* Estimated time: (\d+):(\d+)", message
    ).groups()
    return float(need) * (1024 if unit == "GiB" else 1), 60 * int(minutes) + int(seconds)


@pytest.mark.parametrize("algorithm", ["sirt", "cgls", "fista_tv"])
def test_iterations_on_a_region_take_at_most_the_forecast(scan, algorithm, tmp_path):
    plan = protocol(algorithm)
    grid = plan.grid.grid_for(scan.geometry)
    requirements = estimate_unread(plan, without_values(scan), grid, on=ON)
    assert requirements.minimum is not None
    memory_mib, seconds = planned(scan, plan, tmp_path)
    region_mib = (requirements.minimum.memory_bytes - BASE_BYTES) / 2**20
    assert region_mib < 0.5 * (memory_mib - BASE_BYTES / 2**20)
    assert memory_mib <= requirements.memory_bytes / 2**20 + 1
    assert seconds <= requirements.seconds + 1


def test_fdk_needs_depend_on_its_region(scan, tmp_path):
    plan = protocol("fdk")
    grid = plan.grid.grid_for(scan.geometry)
    requirements = estimate_unread(plan, without_values(scan), grid, on=ON)
    assert requirements.minimum is None
    assert requirements.memory_bytes == estimate(plan, scan.shape, grid, on=ON).memory_bytes
    assert planned(scan, plan, tmp_path)[0] == pytest.approx(
        requirements.memory_bytes / 2**20, abs=0.5
    )


def test_volume_with_the_complete_object_needs_no_more(scan):
    plan = with_settings(CtProtocol(), ("algorithm.kind=sirt", "grid.length_mm=40"))
    grid = plan.grid.grid_for(scan.geometry)
    assert largest_grid(plan, scan.geometry, grid) == grid
    assert estimate_unread(plan, without_values(scan), grid, on=ON).minimum is None


def test_helix_needs_two_volumes_for_its_views(scan):
    plan = protocol("fdk")
    grid = plan.grid.grid_for(scan.geometry)
    helix = helical(
        circle(20), pitch_mm=30.0, z_mm=0.0, source_axis_mm=300.0, source_detector_mm=450.0,
        shape=(24, 100), pixel_mm=1.5,
    )  # fmt: skip
    needs = [
        estimate_unread(plan, without_values(replace(scan, geometry=each)), grid, on=ON)
        for each in (scan.geometry, helix)
    ]
    assert needs[1].memory_bytes - needs[0].memory_bytes == 2 * 4 * grid.n_voxels
