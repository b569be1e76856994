"""DICOM objects of dynamic images name only slices that the export writes.

The series of an image with time frames contains the frames, not their sum. Gates have no DICOM
series of their own, so there the series contains the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pydicom
import pytest

from engine.analysis.regions import Region, RegionSet, SphereRegion, marks_of, write_regions
from engine.analysis.regions.dicom_image import DicomImage
from engine.analysis.regions.measurement_report import write_measurement_report
from engine.analysis.regions.segmentation import write_segmentation
from engine.analysis.regions.structure_set import write_structure_set
from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save, save_frames
from engine.io.dicom.capture import write_capture
from engine.io.dicom.order import ImagingOrder
from engine.io.dicom.patient_identity import write_for_order
from engine.io.dicom.series import write_series

pytestmark = pytest.mark.essential

GRID = ImageGrid((6, 14, 16), (2.0, 2.0, 3.0))
BALL = Region(name="Lesion", shape=SphereRegion(centre_mm=(1, 0, 1), diameter_mm=12))
SCAN = {"inputs": {"data": {"sha256": "ab" * 32}}}
IDA = ImagingOrder(patient_name="Doe^Ida", patient_id="4711", study_uid="1.2.3.4.5")
TIMED = (TimeFrame(0, 60_000), TimeFrame(60_000, 180_000), TimeFrame(180_000, 300_000))
GATED = tuple(TimeFrame(0, 300_000, Gate(k, 2, 150_000)) for k in (1, 2))
Write = Callable[[Sequence[Region], DicomImage, Path], object]


def dynamic(frames: Sequence[TimeFrame], axes: str, info: dict) -> tuple[Volume, list[FrameVolume]]:
    rng = np.random.default_rng(3)
    images = [rng.random(GRID.shape, np.float32) + np.float32(1) for _ in frames]
    made = Volume(images[0], GRID, "Bq/mL", {"axes": axes, **info})
    parts = [
        FrameVolume(frame, replace(made, values=values))
        for frame, values in zip(frames, images, strict=True)
    ]
    return replace(made, values=np.mean(images, 0, dtype=np.float32)), parts


def slices_in(folder: Path) -> dict[str, pydicom.Dataset]:
    found = [pydicom.dcmread(each) for each in folder.glob("*.dcm")]
    return {str(each.SOPInstanceUID): each for each in found}


def named_in(dataset: pydicom.Dataset, *, but: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    """Return (class, instance) of every reference in an object, at any depth."""
    found = set()
    for item in dataset.iterall():
        if item.keyword == "ReferencedSOPInstanceUID":
            found.add(str(item.value))
    classes = {
        str(sub.ReferencedSOPInstanceUID): str(sub.ReferencedSOPClassUID)
        for item in dataset.iterall()
        if item.VR == "SQ"
        for sub in item.value
        if "ReferencedSOPInstanceUID" in sub
    }
    return {(classes[each], each) for each in found if each not in but}


def check(made: pydicom.Dataset, slices: dict[str, pydicom.Dataset], *others: str) -> None:
    """Compare the references of an object with the slices of the export."""
    first = next(iter(slices.values()))
    study = str(first.StudyInstanceUID)
    # The structure set names its study in the same way as an instance.
    assert named_in(made, but=(study, *others)) == {
        (str(each.SOPClassUID), uid) for uid, each in slices.items()
    }
    assert str(made.StudyInstanceUID) == study
    series = {str(e.value) for e in made.iterall() if e.keyword == "SeriesInstanceUID"}
    assert str(first.SeriesInstanceUID) in series
    for key in ("PatientID", "PatientName"):
        assert made[key].value == first[key].value
    if "FrameOfReferenceUID" in made:
        assert made.FrameOfReferenceUID == first.FrameOfReferenceUID


@pytest.mark.parametrize("order", [None, IDA], ids=["pseudonym", "order"])
@pytest.mark.parametrize("info", [SCAN, {}], ids=["scan known", "scan unknown"])
@pytest.mark.parametrize("axes", ["LPS", "LPI"])
@pytest.mark.parametrize("frames", [TIMED, GATED], ids=["frames", "gates"])
def test_objects_name_the_slices_of_the_export(tmp_path, frames, axes, info, order):
    volume, parts = dynamic(frames, axes, info)
    folder = tmp_path / "a.dicom"
    written = parts if frames is TIMED else []
    if order is not None:
        assert write_for_order(order, volume, folder, volume.info, written)
    elif written:
        save_frames(volume, written, folder, volume.info)
    else:
        save(volume, folder)
    slices = slices_in(folder)
    assert len(slices) == GRID.shape[0] * (len(TIMED) if written else 1)
    image = DicomImage.of(volume, volume.info, order=order, frames=parts)
    write_segmentation((BALL,), image, tmp_path / "seg.dcm")
    check(pydicom.dcmread(tmp_path / "seg.dcm"), slices)
    write_structure_set((BALL,), image, tmp_path / "rt.dcm")
    contours = pydicom.dcmread(tmp_path / "rt.dcm")
    check(contours, slices)
    _check_heights(contours, slices, max(len(written), 1))
    write_measurement_report((BALL,), image, tmp_path / "b.sr.dcm")
    own = str(pydicom.dcmread(tmp_path / "b.seg.dcm").SOPInstanceUID)
    check(pydicom.dcmread(tmp_path / "b.sr.dcm"), slices, own)
    check(pydicom.dcmread(tmp_path / "b.seg.dcm"), slices)
    write_capture(volume, tmp_path / "c.dcm", volume.info, image.subject, frames=parts)
    check(pydicom.dcmread(tmp_path / "c.dcm"), slices)


def _check_heights(
    contours: pydicom.Dataset, slices: dict[str, pydicom.Dataset], n_frames: int
) -> None:
    """Each contour names the slice of its height, once for each time frame."""
    rings = contours.ROIContourSequence[0].ContourSequence
    assert len(rings) >= 3
    for ring in rings:
        uids = [str(each.ReferencedSOPInstanceUID) for each in ring.ContourImageSequence]
        assert len(set(uids)) == len(uids) == n_frames
        for uid in uids:
            assert float(slices[uid].ImagePositionPatient[2]) == pytest.approx(ring.ContourData[2])


def test_gates_are_never_written_as_time_frames(tmp_path):
    volume, parts = dynamic(GATED, "LPS", SCAN)
    with pytest.raises(DataError, match="no image can have gates"):
        write_series(volume, tmp_path / "a.dicom", volume.info, frames=parts)
    assert not (tmp_path / "a.dicom").exists()


@pytest.mark.parametrize("like", ["", "order", "series"])
def test_commands_name_the_slices_of_the_exported_frames(tmp_path, capsys, like):
    volume, parts = dynamic(TIMED, "LPS", {})
    save_frames(volume, parts, tmp_path / "a.h5", volume.info)
    marks = marks_of(volume)
    write_regions(RegionSet(regions=(BALL,), scans=marks), tmp_path / "r.toml")
    options = []
    if like == "order":
        IDA.write(tmp_path / "o.json")
        options = ["--like", str(tmp_path / "o.json")]
    elif like:
        save(volume, tmp_path / "other.dicom")
        options = ["--like", str(min((tmp_path / "other.dicom").glob("*.dcm")))]
    image = str(tmp_path / "a.h5")
    assert main(["dicom", "write", image, "-o", str(tmp_path / "a.dicom"), *options]) == DONE
    asked = ["--dicom", str(tmp_path / "s.dcm"), "--rtstruct", str(tmp_path / "rt.dcm")]
    asked += ["--sr", str(tmp_path / "b.sr.dcm"), "--other-scan"]
    assert main(["regions", image, "--regions", str(tmp_path / "r.toml"), *asked, *options]) == DONE
    assert main(["dicom", "capture", image, "-o", str(tmp_path / "c.dcm"), *options]) == DONE
    slices = slices_in(tmp_path / "a.dicom")
    assert len(slices) == GRID.shape[0] * len(TIMED)
    other = [*slices_in(tmp_path / "other.dicom")] if like == "series" else []
    own = str(pydicom.dcmread(tmp_path / "b.seg.dcm").SOPInstanceUID)
    for name in ("s.dcm", "rt.dcm", "b.sr.dcm", "b.seg.dcm", "c.dcm"):
        check(pydicom.dcmread(tmp_path / name), slices, own, *other)


def test_picture_of_a_dynamic_image_names_no_slice_if_its_frames_are_unknown(tmp_path):
    """The sum of the frames is no series, and the UIDs of the frames depend on their values."""
    facts = [frame.facts() for frame in TIMED]
    volume, _ = dynamic(TIMED, "LPS", {**SCAN, "scan": {"frames": facts}})
    save(volume, tmp_path / "a.capture.dcm")
    assert not named_in(pydicom.dcmread(tmp_path / "a.capture.dcm"))
    single = {**volume.info, "scan": {"frames": facts[:1]}}
    save(replace(volume, info=single), tmp_path / "b.capture.dcm")
    assert len(named_in(pydicom.dcmread(tmp_path / "b.capture.dcm"))) == GRID.shape[0]


def test_another_patient_position_is_another_series_in_another_frame_of_reference(tmp_path):
    """Archives keep one of two objects with equal UIDs, so their positions must be equal too."""
    volume, _ = dynamic(TIMED, "xyz", SCAN)
    found = {}
    for sides in ("", "LPS", "RPI"):
        save(volume.positioned(sides), tmp_path / f"{sides}.dicom")
        found[sides] = slices_in(tmp_path / f"{sides}.dicom")
    assert not set(found["LPS"]) & set(found["RPI"]) and not set(found[""]) & set(found["RPI"])
    frames = [next(iter(each.values())).FrameOfReferenceUID for each in found.values()]
    assert len(set(frames)) == 3
    studies = {str(one.StudyInstanceUID) for each in found.values() for one in each.values()}
    assert len(studies) == 1


def test_two_scans_written_next_to_one_series_share_no_frame_of_reference(tmp_path, capsys):
    """Otherwise viewers overlay two scans that may not match."""
    frames = []
    first, _ = dynamic(TIMED, "LPS", SCAN)
    save(first, tmp_path / "first.dicom")
    like = min((tmp_path / "first.dicom").glob("*.dcm"))
    volume, _ = dynamic(TIMED, "LPS", {})
    for name, values in (("a", volume.values), ("b", 2 * volume.values)):
        save(replace(volume, values=values), tmp_path / f"{name}.h5")
        target = tmp_path / f"{name}.dicom"
        source = str(tmp_path / f"{name}.h5")
        assert main(["dicom", "write", source, "-o", str(target), "--like", str(like)]) == DONE
        frames.append(str(next(iter(slices_in(target).values())).FrameOfReferenceUID))
    assert len({*frames, str(pydicom.dcmread(like).FrameOfReferenceUID)}) == 3
