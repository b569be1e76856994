"""Tests of `isocenter normalise`, which computes a normalisation file from scans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import inspect, read_components, write_listmode

RING = RingScanner(RingSettings(
    name="Tiny", n_rings=3, n_crystals_per_ring=24, radius_mm=80, ring_pitch_mm=5,
    max_ring_difference=2, n_tangential=16, fov_mm=(60, 15), block_places=4,
))  # fmt: skip
SOURCE = ("--source", "cylinder", "--radius-mm", "60", "--mu-per-mm", "0.0096")


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    crystals = RING.lors(np.random.default_rng(2).integers(0, RING.n_lors, 20_000))
    write_listmode(ListMode(RING, crystals), tmp_path / "scan.h5")
    return tmp_path / "scan.h5"


def test_scans_become_a_normalisation(
    scan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "norm.h5"
    assert main(["normalise", str(scan), str(scan), "-o", str(out), *SOURCE]) == DONE
    output = capsys.readouterr().out
    assert "crystals: 72 of 72 measured, standard error" in output
    found = read_components(out, RING)
    assert found.geometry is not None and found.interference is not None
    facts = dict(inspect(out).facts)
    assert "cylinder of radius 60 mm, 0.0096 per mm" in facts.values()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--source", "rotating", "--radius-mm", "60"), "needs --width-mm"),
        ((*SOURCE, "--width-mm", "3"), "is for a rotating line"),
        (("--source", "cylinder", "--radius-mm", "2"), "measure longer"),
        (("--source", "cylinder", "--radius-mm", "-2"), "expected 0 ≤ inner radius < radius"),
    ],
)
def test_unsuitable_scan_is_refused_with_a_reason(
    scan: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    message: str,
) -> None:
    out = tmp_path / "norm.h5"
    assert main(["normalise", str(scan), "-o", str(out), *options]) == USER_FAULT
    assert message in capsys.readouterr().err
    assert not out.exists()
