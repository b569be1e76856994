"""Tiny scans in the format of a Varian machine, for tests of their reader."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

N, ROWS, COLUMNS = 12, 3, 5
FACTS: dict[str, object] = {
    "KVSourceVrt": 100.0,
    "KVDetectorVrt": -50.0,
    "KVDetectorLat": -16.0,
    "KVDetectorLng": 0.0,
    "PixelWidth": 0.0388,
    "PixelHeight": 0.0776,
    "KVKiloVolts": 125.0,
    "DoseConversionFactor": float(np.finfo(np.float32).max),
    "ImageSourceId": "KVModule",
    "NumberOfFrames": 1,
}
SETTINGS = {"SAD": "1000", "SID": "1500", "ImagerLat": "-160", "Bowtie": "Half"}


def packed(values: NDArray[np.integer]) -> bytes:
    """Return table and differences of an image, each preceded by its size."""
    p = values.reshape(-1).astype(np.int64)
    w = values.shape[1]
    d = p[w + 1 :] - p[w:-1] - p[1:-w] + p[: -w - 1]
    code = (abs(d + 0.5) > 2**7).astype(int) + (abs(d + 0.5) > 2**15)
    padded = np.append(code, np.zeros(-len(code) % 4, int)).reshape(-1, 4)
    table = (padded << np.array([0, 2, 4, 6])).sum(axis=1).astype(np.uint8).tobytes()
    stored = b"".join(
        int(each).to_bytes(1 << int(size), "little", signed=True)
        for each, size in zip(d, code, strict=True)
    )
    data = p[: w + 1].astype("<i4").tobytes() + stored
    return b"".join(struct.pack("<i", len(part)) + part for part in (table, data))


def xim_bytes(values: NDArray[np.integer] | None, facts: dict[str, object]) -> bytes:
    """Return an image file; None gives an image without values."""
    rows, columns = (0, 0) if values is None else values.shape
    image = struct.pack("<2i", 0, 0) if values is None else packed(values)
    parts = [b"VMS.XI\0\0", struct.pack("<6i", 0, columns, rows, 20, 4, 1), image]
    parts.append(struct.pack("<5i", 4 * rows * columns, 2, 7, 7, len(facts)))
    for name, fact in facts.items():
        parts.append(struct.pack("<i", len(name)) + name.encode())
        if isinstance(fact, str):
            parts.append(struct.pack("<2i", 2, len(fact)) + fact.encode())
        else:
            parts.append(
                struct.pack(
                    "<id" if isinstance(fact, float) else "<2i", isinstance(fact, float), fact
                )
            )
    return b"".join(parts)


def counts() -> NDArray[np.int64]:
    """Return (N, ROWS, COLUMNS) different values that need more than 16 bits."""
    return 100_000 + 70_001 * np.arange(N * ROWS * COLUMNS).reshape(N, ROWS, COLUMNS) % 90_007


def settings_text(settings: dict[str, str]) -> str:
    inside = "".join(f"<{name}>{text}</{name}>" for name, text in settings.items())
    return (
        '<?xml version="1.0"?><Scan Version="2.7.0.0" xmlns="http://example.org/scan">'
        f"<Acquisitions>{inside}</Acquisitions></Scan>"
    )


def varian(folder: Path, facts: dict[str, object] | None = None, **settings: str) -> Path:
    """Write a scan and its open beam; an image without values precedes the views."""
    images = folder / "Acquisitions" / "17"
    air = folder / "Calibrations" / "AIR-Half-Bowtie-125KV" / "Current"
    for each in (images, air):
        each.mkdir(parents=True)
    facts_of_image = FACTS | (facts or {})
    (images / "Proj_00000.xim").write_bytes(xim_bytes(None, facts_of_image))
    for k, values in enumerate(counts()):
        view_facts = {
            "KVSourceRtn": 30.0 * k + 200,
            "KVNormChamber": 1000 + 100 * (k % 2),
        } | facts_of_image
        (images / f"Proj_{k + 1:05}.xim").write_bytes(xim_bytes(values, view_facts))
    flat = np.full((ROWS, COLUMNS), 400_000)
    (air / "FilterBowtie.xim").write_bytes(xim_bytes(flat, FACTS | {"KVNormChamber": 2100}))
    (folder / "Scan.xml").write_text(settings_text(SETTINGS | settings))
    return folder / "Scan.xml"
