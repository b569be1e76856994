"""Summary of a gamma camera scan: all that the window and the queue know before a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from engine.geometry.grid import ImageGrid
from engine.modalities.gamma_camera.scan import GammaScan
from engine.modalities.scan_summary import ScanSummary


@dataclass(frozen=True, eq=False, kw_only=True)
class GammaSummary(ScanSummary):
    """Summary of a scan, without its counts.

    Attributes
    ----------
    grid : image that the scan gives
    n_views : number of views
    n_counts : sum of all counts
    """

    modality: ClassVar[str] = "gamma-camera"
    grid: ImageGrid
    n_views: int
    n_counts: float

    @classmethod
    def of(cls, scan: GammaScan) -> Self:
        """Keep the facts of a scan."""
        n_views, n_rows, n_bins = scan.counts.shape
        n_counts = float(scan.counts.sum(dtype=float))
        return cls(
            text=f"{n_counts:,.0f} counts in {n_views} views",
            facts=(
                ("Counts", f"{n_counts:,.0f}"),
                ("Views", f"{n_views} over a full turn"),
                ("Pixels", f"{n_bins} × {n_rows} of {scan.pixel_mm:g} mm"),
            ),
            notes=scan.notes,
            needs_scanner=False,
            fault="" if n_counts else "All counts are 0, so the scan gives no image.",
            grid=scan.grid,
            n_views=n_views,
            n_counts=n_counts,
        )
