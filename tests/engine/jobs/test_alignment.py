"""Tests of the alignment of an attenuation map, and of its quick reconstruction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.corrections import Attenuation, Scatter
from engine.data.runs.events import Corrected, Finished
from engine.geometry.grid import ImageGrid
from engine.geometry.rigid_motion import RigidMotion
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import save, write_listmode
from engine.jobs.alignment import N_ACROSS, align, uncorrected
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.simulate import simulate_listmode
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Ellipsoid
from tests.engine.analysis.registration.scenes import displaced_map

pytestmark = pytest.mark.slow

RING = RingScanner(
    RingSettings(
        name="Small ring", n_rings=10, n_crystals_per_ring=96, radius_mm=110, ring_pitch_mm=6,
        max_ring_difference=9, n_tangential=48, voxel_mm=(4, 4, 4), fov_mm=(130, 60),
    )
)  # fmt: skip
BODY = ShapePhantom(
    "two ellipsoids in a third",
    (
        Ellipsoid((0, 0, 0), (55, 40, 24), 1.0, 0.0096),
        Ellipsoid((24, 8, 3), (14, 20, 14), -0.8, -0.007),
        Ellipsoid((-22, -6, -4), (16, 14, 10), 2.0, 0.006),
    ),
)
OFF = RigidMotion((9.0, -6.0, 0.0))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return a scan with an attenuation map in the same folder."""
    folder: Path = tmp_path_factory.mktemp("moved")
    write_listmode(simulate_listmode(BODY, RING, n_prompts=60_000, seed=3), folder / "scan.h5")
    grid = ImageGrid((30, 40, 46), (3.0, 3.0, 3.0))
    save(displaced_map(BODY, grid, OFF), folder / "mu.h5")
    return Study(data=folder / "scan.h5", attenuation=folder / "mu.h5", protocol=ListModeProtocol())


def test_quick_reconstruction_ignores_the_map_and_uses_coarse_voxels(study: Study):
    protocol = uncorrected(study, RING).protocol
    assert protocol.corrections.of(Attenuation).use == "off"
    assert protocol.corrections.of(Scatter).use == "off"
    expected = max(max(RING.default_size_mm) / N_ACROSS, 4.0)
    assert protocol.grid.voxel_mm == (expected,) * 3
    assert protocol.corrections.normalisation == study.protocol.corrections.normalisation
    assert study.protocol == ListModeProtocol()


def test_map_is_aligned_with_the_body_in_the_scan(study: Study):
    events = list(align(uncorrected(study, RING), on=cpu(2)))
    states = {event.kind: event.state for event in events if isinstance(event, Corrected)}
    assert states["attenuation"] == "off"
    last = events[-1]
    assert isinstance(last, Finished)
    found = last.provenance["registration"]
    assert np.linalg.norm(np.subtract(found["shift_mm"], OFF.shift_mm)) < 2.0, found["text"]
    assert found["light"] == "yellow" and found["text"].startswith("yellow: moved")


def test_alignment_without_a_map_is_refused(study: Study):
    alone = study.model_copy(update={"inputs": {}})
    with pytest.raises(DataError, match="Add one to the scan"):
        next(align(uncorrected(alone, RING), on=cpu(2)))
