"""Tests of standard output and error, `--quiet` and `--json -`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode
from engine.simulate import simulate_listmode, uniform_cylinder

RING = RingScanner(
    RingSettings(
        name="Small ring",
        radius_mm=120,
        n_rings=4,
        n_crystals_per_ring=48,
        ring_pitch_mm=4,
        max_ring_difference=3,
        n_tangential=33,
        fov_mm=(120, 16),
    )
)
SETTINGS = ("--set", "algorithm=mlem", "--set", "algorithm.iterations=1",
            "--set", "grid.voxel_mm=8,8,4")  # fmt: skip


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("quiet") / "scan.h5"
    phantom = uniform_cylinder(diameter_mm=60, length_mm=10)
    write_listmode(simulate_listmode(phantom, RING, n_prompts=2000, seed=1), path)
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    assert main(list(words)) == DONE, capsys.readouterr().err
    return capsys.readouterr()


def test_run_prints_only_its_result_on_standard_output(
    scan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "image.h5"
    out, err = run(capsys, "reconstruct", str(scan), "-o", str(image), *SETTINGS)
    assert out == f"Volume: {image}\n"
    assert "Job " in err and "Protocol: " in err and "iteration 1/1" in err


def test_quiet_prints_no_progress(
    scan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "image.h5"
    out, err = run(capsys, "reconstruct", str(scan), "-o", str(image), "--quiet", *SETTINGS)
    assert out == f"Volume: {image}\n"
    assert all(line.lstrip().startswith("warning: ") for line in err.splitlines()), err


def test_json_on_standard_output_is_only_json(
    scan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "image.h5"
    out, err = run(capsys, "reconstruct", str(scan), "-o", str(image), "--json", "-", *SETTINGS)
    events = [json.loads(line)["event"] for line in out.splitlines()]
    assert events[-1] == "Finished" and "StageStarted" in events
    assert f"Volume: {image}" in err
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "words", [["studies"], ["scanners"], ["phantoms"], ["settings"], ["protocols"]]
)
def test_lists_are_one_json_value(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, *words, "--json", "-")
    assert json.loads(out)


def test_inspect_prints_json(scan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "inspect", str(scan), "--json", "-")
    (report,) = json.loads(out)
    assert report["file"] == "scan.h5" and report["faults"] == []
    assert "scan.h5: " in err


def test_default_output_is_stated_and_never_replaced(
    scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    out, _ = run(capsys, "reconstruct", str(scan), *SETTINGS)
    assert out == "Volume: image.nii.gz\n"
    before = Path("image.nii.gz").read_bytes()

    assert main(["reconstruct", str(scan), *SETTINGS]) == USER_FAULT
    assert "image.nii.gz" in capsys.readouterr().err
    assert Path("image.nii.gz").read_bytes() == before
    # the file with the default name is an input here, and must not be replaced
    run(capsys, "reconstruct", str(scan), "-o", "other.h5", *SETTINGS)
    run(capsys, "reconstruct", str(scan), "-o", "image.nii.gz", "--force", *SETTINGS)
