"""`inspect` names the format of every file as the makers of the format do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nibabel
import numpy as np
import pytest
import tifffile

from engine.analysis.regions import Region, RegionSet, SphereRegion, write_regions
from engine.analysis.regions.inspection import inspect_regions
from engine.cli.main import main
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.io import save, write_listmode
from engine.modalities.inspection import inspect
from engine.modalities.opening import scan_at
from tests.engine.io.xray.xray_files import nxtomo

VALUES = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def by_nibabel(kind: type) -> Callable[[Path], object]:
    return lambda path: nibabel.save(kind(VALUES, np.eye(4)), path)


@pytest.mark.parametrize(
    ("name", "write", "expected"),
    [
        ("a.nii", by_nibabel(nibabel.Nifti1Image), "NIfTI-1"),
        ("a.nii.gz", by_nibabel(nibabel.Nifti2Image), "NIfTI-2"),
        ("a.hdr", by_nibabel(nibabel.Nifti1Pair), "NIfTI-1 (separate header and values)"),
        ("a.hdr", by_nibabel(nibabel.Spm99AnalyzeImage), "Analyze 7.5"),
        (
            "a.tif",
            lambda path: tifffile.imwrite(
                path, VALUES, imagej=True, resolution=(1, 1), metadata={"spacing": 1, "unit": "mm"}
            ),
            "ImageJ TIFF",
        ),
    ],
    ids=["nifti1", "nifti2", "pair", "analyze", "imagej"],
)
def test_foreign_volume_formats_are_named(
    tmp_path: Path, name: str, write: Callable[[Path], object], expected: str
) -> None:
    write(tmp_path / name)
    assert inspect(tmp_path / name).facts[0] == ("Format", expected)


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (".nii.gz", "NIfTI-1"),
        (".h5", "Isocenter volume (HDF5)"),
        (".mha", "MetaImage"),
        (".nrrd", "NRRD"),
        (".hv", "Interfile (STIR)"),
        (".ome.tif", "OME-TIFF"),
        (".tif", "TIFF"),
    ],
)
def test_own_volume_formats_are_named(
    tmp_path: Path, phantom: Volume, ending: str, expected: str
) -> None:
    save(phantom, tmp_path / f"a{ending}")
    assert inspect(tmp_path / f"a{ending}").facts[0] == ("Format", expected)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("formats/zeiss-txrm/txrm_test_chip_tomo.txrm", "Zeiss XRM"),
        ("ct-parallel-tooth/tooth.h5", "Data Exchange (HDF5)"),
        ("pet-listmode-mmr-brain/PET_ACQ_small.l.hdr.STIR", "Siemens list mode (PETLINK)"),
        ("pet-listmode-safir-point/crystal_map_front.txt", "Crystal map"),
    ],
)
def test_formats_of_samples_are_named(shared_data: Path, path: str, expected: str) -> None:
    assert inspect(shared_data / path).facts[0] == ("Format", expected)


def test_summary_for_the_window_begins_with_the_format(tmp_path: Path, scan: ListMode) -> None:
    write_listmode(scan, tmp_path / "a.h5")
    assert scan_at(tmp_path / "a.h5").facts[0] == ("Format", "Isocenter list mode (HDF5)")
    facts = scan_at(nxtomo(tmp_path)).facts
    assert facts[0] == ("Format", "NXtomo")
    assert [label for label, _ in facts].count("Format") == 1


def test_command_prints_the_format_and_writes_it_as_json(
    tmp_path: Path, phantom: Volume, capsys: pytest.CaptureFixture[str]
) -> None:
    save(phantom, tmp_path / "a.mha")
    (tmp_path / "b.txt").write_text("nothing")
    report = tmp_path / "report.json"
    names = [str(tmp_path / name) for name in ("a.mha", "b.txt")]
    assert main(["inspect", *names, "--json", str(report)]) == 2
    assert "  Format:                MetaImage\n" in capsys.readouterr().out
    volume, other = json.loads(report.read_text())
    assert (volume["file"], volume["format"], volume["faults"]) == ("a.mha", "MetaImage", [])
    assert volume["facts"]["Voxels"] == phantom.grid.describe()
    assert other["format"] is None
    assert "unknown format" in other["faults"][0]


def test_region_files_are_named(tmp_path: Path) -> None:
    ball = Region(name="Lesion", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=10))
    write_regions(RegionSet(regions=(ball,)), tmp_path / "a.regions.toml")
    report = inspect_regions(tmp_path / "a.regions.toml")
    assert report is not None
    assert report.title == "1 region"
    assert dict(report.facts)["Format"] == "Isocenter regions (TOML)"
    assert dict(report.facts)["Regions"] == "Lesion"
    assert main(["inspect", str(tmp_path / "a.regions.toml")]) == 0


def test_structure_set_of_the_samples_is_named(shared_data: Path) -> None:
    report = inspect_regions(next((shared_data / "pet-dicom-sts/STS_025/PET/mask").iterdir()))
    assert report is not None
    assert report.usable
    assert dict(report.facts)["Format"] == "DICOM (RT structure set)"
