"""A wrong call from Python raises an error of the engine: value, expected value, remedy.

`wrong_calls.json` lists calls with the words that the message must contain. It was written
before the checks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
import engine.filters
import engine.geometry
import engine.phantoms
import engine.priors

CALLS: list[tuple[str, list[str]]] = [
    (call, words)
    for call, words in json.loads(Path(__file__).with_name("wrong_calls.json").read_text("utf-8"))
]
OTHERS = ("pydantic", "Input should", "numba", "object has no attribute", "http")


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """Return the names that the calls use."""
    grid = engine.ImageGrid((3, 4, 5), (2.0, 2.0, 2.0))
    orbit = engine.circular_cone(
        [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, shape=(4, 6), pixel_mm=4
    )
    cpu = engine.cpu(1)
    points = np.array([[-50.0, 0, 0], [50, 0, 0], [0, -50, 0], [0, 50, 0]])
    return {
        "engine": engine,
        "np": np,
        "nan": nan,
        "inf": inf,
        "grid": grid,
        "orbit": orbit,
        "cpu": cpu,
        "ring": engine.read_scanner("demo-ring"),
        "pairs": np.array([[1, 145], [2, 150]], np.int32),
        "image": np.zeros(grid.shape, np.float32),
        "volume": engine.Volume(np.zeros(grid.shape, np.float32), grid, "1/mm"),
        "phantom": engine.phantoms.uniform_cylinder(),
        "rays": engine.Rays(points, np.array([[0, 1], [2, 3]], np.int32)),
        "A": engine.XrayTransform(orbit, grid, on=cpu),
        "x": np.zeros(grid.shape, np.float32),
        "y": np.zeros((2, 4, 6), np.float32),
    }


@pytest.mark.parametrize(("call", "words"), CALLS, ids=[call for call, _ in CALLS])
def test_wrong_call_raises_an_engine_error(
    call: str, words: list[str], names: dict[str, Any]
) -> None:
    with pytest.raises(engine.EngineError) as raised:
        eval(call, dict(names))
    text = str(raised.value)
    assert [word for word in words if word not in text] == [], text
    assert "\n" not in text
    assert not any(word in text for word in OTHERS), text


def test_list_of_wrong_calls_is_long() -> None:
    assert len({call for call, _ in CALLS}) >= 60


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.array])
def test_numbers_of_numpy_are_checked_like_those_of_python(kind: Callable[[float], Any]) -> None:
    one = engine.phantoms.uniform_cylinder(diameter_mm=kind(200), centre_mm=(kind(1), 0, 0))
    other = engine.phantoms.uniform_cylinder(diameter_mm=200.0, centre_mm=(1.0, 0, 0))
    assert one.shapes[0].volume_mm3 == other.shapes[0].volume_mm3
    assert engine.cpu(np.int64(2)).threads == 2
    with pytest.raises(engine.EngineError, match=r"diameter_mm is .*, above 0"):
        engine.phantoms.uniform_cylinder(diameter_mm=kind(-1))
