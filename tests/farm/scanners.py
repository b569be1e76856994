"""A small ring of crystals. Its files are read in milliseconds."""

from __future__ import annotations

from engine.core.settings import to_toml
from engine.geometry.ring import RingScanner, RingSettings

RING = "ring.toml"
SETTINGS = RingSettings(
    name="Small",
    n_rings=3,
    n_crystals_per_ring=16,
    radius_mm=40,
    ring_pitch_mm=5,
    max_ring_difference=2,
    n_tangential=8,
    fov_mm=(40, 15),
)


def small_ring() -> RingScanner:
    """Return the scanner."""
    return RingScanner(SETTINGS)


def ring_text() -> str:
    """Return the scanner's file."""
    return to_toml(SETTINGS)
