"""The order of events: classes on a Morton curve, and the same for both directions."""

from __future__ import annotations

import warnings

import numpy as np

from engine.geometry.order import N_KEYS, OrderClasses, interleaved, ray_keys, ray_order
from engine.kernels.rays.event_order import AT_ONCE, classify


def circle(n: int, height_mm: float = 0.0) -> np.ndarray:
    angle = 2 * np.pi * (np.arange(n) + 0.5) / n
    return np.stack([50 * np.cos(angle), 50 * np.sin(angle), np.full(n, height_mm)], -1)


def ring_rays(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a short ring with one line along z, and rays between any two points."""
    lonely = np.array([(1.0, 2.0, -5.0), (1.0, 2.0, 65.0)])
    points = np.concatenate([*(circle(60, height) for height in range(0, 60, 4)), lonely])
    return points, rng.integers(0, len(points), (n, 2)).astype(np.int32)


def test_lower_events_come_first() -> None:
    points = np.concatenate([circle(8, height) for height in (-40, 0, 40)])
    ends = np.array([(16, 20), (8, 12), (0, 4)], np.int32)  # parallel, from high to low

    assert ray_order(points, ends).tolist() == [2, 1, 0]


def test_direction_of_an_event_does_not_matter(rng: np.random.Generator) -> None:
    points, ends = ring_rays(rng, 20_000)
    slanted = (points[ends[:, 0], :2] != points[ends[:, 1], :2]).any(axis=1)
    classes = OrderClasses.of(points)

    forth, back = (ray_keys(classes, ends[slanted][:, columns]) for columns in ([0, 1], [1, 0]))

    of_radius = interleaved(*np.array([0, 0, 0, 15], np.uint16))
    np.testing.assert_array_equal(forth & ~of_radius, back & ~of_radius)
    # The radius is rounded differently, so a few events at the edge of a class differ.
    assert np.mean(forth == back) > 0.99


def test_parallel_events_of_a_plane_are_adjacent() -> None:
    points = np.array([(x, y, 0.0) for y in (-50, 50) for x in np.linspace(-40, 40, 9)])
    slanted = np.array([(i, 9 + (i + 4) % 9) for i in range(9)], np.int32)
    upright = np.array([(i, 9 + i) for i in range(9)], np.int32)
    ends = np.concatenate([slanted, upright])[np.arange(18).reshape(2, 9).T.ravel()]

    radius = points[ends[ray_order(points, ends)][:, 0], 0]
    steep = ends[ray_order(points, ends)][:, 1] - ends[ray_order(points, ends)][:, 0] == 9

    assert (np.abs(np.diff(radius[steep])) == 10).all()


def test_event_along_the_axis_needs_no_angle() -> None:
    points = np.array([(1.0, 2.0, -5.0), (1.0, 2.0, 5.0), (9.0, 2.0, 5.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        order = ray_order(points, np.array([(0, 1), (0, 0), (0, 2)], np.int32))

    assert sorted(order.tolist()) == [0, 1, 2]


def test_classes_are_numbered_along_a_morton_curve(rng: np.random.Generator) -> None:
    height, angle, radius = rng.integers(0, 16, (3, 500)).astype(np.uint16)
    tilt = rng.integers(0, 4, 500).astype(np.uint16)

    found = interleaved(height, tilt, angle, radius)

    for number, h, t, a, r in zip(found, height, tilt, angle, radius, strict=True):
        h, t, a, r = f"{h:04b}", f"{t:02b}", f"{a:04b}", f"{r:04b}"
        upper = h[:3] + t[0] + h[3] + t[1]
        assert f"{number:014b}" == upper + "".join(a[k] + r[k] for k in range(4))


def test_rays_along_z_come_last() -> None:
    points = np.concatenate([circle(8, height) for height in (-400, 400)])
    ends = np.array([(0, 8), (0, 9), (8, 12), (0, 4)], np.int32)

    keys = ray_keys(OrderClasses.of(points), ends)

    assert (keys >= N_KEYS // 2).tolist() == [True, True, False, False]


def test_rays_of_one_class_have_one_main_axis(rng: np.random.Generator) -> None:
    points, ends = ring_rays(rng, 200_000)
    across, up, along = np.abs(points[ends[:, 1]] - points[ends[:, 0]]).T
    # without ties
    clear = (along <= np.maximum(across, up)) & (np.abs(across - up) > 1e-5 * across)

    keys, along_y = ray_keys(OrderClasses.of(points), ends[clear]), (up > across)[clear]

    n, n_along_y = np.bincount(keys), np.bincount(keys, along_y)
    assert ((n_along_y == 0) | (n_along_y == n)).all()
    assert 0 < n_along_y.sum() < n.sum()


def test_events_from_a_file_have_the_same_classes(rng: np.random.Generator) -> None:
    points, ends = ring_rays(rng, 20_000)
    classes, keys = OrderClasses.of(points), np.empty(len(ends), np.uint16)
    buffer, counts = np.empty((6, AT_ONCE), np.float32), np.zeros(N_KEYS, np.int64)

    table = classes.points_mm, classes.low, classes.scale
    classify(*table, ends, np.zeros_like(keys), buffer, keys, counts)

    expected = ray_keys(classes, ends)
    np.testing.assert_array_equal(keys, expected)
    np.testing.assert_array_equal(counts, np.bincount(expected, minlength=N_KEYS))
