"""Tests of the built-in protocols: readable, and suitable for their scanners."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.main import main
from engine.core.errors import SettingsError
from engine.corrections.resolution import Resolution
from engine.io import read_scanner
from engine.modalities import MODALITIES, AnyModality
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.protocol_library import bundled_protocols
from engine.modalities.studies import find_protocol, read_protocol, shipped_protocols
from engine.protocols.study.protocol import PROTOCOL_VERSION

FOLDER = Path(__file__).resolve().parents[4] / "resources" / "protocols"
PET = (
    "brain-fdg",
    "demo",
    "research-reproducible",
    "small-animal",
    "whole-body",
    "whole-body-map",
)
CT = ("ct-body-hu", "ct-cone-beam", "ct-few-views", "ct-micro")


def test_all_protocols_are_shipped() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} >= {*PET, *CT}
    found = shipped_protocols()
    assert {key for key, protocol in found.items() if protocol.modality == "ct"} >= set(CT)
    assert {key for key, protocol in found.items() if protocol.modality == "pet"} >= set(PET)


@pytest.mark.parametrize("modality", MODALITIES, ids=lambda modality: modality.key)
def test_lists_begin_with_the_default_and_continue_by_name(modality: AnyModality) -> None:
    first, *others = [each.name for each in bundled_protocols(modality)]
    assert first == modality.standard().name and others == sorted(others)
    if modality.key == "pet":
        assert others[-2:] == ["Whole body", "Whole body, MAP"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_protocol_is_readable_and_has_a_unique_name(path: Path) -> None:
    protocol = read_protocol(path)
    others = [read_protocol(p).name for p in FOLDER.glob("*.toml") if p != path]
    assert protocol.name not in others
    if isinstance(protocol, ListModeProtocol):
        algorithm = protocol.algorithm
        assert 8 <= algorithm.n_iterations * algorithm.n_subsets <= 100


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_protocol_uses_all_available_corrections(path: Path) -> None:
    assert f"\nversion = {PROTOCOL_VERSION}\n" in path.read_text(), (
        "the protocol has an old version, which disables newer corrections"
    )
    protocol = read_protocol(path)
    if isinstance(protocol, ListModeProtocol):
        steps = protocol.corrections.steps()
        assert {step.use for step in steps if step.since is not None} <= {"auto", "on"}
        assert "[corrections.resolution]" in path.read_text(), (
            "the protocol does not state its resolution model"
        )


@pytest.mark.parametrize(
    ("name", "scanner"),
    [
        ("demo", "demo-ring"),
        ("brain-fdg", "siemens-mmr"),
        ("whole-body", "total-body"),
        ("whole-body-map", "total-body"),
        ("small-animal", "safir"),
        ("research-reproducible", "demo-ring"),
    ],
)
def test_grid_fits_the_bore(name: str, scanner: str) -> None:
    ring = read_scanner(scanner)
    grid = read_protocol(FOLDER / f"{name}.toml").grid.grid_for(ring)
    assert grid.size_mm[:2].max() <= 2 * ring.bore_radius_mm
    assert 10_000 < grid.n_voxels < 20_000_000


def test_no_protocol_models_the_filter_that_overshoots_at_edges() -> None:
    for path in FOLDER.glob("*.toml"):
        protocol = read_protocol(path)
        if isinstance(protocol, ListModeProtocol):
            assert not protocol.corrections.of(Resolution).with_filter, path.name


def test_research_protocol_is_reproducible() -> None:
    protocol = read_protocol(FOLDER / "research-reproducible.toml")
    assert protocol.reproducible and not protocol.finishing


def test_protocol_is_found_by_name_or_file():
    assert find_protocol("ct-few-views") == read_protocol(FOLDER / "ct-few-views.toml")
    assert find_protocol(str(FOLDER / "demo.toml")).name == "Demo: PET ring"
    with pytest.raises(
        SettingsError, match=r"'few' is not a known protocol; choose from brain-fdg, .*ct-few-views"
    ):
        find_protocol("few")


def test_command_line_lists_protocols_by_modality(capsys):
    assert main(["protocols"]) == 0
    pet, ct = (part.split() for part in capsys.readouterr().out.split("X-ray CT\n"))
    assert all(key in pet and key not in ct for key in PET)
    assert all(key in ct and key not in pet for key in CT)
