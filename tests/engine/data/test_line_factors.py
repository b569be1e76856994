"""Tests of line factors: products, fingerprints, symmetry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.core.backend import cpu
from engine.data.histogram import histogrammed
from engine.data.input_role import with_auxiliary
from engine.data.line_factors import (
    ConstantFactor,
    CrystalFactor,
    LineFactor,
    crystal_product,
    fingerprint,
    live_lines,
)
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_scanner

ON = cpu(1)
RING = RingScanner(
    RingSettings(
        name="tiny",
        n_rings=2,
        n_crystals_per_ring=16,
        radius_mm=50,
        ring_pitch_mm=5,
        max_ring_difference=1,
        n_tangential=8,
        voxel_mm=(5, 5, 5),
        fov_mm=(40, 10),
    )
)


@dataclass(frozen=True)
class Parts(LineFactor):
    """A factor with a fingerprint of several parts."""

    parts: tuple[bytes, ...]

    def of_lines(self, crystals, scanner, *, on, reproducible=True):
        return np.full(len(crystals), 0.25, np.float32)

    def fingerprint(self) -> Iterator[bytes]:
        yield from self.parts


def weights(rng) -> np.ndarray:
    found = rng.uniform(0.5, 1.5, RING.n_crystals).astype("f4")
    found[3] = 0
    return found


def test_live_lines_have_the_product_of_all_factors(rng):
    crystals = RING.lors(np.arange(RING.n_lors))
    factors = (Parts((b"a",)), CrystalFactor(weights(rng)), ConstantFactor(0.5))
    live, found = live_lines(factors, crystals, RING, on=ON)
    e = factors[1].values
    expected = 0.25 * 0.5 * e[live[:, 0]] * e[live[:, 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)  # float32 products in another order
    assert not (live == 3).any() and len(live) < len(crystals)
    assert len(live_lines((), crystals, RING, on=ON)[0]) == len(crystals)


def test_crystal_factors_have_the_symmetry_of_their_values(rng):
    e = weights(rng)
    both = (CrystalFactor(e), ConstantFactor(0.1))
    np.testing.assert_array_equal(crystal_product(both, RING), RING.alive * e)
    np.testing.assert_array_equal(crystal_product((), RING), RING.alive)
    assert crystal_product((*both, Parts(())), RING) is None


def test_different_factor_lists_have_different_fingerprints():
    lists = (
        (),
        (ConstantFactor(0.5),),
        (ConstantFactor(0.25),),
        (ConstantFactor(0.5), ConstantFactor(0.5)),
        (Parts((b"ab", b"c")),),
        (Parts((b"a", b"bc")),),
        (Parts((b"abc",)),),
        (Parts((b"abc",)), Parts(())),
    )
    assert len({b"".join(fingerprint(each)) for each in lists}) == len(lists)


def test_each_factor_is_applied_once_to_events(rng):
    data = ListMode(RING, RING.lors(np.arange(40)).astype(np.int32))
    e = weights(rng)
    done = data.with_factor(CrystalFactor(e), on=ON).with_factor(ConstantFactor(0.5), on=ON)
    np.testing.assert_allclose(done.factors, 0.5 * e[data.crystals].prod(axis=1), rtol=1e-6)
    assert len(done.line_factors) == 2
    added = done.with_background(np.ones(40)).with_background(np.full(40, 2.0))
    np.testing.assert_array_equal(added.background, 3)


def test_histogram_keeps_auxiliary_values():
    panels = read_scanner("test-panels")
    events = ListMode(panels, panels.lors(np.arange(10)).astype(np.int32))
    assert histogrammed(with_auxiliary(events, "live", 0.8)).auxiliary == {"live": 0.8}
    assert replace(events).auxiliary == {}
