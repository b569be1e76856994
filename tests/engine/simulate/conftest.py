"""Small real scanners for simulations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings

TINY: dict[str, Any] = {
    "name": "tiny ring",
    "n_rings": 4,
    "n_crystals_per_ring": 32,
    "radius_mm": 60.0,
    "ring_pitch_mm": 6.0,
    "max_ring_difference": 3,
    "n_tangential": 20,
    "gap_places": (0, 16),
    "fov_mm": (80.0, 24.0),
    "tof": TofSettings(fwhm_ps=200.0, bin_ps=150.0, n_bins=7),
}

MakeRing = Callable[..., RingScanner]


@pytest.fixture
def make_ring() -> MakeRing:
    """Return a function that makes a tiny ring scanner with TOF and given settings."""
    return lambda **changes: RingScanner(RingSettings(**{**TINY, **changes}))


@pytest.fixture
def tiny_ring(make_ring: MakeRing) -> RingScanner:
    """Return a ring of 4 × 32 crystals with TOF; two crystals are gaps."""
    return make_ring()
