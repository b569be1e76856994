"""Small panels for tests."""

from __future__ import annotations

from engine.geometry.dual_head import DualHead, DualHeadSettings

PANELS = {
    "name": "tiny panels",
    "n_rows": 5,
    "n_columns": 3,
    "pitch_mm": 2.0,
    "crystal_mm": 1.8,
    "thickness_mm": 6.0,
    "separation_mm": 8.0,
    "voxels_per_pitch": 4,
    "n_planes": 7,
    "plane_mm": 1.0,
}


def panels(**changes: object) -> DualHead:
    """Return two panels of 5 × 3 crystals at a distance of 8 mm, with changed settings."""
    return DualHead(DualHeadSettings(**(PANELS | changes)))
