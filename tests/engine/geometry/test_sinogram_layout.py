"""Bins of sinograms: their lines are those of their crystals."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.errors import GeometryError
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import Segment, SinogramLayout
from engine.modalities.ring_sinogram_pet.requirements import ends_bytes
from tests.tolerances import FLOAT64_SUMS

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=5, n_crystals_per_ring=24, radius_mm=100, ring_pitch_mm=4,
        max_ring_difference=4, n_tangential=15, first_angle_deg=-90, fov_mm=(100, 20),
    )
)  # fmt: skip
SPANNED = (Segment(-1, 1, 9), Segment(2, 4, 5), Segment(-4, -2, 5))


def all_pairs() -> np.ndarray:
    return RING.lors(np.arange(RING.n_lors))


def test_every_line_has_one_bin_with_its_crystals_as_ends():
    layout, pairs = SinogramLayout.of(RING), all_pairs()
    bins, is_measured = layout.bins_of(pairs)
    assert is_measured.all() and layout.is_whole
    assert sorted(bins) == list(range(layout.n_bins))
    np.testing.assert_array_equal(layout.crystals_of(bins), pairs)
    np.testing.assert_allclose(
        layout.points_mm[layout.ends_of(bins)], RING.positions_mm[pairs], atol=FLOAT64_SUMS
    )


def test_spans_are_those_of_a_michelogram():
    """Segments in the header of an mMR for span 11: 127, 115, 115, ... planes."""
    rings = RING.settings.model_copy(update={"n_rings": 64, "max_ring_difference": 60})
    layout = SinogramLayout.of(RingScanner(rings), span=11, mashed=2)
    n = [each.n_planes for each in layout.segments]
    assert n == [27, 49, 71, 93, 115, 127, 115, 93, 71, 49, 27]
    assert sum(n) == 837 and layout.n_views == 6
    assert [(s.min_difference, s.max_difference) for s in layout.segments[5:7]] == [
        (-5, 5),
        (6, 16),
    ]


def test_bins_are_described_in_singular_and_plural():
    single = "25 planes × 12 views × 15 bins, 9 segments of up to 1 ring difference"
    assert SinogramLayout.of(RING).describe() == single
    assert "3 segments of up to 3 ring differences" in SinogramLayout.of(RING, span=3).describe()


@pytest.mark.parametrize("changes", [{"span": 2}, {"mashed": 5}, {"max_difference": 9}])
def test_bins_beyond_the_scanner_are_refused(changes):
    with pytest.raises(GeometryError, match="sinogram: "):
        SinogramLayout.of(RING, **changes)


def test_order_of_the_crystals_does_not_matter():
    layout, pairs = SinogramLayout.of(RING), all_pairs()
    np.testing.assert_array_equal(layout.bins_of(pairs)[0], layout.bins_of(pairs[:, ::-1])[0])


@pytest.mark.parametrize("n_views", [12, 6])
def test_memory_of_all_ends_is_predicted(n_views):
    layout = SinogramLayout(RING, SPANNED, n_views, 15)
    assert ends_bytes(layout) == layout.points_mm.nbytes


@pytest.mark.parametrize("n_views", [12, 6, 4])
def test_bin_of_several_lines_is_in_their_middle(n_views):
    """Mean direction, distance, height and slope of the pairs, from their own positions."""
    layout, pairs = SinogramLayout(RING, SPANNED, n_views, 15), all_pairs()
    bins, is_measured = layout.bins_of(pairs)
    bins, found = bins[is_measured], along(RING.positions_mm[pairs[is_measured]])
    expected = along(layout.points_mm[layout.ends_of(np.arange(layout.n_bins))])
    n = np.bincount(bins, minlength=layout.n_bins)
    assert is_measured.mean() > 0.99 and n.min() > 0
    height = np.bincount(bins, found["z"], layout.n_bins) / n
    np.testing.assert_allclose(height, expected["z"], atol=FLOAT64_SUMS)
    mean = np.bincount(bins, found["doubled"].real, layout.n_bins).astype(complex)
    mean += 1j * np.bincount(bins, found["doubled"].imag, layout.n_bins)
    np.testing.assert_allclose(np.angle(mean / expected["doubled"]), 0, atol=FLOAT64_SUMS)
    off = np.bincount(bins, np.abs(found["s"]), layout.n_bins) / n
    np.testing.assert_allclose(off, np.abs(expected["s"]), atol=FLOAT64_SUMS)


def along(ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return direction without sign, distance from the axis and height of lines (n, 2, 3)."""
    direction = (ends[:, 1] - ends[:, 0])[:, :2]
    turned = np.arctan2(direction[:, 1], direction[:, 0])
    normal = np.stack([-direction[:, 1], direction[:, 0]], -1) / np.linalg.norm(
        direction, axis=1, keepdims=True
    )
    return {
        "doubled": np.exp(2j * turned),
        "s": (normal * ends[:, 0, :2]).sum(axis=1),
        "z": ends[..., 2].mean(axis=1),
    }


def test_arc_corrected_bins_are_equidistant_and_start_at_the_first_crystals_side():
    layout = SinogramLayout(RING, (Segment(-4, 4, 9),), 8, 9, bin_mm=7.0)
    lines = layout.points_mm[layout.ends_of(np.arange(layout.n_bins))].reshape(9, 8, 9, 2, 3)
    upright = lines[4, 0]  # the middle plane in the first view
    np.testing.assert_allclose(upright[:, :, 0], np.tile(7.0 * np.arange(-4, 5)[:, None], 2))
    assert (upright[:, 0, 1] < 0).all() and (upright[:, 1, 1] > 0).all()
    np.testing.assert_allclose(np.linalg.norm(lines[..., :2], axis=-1), 100)
    np.testing.assert_allclose(lines[:, 0, 0, 0, 2], 2.0 * np.arange(-4, 5))


@pytest.mark.parametrize(
    ("segments", "views", "bins", "arc", "words"),
    [
        ((Segment(0, 0, 6),), 12, 15, None, "6 planes is not possible with 5 rings"),
        ((Segment(5, 5, 1),), 12, 15, None, "not possible"),
        (
            (Segment(0, 0, 5),),
            7,
            15,
            None,
            "7 views, expected 12 \\(half the crystals per ring\\) or a divisor",
        ),
        ((Segment(0, 0, 5),), 12, 61, 4.0, "reach 120 mm from the axis"),
    ],
)
def test_layout_that_the_rings_cannot_have_is_refused(segments, views, bins, arc, words):
    with pytest.raises(GeometryError, match=words):
        SinogramLayout(RING, segments, views, bins, arc)
