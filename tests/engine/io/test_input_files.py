"""Every file that a reader opens is in the list of protected input files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circular_cone
from engine.io import fingerprint_of, read_projections, read_volume, save, save_projections
from engine.io.input_files import files_behind, images_behind
from engine.io.xray.find import find
from engine.simulate import point
from engine.simulate.xray import Detector, simulate_xray
from tests.engine.io.xray import xray_files
from tests.engine.io.xray.ctsimu_files import ctsimu
from tests.engine.io.xray.elekta_files import elekta
from tests.engine.io.xray.esrf_files import esrf
from tests.engine.io.xray.obi_files import obi
from tests.engine.io.xray.varian_files import varian

_opened: list[set[str]] = []


@cache
def _install_audit_hook() -> None:
    """Install an audit hook that reports every opened file. Python cannot remove audit hooks."""
    sys.addaudithook(_on_audit_event)


def _on_audit_event(event: str, arguments: tuple[object, ...]) -> None:
    if _opened and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        _opened[-1].add(os.path.realpath(os.fsdecode(arguments[0])))


@contextmanager
def opened_in(folder: Path) -> Iterator[set[str]]:
    """Collect the files of a folder that are opened in this context."""
    _install_audit_hook()
    found: set[str] = set()
    _opened.append(set())
    try:
        yield found
    finally:
        root = os.path.realpath(folder)
        found |= {name for name in _opened.pop() if name.startswith(root + os.sep)}


def sidecar(folder: Path) -> Path:
    """Write raw counts with flats, and a sidecar in which one file name contains an escape."""
    orbit = circular_cone(
        np.arange(6) * np.pi / 3, source_axis_mm=300, source_detector_mm=500, shape=(2, 5),
        pixel_mm=2,
    )  # fmt: skip
    data = simulate_xray(point(), orbit, seed=1, detector=Detector(), n_flats=2, n_darks=1)
    save_projections(data, folder / "fäden.toml")
    text = (folder / "fäden.toml").read_text("utf-8").replace("fäden_flats", r"f\u00e4den_flats")
    (folder / "fäden.toml").write_text(text, "utf-8")
    return folder / "fäden.toml"


MAKERS: dict[str, Callable[[Path], Path]] = {
    "flexray": xray_files.flexray,
    "nikon": xray_files.nikon,
    "bruker": xray_files.bruker,
    "data exchange": xray_files.dxchange,
    "nxtomo": xray_files.nxtomo,
    "nxtomo with links": xray_files.nxtomo_with_links,
    "sidecar": sidecar,
    "varian": varian,
    "ctsimu": ctsimu,
    "elekta": elekta,
    "obi": obi,
    "esrf": esrf,
}


def spelled(files: tuple[Path, ...]) -> set[str]:
    return {os.path.realpath(path) for path in files}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_every_file_of_an_xray_scan_is_an_input(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    settings = make(tmp_path)
    (tmp_path / "result.nii.gz").write_bytes(b"of an earlier run")
    with opened_in(tmp_path) as opened:
        read_projections(settings)
    for named in (settings, tmp_path, *map(Path, opened)):
        if (found := find(named)) is None or found[1] != settings:
            continue  # this file cannot be opened without the others
        known = spelled(files_behind(named))
        assert known >= opened | {str(settings)}
        assert str(tmp_path / "result.nii.gz") not in known


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_exported_slices_next_to_a_scan_are_not_its_images(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    settings = make(tmp_path)
    before, fingerprint = images_behind(settings), fingerprint_of(settings)
    for k in range(3):
        (settings.parent / f"image_{k:03d}.tif").write_bytes(b"II*\0 of an earlier run")
    assert images_behind(settings) == before
    assert fingerprint_of(settings) == fingerprint


def test_renamed_projections_are_images_of_their_scan(tmp_path: Path) -> None:
    settings = xray_files.nikon(tmp_path)
    for image in (images := sorted(tmp_path.glob("*.tif"))):
        image.rename(tmp_path / image.name.replace("bean", "pea"))
    assert read_projections(settings).n_views == len(images)
    assert len(images_behind(settings)) == len(images) > 2
    assert all(each.name.startswith("pea") for each in images_behind(settings))


def test_every_image_of_a_varian_scan_names_all_its_files(tmp_path: Path) -> None:
    settings = varian(tmp_path)
    with opened_in(tmp_path) as opened:
        read_projections(settings)
    images = [Path(each) for each in opened if "Proj_" in each]
    for named in (images[3], images[0].parent):
        assert spelled(files_behind(named)) >= opened
    assert spelled(images_behind(settings)) == opened - {str(settings)}


def test_scenario_names_the_images_in_its_folder(tmp_path: Path) -> None:
    settings = ctsimu(tmp_path)
    with opened_in(tmp_path) as opened:
        read_projections(settings)
    for named in (tmp_path / "projections", tmp_path / "projections" / "tiny_0003.tif"):
        assert spelled(files_behind(named)) >= opened
    images = {each for each in opened if each.endswith(".tif")}
    assert spelled(images_behind(settings)) == images
    assert spelled(images_behind(tmp_path / "projections" / "tiny_metadata.json")) == images


def test_metadata_name_images_in_any_subfolder(tmp_path: Path) -> None:
    settings = ctsimu(tmp_path)
    inside = tmp_path / "projections"
    (inside / "views").mkdir()
    for each in inside.glob("tiny_0*.tif"):
        each.rename(inside / "views" / each.name)
    text = (inside / "tiny_metadata.json").read_text()
    (inside / "tiny_metadata.json").write_text(text.replace('"tiny_%04d', '"views/tiny_%04d'))
    with opened_in(tmp_path) as opened:
        read_projections(settings)
    assert sum("views" in each for each in opened) == 12
    for named in (settings, inside / "tiny_metadata.json"):
        assert spelled(files_behind(named)) >= opened


def test_images_of_parent_folders_are_not_inputs(tmp_path: Path) -> None:
    """As inputs they would be recorded, and a change of them would stop a resumed run."""
    for make, name in ((ctsimu, "a.tif"), (obi, "Proj_00001.hnd"), (elekta, "00001.9.his")):
        (tmp_path / name).write_bytes(b"of another scan")
        folder = tmp_path / name.replace(".", "_")
        folder.mkdir()
        settings = make(folder)
        images = [each for each in folder.rglob("*") if each.suffix == Path(name).suffix]
        for named in (settings, images[3]):
            assert images_behind(named)
            assert str(tmp_path / name) not in spelled(images_behind(named))


def test_measured_angles_and_a_folder_of_images_belong_to_a_scan(tmp_path: Path) -> None:
    settings = xray_files.nikon(tmp_path, InputFolderName="images")
    (tmp_path / "images").mkdir()
    for image in tmp_path.glob("*.tif"):
        image.rename(tmp_path / "images" / image.name)
    lines = [f"{k} : {k * xray_files.STEP}" for k in range(xray_files.N)]
    (tmp_path / "bean.ang").write_text("\n".join(lines))
    with opened_in(tmp_path) as opened:
        read_projections(settings)
    assert len(opened) == xray_files.N + 2
    assert spelled(files_behind(settings)) >= opened


def test_header_and_data_name_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.l").write_bytes(bytes(range(4)) * 8)
    (tmp_path / "b.l").write_bytes(bytes(range(4)) * 8)
    (tmp_path / "a.l.hdr").write_text("!INTERFILE:=\nname of data file := a.l\n")
    both = spelled((tmp_path / "a.l", tmp_path / "a.l.hdr"))
    assert spelled(files_behind(tmp_path / "a.l")) == both
    assert spelled(files_behind(tmp_path / "a.l.hdr")) == both


def test_crystal_map_of_the_folder_belongs_to_its_scan(tmp_path: Path) -> None:
    (tmp_path / "scan.clm.safir").write_bytes(b"MUPET CListModeData")
    (tmp_path / "my_crystal_map.txt").write_text("0 0 1 2 3")
    (tmp_path / "notes.txt").write_text("of the day")
    files = files_behind(tmp_path / "scan.clm.safir")
    assert [path.name for path in files] == ["scan.clm.safir", "my_crystal_map.txt"]


def test_provenance_of_a_volume_belongs_to_it(tmp_path: Path) -> None:
    grid = ImageGrid((1, 2, 3), (1.0, 1.0, 1.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), tmp_path / "mu.nii.gz")
    with opened_in(tmp_path) as opened:
        read_volume(tmp_path / "mu.nii.gz")
    assert len(opened) == 2
    assert spelled(files_behind(tmp_path / "mu.nii.gz")) == opened


def test_folder_without_a_scan_names_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    (tmp_path / "more").mkdir()
    assert files_behind(tmp_path) == (tmp_path / "one",)
    assert files_behind(tmp_path / "absent") == (tmp_path / "absent",)
