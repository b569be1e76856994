"""Test that a dropped folder of Siemens e7tools fills all roles without mixing scans."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.data.listmode import ListMode
from engine.io import fingerprint_of, write_listmode
from tests.app.state.services.test_opening import OpenFiles
from tests.engine.io.siemens import siemens_files
from tests.engine.io.siemens.siemens_files import write

BINS = replace(siemens_files.layout(), n_views=7, n_tangential=5)
ALL = {
    "data": "scan.s.hdr",
    "normalisation_sinogram": "norm3d_00.a",
    "attenuation_sinogram": "acf_00.a.hdr",
    "randoms_sinogram": "smoothed_rand_00.s",
    "scatter_sinogram": "scatter_estim2d_000000.s",
}


@pytest.fixture
def opener(qtbot, qapp, preferences, loader):
    files = OpenFiles(preferences, loader, qtbot)
    yield files
    files.commands.wait()


@pytest.fixture
def site(tmp_path) -> Path:
    ones = np.ones(BINS.n_bins, np.float32)
    write(tmp_path / "scan.s", BINS, 9 * ones)
    write(tmp_path / "acf_00.a", BINS, ones)
    for name in ("norm3d_00.a", "smoothed_rand_00.s", "scatter_estim2d_000000.s"):
        (tmp_path / name).write_bytes(ones.tobytes())
    return tmp_path


def test_one_drop_fills_all_roles_and_a_single_file_is_used_alone(opener, site):
    opener.open(site)
    assert opener.files() == ALL and opener.problems == []
    assert opener.session.obstacle() == ""
    before = opener.inputs["data"]
    opener.commands.clear("scatter_sinogram")
    opener.settle()
    opener.open(site / ALL["scatter_sinogram"])
    assert opener.files() == ALL and opener.inputs["data"] is before


def test_file_of_the_next_export_is_not_added_to_the_scan_before(opener, site):
    """Each export of the scanner may use the same folder and the same names."""
    opener.open(site)
    before = opener.inputs["data"]
    write(site / "scan.s", BINS, 8 * np.ones(BINS.n_bins, np.float32))
    opener.open(site / ALL["scatter_sinogram"])
    assert opener.files() == ALL and opener.problems == []
    assert opener.inputs["data"].fingerprint == fingerprint_of(site / ALL["data"])
    assert opener.inputs["data"].fingerprint != before.fingerprint


def test_unusable_file_is_left_out_and_named(opener, site):
    (site / "acf_00.a").write_bytes(b"1234")
    opener.open(site / "acf_00.a.hdr")
    assert opener.files() == {k: v for k, v in ALL.items() if k != "attenuation_sinogram"}
    (problem,) = opener.problems
    assert "skipped" in problem and "acf_00.a" in problem and "truncated" in problem


def test_two_scans_in_one_folder_are_not_mixed(opener, site):
    write(site / "other.s", BINS, np.ones(BINS.n_bins))
    opener.open(site)
    assert opener.files() == {}
    (problem,) = opener.problems
    assert "2 sinograms with counts" in problem


def test_map_of_the_folder_is_used_for_the_open_scan(opener, site, tiny_ring):
    """A map of the folder can be used for other list mode without opening the sinogram."""
    write_listmode(
        ListMode(tiny_ring, tiny_ring.lors(np.arange(50)), duration_s=1.0), site / "a.h5"
    )
    lines = ["!INTERFILE:=", "%SMS-MI header name space:=image subheader"]
    lines += ["!name of data file:=scan-umap.v", "number format:=float"]
    lines += ["!number of bytes per pixel:=4", "number of dimensions:=3"]
    lines += ["image data byte order:=LITTLEENDIAN"]  # the default is big-endian
    lines += [f"matrix size [{k}]:=4" for k in (1, 2, 3)]
    lines += [f"scale factor (mm/pixel) [{k}]:=2" for k in (1, 2, 3)]
    (site / "scan-umap.v.hdr").write_text("\n".join(lines))
    (site / "scan-umap.v").write_bytes(np.full(64, 0.096, "<f4").tobytes())
    opener.open(site / "a.h5")
    opener.open(site / "scan-umap.v.hdr")
    assert opener.files() == {"data": "a.h5", "attenuation": "scan-umap.v.hdr"}, opener.problems
