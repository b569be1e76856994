import numpy as np
import pytest

import engine
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.line_efficiency import CrystalDepth
from engine.geometry.point_spread import depth_variance, spread_of, uniform_spread
from tests.tolerances import FLOAT32, FLOAT64_SUMS


@pytest.mark.parametrize(("mu", "depth"), [(0.087, 20.0), (0.087, 5.0), (0.3, 100.0), (1e-3, 20.0)])
def test_variance_of_the_depth_is_that_of_a_truncated_exponential(mu, depth):
    # the import takes a second, also in workers that only collect tests
    from scipy.stats import truncexpon

    found = depth_variance(CrystalDepth(depth, mu))

    assert found == pytest.approx(truncexpon.var(mu * depth, scale=1 / mu), rel=FLOAT64_SUMS)


def ring(**others):
    settings = {
        "name": "Ring", "n_rings": 16, "n_crystals_per_ring": 600, "radius_mm": 400,
        "ring_pitch_mm": 4, "max_ring_difference": 15, "n_tangential": 300, "fov_mm": (600, 64),
    }  # fmt: skip
    return engine.RingScanner(engine.RingSettings.model_validate(settings | others))


def test_widths_on_the_axis_are_those_of_pitch_and_bore():
    spread = spread_of(ring(), 300.0)

    pitch = 2 * np.pi * 400 / 600
    assert spread.radial_mm[0] == spread.tangential_mm[0]
    assert spread.tangential_mm[0] == pytest.approx(np.hypot(pitch / 2, 1.76))
    # The outermost planes still have a few ring differences.
    assert spread.axial_at(spread.z_mm)[[0, -1]] == pytest.approx(np.hypot(2.0, 1.76), rel=1e-3)


def test_oblique_lines_of_thick_crystals_widen_a_point_axially():
    depth, radius, half = 20.0, 400.0, 200.0
    rings = {"n_rings": 101, "max_ring_difference": 100, "crystal_depth_mm": depth}
    spread = spread_of(ring(**rings, fov_mm=(600, 2 * half)), 300.0)

    # Rings of both ends differ by up to 2 (half − |z|), with uniform probability.
    tilt = (half - np.abs(spread.z_mm)) / radius / np.sqrt(3)
    by_depth = 8 * np.log(2) * depth_variance(CrystalDepth(depth, 0.082)) / 2
    widths = np.sqrt(2.0**2 + 1.76**2 + by_depth * tilt**2)
    # The closed form treats ring differences as continuous; there are 101 rings.
    np.testing.assert_allclose(spread.axial_at(spread.z_mm)[1:-1], widths[1:-1], rtol=0.03)


def test_only_thick_crystals_widen_a_point_off_the_axis():
    deep, thin = spread_of(ring(), 300.0), spread_of(ring(crystal_depth_mm=0.1), 300.0)

    assert (np.diff(deep.radial_mm) > 0).all()
    np.testing.assert_array_equal(deep.tangential_mm, deep.tangential_mm[0])
    # Crystals of 0.1 mm add 1e-4 of the squared width.
    np.testing.assert_allclose(thin.radial_mm, thin.tangential_mm, rtol=1e-3)


def test_crystal_pitch_of_a_map_is_the_nearest_neighbour_distance():
    positions = ring().positions_mm
    keys = np.indices((16, 600)).reshape(2, -1).T
    layered = np.c_[keys, np.zeros(len(keys), int)].astype(np.int32)
    scanner = CrystalMap(
        "Map", layered, positions, fov_radius_mm=200.0, voxel_mm=(4, 4, 4), fov_mm=(400, 64)
    )

    assert scanner.crystal_pitch_mm == pytest.approx((4.0, 4.0), rel=FLOAT32)


def test_description_states_the_widths():
    assert uniform_spread(4.5).describe() == "4.5 mm in the plane and 4.5 mm along it"
    assert "300 mm off the axis" in spread_of(ring(), 300.0).describe()
