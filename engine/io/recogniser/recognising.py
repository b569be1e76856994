"""Name the format of an unsupported file: the first known format that matches its content.

The formats here are archives, images, videos, documents, placeholders, and files of X-ray scanners.
"""

from __future__ import annotations

from engine.io.first_bytes import begins, both
from engine.io.recogniser.emission import EMISSION
from engine.io.recogniser.known_format import KnownFormat, Tell, says
from engine.io.recogniser.trees import TREES
from engine.io.recogniser.volumes import VOLUMES
from engine.io.safety.open_input import InputFile
from engine.io.xray.esrf.edf import is_edf

UNPACK = "Unpack it, and open the files inside."
COLOURS = "It contains colours for display; open the original measured values."
NOT_THERE = (
    "It is a placeholder for a file that was not downloaded; run `git lfs pull` or `git annex "
    "get`, then open it."
)


def _holds(*names: bytes) -> Tell:
    return lambda file: any(name in file.head for name in names)


# Local file header, or the end record of an empty archive (APPNOTE.TXT, 4.3.7 and 4.3.16).
ZIP = begins(b"PK\x03\x04", b"PK\x05\x06")
PACKED = (
    # Clones of public data contain these small texts in place of the large files.
    KnownFormat("Git LFS pointer", begins(b"version https://git-lfs"), NOT_THERE),
    KnownFormat("git-annex pointer", begins(b"/annex/objects/"), NOT_THERE),
    # Models and Office documents are ZIP archives too, so they precede the archive.
    KnownFormat("PyTorch model", both(ZIP, _holds(b"/data.pkl")), "Export its arrays as NumPy."),
    KnownFormat("Office document", both(ZIP, _holds(b"[Content_Types].xml")), "Open the scan."),
    KnownFormat("ZIP archive", ZIP, UNPACK),
    KnownFormat("gzip file", begins(b"\x1f\x8b"), UNPACK),
    KnownFormat("bzip2 file", begins(b"BZh"), UNPACK),
    KnownFormat("xz file", begins(b"\xfd7zXZ\0"), UNPACK),
    KnownFormat("Zstandard file", begins(b"\x28\xb5\x2f\xfd"), UNPACK),
    KnownFormat("7-Zip archive", begins(b"7z\xbc\xaf\x27\x1c"), UNPACK),
    KnownFormat("RAR archive", begins(b"Rar!\x1a\x07"), UNPACK),
    # The mark is at byte 257 of the first header block (POSIX ustar).
    KnownFormat("tar archive", begins(b"ustar", at=257), UNPACK),
    KnownFormat("PNG image", begins(b"\x89PNG\r\n\x1a\n"), COLOURS),
    KnownFormat("JPEG image", begins(b"\xff\xd8\xff"), COLOURS),
    KnownFormat("JPEG 2000 image", begins(b"\0\0\0\x0cjP  ", b"\xff\x4f\xff\x51"), COLOURS),
    KnownFormat("GIF image", begins(b"GIF87a", b"GIF89a"), COLOURS),
    # Two letters alone are too weak a mark. The reserved field at byte 6 must be 0.
    KnownFormat("BMP image", both(begins(b"BM"), begins(b"\0\0\0\0", at=6)), COLOURS),
    KnownFormat("video (MP4)", begins(b"ftyp", at=4), COLOURS),
    KnownFormat("video (AVI)", both(begins(b"RIFF"), begins(b"AVI ", at=8)), COLOURS),
    KnownFormat("PDF document", begins(b"%PDF-"), "Open the scan or image that it describes."),
    KnownFormat(
        "web page",
        says("<html"),
        "A download has failed; download the file again, and open that.",
    ),
    KnownFormat(
        # Protocols 2 to 5. Unpickling executes code from the file, so it is never read.
        "a pickled Python object",
        begins(b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        "Opening it could run any program; save its array with numpy.save, and import that.",
    ),
)


SLICES = (
    "Export the volume as DICOM slices or as one TIFF with a voxel size (ImageJ or OME-TIFF), and "
    "open that."
)
IMAGES = "Open its folder with `isocenter import`."
VIEWS = "Export the projections as TIFF, and open their folder with `isocenter import`."


def _is_edf(file: InputFile) -> bool:
    # JSON begins with "{" too, so keys of the EDF header are required.
    head = file.head.lstrip()
    return head.startswith(b"{") and b"Dim_1" in head and (b"HeaderID" in head or is_edf(file))


XRAY = (
    KnownFormat(
        "Varian image that is not part of a scan",
        begins(b"VMS.XI", b"\0VMS.XI"),
        "Open the folder of its scan, or one of the projections.",
    ),
    KnownFormat("ESRF data file (EDF) without the .info of its scan", _is_edf, IMAGES),
    KnownFormat("crystallographic binary file (CBF)", begins(b"###CBF"), VIEWS),
    KnownFormat("Scanco ISQ volume", begins(b"CTDATA-HEADER_V1"), SLICES),
    KnownFormat("Scanco AIM volume", begins(b"AIMDATA_V030"), SLICES),
    KnownFormat("VGStudio volume description", says("{volume1}", "[file1]"), SLICES),
    KnownFormat("GE phoenix scan (PCA)", says("[geometry]", "fdd=", "[detector]"), VIEWS),
    KnownFormat("North Star scan", says("<object radiograph>"), VIEWS),
    KnownFormat("North Star volume", says("<nsi"), SLICES),
    KnownFormat(
        "settings file of a Bruker scanner", says("[acquisition]", "source voltage"), VIEWS
    ),
)


# The order decides: a CASToR scanner is also a text, a MATLAB 7.3 file is also HDF5.
KNOWN: tuple[KnownFormat, ...] = (*TREES, *EMISSION, *XRAY, *VOLUMES, *PACKED)
"""Known formats, the most specific first."""


def recognised(file: InputFile) -> KnownFormat | None:
    """Return the format of a file that no reader accepts.

    Parameters
    ----------
    file
        an open file

    Returns
    -------
    format
        None if the format is unknown
    """
    return next((known for known in KNOWN if known.tell(file)), None)
