"""Tests of MAP against filtered OSEM on the judge's photons: less noise, a colder lung."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.physics.map_table import (
    COLUMNS,
    Scan,
    Stored,
    equal_noise,
    line,
    measured,
    reconstruct_missing,
)

VARIABILITY, LUNG, HOT = (COLUMNS.index(name) for name in ("variability", "lung", "hot"))


def test_row_shows_means_and_standard_errors_over_seeds() -> None:
    assert (
        line("MAP", np.array([[1.0, 10.0], [3.0, 10.0]])) == "| MAP | 2 | 2.0 ± 1.0 | 10.0 ± 0.0 |"
    )
    assert line("MAP", np.array([[1.0, 10.0]])) == "| MAP | 1 | 1.0 | 10.0 |"


def test_osem_is_interpolated_to_the_noise_of_map_for_each_seed() -> None:
    osem = {"OSEM, 8 mm": {1: np.array([10.0, 1.0])}, "OSEM, 4 mm": {1: np.array([20.0, 2.0])}}
    found = equal_noise(osem | {"MAP, sharp": {1: np.array([15.0, 9.0]), 2: np.ones(2)}})
    assert not equal_noise(osem | {"MAP, smooth": {1: np.array([9.0, 9.0])}})
    assert {name: [*rows] for name, rows in found.items()} == {"OSEM, as noisy as MAP, sharp": [1]}
    assert found["OSEM, as noisy as MAP, sharp"][1].tolist() == [15.0, 1.5]


def test_every_seed_and_case_has_its_own_file() -> None:
    scans = [Scan(1.6, 1, True), Scan(1.6, 1, False), Scan(1.6, 2, True), Scan(6.6, 1, True)]
    assert len({Stored(Path(), scan, "osem").path for scan in scans}) == 4


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_map_has_less_noise_and_a_colder_lung_than_filtered_osem(
    tmp_path: Path,
) -> None:
    images = [Stored(tmp_path, Scan(1.6, 1, False), arm) for arm in ("osem", "standard")]
    reconstruct_missing(images)
    osem, of_map = (measured(next(each.images())[1]) for each in images)
    assert of_map[VARIABILITY] < 0.8 * osem[VARIABILITY]
    assert of_map[LUNG] < 0.7 * osem[LUNG]
    assert of_map[HOT] > 0.85 * osem[HOT]
