"""Tests of calibration and tracer files: round trips, and refusal of changed files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.core.errors import FileFormatError, GeometryError, SettingsError
from engine.data.calibration import Calibration, scanner_digest
from engine.geometry.ring import RingScanner
from engine.io import inspect
from engine.io.auxiliary.calibration_file import read_calibration, write_calibration
from engine.io.auxiliary.tracer_file import read_tracer
from engine.modalities.recognise import purpose_of
from tests.farm.scanners import small_ring

RING = small_ring()
CALIBRATION = Calibration(
    positrons_per_ml=2.5e6,
    error_percent=0.4,
    scanner=RING.name,
    scanner_sha256=scanner_digest(RING),
    corrections=("attenuation", "line_geometry"),
    nuclide="F-18",
    made_utc="2026-11-22T10:00:00+00:00",
)


def written(folder: Path) -> Path:
    write_calibration(CALIBRATION, folder / "calibration.json", {"activity_bq": 3.7e7})
    return folder / "calibration.json"


def test_calibration_is_read_as_written(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert read_calibration(path, RING) == CALIBRATION
    assert read_calibration(path) == CALIBRATION
    found = purpose_of(path)
    assert found.purpose == "input" and found.role is not None and found.role.key == "calibration"
    report = inspect(path)
    assert report.usable and ("Standard error", "0.4 %") in report.facts


def test_calibration_of_another_scanner_is_refused(tmp_path: Path) -> None:
    other = RingScanner(RING.settings.model_copy(update={"radius_mm": 61.0}))
    with pytest.raises(GeometryError, match=r"calibration.json: the geometry of .*calibrate the"):
        read_calibration(written(tmp_path), other)


@pytest.mark.parametrize("key", ["positrons_per_ml", "corrections", "measured", "sha256"])
def test_changed_calibration_is_refused(tmp_path: Path, key: str) -> None:
    path = written(tmp_path)
    content = json.loads(path.read_text())
    content[key] = [] if isinstance(content[key], list) else 3.0
    path.write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match="the checksum does not match"):
        read_calibration(path)


TRACER = """
[tracer]
nuclide = "F-18"
dose_mbq = 400.0
dose_at = 2026-11-22T09:00:00+01:00
residual_mbq = 10.0
injected_at = 2026-11-22T10:49:46.2+01:00
scan_start = 2026-11-22T11:50:00+01:00
weight_kg = 70
"""


def test_dose_is_decay_corrected_to_injection_minus_the_residual(tmp_path: Path) -> None:
    """After one half-life, half the dose is left. The residual is measured at injection."""
    path = tmp_path / "tracer.toml"
    path.write_text(TRACER)
    facts = read_tracer(path).facts()
    assert facts["injected_bq"] == pytest.approx(190e6, rel=1e-9)
    assert (facts["half_life_s"], facts["branching"]) == (6586.2, 0.9686)
    assert facts["scan_start"] == "2026-11-22T11:50:00+01:00"
    found = purpose_of(path)
    assert found.role is not None and found.role.key == "tracer"
    assert inspect(path).format == "Tracer and dose"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tracer]\ndose_mbq = -1", "dose_mbq"),
        ("[tracer]\nmass_kg = 70", "unknown key 'mass_kg'"),
        ("[tracer]\nsex = 'X'", "sex"),
        ("[tracer]\nscan_start = 20261122", "scan_start: .*write date and time"),
        ("[tracer]\nscan_start = 2026-11-22", "scan_start: .*write date and time"),
        ("[tracer]\nlive_fraction = 1.5", "live_fraction"),
        ("[tracer]\ndose_mbq = 1\ndose_at = 2026-11-22T09:00:00", "give both"),
        ("[tracer]\ndose_mbq = 1\nresidual_mbq = 2", "the residual is not smaller than the dose"),
        (
            "[tracer]\nnuclide='F-18'\ndose_at = 2026-11-22T09:00:00Z\n"
            "injected_at = 2026-11-22T09:10:00",
            "injected_at has a time zone; give both times",
        ),
        (
            "[tracer]\ndose_at = 2026-11-22T09:00:00\ninjected_at = 2026-11-22T09:10:00",
            "without a half-life",
        ),
        ("[patient]\nweight_kg = 70", r"expected a single table \[tracer\]"),
    ],
)
def test_impossible_tracer_file_gives_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "tracer.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=f"tracer.toml: .*{reason}"):
        read_tracer(path)
