"""A bad file never prevents a good DICOM series from opening. The bad file is named."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.uid import generate_uid

from engine.core.errors import EngineError, FileFormatError
from engine.data.volume import Volume
from engine.io import inspect, read_volume
from tests.engine.io.dicom.dicom_files import change, write_series
from tests.engine.io.dicom.hostile_dicom import HARMLESS, HOSTILE, SEEDS, Hostile, other_series

AFFINE = np.array([[2.0, 0, 0, -7], [0, 3.0, 0, 11], [0, 0, 4.0, -900], [0, 0, 0, 1]])
BAD = "bad.dcm"


@pytest.fixture
def series(tmp_path: Path) -> Path:
    """Return a folder with a series of 12 slices."""
    write_series(tmp_path / "s", affine=AFFINE, shape=(16, 15, 12), kind="PT", Units="BQML")
    return tmp_path / "s"


def same(one: Volume, other: Volume) -> bool:
    return one.grid == other.grid and np.array_equal(one.values, other.values)


def put(hostile: Hostile, folder: Path, seed: int) -> Path:
    """Write a hostile file next to a series; skip if this machine cannot make it."""
    good = sorted(folder.iterdir())[3]
    path = folder / BAD
    if hostile.name == "no permission" and os.geteuid() == 0:
        pytest.skip("the superuser may read every file")
    hostile.make(path, good, np.random.default_rng(seed))
    return path


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda each: each.name)
def test_good_series_opens_next_to_a_hostile_file_which_is_named(series: Path, hostile: Hostile):
    clean = read_volume(series)
    assert not clean.notes
    for seed in SEEDS if hostile.is_random else SEEDS[:1]:
        bad = put(hostile, series, seed)
        for path in (series, series / "im0000"):
            found = read_volume(path)
            assert same(found, clean)
            (note,) = found.notes
            assert note.startswith("Ignored: ") and BAD in note
        bad.unlink()


@pytest.mark.parametrize("hostile", HARMLESS, ids=lambda each: each.name)
def test_good_series_opens_next_to_an_unreadable_file(series: Path, hostile: Hostile):
    clean = read_volume(series)
    put(hostile, series, SEEDS[0])
    assert same(read_volume(series / "im0000"), clean)


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [each for each in (*HOSTILE, *HARMLESS) if each.name != "copy cut in the pixels"],
    ids=lambda each: each.name,
)
def test_hostile_file_opened_directly_gives_one_sentence(series: Path, hostile: Hostile):
    bad = put(hostile, series, SEEDS[0])
    with pytest.raises(EngineError, match=BAD) as found:
        read_volume(bad)
    assert "im0" not in str(found.value)
    assert BAD in inspect(bad).faults[0]


@pytest.mark.slow
def test_many_hostile_files_are_named_or_counted(series: Path):
    clean, n = read_volume(series), 0
    for hostile in HOSTILE:
        if hostile.name != "no permission":
            n += 1
            path = series / f"bad{n:02}.dcm"
            hostile.make(path, series / "im0021", np.random.default_rng(n))
    found = read_volume(series / "im0000")
    assert same(found, clean)
    assert found.notes[-1] == f"Ignored: {n - 5} more files of the folder."
    assert len(found.notes) == 6 and all("bad" in note for note in found.notes[:-1])


def test_other_files_are_not_errors(series: Path):
    clean = read_volume(series)
    other_series(series, series / "im0000")
    (series / "README").write_text("slices of a phantom")
    (series / "notes.txt").write_text("")
    (series / "folder.dcm").mkdir()
    found = read_volume(series / "im0000")
    assert same(found, clean) and not found.notes


def test_error_of_the_series_names_ignored_files(series: Path):
    (series / "im0021").write_bytes((series / "im0021").read_bytes()[:300])
    with pytest.raises(
        EngineError, match=r"missing slices: 1 .*\. Files ignored in this folder: im0021"
    ):
        read_volume(series / "im0000")


def test_truncated_slice_is_named(series: Path):
    whole = (series / "im0021").read_bytes()
    (series / "im0021").write_bytes(whole[:-100])
    with pytest.raises(EngineError, match="im0021: its pixels cannot be read"):
        read_volume(series / "im0000")


def test_copied_slice_is_ignored_with_a_note(series: Path):
    clean = read_volume(series)
    shutil.copy(series / "im0021", series / "im0021 (1)")
    found = read_volume(series)
    assert same(found, clean)
    (note,) = found.notes
    assert note == (
        "Ignored: im0021 (1): this is a copy of im0021 with the same SOPInstanceUID and the same "
        "bytes."
    )


def test_copy_in_another_encoding_is_ignored_with_a_note(series: Path):
    clean = read_volume(series)
    dataset = pydicom.dcmread(series / "im0021")
    dataset.file_meta.ImplementationVersionName = "ARCHIVE"
    dataset.save_as(series / "im0021-again")
    (note,) = read_volume(series).notes
    assert "im0021-again: this is a copy of im0021" in note
    assert "with the same SOPInstanceUID, attributes and pixels" in note
    assert same(read_volume(series), clean)


@pytest.mark.parametrize("changed", [{"PixelData": bytes(480)}, {"SliceThickness": 3.0}])
def test_two_contents_of_one_instance_are_refused_with_both_names(series: Path, changed):
    shutil.copy(series / "im0021", series / "im0021b")
    change(series / "im0021b", **changed)
    with pytest.raises(
        FileFormatError, match="im0021 and im0021b have the same SOPInstanceUID but different"
    ):
        read_volume(series)


def test_copies_of_a_complete_series_are_counted(series: Path):
    clean = read_volume(series)
    for path in list(series.iterdir()):
        shutil.copy(path, series / f"{path.name} copy")
    found = read_volume(series)
    assert same(found, clean)
    assert len(found.notes) == 6 and "7 more files" in found.notes[-1]


def test_same_slice_with_a_new_uid_is_another_object(series: Path):
    change(series / "im0021", SOPInstanceUID=generate_uid())
    assert not read_volume(series).notes
