"""Common unsupported formats are recognised, and the suggested remedies work."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import nibabel
import numpy as np
import pydicom
import pytest
from nibabel.freesurfer.mghformat import MGHImage
from pydicom.uid import ExplicitVRBigEndian, ImplicitVRLittleEndian

from engine.io import inspect, read_volume

DATA = Path(nibabel.__file__).parent / "tests" / "data"
AFNI = "type = string-attribute\nname = TYPESTRING\ncount = 15\n'3DIM_HEAD_ANAT~\n"
PAR = "# === DATA DESCRIPTION FILE ====\n#\n# CAUTION - Investigational device.\n"
HSCAN = "modality: PET\nscanner name: SMALL\nnumber of elements: 4\nnumber of layers: 1\n"
HROOT = "ROOT header :=\noriginating system := ECAT 931\nfilename prefix := coincidences\n"
TEXTS = {
    "AFNI dataset (HEAD)": ("a+orig.HEAD", AFNI),
    "Philips PAR header": ("a.PAR", PAR),
    "CASToR scanner description (.hscan)": ("a.hscan", HSCAN),
    "STIR header of GATE coincidences (.hroot)": ("a.hroot", HROOT),
    "SPECT scan in Interfile": ("a.hs", "!INTERFILE :=\n!SPECT STUDY (General) :=\n"),
}
PAIRS = {
    "AFNI values (BRIK)": ("a+orig.BRIK", "a+orig.HEAD", AFNI),
    "Philips PAR/REC values": ("a.REC", "a.PAR", PAR),
    "CASToR look-up table (.lut)": ("a.lut", "a.hscan", HSCAN),
}


def assert_named(path: Path, name: str) -> str:
    report = inspect(path)
    assert f"this format is not supported. Format: {name}. " in report.faults[0]
    assert report.facts[0] == ("Format", name)
    return report.faults[0]


@pytest.mark.parametrize("name", TEXTS)
def test_text_files_are_recognised(tmp_path: Path, name: str) -> None:
    file, content = TEXTS[name]
    (tmp_path / file).write_text(content)
    assert_named(tmp_path / file, name)


@pytest.mark.parametrize("name", PAIRS)
def test_raw_values_are_recognised_by_their_header_file(tmp_path: Path, name: str) -> None:
    file, header, content = PAIRS[name]
    (tmp_path / file).write_bytes(bytes(96))
    assert name not in str(inspect(tmp_path / file).faults), (
        "the content of the header file must decide, not the file name"
    )
    (tmp_path / header).write_text(content)
    assert_named(tmp_path / file, name)


# nibabel leaves the .REC file open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("AFNI dataset (HEAD)", ("example4d+orig.HEAD", "example4d+orig.BRIK.gz")),
        ("Philips PAR header", tuple(f"phantom_EPI_asc_CLEAR_2_1.{e}" for e in ("PAR", "REC"))),
        ("FreeSurfer volume (MGZ)", ("test.mgz",)),
    ],
)
def test_real_files_are_recognised_and_open_after_conversion_with_nibabel(
    tmp_path: Path, name: str, files: tuple[str, ...]
) -> None:
    if not all((DATA / each).exists() for each in files):
        pytest.skip("this version of nibabel has no sample files")
    for each in files:
        shutil.copy(DATA / each, tmp_path / each)
    assert "NIfTI" in assert_named(tmp_path / files[0], name)
    image = nibabel.load(tmp_path / files[0])
    values = np.asarray(image.dataobj, np.float32)
    nibabel.save(nibabel.Nifti1Image(values, image.affine), tmp_path / "b.nii.gz")
    found = read_volume(tmp_path / "b.nii.gz")
    assert np.isfinite(found.values).all()


def test_compressed_freesurfer_volume_is_not_named_gzip(tmp_path: Path) -> None:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    packed = gzip.compress(MGHImage(values, np.eye(4)).to_bytes())
    (tmp_path / "a.mgz").write_bytes(packed)
    assert_named(tmp_path / "a.mgz", "FreeSurfer volume (MGZ)")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"a scan, or whatever was packed"))
    assert_named(tmp_path / "b.gz", "gzip file")


@pytest.mark.parametrize("syntax", [ExplicitVRBigEndian, ImplicitVRLittleEndian])
@pytest.mark.parametrize(
    ("kind", "names"),
    [("481.2", "RT dose"), ("481.5", "RT plan"), ("481.3", "RT structure set")],
)
def test_dicom_file_is_named_by_its_own_class_and_not_a_referenced_one(
    tmp_path: Path, kind: str, names: str, syntax: pydicom.uid.UID
) -> None:
    """A dose refers to its plan, and a plan to its structures, within the first kilobytes."""
    stored = "1.2.840.10008.5.1.4.1.1."
    data = pydicom.Dataset()
    data.SOPClassUID, data.SOPInstanceUID = stored + kind, pydicom.uid.generate_uid()
    other = pydicom.Dataset()
    other.ReferencedSOPClassUID = stored + ("481.3" if kind == "481.5" else "481.5")
    other.ReferencedSOPInstanceUID = pydicom.uid.generate_uid()
    data.ReferencedRTPlanSequence = [other]
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.MediaStorageSOPClassUID = stored + kind
    data.file_meta.TransferSyntaxUID = syntax
    data.save_as(tmp_path / "a.dcm", enforce_file_format=True)
    assert (
        f"this format is not supported. Format: {names}." in inspect(tmp_path / "a.dcm").faults[0]
    )
