"""Scans and volumes of X-ray scanners, and images of their detectors."""

from __future__ import annotations

from engine.io.first_bytes import begins
from engine.io.recogniser.known_format import KnownFormat, says
from engine.io.safety.open_input import InputFile
from engine.io.xray.esrf.edf import is_edf

SLICES = (
    "export the volume as DICOM slices or as one TIFF with a voxel size (ImageJ or OME-TIFF), and "
    "open that"
)
IMAGES = "open its folder with `isocenter import`"
VIEWS = "export the projections as TIFF, and open their folder with `isocenter import`"


def _is_edf(file: InputFile) -> bool:
    # JSON begins with "{" too, so keys of the EDF header are required.
    head = file.head.lstrip()
    return head.startswith(b"{") and b"Dim_1" in head and (b"HeaderID" in head or is_edf(file))


XRAY = (
    KnownFormat(
        "a Varian image that is not part of a scan",
        begins(b"VMS.XI", b"\0VMS.XI"),
        "open the folder of its scan, or one of the projections",
    ),
    KnownFormat("an ESRF data file (EDF) without the .info of its scan", _is_edf, IMAGES),
    KnownFormat("a crystallographic binary file (CBF)", begins(b"###CBF"), VIEWS),
    KnownFormat("a Scanco ISQ volume", begins(b"CTDATA-HEADER_V1"), SLICES),
    KnownFormat("a Scanco AIM volume", begins(b"AIMDATA_V030"), SLICES),
    KnownFormat("a VGStudio volume description", says("{volume1}", "[file1]"), SLICES),
    KnownFormat("a GE phoenix scan (PCA)", says("[geometry]", "fdd=", "[detector]"), VIEWS),
    KnownFormat("a North Star scan", says("<object radiograph>"), VIEWS),
    KnownFormat("a North Star volume", says("<nsi"), SLICES),
    KnownFormat(
        "a settings file of a Bruker scanner", says("[acquisition]", "source voltage"), VIEWS
    ),
)
