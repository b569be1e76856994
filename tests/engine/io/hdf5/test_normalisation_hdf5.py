"""Tests of our normalisation files: round trips, and refusal for other scanners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import DataError, EngineError, FileFormatError, GeometryError
from engine.data.components import Components
from engine.geometry.ring import RingScanner
from engine.io import inspect, read_components, read_efficiencies, read_scanner
from engine.io.hdf5.normalisation import TABLES, write_components
from engine.modalities.recognise import purpose_of


def components_of(ring: RingScanner, rng: np.random.Generator) -> Components:
    places, n_off = ring.settings.block_places, ring.n_classes[1]
    shapes = ((ring.n_crystals,), ring.n_classes, (places, n_off), (int(ring.groups.max()) + 1,))
    crystals, geometry, interference, live = (
        rng.uniform(0.5, 1.5, shape).astype(np.float32) for shape in shapes
    )
    return Components(crystals, geometry, True, interference, live)


def written(path: Path, ring: RingScanner, components: Components) -> Path:
    write_components(components, ring, path, {"counts": 12}, errors=components)
    return path


def test_normalisation_is_read_as_written(
    tmp_path: Path, ring: RingScanner, rng: np.random.Generator
) -> None:
    components = components_of(ring, rng)
    path = written(tmp_path / "n.h5", ring, components)
    found = read_components(path, ring)
    for name in TABLES:
        np.testing.assert_array_equal(getattr(found, name), getattr(components, name))
    assert found.replaces_geometry
    np.testing.assert_array_equal(read_efficiencies(path, ring), components.crystals)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["standard_error/geometry"], components.geometry)


def test_missing_components_are_none(tmp_path: Path, ring: RingScanner) -> None:
    path = written(tmp_path / "n.h5", ring, Components(live=np.ones(ring.groups.max() + 1)))
    found = read_components(path, ring)
    assert found.crystals is None and found.geometry is None and not found.has_tables
    np.testing.assert_array_equal(found.of_crystals(ring), np.ones(ring.n_crystals))


def test_foreign_efficiencies_are_a_component(tmp_path: Path, ring: RingScanner) -> None:
    (tmp_path / "e.txt").write_text("1\n" * ring.n_crystals)
    found = read_components(tmp_path / "e.txt", ring)
    assert found.describe() == f"{ring.n_crystals} crystals, 0 of them dead or in gaps"


def test_normalisation_file_is_recognised(
    tmp_path: Path, ring: RingScanner, rng: np.random.Generator
) -> None:
    path = written(tmp_path / "n.h5", ring, components_of(ring, rng))
    role = purpose_of(path).role
    assert role is not None and role.key == "normalisation"
    report = inspect(path)
    assert report.format == "Isocenter normalisation" and ring.name in report.title
    assert any("instead of the closed form" in value for _, value in report.facts)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"geometry": np.ones((2, 3))}, GeometryError, r"'geometry' has the shape \(2, 3\)"),
        ({"live": np.ones(1)}, GeometryError, r"'live' has the shape \(1,\)"),
        ({"interference": "nan"}, DataError, "not numbers"),
        ({"geometry": "negative"}, DataError, "expected at least 0 and not all 0"),
        ({"geometry": "zero"}, DataError, "not all 0"),
    ],
)
def test_invalid_components_are_not_written(
    tmp_path: Path, ring: RingScanner, rng: np.random.Generator, change, kind, message
) -> None:
    good = components_of(ring, rng)
    numbers = {"nan": np.nan, "negative": -1.0, "zero": 0.0}
    bad = {
        name: getattr(good, name) * numbers[value] if isinstance(value, str) else value
        for name, value in change.items()
    }
    with pytest.raises(kind, match=message):
        written(tmp_path / "n.h5", ring, replace(good, **bad))
    assert not (tmp_path / "n.h5").exists()


def test_file_of_another_scanner_is_refused(
    tmp_path: Path, ring: RingScanner, rng: np.random.Generator
) -> None:
    path = written(tmp_path / "n.h5", ring, components_of(ring, rng))
    for name in ("demo-ring", "demo-panels"):
        with pytest.raises(GeometryError, match="choose a normalisation for this scanner"):
            read_components(path, read_scanner(name))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: f.attrs.__setitem__("geometry_use", b"adds"), "checksum"),
        (lambda f: f["geometry"].__setitem__((0, 0), 7), "geometry' has changed"),
    ],
)
def test_damaged_file_is_detected(
    tmp_path: Path, ring: RingScanner, rng: np.random.Generator, damage, message
) -> None:
    path = written(tmp_path / "n.h5", ring, components_of(ring, rng))
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises(FileFormatError, match=message):
        read_components(path, ring)


def test_empty_normalisation_is_refused(tmp_path: Path, ring: RingScanner) -> None:
    with pytest.raises(EngineError, match="contains no normalisation component"):
        read_components(written(tmp_path / "n.h5", ring, Components()), ring)
