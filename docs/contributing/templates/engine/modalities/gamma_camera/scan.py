"""Scan of a rotating gamma camera, and its file: one line of JSON, then float32 counts.

Counts are [view, row, bin]. Views are evenly spaced over a full turn; at the angle θ, bins run
along u = x cos θ + y sin θ. Rows are along z. The rotation axis is the centre of the image.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import InputFile, open_input, refuse_not_finite


@dataclass(frozen=True, eq=False)
class GammaScan:
    """Counts of all views.

    Attributes
    ----------
    counts : (n_views, n_rows, n_bins) float32
    pixel_mm : edge length of a pixel of the camera [mm]
    info : facts for provenance
    notes : notes of the reader, one sentence each
    """

    counts: NDArray[np.float32]
    pixel_mm: float
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def grid(self) -> ImageGrid:
        """The image: voxels have the size of the pixels."""
        _, n_rows, n_bins = self.counts.shape
        return ImageGrid((n_rows, n_bins, n_bins), (self.pixel_mm,) * 3)


def read_scan(path: Path) -> GammaScan:
    """Read a scan; a damaged file raises `EngineError` with one sentence."""
    with open_input(path) as file:
        shape, pixel_mm, start = _header(file)
        counts = file.array("<f4", shape, start)
    # MLEM takes counts as Poisson: it can use neither NaN nor negative numbers.
    refuse_not_finite(path, counts)
    if (counts < 0).any():
        raise FileFormatError(f"{path.name}: some counts are below 0; export the scan again.")
    return GammaScan(counts, pixel_mm)


def _header(file: InputFile) -> tuple[tuple[int, int, int], float, int]:
    """Return shape, pixel size [mm] and the byte of the first count."""
    line = file.head.partition(b"\n")[0]
    try:  # a damaged file gives one sentence, never a traceback
        header = json.loads(line)
        n_views, n_rows, n_bins = (int(n) for n in header["shape"])
        pixel_mm = float(header["pixel_mm"])
        if min(n_views, n_rows, n_bins) < 1 or not 0 < pixel_mm < 1000:
            raise ValueError("sizes must be above 0")
    except (KeyError, TypeError, ValueError) as e:
        raise FileFormatError(
            f"{file.name}: the first line is not a valid header ({e}); export the scan again."
        ) from e
    return (n_views, n_rows, n_bins), pixel_mm, len(line) + 1


def write_scan(scan: GammaScan, path: Path) -> None:
    """Write a scan completely, or not at all."""
    header = {"format": "gamma camera", "shape": scan.counts.shape, "pixel_mm": scan.pixel_mm}
    line = json.dumps(header).encode() + b"\n"
    write_atomically(line + scan.counts.astype("<f4").tobytes(), path)
