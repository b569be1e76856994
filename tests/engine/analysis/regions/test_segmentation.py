"""Regions as DICOM segmentations: read by pydicom, checked by dciodvfy, read back."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pydicom
import pytest

from engine.analysis.regions import (
    BoxRegion,
    DicomImage,
    Region,
    RegionSet,
    SphereRegion,
    marks_of,
    write_regions,
    write_segmentation,
)
from engine.analysis.regions.dicom_regions import read_dicom_regions
from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom.order import ImagingOrder

GRID = ImageGrid((9, 21, 30), (2.0, 3.0, 4.0), (5.0, -7.0, 11.0))
BALL = Region(name="Läsion", shape=SphereRegion(centre_mm=(9.0, -4.0, 13.0), diameter_mm=20))
BOX = Region(
    name="Box", colour="#ff0000", shape=BoxRegion(centre_mm=(5.0, -7.0, 11.0), size_mm=(12, 12, 12))
)


def image(axes: str = "LPS") -> Volume:
    values = np.random.default_rng(5).random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, "kBq/mL", {"axes": axes})


def inside(region: Region, volume: Volume) -> np.ndarray:
    """Return the voxels of a region, from 6 x 6 x 6 points of each, without its own code."""
    steps = (np.arange(6) + 0.5) / 6 - 0.5
    share = np.zeros(GRID.shape)
    z, y, x = np.meshgrid(*(GRID.centres_mm(k) for k in (2, 1, 0)), indexing="ij")
    centre = np.array(region.shape.centre_mm)
    for c in steps:
        for b in steps:
            for a in steps:
                dx = x + a * 2 - centre[0], y + b * 3 - centre[1], z + c * 4 - centre[2]
                share += np.sqrt(sum(d**2 for d in dx)) < region.shape.diameter_mm / 2
    return share / 216


@pytest.mark.parametrize("axes", ["LPS", "LPI"])
def test_every_voxel_round_trips_in_position(tmp_path, axes):
    volume, path = image(axes), tmp_path / "a.dcm"
    n = write_segmentation((BALL, BOX), DicomImage.of(volume, {"axes": axes}), path)
    found = pydicom.dcmread(path)
    assert n == found.NumberOfFrames == len(found.PerFrameFunctionalGroupsSequence)
    assert [s.SegmentLabel for s in found.SegmentSequence] == ["Läsion", "Box"]
    share = inside(BALL, volume)
    frames = found.pixel_array.reshape(n, 21, 30)
    for frame, group in zip(frames, found.PerFrameFunctionalGroupsSequence, strict=True):
        place = [float(v) for v in group.PlanePositionSequence[0].ImagePositionPatient]
        assert place[:2] == [GRID.centres_mm(0)[0], GRID.centres_mm(1)[0]]
        z = place[2] if axes == "LPS" else -place[2]
        k = int(np.abs(GRID.centres_mm(2) - z).argmin())
        assert abs(GRID.centres_mm(2)[k] - z) < 1e-6
        if group.SegmentIdentificationSequence[0].ReferencedSegmentNumber == 1:
            sure = np.abs(share[k] - 0.5) > 0.05
            np.testing.assert_array_equal(frame[sure] > 0, share[k][sure] > 0.5)
    back = read_dicom_regions(path)
    assert [each.name for each in back.regions] == ["Läsion", "Box"]
    ball, box = (each.shape.mask.sum() for each in back.regions)
    assert ball == frames[: len(frames)][_segment(found) == 1].sum()
    assert box == frames[_segment(found) == 2].sum()


def _segment(found: pydicom.Dataset) -> np.ndarray:
    groups = found.PerFrameFunctionalGroupsSequence
    return np.array([g.SegmentIdentificationSequence[0].ReferencedSegmentNumber for g in groups])


def test_segmentation_matches_the_exported_image_series(tmp_path):
    volume = image()
    save(volume, tmp_path / "a.dicom")
    write_segmentation((BALL,), DicomImage.of(volume, volume.info), tmp_path / "a.dcm")
    regions = pydicom.dcmread(tmp_path / "a.dcm")
    slices = [pydicom.dcmread(each) for each in sorted((tmp_path / "a.dicom").glob("*.dcm"))]
    first = slices[0]
    for key in ("StudyInstanceUID", "FrameOfReferenceUID", "PatientID", "PatientName"):
        assert regions[key].value == first[key].value
    (series,) = regions.ReferencedSeriesSequence
    assert series.SeriesInstanceUID == first.SeriesInstanceUID
    named = {each.ReferencedSOPInstanceUID for each in series.ReferencedInstanceSequence}
    assert named == {each.SOPInstanceUID for each in slices}


def test_segmentation_has_the_patient_of_the_order_only(tmp_path):
    order = ImagingOrder(patient_name="Müller^Ida", patient_id="4711")
    write_segmentation((BALL,), DicomImage.of(image(), {}, order=order), tmp_path / "a.dcm")
    assert pydicom.dcmread(tmp_path / "a.dcm").PatientID == "4711"
    other = replace(image(), patient="4712")
    with pytest.raises(DataError, match="a different patient"):
        write_segmentation((BALL,), DicomImage.of(other, {}, order=order), tmp_path / "b.dcm")
    assert not (tmp_path / "b.dcm").exists()


def test_red_has_the_cielab_value_of_the_standard(tmp_path):
    """In CIELAB, sRGB red is L* 53.24, a* 80.09, b* 67.20 (D65)."""
    write_segmentation((BOX,), DicomImage.of(image(), {}), tmp_path / "a.dcm")
    (segment,) = pydicom.dcmread(tmp_path / "a.dcm").SegmentSequence
    lab = np.array(segment.RecommendedDisplayCIELabValue) / 65535 * [100, 255, 255] - [0, 128, 128]
    np.testing.assert_allclose(lab, [53.24, 80.09, 67.20], atol=0.1)


def test_region_without_a_voxel_is_refused_by_name(tmp_path):
    small = Region(name="Dust", shape=SphereRegion(centre_mm=(5.0, -7.0, 11.0), diameter_mm=0.5))
    with pytest.raises(DataError, match="Dust: no voxel is at least half inside"):
        write_segmentation((BALL, small), DicomImage.of(image(), {}), tmp_path / "a.dcm")
    with pytest.raises(DataError, match="There is no region"):
        write_segmentation((), DicomImage.of(image(), {}), tmp_path / "a.dcm")
    with pytest.raises(DataError, match=r"ends with \.dcm"):
        write_segmentation((BALL,), DicomImage.of(image(), {}), tmp_path / "a.seg")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(
    shutil.which("dciodvfy") is None, reason="dciodvfy of dicom3tools is not installed"
)
def test_dciodvfy_reports_no_error(tmp_path):
    write_segmentation((BALL, BOX), DicomImage.of(image(), {}), tmp_path / "a.dcm")
    done = subprocess.run(
        ["dciodvfy", tmp_path / "a.dcm"], capture_output=True, text=True, check=False
    )
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error")]
    assert errors == []


def test_command_writes_a_segmentation_and_requires_a_series(tmp_path, capsys):
    volume = image()
    save(volume, tmp_path / "a.nii")
    regions = RegionSet(regions=(BALL,), scans=marks_of(volume))
    write_regions(regions, tmp_path / "r.toml")
    words = ["--regions", str(tmp_path / "r.toml"), "--other-scan", "--dicom"]
    assert main(["regions", str(tmp_path / "a.nii"), *words, str(tmp_path / "o.dcm")]) == 0
    assert "frames)" in capsys.readouterr().out
    assert pydicom.dcmread(tmp_path / "o.dcm").Modality == "SEG"
    save(volume, tmp_path / "s.dicom")
    series = str(tmp_path / "s.dicom")
    assert main(["regions", series, *words, str(tmp_path / "p.dcm")]) == USER_FAULT
    assert "Add --like with a file of the series" in capsys.readouterr().err
    first = sorted(Path(series).glob("*.dcm"))[0]
    like = ["--like", str(first)]
    assert main(["regions", series, *words, str(tmp_path / "p.dcm"), *like]) == 0
    written, source = pydicom.dcmread(tmp_path / "p.dcm"), pydicom.dcmread(first)
    assert written.FrameOfReferenceUID == source.FrameOfReferenceUID
    assert written.ReferencedSeriesSequence[0].SeriesInstanceUID == source.SeriesInstanceUID


def test_segmentation_refers_to_its_own_series_in_a_patients_study(tmp_path):
    """The image is exported with another series. Its regions refer to its own series."""
    volume = image()
    save(volume, tmp_path / "a.nii")
    save(replace(volume, values=1 - volume.values), tmp_path / "ct.dicom")
    first = sorted((tmp_path / "ct.dicom").glob("*.dcm"))[0]
    like = ["--like", str(first)]
    assert main(["dicom", "write", str(tmp_path / "a.nii"), str(tmp_path / "a.dicom"), *like]) == 0
    write_regions(RegionSet(regions=(BALL,), scans=marks_of(volume)), tmp_path / "r.toml")
    words = ["--regions", str(tmp_path / "r.toml"), "--other-scan", "--dicom"]
    assert main(["regions", str(tmp_path / "a.nii"), *words, str(tmp_path / "o.dcm"), *like]) == 0
    written = pydicom.dcmread(tmp_path / "o.dcm")
    own = pydicom.dcmread(sorted((tmp_path / "a.dicom").glob("*.dcm"))[0])
    named = [each.SeriesInstanceUID for each in written.ReferencedSeriesSequence]
    assert named == [own.SeriesInstanceUID, pydicom.dcmread(first).SeriesInstanceUID]
    assert written.FrameOfReferenceUID == own.FrameOfReferenceUID
    if shutil.which("dciodvfy") is not None:
        done = subprocess.run(
            ["dciodvfy", tmp_path / "o.dcm"], capture_output=True, text=True, check=False
        )
        assert "Error" not in done.stderr
