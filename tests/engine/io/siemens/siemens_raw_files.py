"""Write Siemens raw data in DICOM, in the published layout."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path

from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, ImplicitVRLittleEndian

KINDS = {"list mode": "PET_LISTMODE", "sinogram": "PET_EM_SINO", "norm": "PET_NORM"}


def dicom(
    header: str,
    data: bytes = b"",
    *,
    kind: str = "list mode",
    has_csa: bool = False,
    is_implicit: bool = False,
) -> bytes:
    """Return a DICOM file; with a CSA header, the text header moves to the second private block."""
    dataset = Dataset()
    dataset.ImageType = ["ORIGINAL", "PRIMARY", KINDS[kind]]
    dataset.SOPClassUID, dataset.SOPInstanceUID = "1.3.12.2.1107.5.9.1", "1.2.3"
    dataset.Modality, dataset.PatientName, dataset.PatientID = "PT", "Doe^Jane", "4711"
    dataset.Manufacturer, dataset.ManufacturerModelName = "SIEMENS", "Biograph_mMR"
    block = dataset.private_block(0x29, "SIEMENS CSA HEADER", create=True)
    block.add_new(0x10, "OB", b"SV10\4\3\2\1" if has_csa else header.encode())
    if has_csa:
        block = dataset.private_block(0x29, "SIEMENS MEDCOM HEADER", create=True)
        block.add_new(0x10, "OB", header.encode())
    block = dataset.private_block(0x7FE1, "SIEMENS CSA NON-IMAGE", create=True)
    block.add_new(0x10, "OB", data)
    dataset.file_meta = FileMetaDataset()
    syntax = ImplicitVRLittleEndian if is_implicit else ExplicitVRLittleEndian
    dataset.file_meta.TransferSyntaxUID = syntax
    stream = BytesIO()
    dataset.save_as(stream, enforce_file_format=True)
    return stream.getvalue()


def write_ima(folder: Path, header: str, data: bytes, **more: object) -> Path:
    """Write the data within the DICOM file."""
    (folder / "scan.IMA").write_bytes(dicom(header, data, **more))
    return folder / "scan.IMA"


def write_bf(folder: Path, header: str, data: bytes, **more: object) -> Path:
    """Write the data in a second file."""
    (folder / "scan.dcm").write_bytes(dicom(header, **more))
    (folder / "scan.bf").write_bytes(data)
    return folder / "scan.dcm"


def write_ptd(folder: Path, header: str, data: bytes, **more: object) -> Path:
    """Write the data, followed by the DICOM part."""
    part = dicom(header, **more)
    trailer = struct.pack("<i", len(part)) + b"LARGE_PET_LM_RAWDATA"
    (folder / "scan.ptd").write_bytes(data + part + trailer)
    return folder / "scan.ptd"


WRITERS = {"ima": write_ima, "bf": write_bf, "ptd": write_ptd}
