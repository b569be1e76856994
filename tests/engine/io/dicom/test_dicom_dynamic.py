"""Tests of dynamic PET series: time frames are written and read, compared with closed forms."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pydicom
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.errors import DataError, EngineError
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.io import read_frames, read_volume, save, save_frames
from engine.modalities.opening import frames_at
from tests.engine.io.dicom.dicom_files import change, write_series
from tests.engine.io.dicom.test_dicom_series import (
    CHECKER,
    CT,
    GRID,
    INFO,
    SCAN,
    faults,
    random_image,
    volume,
)

SPANS = ((0, 50), (50, 60_000), (90_000, 390_000))
FRAMES = tuple(TimeFrame(*span) for span in SPANS)
N_SLICES = GRID.shape[0]
SHAPE = (6, 5, 4)


def images(unit: str = "Bq/mL", info: dict[str, object] | None = None) -> list[FrameVolume]:
    return [FrameVolume(frame, volume(unit, info, seed=k)) for k, frame in enumerate(FRAMES)]


def mean_of(frames: list[FrameVolume]) -> Volume:
    weights = [each.frame.duration_s for each in frames]
    values = np.average([each.volume.values for each in frames], axis=0, weights=weights)
    return replace(frames[0].volume, values=values.astype(np.float32))


def written(path: Path, frames: list[FrameVolume]) -> list[pydicom.Dataset]:
    save_frames(mean_of(frames), frames, path, frames[0].volume.info)
    return [pydicom.dcmread(file) for file in sorted(path.iterdir())]


def test_each_slice_states_its_frame_and_time(tmp_path):
    """A(start) = mean · F, F = 2^(t / T½) λT / (1 − exp(−λT)); it is the mean at log2(F) T½."""
    slices = written(tmp_path / "a.dicom", images())
    expected = np.concatenate([each.volume.values for each in images()])
    for one, values in zip(slices, expected, strict=True):
        step = float(one.RescaleSlope)
        assert np.abs(one.pixel_array * step - values).max() <= step / 2 + 1e-6 * expected.max()
    started = datetime.fromisoformat(str(SCAN["scan_start"]))
    half_life_s = float(str(SCAN["half_life_s"]))
    rate = np.log(2) / half_life_s
    for number, one in enumerate(slices):
        frame = FRAMES[number // N_SLICES]
        assert list(one.SeriesType) == ["DYNAMIC", "IMAGE"]
        assert (one.NumberOfTimeSlices, one.NumberOfSlices) == (len(FRAMES), N_SLICES)
        assert one.ImageIndex == one.InstanceNumber == number + 1
        assert one.ActualFrameDuration == round(1000 * frame.duration_s)
        acquired = datetime.strptime(one.AcquisitionDate + one.AcquisitionTime, "%Y%m%d%H%M%S.%f")
        assert acquired == started + timedelta(seconds=frame.start_s)
        assert one.SeriesTime == f"{started:%H%M%S.%f}"
        a, b = frame.start_s, frame.end_ms / 1000
        factor = (b - a) * rate / (np.exp(-rate * a) - np.exp(-rate * b))
        assert float(one.DecayFactor) == pytest.approx(factor, rel=1e-9)
        reference_s = float(one.FrameReferenceTime) / 1000
        assert np.exp(rate * reference_s) == pytest.approx(factor, rel=1e-9)
    assert len({str(each.SOPInstanceUID) for each in slices}) == len(slices)
    other = written(tmp_path / "b.dicom", images()[:2])
    assert other[0].SeriesInstanceUID != slices[0].SeriesInstanceUID


def test_count_images_refer_to_the_middle_of_the_frame_without_decay(tmp_path):
    one = written(tmp_path / "a.dicom", images("counts/mm", {}))[-1]
    assert one.FrameReferenceTime == 240_000 and "DecayFactor" not in one


@pytest.mark.parametrize("unit", ["Bq/mL", "counts/mm"])
@pytest.mark.parametrize("known", ["scan", "axes", "nothing"])
def test_frames_are_restored(tmp_path, unit, known):
    """Values are restored to half a step; without a scan start, times are in the provenance."""
    info = {"scan": INFO, "axes": {**INFO, "axes": "LPI"}, "nothing": {"axes": "LPS"}}[known]
    frames = [
        FrameVolume(frame, replace(image, values=image.values * np.float32(10.0**-t)))
        for t, (frame, image) in enumerate(images(unit, info))
    ]
    slices = written(tmp_path / "a.dicom", frames)
    found = frames_at(tmp_path / "a.dicom")
    assert [each.frame for each in found] == list(FRAMES)
    largest = [float(np.abs(each.volume.values).max()) for each in frames]
    for t, (back, sent) in enumerate(zip(found, frames, strict=True)):
        step = float(slices[t * N_SLICES].RescaleSlope)
        assert step == pytest.approx(largest[t] / 32767, rel=1e-6)
        assert np.abs(back.volume.values - sent.volume.values).max() <= step * (0.5 + 0.04)
        assert back.volume.grid == found[0].volume.grid and back.volume.unit == unit
        np.testing.assert_allclose(back.volume.grid.centre_mm, GRID.centre_mm)
    whole = read_volume(tmp_path / "a.dicom")
    stack = np.array([each.volume.values for each in found], np.float64)
    weights = [frame.duration_s for frame in FRAMES]
    expected = np.average(stack, axis=0, weights=weights) if unit == "Bq/mL" else stack.sum(axis=0)
    np.testing.assert_allclose(whole.values, expected, rtol=1e-5, atol=1e-6 * max(largest))
    assert any("3 time frames, from 0 to 390 s" in note for note in whole.notes)


def test_commands_include_time_frames(tmp_path, capsys):
    frames = images()
    save_frames(mean_of(frames), frames, tmp_path / "a.h5", INFO)
    other = written(tmp_path / "other.dicom", frames[:1])[0]
    other.PatientID = "4711"
    other.save_as(tmp_path / "theirs.dcm")
    names = [str(tmp_path / name) for name in ("a.h5", "a.dicom", "b.h5")]
    assert main(["dicom", "write", *names[:2], "--like", str(tmp_path / "theirs.dcm")]) == DONE
    assert "(4 slices, 3 time frames)" in capsys.readouterr().out
    found = [pydicom.dcmread(each) for each in (tmp_path / "a.dicom").iterdir()]
    assert {each.PatientID for each in found} == {"4711"} and len(found) == 12
    assert main(["export", *names[1:]]) == DONE
    assert [each.frame for each in read_frames(Path(names[2]))] == list(FRAMES)


def test_frames_of_another_modality_than_pet_are_refused(tmp_path):
    frames = images("1/mm", CT)
    with pytest.raises(DataError, match="only PET images can have time frames"):
        written(tmp_path / "a.dicom", frames)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
def test_dciodvfy_finds_no_error(tmp_path):
    for unit, info in (("Bq/mL", INFO), ("counts/mm", {})):
        one_slice = [
            FrameVolume(frame, replace(image, values=image.values[:1], grid=GRID_OF_ONE))
            for frame, image in images(unit, info)[:2]
        ]
        written(tmp_path / f"{unit[:2]}.dicom", one_slice)
        assert faults(tmp_path / f"{unit[:2]}.dicom") == []


@pytest.mark.slow
@pytest.mark.skipif(CHECKER is None, reason="dciodvfy of dicom3tools is not installed")
def test_dciodvfy_finds_no_error_in_a_hundred_series_that_are_restored(tmp_path):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        one = random_image(2000 + seed)
        one = replace(one, unit=str(rng.choice(["Bq/mL", "counts/mm", "g/mL"])))
        if one.info:
            one = replace(one, info={**INFO, "scan": one.info["scan"], "axes": one.axes})
        edges = np.cumsum(rng.integers(1, 900_000, 2 * int(rng.integers(2, 5))))
        frames = [
            FrameVolume(
                TimeFrame(int(a), int(b)),
                replace(one, values=(one.values * rng.uniform(0, 2)).astype(np.float32)),
            )
            for a, b in edges.reshape(-1, 2)
        ]
        path = tmp_path / f"{seed}.dicom"
        slices = written(path, frames)
        assert faults(path) == [], seed
        found = read_frames(path)
        assert [each.frame for each in found] == [each.frame for each in frames], seed
        n_slices = len(slices) // len(frames)
        for t, (back, sent) in enumerate(zip(found, frames, strict=True)):
            step = float(slices[t * n_slices].RescaleSlope)
            off = np.abs(back.volume.values - sent.volume.values).max()
            assert off <= step * (0.5 + 0.04), seed
            assert back.volume.unit == sent.volume.unit, seed


GRID_OF_ONE = replace(GRID, shape=(1, *GRID.shape[1:]))


# Scanner series: frame t has the value 1000 t; the times are those of Siemens or GE.


def dynamic_series(
    folder: Path, spans: tuple[tuple[int, int], ...] = SPANS, **more: object
) -> Path:
    """Write a dynamic series with one slope per slice; file names do not follow the frame order."""
    started = datetime(2026, 11, 23, 23, 59, 30)  # the scan continues after midnight
    for t, (start, end) in enumerate(spans):
        acquired = started + timedelta(milliseconds=start)
        write_series(
            folder / str(t),
            affine=np.diag([2.0, 3.0, 4.0, 1.0]),
            shape=SHAPE,
            kind="PT",
            field=_constant(t),
            slopes=lambda k: 0.5 + k / 8,
            Units="BQML",
            SeriesType=["DYNAMIC", "IMAGE"],
            NumberOfTimeSlices=len(spans),
            NumberOfSlices=SHAPE[2],
            RescaleIntercept=0.0,
            SeriesDate="20261123",
            SeriesTime="235930.000000",
            AcquisitionDate=f"{acquired:%Y%m%d}",
            AcquisitionTime=f"{acquired:%H%M%S.%f}",
            FrameReferenceTime=f"{(start + end) / 2}",
            ActualFrameDuration=str(end - start),
            **more,
        )
        for file in (folder / str(t)).iterdir():
            file.rename(folder / f"{9 - t}-{file.name}.dcm")
        (folder / str(t)).rmdir()
    return folder


def _constant(t: int) -> Callable[[np.ndarray], np.ndarray]:
    # `write_series` subtracts an intercept of -1024. The series states an intercept of 0.
    return lambda points: np.full(points.shape[:-1], 1000.0 * t - 1024)


def altered(folder: Path, frame: int, **attributes: object) -> None:
    for file in folder.glob(f"{9 - frame}-*"):
        change(file, **attributes)


@pytest.fixture(scope="module")
def siemens(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("siemens") / "s"
    folder.mkdir()
    return dynamic_series(folder)


@pytest.fixture
def series(siemens, tmp_path) -> Path:
    return Path(shutil.copytree(siemens, tmp_path / "s"))


def test_scanner_series_opens_in_time_order(siemens):
    frames = read_frames(siemens / "8-im0007.dcm")
    assert [each.frame for each in frames] == list(FRAMES)
    for t, each in enumerate(frames):
        np.testing.assert_allclose(each.volume.values, 1000 * t, atol=0.5)
        assert each.volume.patient == "P1" and each.volume.unit == "Bq/mL"
    whole = read_volume(siemens)
    expected = (1000 * 59.95 + 2000 * 300) / 360
    np.testing.assert_allclose(whole.values, expected, rtol=1e-3)


def test_reference_times_can_be_starts_and_the_series_can_begin_earlier(series):
    """GE states them so; a series that began before its first frame counts from its own start."""
    for t, (start, _) in enumerate(SPANS):
        altered(series, t, FrameReferenceTime=str(start), SeriesTime="235200.000000")
    assert [each.frame for each in read_frames(series)] == list(FRAMES)


def test_times_of_day_can_be_whole_seconds(series):
    for t, (start, _) in enumerate(SPANS):
        reported = datetime(2026, 11, 23, 23, 59, 30) + timedelta(milliseconds=start)
        altered(series, t, AcquisitionTime=f"{reported:%H%M%S}", SeriesTime="235930")
    assert [each.frame for each in read_frames(series)] == list(FRAMES)


def test_frames_without_time_of_day_follow_one_another(tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    spans = ((0, 1000), (1000, 3000))
    dynamic_series(folder, spans)
    for t in range(2):
        altered(folder, t, AcquisitionTime=None)
    assert [each.frame for each in read_frames(folder)] == [TimeFrame(*span) for span in spans]


def test_single_frame_is_a_static_image(series):
    for t in (0, 2):
        for file in series.glob(f"{9 - t}-*"):
            file.unlink()
    image = read_volume(series)
    assert read_frames(series) == () and image.notes == (
        "One time frame of 59.95 s from a dynamic series.",
    )


def _lose_frame(folder: Path) -> None:
    for file in folder.glob("8-*"):
        file.unlink()


def _lose(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _change(**attributes: object) -> Callable[[Path], None]:
    return lambda folder: altered(folder, 1, **attributes)


def _no_times(folder: Path) -> None:
    for t in range(3):
        altered(folder, t, AcquisitionTime=None)


def _moved(folder: Path) -> None:
    for file in folder.glob("8-*"):
        x, y, z = pydicom.dcmread(file).ImagePositionPatient
        change(file, ImagePositionPatient=[x, y, z + 40])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_lose_frame, r"s: contains slices from 2 time frames, but the series should have 3"),
        (_lose("8-im0007.dcm"), r"time frame 2 \(0.05 to 60 s\): missing slices: 1 between"),
        (
            _lose("7-im0021.dcm"),
            r"time frame 3 .*the number of slices is 3, but the series should have 4",
        ),
        (_change(PatientID="P2"), "PatientID differs"),
        (_change(SeriesType=["STATIC", "IMAGE"]), "SeriesType differs"),
        (_change(NumberOfTimeSlices=4), "NumberOfTimeSlices differs"),
        (_change(DecayCorrection="ADMIN"), "DecayCorrection differs"),
        (_change(ActualFrameDuration=None), r"states no frame duration"),
        (_change(ActualFrameDuration="120000"), r"starts at 90 s, before the previous one ends"),
        (_no_times, r"its 3 time frames cannot be determined from AcquisitionTime"),
        (_moved, r"time frames 1 and 2 differ in position"),
    ],
)
def test_missing_or_inconsistent_frames_are_refused(series, spoil, message):
    spoil(series)
    for read in (read_frames, read_volume):
        with pytest.raises(EngineError, match=message):
            read(series)


def test_static_series_has_no_frames(tmp_path):
    save(volume(), tmp_path / "a.dicom")
    assert frames_at(tmp_path / "a.dicom") == () == read_frames(tmp_path / "a.dicom" / "00001.dcm")
    assert frames_at(tmp_path) == ()


@pytest.mark.parametrize("known", ["scan", "frames of a run"])
def test_exported_frame_states_only_its_own_times(tmp_path, known):
    """A series of one frame must not look like an image of the whole scan."""
    frames = images()
    stated = [each.frame.facts() for each in frames]
    info = INFO if known == "scan" else {**INFO, "scan": {**SCAN, "frames": stated}}
    save_frames(mean_of(frames), frames, tmp_path / "a.h5", info)
    alone = tmp_path / "f.dicom"
    assert main(["export", str(tmp_path / "a.h5"), str(alone), "--frame", "3"]) == DONE
    slices = written(tmp_path / "all.dicom", frames)
    expected = slices[2 * N_SLICES]
    for path in alone.glob("*.dcm"):
        one = pydicom.dcmread(path)
        for key in ("ActualFrameDuration", "DecayFactor"):
            assert one[key].value == expected[key].value, key
    provenance = json.loads((tmp_path / "f.dicom.provenance.json").read_text())["provenance"]
    assert provenance["scan"]["frames"] == stated[2:]
    assert (provenance["FrameTimesStart"], provenance["FrameDuration"]) == ([90.0], [300.0])
