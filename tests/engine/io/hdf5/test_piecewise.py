"""Tests of datasets that are converted while they are written: same bytes as if converted before.

Cases: different types and equal types; one row or several rows per piece, and no rows; a scan for
which a converted copy would exceed the memory limit.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.io import read_projections, save_projections
from engine.io.hdf5 import piecewise
from engine.io.hdf5.piecewise import Piecewise, stored_as
from engine.io.safety.seal import digest
from tests.engine.live.ct.live_scans import scan


@pytest.mark.parametrize("kind", ["<u2", ">u2", "<f8", "<i4"])
@pytest.mark.parametrize("n", [0, 1, 7])
@pytest.mark.parametrize("piece", [1, 200, 2**24])
def test_piecewise_conversion_gives_the_same_bytes(
    kind: str, n: int, piece: int, monkeypatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(piecewise, "CHUNK_BYTES", piece)
    values = rng.integers(0, 60_000, (n, 5, 6)).astype(kind)
    found = stored_as(values, "<f4")
    assert isinstance(found, Piecewise)
    whole = np.ascontiguousarray(values, "<f4")
    assert b"".join(found.pieces()) == whole.tobytes()
    assert (found.nbytes, found.sha256) == (whole.nbytes, digest(whole))


def test_values_of_the_same_type_are_not_converted() -> None:
    values = np.zeros((2, 3, 4), np.float32)
    assert stored_as(values, "<f4") is values


def test_scan_is_saved_without_a_copy(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(piecewise, "CHUNK_BYTES", 2**16)
    data = scan(24, 16, 20)
    flats = np.full((8000, 16, 20), 50_000, np.uint16)
    data = replace(data, flats=flats, info={"flat_views": [3] * len(flats)})
    save_projections(data, tmp_path / "warm.h5")
    tracemalloc.start()
    try:
        save_projections(data, tmp_path / "scan.h5")
        assert tracemalloc.get_traced_memory()[1] < flats.nbytes
    finally:
        tracemalloc.stop()
    again = read_projections(tmp_path / "scan.h5")
    np.testing.assert_array_equal(again.flats, flats)
    assert again.info["flat_views"] == data.info["flat_views"]
