"""Write closed-form parallel projections of ellipsoids to files without metadata."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tifffile
from numpy.typing import NDArray

N_VIEWS, ROWS, COLUMNS = 40, 12, 64
OPEN = 20_000.0
STEP_DEG = 360 / N_VIEWS
SHAPES = ((0.0, 0.0, 26.0, 18.0, 0.05), (9.0, 6.0, 7.0, 5.0, 0.08), (-11.0, -3.0, 4.0, 6.0, -0.04))
"""Centre (x, y), half axes and added attenuation per mm of ellipses."""


def integrals(
    n_views: int = N_VIEWS,
    total_deg: float = 360.0,
    *,
    clockwise: bool = False,
    seed: int = 2,
    first_deg: float = 0.0,
) -> NDArray[np.float32]:
    """Return (n_views, ROWS, COLUMNS) line integrals with noise; row 0 is the top."""
    sense = -1 if clockwise else 1
    beta = np.deg2rad(first_deg + sense * total_deg / n_views * np.arange(n_views))[:, None, None]
    s = (np.arange(COLUMNS) - (COLUMNS - 1) / 2)[None, None, :]
    height = np.linspace(1.0, 0.3, ROWS)[None, :, None]  # the object is wider at the top
    total = np.zeros((n_views, ROWS, COLUMNS))
    for x, y, a, b, mu in SHAPES:
        # columns increase along (−sin β, cos β)
        middle = (-x * np.sin(beta) + y * np.cos(beta)) * height
        half = np.sqrt((a * np.sin(beta)) ** 2 + (b * np.cos(beta)) ** 2) * height
        inside = np.maximum(1 - ((s - middle) / half) ** 2, 0)
        total += 2 * mu * a * b * height**2 / half * np.sqrt(inside)
    noise = np.random.default_rng(seed).normal(0, 0.01, total.shape)
    return (total + noise).astype(np.float32)


def counts(n_views: int = N_VIEWS, total_deg: float = 360.0) -> NDArray[np.uint16]:
    """Return the integrals as counts of a detector with an open beam of `OPEN`."""
    return (OPEN * np.exp(-integrals(n_views, total_deg))).astype(np.uint16)


def tiff_folders(folder: Path, *, flats: str = "white", returns_views: bool = False) -> Path:
    """Write views, flats and darks to three folders; return their parent or that of the views."""
    views = folder / "views"
    white, black = (folder / name for name in (flats, "dark"))
    for each in (views, white, black):
        each.mkdir(parents=True)
    for k, image in enumerate(counts()):
        tifffile.imwrite(views / f"bean_{k:04}.tif", image)
    for k in range(2):
        tifffile.imwrite(white / f"{k}.tif", np.full((ROWS, COLUMNS), int(OPEN), np.uint16))
    tifffile.imwrite(black / "0.tif", np.zeros((ROWS, COLUMNS), np.uint16))
    return views if returns_views else folder


def raw_file(folder: Path, dtype: str = "<u2", header: int = 0) -> Path:
    """Write counts or, for signed or float types, line integrals as a raw file."""
    kind = np.dtype(dtype)
    if kind.kind == "u":
        values = np.minimum(counts() / (1 if kind.itemsize > 1 else 100), np.iinfo(kind).max)
    else:
        values = integrals() * (1000 if kind.kind == "i" else 1)
    path = folder / "scan.raw"
    path.write_bytes(b"\x01" * header + values.astype(kind).tobytes())
    return path
