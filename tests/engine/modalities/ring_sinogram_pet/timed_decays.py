"""Decays in two discs, detected by a TOF ring; lines and times do not use our model."""

from __future__ import annotations

import numpy as np

from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings

FWHM_PS, BIN_PS, N_TIMES = 300.0, 200.0, 9
MM_PER_PS = 0.299792458 / 2
DISCS = ((3.0, 25.0, 10.0, 14.0), (1.0, -20.0, -15.0, 20.0))
"""Weight, x, y and radius of each disc [mm]."""
RING = RingScanner(
    RingSettings(
        name="timed", n_rings=4, n_crystals_per_ring=64, radius_mm=100, ring_pitch_mm=5,
        max_ring_difference=3, n_tangential=41, voxel_mm=(5, 5, 2.5), fov_mm=(110, 20),
        tof={"fwhm_ps": FWHM_PS, "bin_ps": BIN_PS, "n_bins": N_TIMES},
    )
)  # fmt: skip


def decays(n: int, seed: int = 1) -> np.ndarray:
    """Return (n, 2) x and y of decays in the discs [mm]."""
    rng = np.random.default_rng(seed)
    share = np.array([w * r * r for w, _, _, r in DISCS])
    disc = rng.choice(len(DISCS), n, p=share / share.sum())
    _, x, y, radius = (np.array(each)[disc] for each in zip(*DISCS, strict=True))
    distance, turn = radius * np.sqrt(rng.random(n)), 2 * np.pi * rng.random(n)
    return np.stack([x + distance * np.cos(turn), y + distance * np.sin(turn)], -1)


def timed_events(n: int, seed: int = 1) -> ListMode:
    """Return coincidences of `n` decays; both photons are in one ring."""
    rng = np.random.default_rng(seed + 1)
    at = decays(n, seed)
    turn = 2 * np.pi * rng.random(n)
    direction = np.stack([np.cos(turn), np.sin(turn)], -1)
    along = (at * direction).sum(-1)
    reach = np.sqrt(along**2 - (at**2).sum(-1) + RING.settings.radius_mm**2)
    ring = rng.integers(RING.settings.n_rings, size=n) * RING.settings.n_crystals_per_ring
    first = ring + _crystal(at - (along + reach)[:, None] * direction)
    second = ring + _crystal(at + (reach - along)[:, None] * direction)
    sigma = FWHM_PS * MM_PER_PS / 2.3548200450309493
    measured = along + rng.normal(0, sigma, n)  # from the centre of the line towards its second end
    time = np.floor(measured / (BIN_PS * MM_PER_PS) + N_TIMES / 2).astype(np.int64)
    is_detected = (time >= 0) & (time < N_TIMES) & (first != second)
    pairs = np.stack([first, second], -1)[is_detected].astype(np.int32)
    return ListMode(RING, pairs, tof_bins=time[is_detected].astype(np.int16), duration_s=10.0)


def _crystal(point: np.ndarray) -> np.ndarray:
    """Return the (n,) numbers of the nearest crystals of the ring."""
    step = 2 * np.pi / RING.settings.n_crystals_per_ring
    first = RING.positions_mm[0]
    turn = np.arctan2(point[:, 1], point[:, 0]) - np.arctan2(first[1], first[0])
    return np.rint(turn / step).astype(np.int64) % RING.settings.n_crystals_per_ring
