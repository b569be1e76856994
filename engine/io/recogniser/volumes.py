"""Volumes, surfaces, and images of microscopes and telescopes."""

from __future__ import annotations

import struct

from engine.io.first_bytes import TIFF, begins, both
from engine.io.recogniser.known_format import KnownFormat, says, with_header
from engine.io.safety.open_input import InputFile
from engine.io.volumes.array_sizes import EXAMPLE, VOXEL, is_npz
from engine.io.volumes.nifti_values import unpacked_head

CONVERT = "Open it in 3D Slicer or Fiji, and save it as NIfTI, NRRD or MetaImage."
TO_NIFTI = "Convert it to NIfTI with nibabel or dcm2niix, and open that."
SURFACE = "It contains a surface without values; open the original volume."
MICROSCOPE = "Save it as OME-TIFF with Fiji, and open that."
ARRAY = "Describe its sizes and angles with `isocenter import`."
SIDECARS = (
    f"If it is a volume, write {EXAMPLE} (the voxel edges along x, y, z and the order of its axes) "
    "into a .json file of the same name."
)
WITHIN = (
    f"If it contains a volume, add variables such as {EXAMPLE}: the voxel edges along x, y, z and "
    "the order of its axes."
)
IMPORT = "If it contains projections, describe sizes and angles with `isocenter import`."


def _is_packed_freesurfer(file: InputFile) -> bool:
    return file.head[:2] == b"\x1f\x8b" and _is_mgh(unpacked_head(file.head))


def _is_mgh(head: bytes) -> bool:
    """Return True for version 1, four plausible sizes and a known type (FreeSurfer MGH header)."""
    if len(head) < 284:
        return False
    # MGH has no mark and is big endian. Types: 0 uint8, 1 int32, 3 float32, 4 int16, 10 uint16.
    version, *sizes, kind = struct.unpack(">6i", head[:24])
    return version == 1 and all(0 < n < 1 << 14 for n in sizes) and kind in (0, 1, 3, 4, 10)


def _is_afni(head: bytes) -> bool:
    lower = head.lower()
    return b"-attribute" in lower and b"type" in lower and b"count" in lower and b"name" in lower


def _is_par(head: bytes) -> bool:
    return b"data description file" in head.lower() and head.lstrip()[:1] == b"#"


VOLUMES = (
    # Before the gzip file: its content says more than its container.
    KnownFormat("FreeSurfer volume (MGZ)", _is_packed_freesurfer, CONVERT),
    KnownFormat("AFNI dataset (HEAD)", lambda file: _is_afni(file.head), TO_NIFTI),
    KnownFormat("AFNI values (BRIK)", with_header(".brik", ".head", _is_afni), TO_NIFTI),
    KnownFormat("Philips PAR header", lambda file: _is_par(file.head), TO_NIFTI),
    KnownFormat("Philips PAR/REC values", with_header(".rec", ".par", _is_par), TO_NIFTI),
    KnownFormat("VTK file", begins(b"# vtk DataFile"), CONVERT),
    KnownFormat("VTK file in XML", says("<vtkfile"), CONVERT),
    KnownFormat("Amira mesh", begins(b"# AmiraMesh", b"# Avizo"), CONVERT),
    KnownFormat("FreeSurfer volume", lambda file: _is_mgh(file.head), CONVERT),
    KnownFormat("NetCDF file", begins(b"CDF\x01", b"CDF\x02", b"CDF\x05"), CONVERT),
    KnownFormat("FITS image", begins(b"SIMPLE  ="), MICROSCOPE),
    KnownFormat("PLY surface", begins(b"ply\n", b"ply\r\n"), SURFACE),
    KnownFormat("STL surface", both(begins(b"solid"), says("facet")), SURFACE),
    # OBJ has no mark: vertices ("v") and faces ("f") must both occur in the first bytes.
    KnownFormat("OBJ surface", both(says("\nv "), says("\nf ")), SURFACE),
    KnownFormat("Zeiss CZI image", begins(b"ZISRAWFILE"), MICROSCOPE),
    KnownFormat("Leica LIF image", both(begins(b"p\0\0\0"), begins(b"*", at=8)), MICROSCOPE),
    KnownFormat("Nikon ND2 image", begins(b"\xda\xce\xbe\x0a"), MICROSCOPE),
    KnownFormat(
        "Gatan DigitalMicrograph image",
        both(begins(b"\0\0\0\x03", b"\0\0\0\x04"), lambda file: b"%%%%" in file.head),
        MICROSCOPE,
    ),
    # The container alone is known. Its directory is too far inside to be in the first bytes.
    KnownFormat(
        "OLE file, such as ZVI, OIB or an Office document",
        begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        MICROSCOPE,
    ),
    # From here on: formats that we read, but whose readers refused the file for a missing fact.
    KnownFormat("NumPy array without a voxel size", begins(b"\x93NUMPY"), f"{SIDECARS} {IMPORT}"),
    KnownFormat(
        "file of NumPy arrays (.npz) without a voxel size",
        lambda file: is_npz(file.head),
        f"{WITHIN} {IMPORT}",
    ),
    KnownFormat(
        "MATLAB 5 file without a voxel size",
        begins(b"MATLAB 5.0 MAT-file"),
        f"{WITHIN} {IMPORT}",
    ),
    KnownFormat(
        "sidecar of an array", both(begins(b"{"), says(f'"{VOXEL}"')), "Open the array itself."
    ),
    KnownFormat(
        "MRC map that ends within its header",
        begins(b"MAP ", b"MAP\0", at=208),
        "Copy it again.",
    ),
    KnownFormat(
        "TIFF image without a voxel size",
        begins(*TIFF),
        ARRAY,
    ),
)
