"""Ring scanners: every line of response once, the same by number and by rule."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import builtin_scanners, read_scanner
from tests.tolerances import FLOAT64


def ring(
    n: int = 16, n_rings: int = 3, *, tangential: int = 8, difference: int = 2, gaps: tuple = ()
) -> RingScanner:
    return RingScanner(
        RingSettings(
            name="Tiny",
            n_rings=n_rings,
            n_crystals_per_ring=n,
            radius_mm=50,
            ring_pitch_mm=4,
            max_ring_difference=difference,
            n_tangential=tangential,
            gap_places=gaps,
            block_rings=2,
            block_places=4,
            fov_mm=(40, 12),
        )
    )


def all_lors(scanner: RingScanner) -> np.ndarray:
    return scanner.lors(np.arange(scanner.n_lors))


RINGS = pytest.mark.parametrize(
    "scanner",
    [
        ring(),
        ring(n=16, tangential=15),
        ring(n=18, tangential=9),
        ring(n=20, tangential=2, difference=0),
        ring(n=12, n_rings=5, tangential=7, difference=1, gaps=(0, 6)),
        ring(n=10, n_rings=1, difference=0, tangential=9),
    ],
    ids=lambda s: f"{s.settings.n_crystals_per_ring}-{s.settings.n_tangential}",
)


class TestLinesOfResponse:
    @RINGS
    def test_numbers_name_each_unordered_pair_once(self, scanner: RingScanner) -> None:
        pairs = np.sort(all_lors(scanner), axis=1)
        assert len(np.unique(pairs, axis=0)) == len(pairs) == scanner.n_lors
        assert (pairs[:, 0] != pairs[:, 1]).all()

    @RINGS
    def test_numbers_name_exactly_the_pairs_in_coincidence(self, scanner: RingScanner) -> None:
        """Test all pairs of crystals in both orders. Gaps have numbers but never coincide."""
        numbered = {tuple(sorted(p)) for p in all_lors(scanner).tolist()}
        alive = scanner.alive
        expected = {(a, b) for a, b in numbered if alive[a] and alive[b]}
        every = np.array(list(combinations(range(scanner.n_crystals), 2)))
        for pairs in (every, every[:, ::-1]):
            allowed = pairs[scanner.in_coincidence(pairs)]
            assert {tuple(sorted(p)) for p in allowed.tolist()} == expected

    @RINGS
    def test_rings_beyond_the_maximum_difference_never_coincide(self, scanner: RingScanner) -> None:
        ring_of = all_lors(scanner) // scanner.settings.n_crystals_per_ring
        assert np.abs(np.diff(ring_of, axis=1)).max() <= scanner.settings.max_ring_difference

    def test_gap_never_coincides(self) -> None:
        scanner = ring(gaps=(0, 5))
        lors = all_lors(scanner)
        in_gap = np.isin(lors % 16, (0, 5)).any(axis=1)
        np.testing.assert_array_equal(scanner.in_coincidence(lors), ~in_gap)

    def test_crystal_does_not_coincide_with_itself(self) -> None:
        crystal = np.arange(48)
        assert not ring(tangential=15).in_coincidence(np.column_stack([crystal, crystal])).any()

    def test_bins_of_a_view_are_parallel_and_in_order(self) -> None:
        """Tangential bins step across the bore. Neighbours rotate by half a crystal at most."""
        scanner = ring(n=64, n_rings=1, tangential=40, difference=0)
        view, t = np.full(40, 7), np.arange(40) - 20
        first, second = scanner.places(view, t)
        ends = scanner.positions_mm[np.stack([first, second], -1)][..., :2]
        along = ends[:, 1] - ends[:, 0]
        angle = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
        assert np.ptp(angle) < 1.01 * np.pi / 64
        cross = ends[:, 0, 0] * along[:, 1] - ends[:, 0, 1] * along[:, 0]
        offset = cross / np.linalg.norm(along, axis=1)
        assert (np.diff(offset) * np.sign(offset[-1]) > 0).all()
        assert abs(offset[20]) < 1e-9

    @pytest.mark.parametrize("key", sorted(builtin_scanners()))
    def test_builtin_scanners_are_consistent(self, key: str, rng: np.random.Generator) -> None:
        scanner = read_scanner(key)
        lors = scanner.lors(rng.integers(0, scanner.n_lors, 20_000))
        np.testing.assert_array_equal(scanner.in_coincidence(lors), scanner.alive[lors].all(axis=1))
        last = scanner.lors(np.array([scanner.n_lors - 1]))
        assert 0 <= last.min() <= last.max() < scanner.n_crystals


class TestPlaces:
    def test_crystals_are_on_rings_around_the_axis(self) -> None:
        scanner = ring(n=16, n_rings=3)
        p = scanner.positions_mm.reshape(3, 16, 3)
        np.testing.assert_allclose(np.hypot(p[..., 0], p[..., 1]), 50)
        np.testing.assert_allclose(p[:, 0, 2], (-4, 0, 4))
        np.testing.assert_allclose(p[1, 4], (0, 50, 0), atol=FLOAT64)
        assert scanner.axial_range_mm == (-4, 4)

    def test_first_angle_rotates_the_ring(self) -> None:
        settings = ring().settings.model_copy(update={"first_angle_deg": -90.0})
        np.testing.assert_allclose(
            RingScanner(settings).positions_mm[0], (0, -50, -4), atol=FLOAT64
        )

    def test_gaps_are_positions_and_rings(self) -> None:
        settings = ring().settings.model_copy(update={"gap_places": (3,), "gap_rings": (1,)})
        alive = RingScanner(settings).alive.reshape(3, 16)
        assert not alive[:, 3].any()
        assert not alive[1].any()
        assert alive.sum() == 2 * 15

    def test_groups_are_blocks(self) -> None:
        groups = ring(n=16, n_rings=3).groups.reshape(3, 16)
        assert len(np.unique(groups)) == 2 * 4
        assert len(np.unique(groups[:2, :4])) == 1
        assert groups[0, 0] != groups[2, 0]
        assert groups[0, 3] != groups[0, 4]

    def test_fingerprint_depends_on_the_geometry_and_not_on_the_grid(self) -> None:
        scanner = ring()
        moved = scanner.settings.model_copy(update={"radius_mm": 50.1})
        on_other_grid = scanner.settings.model_copy(update={"voxel_mm": (1.0, 1.0, 1.0)})
        assert RingScanner(moved).fingerprint() != scanner.fingerprint()
        assert RingScanner(on_other_grid).fingerprint() == scanner.fingerprint()

    def test_description_states_time_of_flight(self) -> None:
        tof = TofSettings(fwhm_ps=385, bin_ps=100, n_bins=3)
        timed = RingScanner(ring().settings.model_copy(update={"tof": tof}))
        assert timed.describe() == "16 × 3 crystals, radius 50 mm, TOF 385 ps"
        assert ring().describe().endswith("no TOF")
