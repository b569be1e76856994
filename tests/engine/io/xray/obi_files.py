"""Tiny scans in the format of a Varian on-board imager before TrueBeam, for tests."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.io.xray.varian.varian_obi import DOUBLES
from tests.engine.io.xray.varian_files import counts, packed

FACTS = {
    "IDUResolutionX": 0.388,
    "IDUResolutionY": 0.776,
    "XRayKV": 125.0,
    "XRayMA": 80.0,
    "CTNormChamber": 1000.0,
}
SETTINGS = {
    "CalibratedSAD": "1000.1",
    "CalibratedSID": "1500.2",
    "CalibratedDetectorOffsetX": "0.4",
    "CalibratedDetectorOffsetY": "-0.6",
    "DetectorPosLat": "-148",
    "FanType": "HalfFan",
}


def hnd_bytes(values: NDArray[np.integer], facts: dict[str, float]) -> bytes:
    """Return an image file; the padding of the last difference is optional."""
    rows, columns = values.shape
    head = b"VARIAN_VA_INTERNAL_1.0".ljust(120, b"\0") + struct.pack("<2Id", columns, rows, 0.0)
    head += b"RTIMAGE".ljust(16, b"\0") + struct.pack("<3I4s", 0, 0, 0, b"PROJ")
    head += struct.pack(f"<{len(DOUBLES)}d", *(facts.get(name, 0.0) for name in DOUBLES))
    image = packed(values)
    (n_table,) = struct.unpack_from("<i", image)
    table, data = image[4 : 4 + n_table], image[8 + n_table :]
    whole = -(-(rows - 1) * columns // 4)
    return head.ljust(1024, b"\0") + table.ljust(whole, b"\0") + data + b"\0"


def info_text(settings: dict[str, str]) -> str:
    inside = "".join(f"<{name}>{text}</{name}>" for name, text in settings.items())
    return f'<?xml version="1.0"?><CBCTProjections><Info>{inside}</Info></CBCTProjections>'


def obi(folder: Path, facts: dict[str, float] | None = None, **settings: str) -> Path:
    """Write a scan with its images in a subfolder; return the path of its text file."""
    inside = folder / "Scan0"
    inside.mkdir()
    for k, values in enumerate(counts()):
        view_facts = {"CTProjectionAngle": 200 - 30.0 * k, "CTNormChamber": 1000 + 100.0 * (k % 2)}
        image = hnd_bytes(values, FACTS | view_facts | (facts or {}))
        (inside / f"Proj_{k + 1:05}.hnd").write_bytes(image)
    (folder / "ProjectionInfo.xml").write_text(info_text(SETTINGS | settings))
    return folder / "ProjectionInfo.xml"


def obi_in_one_folder(folder: Path, *, settings: bool) -> Path:
    """Write text and images into one folder; return the path of the text, or of an image."""
    path = obi(folder)
    for each in sorted((folder / "Scan0").iterdir()):
        each.rename(folder / each.name)
    (folder / "Scan0").rmdir()
    return path if settings else folder / "Proj_00002.hnd"
