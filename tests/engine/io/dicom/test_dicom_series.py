"""Tests of written DICOM series: read by pydicom, checked by dciodvfy if it is installed."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pydicom.dataelem import RawDataElement

from engine.analysis.quality.suv import suv_factor
from engine.analysis.quality.suv_series import series_factor
from engine.analysis.quality.suv_volume import facts_of, in_suv
from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import FileFormatError, ResourceError
from engine.corrections import CORRECTIONS
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import can_save, save
from engine.io.dicom.emission import CORRECTED
from engine.io.dicom.private_block import GROUP
from engine.io.dicom.series import digest_of
from engine.io.dicom.subject import subject_like, subject_of
from engine.io.dicom.values import DECIMAL_CHARACTERS, decimal, decimal_from_above, words
from engine.io.safety.open_input import open_input

GRID = ImageGrid((4, 5, 6), (2.0, 2.5, 3.0), (1.0, -2.0, 30.0))
SCAN = {
    "isotope": "F-18",
    "half_life_s": 6586.2,
    "branching": 0.9686,
    "injected_bq": 3.7e8,
    "injected_at": "2026-11-22T23:30:00",
    "scan_start": "2026-11-23T00:31:02",
    "duration_s": 600.0,
    "weight_kg": 71.5,
    "height_cm": 175,
    "sex": "F",
    "concentration": {"decay": "start"},
}
INFO = {
    "inputs": {"data": {"sha256": "ab" * 32}},
    "protocol": {"modality": "pet", "name": "Head", "algorithm": {"kind": "osem"}},
    "scan": SCAN,
    "corrections": [
        {"kind": kind, "state": "applied"} for kind in ("attenuation", "randoms", "units")
    ],
    "ended_utc": "2026-11-23T04:09:56.205+00:00",
    "local_utc_offset_minutes": 60,
    "environment": {"isocenter": "0.2.0"},
}
CT = {"protocol": {"modality": "ct", "name": "Tooth", "algorithm": {"kind": "fdk"}}, "axes": "xyz"}


def volume(unit: str = "Bq/mL", info: dict[str, object] | None = None, seed: int = 1) -> Volume:
    values = np.random.default_rng(seed).normal(3000, 2000, GRID.shape).astype(np.float32)
    return Volume(values, GRID, unit, INFO if info is None else info)


def written(image: Volume, path: Path) -> list[pydicom.Dataset]:
    save(image, path)
    return [pydicom.dcmread(file) for file in sorted(path.iterdir())]


def flat(slices: list[pydicom.Dataset]) -> list[dict[str, object]]:
    """Return attributes as `series_factor` expects them, with those of the tracer at top level."""
    tracers = (each.RadiopharmaceuticalInformationSequence[0] for each in slices)
    return [
        {e.keyword: str(e.value) for part in (each, tracer) for e in part}
        for each, tracer in zip(slices, tracers, strict=True)
    ]


@pytest.mark.parametrize(
    ("unit", "info", "step"),
    [("Bq/mL", INFO, None), ("counts/mm", INFO, None), ("HU", CT, 1.0), ("1/mm", CT, None)],
)
def test_values_are_exact_to_half_a_step(tmp_path, unit, info, step):
    image = volume(unit, info)
    slices = written(image, tmp_path / "a.dicom")

    slopes = {float(each.RescaleSlope) for each in slices}
    values = np.stack([each.pixel_array * float(each.RescaleSlope) for each in slices])

    assert len(slopes) == 1 and {float(each.RescaleIntercept) for each in slices} == {0.0}
    largest = np.abs(image.values).max()
    assert np.abs(values - image.values).max() <= slopes.pop() / 2 + 1e-6 * largest
    if step is None:  # the full range of integers is used
        assert max(np.abs(each.pixel_array).max() for each in slices) == 2**15 - 1
    assert all(each.pixel_array.dtype == np.int16 for each in slices)


def test_ct_numbers_have_steps_of_a_tenth_if_they_fit(tmp_path):
    image = replace(volume("HU", CT), values=np.linspace(-1000, 3000, 120).reshape(GRID.shape))
    assert float(written(image, tmp_path / "a.dicom")[0].RescaleSlope) == 0.1


def without_log_line(path: Path) -> pydicom.Dataset:
    """Return a slice without the newest log line, which differs between exports."""
    found = pydicom.dcmread(path)
    for private in [each.tag for each in found if each.tag.group == GROUP]:
        del found[private]
    return found


def test_same_image_gives_the_same_slices_and_other_images_other_uids(tmp_path):
    first = written(volume(), tmp_path / "a.dicom")
    written(volume(), tmp_path / "b.dicom")
    files = sorted(path.name for path in (tmp_path / "a.dicom").iterdir())
    for name in files:
        one, other = (tmp_path / f"{folder}.dicom" / name for folder in "ab")
        assert without_log_line(one) == without_log_line(other)
    others = [
        volume(seed=2),
        volume("counts/mm"),
        volume(info={**INFO, "axes": "LPI"}),
        volume(info={**INFO, "inputs": {"data": {"sha256": "cd" * 32}}}),
    ]
    found = [first, *(written(each, tmp_path / f"{k}.dicom") for k, each in enumerate(others))]
    instances = [str(each.SOPInstanceUID) for slices in found for each in slices]
    assert len(set(instances)) == len(instances)
    assert len({str(slices[0].SeriesInstanceUID) for slices in found}) == len(found)
    patients = [str(slices[0].PatientID) for slices in found]
    assert len(set(patients[:4])) == 1 and patients[4] != patients[0], (
        "the last image belongs to another scan"
    )
    frames = [str(slices[0].FrameOfReferenceUID) for slices in found]
    assert [frame == frames[0] for frame in frames] == [each == patients[0] for each in patients]


def test_suv_computed_from_the_series_equals_ours(tmp_path):
    image = volume()
    slices = written(image, tmp_path / "a.dicom")
    expected = suv_factor(facts_of(image))
    assert series_factor(flat(slices)) == pytest.approx(expected, rel=1e-6)
    suv = written(in_suv(image), tmp_path / "b.dicom")
    assert (suv[0].Units, suv[0].SUVType, suv[0].ImageType[0]) == ("GML", "BW", "DERIVED")
    assert series_factor(flat(suv)) == 1.0


def test_decay_correction_follows_the_standard(tmp_path):
    """A(start) / mean = λT / (1 − exp(−λT)). The mean is the activity at the reference time."""
    rate, frame_s = np.log(2) / 6586.2, 600.0
    at_start = written(volume(), tmp_path / "a.dicom")[0]
    assert at_start.DecayCorrection == "START"
    factor = rate * frame_s / -np.expm1(-rate * frame_s)
    assert float(at_start.DecayFactor) == pytest.approx(factor, rel=1e-9)
    mean_s = float(at_start.FrameReferenceTime) / 1000
    assert np.exp(rate * mean_s) == pytest.approx(factor, rel=1e-9)
    scan = {**SCAN, "concentration": {"decay": "injection"}}
    at_injection = written(volume(info={**INFO, "scan": scan}), tmp_path / "b.dicom")[0]
    waited_s = 3600 + 62
    assert at_injection.DecayCorrection == "ADMIN"
    assert float(at_injection.DecayFactor) == pytest.approx(
        factor * np.exp(rate * waited_s), rel=1e-9
    )
    frames = [{"start_s": 120.0, "duration_s": 60.0}, {"start_s": 300.0, "duration_s": 240.0}]
    uncorrected = written(
        volume(info={**INFO, "scan": {**SCAN, "frames": frames}}), tmp_path / "d.dicom"
    )[0]
    assert uncorrected.ActualFrameDuration == 300_000
    effective_s = (
        sum(np.exp(-rate * a) - np.exp(-rate * b) for a, b in ((120, 180), (300, 540))) / rate
    )
    assert float(uncorrected.DecayFactor) == pytest.approx(300 / effective_s, rel=1e-9)
    counts = written(volume("counts/mm"), tmp_path / "c.dicom")[0]
    assert counts.DecayCorrection == "NONE" and "DecayFactor" not in counts


def test_dose_without_a_known_time_is_not_written(tmp_path):
    for left_out in ("injected_at", "scan_start"):
        scan = {key: value for key, value in SCAN.items() if key != left_out}
        found = written(volume(info={**INFO, "scan": scan}), tmp_path / f"{left_out}.dicom")[0]
        assert "RadionuclideTotalDose" not in found.RadiopharmaceuticalInformationSequence[0]


def test_times_of_two_zones_are_written_in_one_zone(tmp_path):
    scan = {
        **SCAN,
        "injected_at": "2026-11-22T22:30:00+00:00",
        "scan_start": "2026-11-23T00:31:02+01:00",
    }
    found = written(volume(info={**INFO, "scan": scan}), tmp_path / "a.dicom")[0]
    tracer = found.RadiopharmaceuticalInformationSequence[0]
    assert found.TimezoneOffsetFromUTC == "+0100"
    injected = datetime.strptime(str(tracer.RadiopharmaceuticalStartDateTime), "%Y%m%d%H%M%S.%f")
    assert injected == datetime(2026, 11, 22, 23, 30)
    assert (found.InstanceCreationTime, found.AcquisitionTime) == ("050956.205000", "003102.000000")


def test_every_correction_has_dicom_terms_or_is_listed_without():
    without = {"resolution"}
    assert {kind.kind for kind in CORRECTIONS} == set(CORRECTED) | without


def test_series_like_another_has_its_patient_and_study(tmp_path):
    other = written(volume("HU", CT), tmp_path / "ct.dicom")[1]
    other.PatientName, other.PatientID, other.AccessionNumber = "Doe^Jane", "4711", "A1"
    other.save_as(tmp_path / "theirs.dcm")
    command = ["dicom", "write", str(tmp_path / "a.nii.gz"), str(tmp_path / "pet.dicom")]
    save(volume(), tmp_path / "a.nii.gz")

    assert main([*command, "--like", str(tmp_path / "theirs.dcm")]) == 0

    found = pydicom.dcmread(tmp_path / "pet.dicom" / "00001.dcm")
    for key in ("PatientName", "PatientID", "StudyInstanceUID", "AccessionNumber"):
        assert found[key].value == other[key].value
    assert found.SeriesInstanceUID != other.SeriesInstanceUID
    assert found.FrameOfReferenceUID != other.FrameOfReferenceUID
    referenced = found.ReferencedSeriesSequence[0]
    assert referenced.SeriesInstanceUID == other.SeriesInstanceUID
    with open_input(tmp_path / "theirs.dcm") as file:
        assert subject_like(file, same_frame=True).frame_uid == other.FrameOfReferenceUID


@pytest.mark.parametrize(
    ("keyword", "stated", "expected"),
    [
        ("PatientWeight", b"", None),
        ("PatientWeight", b"75,5", None),
        ("PatientSize", b"1.7\\1.8 ", None),
        ("PatientWeight", b"75.5", 75.5),
        ("OtherPatientIDs", b"X1\\Y2 ", ["X1", "Y2"]),
    ],
)
def test_unusual_values_of_the_other_series_are_copied_or_left_out(
    tmp_path, keyword, stated, expected
):
    """Clinical CTs often have an empty weight, and patients can have several other IDs."""
    other = written(volume("HU", CT), tmp_path / "ct.dicom")[0]
    other.PatientID = "4711"
    tag = pydicom.tag.Tag(keyword)
    kind = pydicom.datadict.dictionary_VR(tag)
    other._dict[tag] = RawDataElement(tag, kind, len(stated), stated, 0, False, True)
    other.save_as(tmp_path / "theirs.dcm")
    save(volume("HU", CT), tmp_path / "a.nii.gz")
    command = ["dicom", "write", str(tmp_path / "a.nii.gz"), str(tmp_path / "new.dicom")]
    assert main([*command, "--like", str(tmp_path / "theirs.dcm")]) == 0
    found = pydicom.dcmread(tmp_path / "new.dicom" / "00001.dcm")
    assert found.PatientID == "4711" and found.get(keyword) == expected


def test_other_series_with_two_patient_ids_is_refused(tmp_path):
    other = written(volume("HU", CT), tmp_path / "ct.dicom")[0]
    other.PatientID = "17\\18"
    other.save_as(tmp_path / "theirs.dcm")
    with (
        open_input(tmp_path / "theirs.dcm") as file,
        pytest.raises(FileFormatError, match="PatientID has 2 values, expected one"),
    ):
        subject_like(file)


def test_series_without_a_reference_contains_no_name(tmp_path):
    info = {**INFO, "scan": {**SCAN, "patient_name": "Doe^Jane", "header": "Doe, Jane"}}
    slices = written(volume(info=info), tmp_path / "a.dicom")
    assert all("Doe" not in str(each) and "Jane" not in str(each) for each in slices)
    assert slices[0].PatientIdentityRemoved == "YES" and slices[0].DeidentificationMethod


@pytest.mark.parametrize("missing", ["PatientID", "StudyInstanceUID"])
def test_reference_series_without_patient_is_refused(tmp_path, missing):
    other = written(volume("HU", CT), tmp_path / "ct.dicom")[0]
    delattr(other, missing)
    other.save_as(tmp_path / "theirs.dcm")
    with (
        open_input(tmp_path / "theirs.dcm") as file,
        pytest.raises(FileFormatError, match=f"has no {missing}"),
    ):
        subject_like(file)


def test_reference_that_is_not_dicom_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("not a series")
    with (
        open_input(tmp_path / "a.txt") as file,
        pytest.raises(FileFormatError, match="no readable DICOM image"),
    ):
        subject_like(file)


def test_existing_folder_is_never_replaced(tmp_path, capsys):
    written(volume(), tmp_path / "a.dicom")
    before = sorted((path.name, path.read_bytes()) for path in (tmp_path / "a.dicom").iterdir())
    with pytest.raises(ResourceError, match=r"a\.dicom: a file or folder with this name"):
        can_save(tmp_path / "a.dicom")
    save(volume(seed=2), tmp_path / "a.nii.gz")
    command = ["export", str(tmp_path / "a.nii.gz"), str(tmp_path / "a.dicom"), "--force"]
    assert main(command) == USER_FAULT
    assert "already exists" in capsys.readouterr().err
    after = sorted((path.name, path.read_bytes()) for path in (tmp_path / "a.dicom").iterdir())
    assert after == before and not list(tmp_path.glob(".*"))


def test_unnamed_scan_gets_its_own_patient_id():
    one, other = (subject_of({}, digest_of(volume(seed=k))) for k in (1, 2))
    assert one.attributes["PatientID"] != other.attributes["PatientID"]


@pytest.mark.parametrize("value", [1 / 3, 1e-7 / 3, 12345678901234567.0, -1 / 3e9, 5e-320, 0.1])
def test_decimals_have_sixteen_characters_and_the_nearest_value(value):
    text = decimal(value)
    assert len(text) <= DECIMAL_CHARACTERS
    assert float(text) == pytest.approx(value, rel=1e-8)


def test_step_is_never_rounded_down():
    for value in np.random.default_rng(3).lognormal(0, 12, 2000):
        text = decimal_from_above(float(value))
        assert len(text) <= DECIMAL_CHARACTERS and value <= float(text) <= value * (1 + 1e-8)


def test_texts_contain_no_value_separators():
    assert words(" a\\b^c=d\n e " + "x" * 80)[:9] == "a b c d e" and len(words("x" * 80)) == 64


CHECKER = shutil.which("dciodvfy")


def faults(folder: Path) -> list[str]:
    """Return the errors that dciodvfy finds in any slice."""
    messages: list[str] = []
    for file in sorted(folder.glob("*.dcm")):
        done = subprocess.run(
            [CHECKER or "", "-new", str(file)], capture_output=True, text=True, check=False
        )
        messages += [line for line in done.stderr.splitlines() if line.startswith("Error")]
        assert "PETImage" in done.stderr or "CTImage" in done.stderr, done.stderr
    return messages


def random_image(seed: int) -> Volume:
    """Return an image with random values, grid, unit and scan facts."""
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 6, 3))
    voxel, centre = rng.uniform(0.01, 6, 3), rng.uniform(-300, 300, 3)
    grid = ImageGrid(shape, tuple(voxel), tuple(centre))
    unit = str(rng.choice(["Bq/mL", "counts/mm", "HU", "1/mm", "g/mL", ""]))
    values = (rng.normal(0, 10.0 ** rng.uniform(-6, 6), shape)).astype(np.float32)
    known = {key: value for key, value in SCAN.items() if rng.random() < 0.7}
    info = {**(CT if unit in ("HU", "1/mm") else INFO), "scan": known}
    info["axes"] = str(rng.choice(["LPS", "LPI", "xyz"]))
    return Volume(values, grid, unit, info if rng.random() < 0.9 else {})


@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
@pytest.mark.parametrize("seed", range(4))
def test_dciodvfy_finds_no_error(tmp_path, seed):
    save(random_image(seed), tmp_path / "a.dicom")
    assert faults(tmp_path / "a.dicom") == []


@pytest.mark.slow
@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
def test_dciodvfy_finds_no_error_in_a_hundred(tmp_path):
    for seed in range(100):
        save(random_image(1000 + seed), tmp_path / f"{seed}.dicom")
        assert faults(tmp_path / f"{seed}.dicom") == [], seed
