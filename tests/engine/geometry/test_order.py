"""The order of events: main axis, height, radius, angle, and the same for both directions."""

from __future__ import annotations

import warnings

import numpy as np

from engine.geometry.order import ray_order


def circle(n: int, height_mm: float = 0.0) -> np.ndarray:
    angle = 2 * np.pi * (np.arange(n) + 0.5) / n
    return np.stack([50 * np.cos(angle), 50 * np.sin(angle), np.full(n, height_mm)], -1)


def test_lower_events_come_first() -> None:
    points = np.concatenate([circle(8, height) for height in (-40, 0, 40)])
    ends = np.array([(16, 20), (8, 12), (0, 4)], np.int32)  # parallel, from high to low

    assert ray_order(points, ends).tolist() == [2, 1, 0]


def test_the_direction_of_an_event_does_not_matter(rng: np.random.Generator) -> None:
    points = np.concatenate([circle(60, height) for height in range(0, 40, 4)])
    ends = rng.integers(0, len(points), (4000, 2)).astype(np.int32)
    forth = ray_order(points, ends)

    back = ray_order(points, np.ascontiguousarray(ends[:, ::-1]))

    # the radius is rounded differently: a few events lie on the edge of a class
    assert np.mean(forth == back) > 0.99


def test_parallel_events_of_a_plane_lie_next_to_each_other() -> None:
    points = np.array([(x, y, 0.0) for y in (-50, 50) for x in np.linspace(-40, 40, 9)])
    slanted = np.array([(i, 9 + (i + 4) % 9) for i in range(9)], np.int32)
    upright = np.array([(i, 9 + i) for i in range(9)], np.int32)
    ends = np.concatenate([slanted, upright])[np.arange(18).reshape(2, 9).T.ravel()]

    radius = points[ends[ray_order(points, ends)][:, 0], 0]
    steep = ends[ray_order(points, ends)][:, 1] - ends[ray_order(points, ends)][:, 0] == 9

    assert (np.abs(np.diff(radius[steep])) == 10).all()


def test_an_event_along_the_axis_needs_no_angle() -> None:
    points = np.array([(1.0, 2.0, -5.0), (1.0, 2.0, 5.0), (9.0, 2.0, 5.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        order = ray_order(points, np.array([(0, 1), (0, 0), (0, 2)], np.int32))

    assert sorted(order.tolist()) == [0, 1, 2]
