"""Sums over the lines of crystals, and products of crystals, compared with every single line."""

from __future__ import annotations

import numpy as np

from engine.geometry.orientations import Orientations
from engine.geometry.panel_sums import products, sums
from tests.tolerances import FLOAT32, FLOAT64

TABLE = Orientations(5, 3)


def by_line() -> tuple[np.ndarray, ...]:
    return TABLE.places(np.arange(TABLE.n_pairs))


def test_sums_equal_those_of_every_line(rng: np.random.Generator) -> None:
    y = rng.random(TABLE.n_pairs)
    row0, column0, row1, column1 = by_line()
    expected = np.zeros((2, 5, 3))
    np.add.at(expected[0], (row0, column0), y)
    np.add.at(expected[1], (row1, column1), y)
    np.testing.assert_allclose(sums(TABLE, y), expected, rtol=FLOAT64)


def test_products_equal_those_of_every_line(rng: np.random.Generator) -> None:
    values = rng.random((2, 5, 3))
    row0, column0, row1, column1 = by_line()
    expected = values[0][row0, column0] * values[1][row1, column1]
    np.testing.assert_allclose(products(TABLE, values), expected, rtol=FLOAT32)
