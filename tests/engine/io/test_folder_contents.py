"""A folder opens its only scan or image, lists several, and is refused if it contains none."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from engine import read
from engine.cli.main import main
from engine.core.errors import EngineError, SeveralItemsError
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import inspect, read_projections, read_volume, save, scan_file
from engine.io.folder_contents import items_in
from engine.modalities.opening import scan_at
from engine.modalities.recognise import purpose_of
from tests.engine.io.xray.xray_files import dxchange

IMAGE = Volume(
    np.arange(24, dtype=np.float32).reshape(2, 3, 4), ImageGrid((2, 3, 4), (1, 1, 2)), "HU"
)


@pytest.fixture
def patient(tmp_path: Path) -> Path:
    """Return a patient's folder: two DICOM series, an image and texts, each in a subfolder."""
    folder = tmp_path / "patient"
    folder.mkdir()
    for name in ("CT", "PET"):
        save(IMAGE, folder / f"{name}.dicom", {"scan": {"description": name}})
    (folder / "labels").mkdir()
    save(IMAGE, folder / "labels" / "organs.nii.gz")
    (folder / "notes.txt").write_text("as usual\n")
    return folder


def test_folder_with_one_hdf5_scan_opens_it(tmp_path: Path) -> None:
    folder = tmp_path / "tooth"
    folder.mkdir()
    scan = dxchange(folder)
    (folder / "README.md").write_text("a tooth\n")
    assert scan_file(folder) == scan
    assert purpose_of(folder).purpose == "scan"
    assert isinstance(read(folder), Projections)
    assert read_projections(folder).shape == read_projections(scan).shape
    assert scan_at(folder).text == scan_at(scan).text


@pytest.mark.parametrize("deep", ["", "series", "a/b/series"])
def test_folder_with_one_image_opens_it(tmp_path: Path, deep: str) -> None:
    place = tmp_path / "export" / deep
    place.mkdir(parents=True)
    save(IMAGE, place / "ct.nii.gz")
    for path in (tmp_path / "export", place):
        np.testing.assert_array_equal(read_volume(path).values, IMAGE.values)
        assert purpose_of(path).purpose == "volume"


def test_patient_folder_lists_its_content(
    patient: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = items_in(patient)
    assert [item.place(patient).partition("/")[0] for item in items] == [
        *("CT.dicom", "PET.dicom", "labels"),
    ]
    report = inspect(patient)
    assert (report.title, report.usable) == ("folder with 3 scans or images", True)
    assert dict(report.facts)["labels/organs.nii.gz"] == "NIfTI-1"
    assert main(["inspect", str(patient)]) == 0
    assert "labels/organs.nii.gz" in capsys.readouterr().out
    for item in items:  # the message suggests opening one of them
        # stored as 16-bit integers
        np.testing.assert_allclose(read_volume(item.path).values, IMAGE.values, atol=1e-3)


def test_reader_of_one_image_names_all(patient: Path) -> None:
    with pytest.raises(
        SeveralItemsError, match=r"contains 3 scans or images; open one, such as CT.dicom/"
    ):
        purpose_of(patient)
    with pytest.raises(SeveralItemsError) as fault:
        read_volume(patient)
    # the error must survive pickling, because readers run in another process
    again = pickle.loads(pickle.dumps(fault.value))
    assert (str(again), again.items) == (str(fault.value), fault.value.items)


def test_two_scans_of_one_folder_are_listed(tmp_path: Path) -> None:
    shutil.copy(dxchange(tmp_path), tmp_path / "other.h5")
    with pytest.raises(SeveralItemsError, match="contains 2 scans") as fault:
        scan_file(tmp_path)
    assert len(fault.value.items) == 2
    assert {item.text for item in fault.value.items} == {"Data Exchange (HDF5)"}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), r"number of files: 0, endings: none\)\. Choose another folder"),
        (
            ("a.txt", "b.docx"),
            r"number of files: 2, endings: .docx, .txt\)\. Choose another folder",
        ),
        (("a.raw",), "describe them with `isocenter import`"),
    ],
)
def test_folder_without_scans_is_refused(
    tmp_path: Path, names: tuple[str, ...], words: str
) -> None:
    for name in names:
        (tmp_path / name).write_text("nothing")
    for act in (purpose_of, read_volume, read_projections, read):
        with pytest.raises(EngineError, match=rf"contains no scan or image .*{words}"):
            act(tmp_path)
    assert not inspect(tmp_path).usable


def test_sample_folders_are_recognised(shared_data: Path) -> None:
    assert scan_file(shared_data / "ct-parallel-tooth").name == "tooth.h5"
    assert scan_file(shared_data / "cases-3" / "15-castor-image").name == "im.hdr"
    series = items_in(shared_data / "pet-dicom-sts" / "STS_025")
    assert [item.text.rpartition("(")[2][:2] for item in series] == ["CT", "MR", "PT"]
