"""Gridding in a run: set by protocols that name it, recorded, and part of the forecast."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.backend.devices import cpu_device
from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, parallel
from engine.io import write_projections
from engine.jobs.reconstruction import reconstruct
from engine.kernels.grid_layout import buffer_bytes
from engine.modalities.studies import Study, find_protocol, parse_protocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.requirements import estimate
from engine.modalities.xray_ct.slab_sizes import slab_needs
from engine.protocols.study.assignments import with_settings

ON = cpu(2)
DISC_MM, MU = 18.0, 0.02
STEPS = ("steps.rings.use=off", "steps.centre.use=off", "steps.bad_pixels.use=off")
CHOSEN = "Back projection by gridding"
VOXELS = "Back projection by voxels"


def scan_of(n_views: int) -> Projections:
    """Return a disc around the axis in parallel rays."""
    geometry = parallel(circle(n_views, range_rad=np.pi), shape=(3, 64), pixel_mm=1.0)
    s = np.arange(64) - 31.5
    row = MU * 2 * np.sqrt(np.maximum(DISC_MM**2 - s**2, 0))
    values = np.broadcast_to(row, (n_views, 3, 64)).astype(np.float32)
    return Projections(values, geometry, "integrals")


def protocol(method: str) -> CtProtocol:
    return with_settings(CtProtocol(), (f"algorithm.method={method}", *STEPS))


@pytest.mark.parametrize(
    ("method", "n_views", "recorded"),
    [
        ("gridding", 90, CHOSEN), ("auto", 120, CHOSEN), ("auto", 90, VOXELS), ("direct", 120, ""),
    ],
)  # fmt: skip
def test_record_names_the_method(method: str, n_views: int, recorded: str, tmp_path: Path) -> None:
    write_projections(scan_of(n_views), tmp_path / "scan.h5")

    volume = reconstruct(Study(data=tmp_path / "scan.h5", protocol=protocol(method)), on=ON)

    rows = {each["kind"]: each["text"] for each in volume.info["run"]["corrections"]}
    named = [each for each in (CHOSEN, VOXELS) if each in rows["weights"]]
    assert named == ([recorded] if recorded else [])
    y, x = volume.grid.centres_mm(1)[:, None], volume.grid.centres_mm(0)
    middle = volume.values[1][np.hypot(y, x) < DISC_MM / 2]
    assert middle.mean() == pytest.approx(MU, rel=5e-3)  # rows sample a sharp edge at pixel centres


def test_protocol_without_the_method_keeps_its_bits() -> None:
    old = parse_protocol({"modality": "ct", "version": 4, "algorithm": {"kind": "fdk"}}, "old.toml")
    assert old.algorithm.method == "direct"
    assert find_protocol("ct-cone-beam").algorithm.method == "direct"
    assert find_protocol("ct-micro").algorithm.method == "auto"


def test_forecast_includes_the_grids() -> None:
    shape, grid = (120, 3, 64), ImageGrid((3, 64, 64), (1.0, 1.0, 1.0))
    on = cpu_device(2)
    needs = [
        estimate(protocol(method), shape, grid, on=on).memory_bytes for method in ("direct", "auto")
    ]
    assert needs[1] - needs[0] == buffer_bytes(grid.shape, 2)


def test_slabs_leave_memory_for_the_grids() -> None:
    shape, grid = (400, 512, 1024), ImageGrid((512, 1024, 1024), (1.0, 1.0, 1.0))
    grids = buffer_bytes(grid.shape, 2)
    free = 2 << 30
    without, gridded = (
        slab_needs(shape, grid, free_bytes=free, threads=2, grids_bytes=each) for each in (0, grids)
    )
    assert gridded.sizes.slices < without.sizes.slices
    assert grids < gridded.memory_bytes <= 0.8 * free


def test_forecast_of_time_depends_on_the_method() -> None:
    grid = ImageGrid((64, 512, 512), (1.0, 1.0, 1.0))

    def seconds(method: str, n_views: int) -> float:
        plan = protocol(method).model_copy(update={"beam": "parallel"})
        return estimate(plan, (n_views, 64, 512), grid, on=cpu_device(2)).stages["reconstruct"]

    assert seconds("auto", 360) == seconds("gridding", 360) < seconds("direct", 360) / 2
    assert seconds("auto", 90) == seconds("direct", 90) != seconds("gridding", 90)
