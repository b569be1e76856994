"""Follow the remedies in error messages, and list the remedies that need other programs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import shlex
import tarfile
import zipfile
from pathlib import Path

import numpy as np

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.io import inspect, read_projections
from tests.engine.raw_import.scans import integrals

VALUES = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
FEW = integrals()[:, :4]
ANSWERS = ("--beam", "parallel", "--pixel", "0.5", "--angles", "360", "--kind", "integrals")
COMMAND = re.compile(r"`(isocenter [^`]+)`")

ROOT = Path(__file__).parents[3]

UNTESTED = {
    "SPECT scan in Interfile": "STIR",
    "PyTorch model": "PyTorch",
    "MRC map that ends within its header": "the complete file",
    "Office document": "the file of the scan",
    "Zstandard file": "a program that unpacks the format",
    "7-Zip archive": "a program that unpacks the format",
    "RAR archive": "a program that unpacks the format",
    "Git LFS pointer": "Git LFS and its server",
    "git-annex pointer": "git-annex and its server",
    "web page": "the server that has the file",
    "header of a microPET or Inveon scanner": "the scanner software",
    "raw data of a GE PET scanner (RDF)": "STIR",
    "Siemens image header": "STIR",
    "Siemens list-mode header of an unsupported scanner": "STIR",
    "scanner raw data in DICOM": "STIR",
    "Interfile header of an image or of projections": "STIR, or the program that wrote it",
    **dict.fromkeys(
        ("PNG image", "JPEG image", "JPEG 2000 image", "GIF image"),
        "the file of the measured values",
    ),
    **dict.fromkeys(
        ("BMP image", "video (MP4)", "video (AVI)", "PDF document"),
        "the file of the measured values",
    ),
    **dict.fromkeys(("PLY surface", "STL surface", "OBJ surface"), "the file of the volume"),
    **dict.fromkeys(
        ("Keras model", "MRI raw data (ISMRMRD)", "cell table (AnnData)"),
        "the file of the image",
    ),
    **dict.fromkeys(
        ("VTK file", "VTK file in XML", "Amira mesh", "NetCDF file"), "3D Slicer or Fiji"
    ),
    **dict.fromkeys(
        ("FITS image", "Zeiss CZI image", "Leica LIF image", "Nikon ND2 image"), "Fiji"
    ),
    **dict.fromkeys(
        (
            "Gatan DigitalMicrograph image",
            "OLE file, such as ZVI, OIB or an Office document",
            "Imaris image",
            "BigDataViewer image",
            "DREAM.3D file",
        ),
        "Fiji",
    ),
}
"""Remedies that cannot be tested here, with the program or the data that they need."""


def refusal(path: Path) -> str:
    """Return the error message for a file."""
    (message,) = inspect(path).faults
    return message


def run_suggested_command(sentence: str, *more: object) -> None:
    """Run the command in a sentence, with the arguments that the user would have to add."""
    words = shlex.split(COMMAND.findall(sentence)[0])
    assert words[0] == "isocenter"
    assert main([*words[1:], *map(str, more)]) == DONE


def import_as_suggested(sentence: str, source: Path, *more: str) -> None:
    run_suggested_command(sentence, source, *ANSWERS, *more)
    found = read_projections(source)
    assert np.array_equal(found.values, FEW)


def tarred(data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        entry = tarfile.TarInfo("mu.h5")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def untarred(data: bytes) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        inside = archive.extractfile("mu.h5")
        assert inside is not None
        return inside.read()


def zipped(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mu.h5", data)
    return stream.getvalue()


def unzipped(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read("mu.h5")


PACKERS = {
    "gzip file": (gzip.compress, gzip.decompress),
    "bzip2 file": (bz2.compress, bz2.decompress),
    "xz file": (lzma.compress, lzma.decompress),
    "tar archive": (tarred, untarred),
    "ZIP archive": (zipped, unzipped),
}
