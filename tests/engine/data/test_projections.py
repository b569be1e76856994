"""Tests of projections: incompatible parts are refused, views keep their positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.data.projections import Projections
from engine.geometry.orbits import circle, parallel

GEOMETRY = parallel(circle(4), shape=(3, 5), pixel_mm=1.0)


def scan(**changes: Any) -> Projections:
    values = np.arange(60, dtype=np.float32).reshape(4, 3, 5)
    return Projections(**{"values": values, "geometry": GEOMETRY, "kind": "counts"} | changes)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"kind": "sinogram"}, "expected one of 'counts', 'transmission', 'integrals'"),
        ({"values": np.zeros((4, 15))}, r"projections have shape \(4, 15\)"),
        ({"values": np.zeros((4, 5, 3))}, "3 × 5 pixels"),
        ({"values": np.zeros((3, 3, 5))}, "3 projections, but the geometry has 4 views"),
        ({"flats": np.zeros((3, 5))}, r"fields 'flat' have shape \(3, 5\), expected \(n, 3, 5\)"),
        ({"darks": np.zeros((2, 3, 4))}, "fields 'dark' have shape"),
        ({"bad_pixels": np.zeros((5, 3), bool)}, "bad pixels have shape"),
    ],
)
def test_incompatible_parts_are_refused(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(EngineError, match=fault):
        scan(**change)


def test_non_finite_values_are_counted() -> None:
    values = np.zeros((4, 3, 5), np.float32)
    assert scan(values=values).n_not_finite == 0
    values = values.copy()
    values[0, 1, 2], values[3, 0, 0], values[2, 2, :] = np.nan, np.inf, -np.inf
    assert scan(values=values).n_not_finite == 7


@pytest.mark.parametrize("views", [slice(1, None, 2), [3, 0], np.array([True, False, True, True])])
def test_selected_views_keep_their_positions(views: Any) -> None:
    flats = np.ones((2, 3, 5), np.float32)
    part = scan(flats=flats).select(views)
    np.testing.assert_array_equal(part.values, scan().values[views])
    np.testing.assert_array_equal(part.geometry.source_mm, GEOMETRY.source_mm[views])
    assert part.flats is flats
    assert part.shape == (part.n_views, 3, 5)


def test_flats_keep_their_position_between_views() -> None:
    data = scan(flats=np.ones((3, 3, 5)), info={"flat_views": [0, 2, 4], "kv": 60})
    assert data.select([1, 3]).info == {"flat_views": [0, 1, 2], "kv": 60}
    assert data.select(slice(None)).info == data.info
