"""Fixtures of results: tiny volumes, and a home folder per test."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core import paths
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results

GRID = ImageGrid((3, 4, 5), (1.0, 2.0, 3.0))


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def results(own_home) -> Results:
    return Results()


@pytest.fixture
def new(tmp_path):
    """Return a function that creates a result; its image depends on a number."""
    (tmp_path / "scan.l").write_bytes(b"events")
    study = Study(data=tmp_path / "scan.l", protocol=ListModeProtocol())

    def make(number: int = 0, **changes) -> NewResult:
        values = np.random.default_rng(number).random(GRID.shape, np.float32)
        volume = Volume(values, GRID, "counts/mm", {"axes": "LPI"})
        provenance = {"axes": "LPI", "number": number}
        return NewResult(study, volume, provenance, **{"job": f"job {number}", **changes})

    return make
