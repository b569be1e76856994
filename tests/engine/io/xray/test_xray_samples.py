"""Tests of the shared scans: a real parallel-beam tooth and a simulated cone-beam chest."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.io import inspect, read_projections

SIDECAR = """
format = "isocenter-projections"
version = 1
file = "chest.raw"
dtype = "float32"
shape = [200, 96, 256]
kind = "integrals"

[geometry]
kind = "cone"
source_axis_mm = 1000
source_detector_mm = 1500
pixel_mm = [2.8, 2.8]
columns = "left"
angles = { first = 90, step = 1.8 }
"""


def test_tooth_is_read_correctly(shared_data: Path) -> None:
    path = shared_data / "ct-parallel-tooth" / "tooth.h5"
    data = read_projections(path)
    assert data.shape == (181, 2, 640)
    assert (data.kind, data.pixel_mm_known) == ("counts", False)
    assert data.flats is not None
    assert data.flats.shape == (10, 2, 640)
    assert data.flats.mean() == pytest.approx(27_942, abs=1)
    assert data.darks is not None
    assert data.darks.mean() == pytest.approx(105, abs=0.5)
    turned = np.rad2deg(np.unwrap(data.geometry.angles_rad))
    assert turned - turned[0] == pytest.approx(np.arange(181) * 180 / 181)
    report = inspect(path)
    assert report.usable
    assert dict(report.facts)["Angles"] == "180°, circular orbit"


def test_chest_is_read_correctly(shared_data: Path, tmp_path: Path) -> None:
    """The raw file opens the scan. Source, detector and angular steps are those of the README."""
    folder = shared_data / "ct-conebeam-xcist-chest"
    shutil.copyfile(folder / "chest_cone_200x96x256_float32.raw", tmp_path / "chest.raw")
    (tmp_path / "chest.toml").write_text(SIDECAR)
    data = read_projections(tmp_path / "chest.raw")
    b = 2 * np.pi * np.arange(200) / 200
    s, c, o = np.sin(b), np.cos(b), 0 * b
    g = data.geometry
    assert np.allclose(g.source_mm, 1000 * np.stack([-s, c, o], 1))
    assert np.allclose(g.detector_mm, 500 * np.stack([s, -c, o], 1))
    assert np.allclose(g.u_mm, 2.8 * np.stack([c, s, o], 1))
    assert np.allclose(g.v_mm, (0, 0, 2.8))
    assert data.values.max() == pytest.approx(7.93, abs=0.01)
    assert inspect(tmp_path).title == "cone-beam CT, 200 views of 96 × 256"


def test_master_file_with_dangling_links_opens(shared_data: Path) -> None:
    """The images are in another file, and unused links have no target."""
    path = shared_data / "formats" / "nxtomo-links" / "k11-18014.nxs"
    if not path.exists():
        pytest.skip("the shared NeXus master file is not installed")
    data = read_projections(path)
    assert data.shape == (3001, 22, 26)
    assert data.flats is not None and data.darks is not None
    assert len(data.flats) + len(data.darks) == 200
    turned = np.rad2deg(np.unwrap(data.geometry.angles_rad))
    assert np.ptp(turned) == pytest.approx(180.0, abs=0.1)
