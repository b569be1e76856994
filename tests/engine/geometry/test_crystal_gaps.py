"""The effect of gaps between crystals on lines: laws, and rays traced step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.core.errors import SettingsError
from engine.geometry.crystal_gaps import CrystalRing, traced_parts
from engine.geometry.line_efficiency import CrystalDepth
from engine.geometry.ring import RingScanner, RingSettings

N, FACE_MM = 48, 30.0
TOUCHING_MM = 2 * FACE_MM * math.tan(math.pi / N)
STRAIGHT = np.ones(1)


def ring(**changes) -> RingScanner:
    values = {
        "name": "tiny", "n_rings": 12, "n_crystals_per_ring": N, "radius_mm": 34,
        "ring_pitch_mm": 5, "max_ring_difference": 11, "n_tangential": 24, "fov_mm": (40, 60),
    }  # fmt: skip
    return RingScanner(RingSettings(**(values | changes)))


def test_thin_absorption_gives_the_volume_fraction_of_the_crystals():
    depth = CrystalDepth(2.0, 1e-4)
    radius = FACE_MM + depth.mean_mm
    pitch = 2 * math.pi * radius / N
    parts = traced_parts(CrystalRing(N, 3.0, radius, depth), 10, STRAIGHT)
    # Crystals of this depth absorb 2e-4 of the photons, and the tracing uses 10 steps.
    np.testing.assert_allclose(parts, (3.0 / pitch) ** 2, rtol=2e-3)


def stepped(depth: CrystalDepth, width: float, n_rays: int, step: float) -> np.ndarray:
    """Return (N, N) photon pairs of all rays of a plane that stop in two crystals [mm]."""
    reach, k = FACE_MM * 0.5, np.arange(n_rays)
    s = (k + 0.5) / n_rays * 2 * reach - reach
    phi = k * (math.sqrt(5) - 1) / 2 % 1 * 2 * math.pi / N  # one sector is sufficient by symmetry
    near, far = math.sqrt(FACE_MM**2 - reach**2), math.hypot(FACE_MM + depth.depth_mm, width)
    distances = np.arange(near, far, step) + step / 2
    ends = [_stops(s, phi, sign * distances, depth, width, step) for sign in (1, -1)]
    return np.einsum("ri,rj->ij", *ends) * 2 * reach * math.pi / n_rays


def _stops(s, phi, distances, depth, width, step) -> np.ndarray:
    """Return the (n_rays, N) probability of each crystal, by small steps from the centre."""
    x = s[:, None] * -np.sin(phi)[:, None] + distances * np.cos(phi)[:, None]
    y = s[:, None] * np.cos(phi)[:, None] + distances * np.sin(phi)[:, None]
    place = np.round(np.arctan2(y, x) * N / (2 * np.pi)).astype(int) % N
    angle = 2 * np.pi * place / N
    out, side = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    solid = (out > FACE_MM) & (out < FACE_MM + depth.depth_mm) & (np.abs(side) < width / 2)
    absorbed = np.cumsum(solid, axis=1) * step * depth.removal_per_mm
    absorbed_share = np.exp(-absorbed) * np.expm1(depth.removal_per_mm * step) * solid
    found = np.zeros((len(s), N))
    np.add.at(found, (np.arange(len(s))[:, None], place), absorbed_share)
    return found


def test_gap_factor_equals_that_of_rays_followed_step_by_step():
    depth, width = CrystalDepth(8.0, 0.15), 0.98 * TOUCHING_MM
    pairs = stepped(depth, width, n_rays=12_000, step=0.1)
    radius = FACE_MM + depth.mean_mm
    pitch, t = 2 * math.pi * radius / N, np.arange(6)
    c = np.cos(np.pi * t / N)
    slab = (pitch * c * -np.expm1(-depth.removal_per_mm * depth.depth_mm / c)) ** 2
    # A pair can be hit from either end, and every rotation of it by N rays.
    sums = np.array([pairs[np.arange(N), (np.arange(N) + N // 2 + k) % N].sum() for k in t])
    back = np.array([pairs[np.arange(N), (np.arange(N) + N // 2 - k) % N].sum() for k in t])
    found = (sums + back) / N / (slab / (2 * radius * c))
    expected = traced_parts(CrystalRing(N, width, radius, depth), len(t), STRAIGHT)[:, 0]
    # The closed form averages over the slab. Tracing in steps adds an error of the step squared.
    np.testing.assert_allclose(found, expected, rtol=2e-3)
    assert expected[0] < 0.95 * expected[4], "lines through the axis must count less"


def test_ring_has_gaps_if_its_file_states_the_crystal_width():
    without, with_gaps = ring(), ring(crystal_width_mm=3.9)
    detected = with_gaps.geometry_of_classes / without.geometry_of_classes
    assert detected[0, 0] < detected[0, 6] < 1
    assert detected[11, 6] > detected[0, 6], "tilted photons must lose less"
    crystals = np.array([[0, 24], [0, 5 * N + 20], [3, 28]])
    # Both sides are float32.
    np.testing.assert_allclose(
        with_gaps.geometric_factor(crystals) / without.geometric_factor(crystals),
        [detected[0, 0], detected[5, 4], detected[0, 1]],
        rtol=1e-6,
    )


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"crystal_width_mm": 5}, r"crystal_width_mm is 5, expected at most 4\.451"),
        ({"block_places": 4}, "block_places is 4, but crystal_width_mm needs block_places = 1"),
    ],
)
def test_crystals_that_do_not_fit_and_crystals_in_blocks_are_refused(changes, fault):
    with pytest.raises(SettingsError, match=fault):
        ring(**({"crystal_width_mm": 4.0} | changes))
