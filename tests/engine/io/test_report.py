"""Tests of `inspect`: it describes files, and returns faults instead of raising exceptions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.settings import to_toml
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.ring import RingScanner
from engine.io import save, write_listmode
from engine.modalities.inspection import inspect
from engine.modalities.listmode_pet.protocol import ListModeProtocol


def fact(path: Path, label: str, **options: str) -> str:
    return dict(inspect(path, **options).facts)[label]


class TestSamples:
    def test_mmr_report_states_the_contradictions_of_its_header(self, shared_data: Path) -> None:
        path = shared_data / "pet-listmode-mmr-brain" / "PET_ACQ_small.l.hdr.STIR"
        report = inspect(path)
        assert report.format == "Siemens mMR list mode"
        assert report.usable
        assert any("254,816 of the 331,257,106" in note for note in report.notes)
        facts = dict(report.facts)
        assert facts["Prompts"] == "218,881"
        assert facts["Delayeds"] == "35,320"
        assert facts["Duration"] == "0.613 s"
        assert facts["Half-life"] == "109.8 min"

    def test_safir_report_has_times_and_scanner(self, shared_data: Path) -> None:
        path = shared_data / "pet-listmode-safir-point" / "point_5.clm.safir"
        assert fact(path, "Times") == "0 to 9,994 ms"
        assert fact(path, "Scanner", scanner="safir") == "SAFIR"

    def test_crystal_map_is_recognised(self, shared_data: Path) -> None:
        path = shared_data / "pet-listmode-safir-point" / "crystal_map_front.txt"
        assert inspect(path).format == "Crystal map"

    def test_readme_is_unknown(self, shared_data: Path) -> None:
        report = inspect(shared_data / "README.md")
        assert (report.format, report.usable) == ("unknown", False)


def test_list_mode_is_described(tmp_path: Path, scan: ListMode) -> None:
    write_listmode(scan, tmp_path / "a.h5")
    report = inspect(tmp_path / "a.h5")
    assert report.format == "Isocenter list mode"
    assert fact(tmp_path / "a.h5", "Time of flight") == "5 bins"


def test_scan_without_prompts_is_a_fault(tmp_path: Path, scan: ListMode) -> None:
    write_listmode(scan.select(slice(0)), tmp_path / "a.h5")
    assert "no prompts" in inspect(tmp_path / "a.h5").faults[0]


def test_damaged_scan_is_a_fault(tmp_path: Path, scan: ListMode) -> None:
    write_listmode(scan, tmp_path / "a.h5")
    (tmp_path / "a.h5").write_bytes((tmp_path / "a.h5").read_bytes()[:-100])
    report = inspect(tmp_path / "a.h5")
    assert "truncated" in report.faults[0]
    assert dict(report.facts)["Size"].endswith("bytes")


@pytest.mark.parametrize(
    ("unit", "scale", "guess"),
    [
        ("counts/mm", 1, "counts/mm"),
        ("", 0.01, "not stated; possibly attenuation in 1/mm"),
        ("", 0.1, "not stated; possibly attenuation in 1/cm"),
        ("", -400, "not stated; possibly Hounsfield units"),
        ("", 100, "not stated"),
    ],
)
def test_volume_report_states_its_unit_or_a_guess(
    tmp_path: Path, phantom: Volume, unit: str, scale: float, guess: str
) -> None:
    values = phantom.values * np.float32(scale)
    save(Volume(values, phantom.grid, unit), tmp_path / "a.nii")
    assert fact(tmp_path / "a.nii", "Unit") == guess
    assert fact(tmp_path / "a.nii", "x") == "-31 to 39 mm"


def test_volume_with_nan_is_a_fault(tmp_path: Path) -> None:
    import nibabel

    values = np.full((2, 2, 2), np.nan, np.float32)
    nibabel.save(nibabel.Nifti1Image(values, np.eye(4)), tmp_path / "a.nii")
    report = inspect(tmp_path / "a.nii")
    assert report.format == "NIfTI volume"
    assert "8 of 8 values are not numbers" in report.faults[0]


def test_scanner_file_is_described(tmp_path: Path, ring: RingScanner) -> None:
    (tmp_path / "s.toml").write_text(to_toml(ring.settings))
    assert inspect(tmp_path / "s.toml").format == "Scanner"
    assert fact(tmp_path / "s.toml", "Places on a ring") == "16, 1 of them gaps"


def test_faulty_scanner_file_is_recognised_as_a_scanner(tmp_path: Path, ring: RingScanner) -> None:
    (tmp_path / "s.toml").write_text(to_toml(ring.settings) + "n_crystals = 3\n")
    report = inspect(tmp_path / "s.toml")
    assert report.format == "Scanner"
    assert "n_crystals" in report.faults[0]


def test_protocol_is_described(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(to_toml(ListModeProtocol(name="Brain")))
    assert inspect(tmp_path / "p.toml").title == "protocol 'Brain'"


def test_study_with_a_missing_scan_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('data = "scan.l"\n')
    report = inspect(tmp_path / "study.toml")
    assert report.format == "Study"
    assert "scan.l is missing" in report.faults[0]


def test_invalid_toml_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("name = \n")
    assert "not a valid TOML file" in inspect(tmp_path / "p.toml").faults[0]


def test_efficiencies_are_described_with_and_without_a_scanner(
    tmp_path: Path, ring: RingScanner
) -> None:
    (tmp_path / "s.toml").write_text(to_toml(ring.settings))
    (tmp_path / "e.txt").write_text("1.0\n" * 47)
    assert inspect(tmp_path / "e.txt").format == "Crystal efficiencies"
    assert inspect(tmp_path / "e.txt").usable
    report = inspect(tmp_path / "e.txt", scanner=str(tmp_path / "s.toml"))
    assert "48 crystals" in report.faults[0]


def test_missing_file_is_a_fault(tmp_path: Path) -> None:
    assert "this file does not exist" in inspect(tmp_path / "none.l").faults[0]
