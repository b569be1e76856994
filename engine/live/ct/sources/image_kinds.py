"""Kind of the images of a folder, from its settings or from file names."""

from __future__ import annotations

from engine.data.planned_scan import AFTER_STEMS, PlannedScan
from engine.live.core.frame import FrameKind

DARKS, FLATS = ("di", "dark", "darks", "df"), ("io", "flat", "flats", "ff", "white", "openbeam")
"""Names of series of darks and flats in folders without settings."""


def kind_of(series: str, plan: PlannedScan | None) -> FrameKind | None:
    """Return the kind of a series of images.

    Parameters
    ----------
    series
        part of the file names before the number
    plan
        plan of the scan, None without settings

    Returns
    -------
    kind
        None if the series does not belong to the planned scan
    """
    stem = series.rstrip(AFTER_STEMS)
    low = stem.lower()
    if plan is None:
        # Whole words: "di" is also part of many names of samples
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
