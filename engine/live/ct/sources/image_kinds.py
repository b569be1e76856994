"""Which images of a folder are darks, flats and projections: by its settings, or by their names."""

from __future__ import annotations

from engine.data.planned_scan import AFTER_STEMS, PlannedScan
from engine.live.core.frame import FrameKind

DARKS, FLATS = ("di", "dark", "darks", "df"), ("io", "flat", "flats", "ff", "white", "openbeam")
"""How series of darks and flats are called where no settings say it."""


def kind_of(series: str, plan: PlannedScan | None) -> FrameKind | None:
    """Return what a series of images shows, None for one that is not of the scan."""
    stem = series.rstrip(AFTER_STEMS)
    low = stem.lower()
    if plan is None:
        words = low.replace("-", "_").replace(" ", "_").split("_")
        if any(word in DARKS for word in words):
            return FrameKind.DARK
        if any(word in FLATS for word in words):
            return FrameKind.FLAT
        return FrameKind.PROJECTION
    if plan.darks is not None and low == plan.darks:
        return FrameKind.DARK
    if plan.flats is not None and low == plan.flats:
        return FrameKind.FLAT
    return FrameKind.PROJECTION if plan.images in ("", stem) else None
