"""The protocols that come with the program read well and suit their scanners."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.io import read_scanner
from engine.protocol import read_protocol

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "protocols"
NAMES = ("brain-fdg", "demo", "research-reproducible", "small-animal", "whole-body")


def test_all_are_shipped() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} >= set(NAMES)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_it_reads_and_has_a_name_of_its_own(path: Path) -> None:
    protocol = read_protocol(path)
    others = [read_protocol(p).name for p in FOLDER.glob("*.toml") if p != path]
    assert protocol.name not in others
    assert 8 <= protocol.algorithm.n_iterations * protocol.algorithm.n_subsets <= 100


@pytest.mark.parametrize(
    ("name", "scanner"),
    [
        ("demo", "demo-ring"),
        ("brain-fdg", "siemens-mmr"),
        ("whole-body", "total-body"),
        ("small-animal", "safir"),
        ("research-reproducible", "demo-ring"),
    ],
)
def test_its_grid_fits_the_bore(name: str, scanner: str) -> None:
    ring = read_scanner(scanner)
    grid = read_protocol(FOLDER / f"{name}.toml").grid.grid_for(ring)
    assert grid.size_mm[:2].max() <= 2 * ring.bore_radius_mm
    assert 10_000 < grid.n_voxels < 20_000_000


def test_the_research_protocol_is_reproducible() -> None:
    protocol = read_protocol(FOLDER / "research-reproducible.toml")
    assert protocol.reproducible and not protocol.finishing
