"""Write scans in the format of CASToR: header, records and look-up table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.geometry.tof import MM_PER_PS

ORDER = ("acf", "kind", "scatter", "randoms", "norm", "tof", "place", "first", "second")
KEYS = {
    "acf": "Attenuation correction flag",
    "kind": "Event kind flag",
    "scatter": "Scatter correction flag",
    "randoms": "Random correction flag",
    "norm": "Normalization correction flag",
    "tof": "TOF information flag",
    "place": "POI info flag",
}


def write_table(path: Path, ring: RingScanner) -> Path:
    """Write the crystals of a ring. The y axis is flipped because CASToR's axes are left-handed."""
    mirror = np.array([1.0, -1.0, 1.0])
    rows = np.concatenate([ring.positions_mm * mirror, -ring.crystal_normals * mirror], axis=1)
    rows.astype("<f4").tofile(path)
    s = ring.settings
    min_angle_deg = 180 - 360 * (s.n_tangential / 2) / s.n_crystals_per_ring
    text = f"modality: PET\nmin angle difference: {min_angle_deg} # degrees\n"
    path.with_suffix(".hscan").write_text(text)
    return path


def write_normalisation(
    path: Path, lines: Array, columns: Mapping[str, Array], **changes: object
) -> Path:
    """Write correction factors of lines, and their header."""
    header: dict[str, object] = {
        "Scanner name": "SMALL_RING",
        "Data filename": path.with_suffix(".cdf").name,
        "Number of events": len(lines),
        "Data mode": "normalization",
        "Data type": "PET",
    }
    header |= {KEYS[name]: 1 for name in columns} | changes
    parts = [*((name, "<f4") for name in columns), ("first", "<u4"), ("second", "<u4")]
    records = np.zeros(len(lines), np.dtype(parts))
    records["first"], records["second"] = lines.T
    for name, values in columns.items():
        records[name] = values
    records.tofile(path.with_suffix(".cdf"))
    path.write_text("".join(f"{key}: {value}\n" for key, value in header.items()))
    return path


def write_histogram(
    path: Path,
    lines: Array,
    counts: Array,
    columns: Mapping[str, Array],
    scatter: Array | None = None,
    **changes: object,
) -> Path:
    """Write counts (lines, time bins), scatter rates of the same shape, and their header."""
    header: dict[str, object] = {
        "Scanner name": "SMALL_RING",
        "Data filename": path.with_suffix(".cdf").name,
        "Number of events": len(lines),
        "Data mode": "histogram",
        "Data type": "PET",
        "Duration (s)": 3,
    }
    header |= {KEYS[name]: 1 for name in columns}
    if scatter is not None:
        header[KEYS["scatter"]] = 1
    if counts.shape[1] > 1:
        header |= {KEYS["tof"]: 1, "Histo TOF number of bins": counts.shape[1]}
        header["Histo TOF bin size (ps)"] = 150
    header |= {key.replace("_", " "): value for key, value in changes.items()}
    values = counts[..., None] if scatter is None else np.stack([counts, scatter], -1)
    names = [each for each in ("acf", "randoms", "norm") if each in columns]
    parts = [("ms", "<u4"), *((name, "<f4") for name in names)]
    parts += [("values", "<f4", values.shape[1:]), ("ends", "<u4", (2,))]  # type: ignore[list-item]
    records = np.zeros(len(lines), np.dtype(parts))
    for name in names:
        records[name] = columns[name]
    records["values"], records["ends"] = values, lines
    records.tofile(path.with_suffix(".cdf"))
    path.write_text("".join(f"{key}: {value}\n" for key, value in header.items()))
    return path


def write_scan(
    path: Path, scan: ListMode, more: Mapping[str, Array] | None = None, **changes: object
) -> Path:
    """Write a scan and its header, with additional record columns and changed header keys."""
    assert scan.time_ms is not None
    columns: dict[str, Array] = {"first": scan.crystals[:, 0], "second": scan.crystals[:, 1]}
    header: dict[str, object] = {
        "Scanner name": "SMALL_RING",
        "Data filename": path.with_suffix(".cdf").name,
        "Number of events": scan.n_events,
        "Data mode": "list-mode",
        "Data type": "PET",
        "Start time (s)": 0,
        "Duration (s)": scan.duration_s,
        "Isotope": "F-18",
    }
    tof = scan.scanner.tof
    if scan.tof_bins is not None and tof is not None:
        columns["tof"] = tof.centres_mm[scan.tof_bins] / MM_PER_PS
        header["TOF resolution (ps)"] = tof.fwhm_ps
        header["List TOF measurement range (ps)"] = tof.n_bins * tof.bin_ps
        header["List TOF quantization bin size (ps)"] = tof.bin_ps
    columns |= more or {}
    header |= {KEYS[name]: 1 for name in columns if name in KEYS}
    header |= {key.replace("_", " "): value for key, value in changes.items()}
    parts = [("ms", "<u4")]
    for name in ORDER:
        if name in columns:
            kind = {"kind": "u1", "first": "<u4", "second": "<u4"}.get(name, "<f4")
            parts.append((name, kind, columns[name].shape[1:]))  # type: ignore[arg-type]
    records = np.zeros(scan.n_events, np.dtype(parts))
    records["ms"] = scan.time_ms
    for name, values in columns.items():
        records[name] = values
    records.tofile(path.with_suffix(".cdf"))
    path.write_text("".join(f"{key}: {value}\n" for key, value in header.items()))
    return path
