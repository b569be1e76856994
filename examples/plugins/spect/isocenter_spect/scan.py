"""SPECT projections in Interfile, as STIR writes them.

Counts are [view, row, column]. At the angle θ the camera is at (cos θ, sin θ), with columns along
(−sin θ, cos θ) and rows along z. The y axis points down, so that θ falls with a rotation that the
header calls counter-clockwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, FileFormatError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.interfile.header import InterfileHeader, read_header
from engine.io.safety.open_input import open_input, refuse_not_finite
from engine.modalities.scan_summary import ScanSummary
from isocenter_spect.camera import Crystal, Pinholes


@dataclass(frozen=True, eq=False)
class SpectScan:
    """Counts of all views, and what is known of camera and object.

    Attributes
    ----------
    counts : (n_views, n_rows, n_columns) float32
    pixel_mm : edge length of a pixel
    angles_deg : (n_views,) angles θ
    radii_mm : (n_views,) distance of the camera from the axis of rotation
    holes, crystal : pinhole collimator with its crystal; None for parallel holes
    mu_map : attenuation coefficients [1/mm]; None if unknown
    auxiliary : contents of auxiliary files
    effects : kinds of the corrections that the model includes
    info, notes : facts for provenance, and notes of the reader
    """

    counts: NDArray[np.float32]
    pixel_mm: float
    angles_deg: NDArray[np.floating]
    radii_mm: NDArray[np.floating]
    holes: Pinholes | None = None
    crystal: Crystal | None = None
    mu_map: Volume | None = None
    auxiliary: Mapping[str, Any] = field(default_factory=dict)
    effects: tuple[str, ...] = ()
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def checked(self) -> Self:
        """Return the scan with the angles of its pinhole camera, or refuse files of another one."""
        holes, crystal = self.holes, self.crystal
        if (holes is None) != (crystal is None):
            raise DataError(
                "pinholes need the files of both collimator and crystal; add the other one."
            )
        if holes is None or crystal is None:
            return self
        n = len(self.counts)
        if (
            not n == crystal.n_views == len(holes.places_mm)
            or min(self.radii_mm) <= holes.radius_mm
        ):
            raise DataError(
                f"the scan has {n} views, {min(self.radii_mm):g} mm from the axis, but its files "
                f"have {crystal.n_views} views and {holes.describe()}; choose those of this scan."
            )
        # The angles of a pinhole camera are in the file of its crystal.
        step = np.sign(self.angles_deg[-1] - self.angles_deg[0]) * crystal.step_deg
        return replace(self, angles_deg=self.angles_deg[0] + step * np.arange(n))


def read_scan(path: Path) -> SpectScan:
    """Read a scan; a damaged file raises `EngineError` with one sentence."""
    with open_input(path) as file:
        header = read_header(file)
    n_views = header.required("number of projections")
    shape = n_views, header.required("matrix size [2]"), header.required("matrix size [1]")
    pixels = [header.number(f"scaling factor (mm/pixel) [{axis}]") or 0.0 for axis in (1, 2)]
    if min(shape) < 1 or pixels[0] <= 0 or abs(pixels[0] - pixels[1]) > 1e-6 * pixels[0]:
        raise FileFormatError(f"{path.name}: expected counts in square pixels of known size.")
    with open_input(header.data_file) as data:
        start = header.whole("data offset in bytes") or 0
        counts = data.array(header.number_type, shape, start).astype(np.float32)
    refuse_not_finite(header.data_file, counts)
    if (counts < 0).any():
        raise FileFormatError(f"{path.name}: some counts are below 0; export the scan again.")
    extent = header.number("extent of rotation")
    turn = (header.text("direction of rotation") or "CW").upper()
    if extent is None or extent <= 0 or turn not in ("CW", "CCW"):
        raise FileFormatError(f"{path.name}: the rotation is not stated; correct the header.")
    step = (extent if turn == "CW" else -extent) / n_views
    angles = (header.number("start angle") or 0.0) + step * np.arange(n_views)
    info = {**header.axes_facts, "rotation": f"{extent:g}° {turn} in {n_views} views"}
    radii = _radii(header, n_views)
    return SpectScan(counts, pixels[0], angles, radii, info=info, notes=header.order_note())


def _radii(header: InterfileHeader, n_views: int) -> NDArray[np.floating]:
    """Return the distance of the camera in each view: one number, or a list in braces."""
    text = header.text("radii", "radius") or ""
    try:
        values = np.array([float(each) for each in text.strip("{} ").split(",")])
        radii = np.broadcast_to(values, (n_views,)).copy()
        if not (radii > 0).all():
            raise ValueError("must be above 0")
    except ValueError as e:
        raise FileFormatError(
            f"{header.path.name}: the radius of the orbit is {text[:40]!r}, expected one number "
            "or one for each view; correct the header."
        ) from e
    return radii


@dataclass(frozen=True, eq=False, kw_only=True)
class SpectSummary(ScanSummary):
    """Summary of a scan, without its counts.

    Attributes
    ----------
    shape : (n_views, n_rows, n_columns)
    pixel_mm : edge length of a pixel
    radius_mm : least distance of the camera from the axis
    n_counts : sum of all counts
    """

    modality: ClassVar[str] = "spect"
    shape: tuple[int, int, int]
    pixel_mm: float
    radius_mm: float
    n_counts: float

    @classmethod
    def of(cls, scan: SpectScan) -> Self:
        """Keep the facts of a scan."""
        n_views, n_rows, n_columns = shape = scan.counts.shape
        n_counts = float(scan.counts.sum(dtype=float))
        radii = sorted({float(scan.radii_mm.min()), float(scan.radii_mm.max())})
        return cls(
            text=f"{n_counts:,.0f} counts in {n_views} views", notes=scan.notes,
            facts=(
                ("Counts", f"{n_counts:,.0f}"), ("Views", str(scan.info["rotation"])),
                ("Pixels", f"{n_columns} × {n_rows} of {scan.pixel_mm:g} mm"),
                ("Orbit", " to ".join(f"{each:g}" for each in radii) + " mm from the axis"),
            ),
            needs_scanner=False, shape=shape, pixel_mm=scan.pixel_mm, radius_mm=radii[0],
            fault="" if n_counts else "All counts are 0, so the scan gives no image.",
            n_counts=n_counts,
        )  # fmt: skip
