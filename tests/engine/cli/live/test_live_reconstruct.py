"""Tests of `isocenter live reconstruct`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.data.projections import Projections
from engine.io import read_projections, read_volume, save_projections
from tests.engine.live.ct.running_scan import MU, N, cone, counts_of, references

SETTINGS = ("--set", "steps.rings.use=off", "--set", "steps.centre.use=off")


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    geometry = cone()
    dark, flat = (frame.values[None] for frame in references(geometry.shape))
    path = tmp_path / "scan.h5"
    counts = counts_of(geometry)
    save_projections(Projections(counts, geometry, kind="counts", flats=flat, darks=dark), path)
    return path


@pytest.mark.essential
def test_one_pass_writes_slices_scan_and_volume(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded, live, ordinary = (
        tmp_path / name for name in ("recorded.h5", "live.nii.gz", "ordinary.nii.gz")
    )
    words = ["live", "reconstruct", str(stored), "--replay", "-o", str(tmp_path / "s.nii.gz")]
    options = ["--scan", str(recorded), "--volume", str(live), "--json", "--threads", "2"]
    assert main([*words, *options, *SETTINGS]) == 0

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    figures = [each for each in lines if each["event"] == "figures"][-1]
    assert (figures["frames"], figures["used"], figures["dropped"]) == (N, N, 0)
    assert figures["weights"] == "exact"
    for name in ("axial", "coronal", "sagittal"):
        volume = read_volume(tmp_path / f"s-{name}.nii.gz")
        assert volume.unit == "1/mm" and min(volume.values.shape) == 1
        middle = tuple(slice(n // 2 - 3, n // 2 + 3) if n > 1 else 0 for n in volume.values.shape)
        np.testing.assert_allclose(volume.values[middle].mean(), MU, rtol=5e-3)
        provenance = volume.info
        assert (
            provenance["environment"]["isocenter"]
            and provenance["format"] == "isocenter-live-provenance-1"
        )
        assert (
            provenance["source"]["name"].startswith("scan-")
            and provenance["source"]["replay"] is True
        )
        assert str(stored) not in json.dumps(provenance) and stored.name not in json.dumps(
            provenance
        )
        assert provenance["protocol"]["steps"]["rings"]["use"] == "off"
        assert provenance["settings"]["mode"] == "growing"
        assert {"flat_field", "logarithm"} <= {
            *provenance["steps_done"]
        } and "rings" not in provenance["steps_done"]
        assert provenance["live"]["views"] == provenance["scan"]["planned_views"] == N
        assert (
            len(provenance["scan"]["frames_sha256"])
            == len(provenance["scan"]["geometry_sha256"])
            == 64
        )

    assert main([*words, "--scan", str(tmp_path / "other.h5")]) == 2
    assert "s-axial.nii.gz" in capsys.readouterr().err

    scan, before = read_projections(recorded), read_projections(stored)
    np.testing.assert_array_equal(scan.values, before.values)
    np.testing.assert_allclose(scan.geometry.source_mm, before.geometry.source_mm, atol=1e-9)
    assert (
        main(["reconstruct", str(recorded), "-o", str(ordinary), "--threads", "2", *SETTINGS]) == 0
    )
    np.testing.assert_array_equal(read_volume(live).values, read_volume(ordinary).values)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--volume", "v.nii.gz"], "--volume needs --scan"),
        (["--mode", "sliding", "--scan", "s.h5"], "--scan needs all views"),
        (["--protocol", "mmr-brain-fdg"], "protocol"),
        (["-o", "s.unknown"], "s-axial.unknown"),
        (["--find-axis", "--set", "steps.centre.column=20"], "Remove one of them"),
    ],
)
def test_invalid_arguments_are_refused_before_the_scan_is_followed(
    options: list[str], sentence: str, stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["live", "reconstruct", str(stored), "--replay", "-o", "x.nii.gz", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_axis_is_found_after_the_scan_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real, stated, n = cone(120, axis_column=26.25), cone(120), 120
    dark, flat = (frame.values[None] for frame in references(stated.shape))
    counts = counts_of(real, centre=(4.0, -2.0))
    scan = Projections(counts, stated, kind="counts", flats=flat, darks=dark)
    save_projections(scan, tmp_path / "scan.h5")
    words = ["live", "reconstruct", str(tmp_path / "scan.h5"), "--replay", "--json"]
    out = tmp_path / "s.nii.gz"
    assert main([*words, "-o", str(out), "--find-axis", "--threads", "2", *SETTINGS]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    figures = [each for each in lines if each["event"] == "figures"][-1]
    assert figures["axis"] == pytest.approx(26.25, abs=0.1) and figures["used"] == n
    assert any("The rotation axis is at column 26." in each.get("text", "") for each in lines)
    live = read_volume(tmp_path / "s-axial.nii.gz").info["live"]
    assert live["axis_column"] == pytest.approx(figures["axis"])


def test_other_geometry_is_refused_and_nothing_is_written(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, other = cone().binned(2), tmp_path / "other.h5"
    save_projections(Projections(np.ones((N, *small.shape), "f4"), small, kind="counts"), other)
    out = tmp_path / "s.nii.gz"
    words = ["live", "reconstruct", str(stored), "--replay", "-o", str(out)]
    assert main([*words, "--geometry", str(other)]) == 2
    assert "give the geometry of this detector" in capsys.readouterr().err
    assert not list(tmp_path.glob("s-*"))


def test_full_disk_loses_only_the_scan_and_gives_one_sentence(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resource = pytest.importorskip("resource", reason="file size limits need POSIX")
    recorded = tmp_path / "recorded.h5"
    recorded.write_bytes(b"old")
    words = ["live", "reconstruct", str(stored), "--replay", "-o", str(tmp_path / "s.nii.gz")]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    try:
        assert main([*words, "--scan", str(recorded), "--force", *SETTINGS]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    output = capsys.readouterr()
    assert re.search(r"recorded.h5.*needs [\d,]+ bytes, but [\d,]+ are free", output.err)
    assert "Slices: " in output.out
    assert recorded.read_bytes() == b"old"
    assert len(list(tmp_path.glob("s-*.nii.gz"))) == 3
    assert not list(tmp_path.glob(".*part*"))


def test_scan_without_flats_is_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    geometry, stored, recorded = cone(), tmp_path / "scan.h5", tmp_path / "recorded.h5"
    save_projections(Projections(counts_of(geometry), geometry, kind="counts"), stored)
    words = ["live", "reconstruct", str(stored), "--replay", "-o", str(tmp_path / "s.nii.gz")]
    assert main([*words, "--scan", str(recorded), *SETTINGS]) == 2
    output = capsys.readouterr()
    assert "no slice could be reconstructed. State: the scan has no flat fields" in output.err
    np.testing.assert_array_equal(read_projections(recorded).values, counts_of(geometry))


@pytest.mark.parametrize("quiet", [False, True])
def test_rates_are_progress_and_quiet_hides_them(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    words = ["live", "reconstruct", str(stored), "--replay", "-o", str(tmp_path / "s.nii.gz")]
    assert main([*words, *SETTINGS, *(["--quiet"] if quiet else [])]) == 0
    output = capsys.readouterr()
    assert "Slices: " in output.out and "frames/s" not in output.out
    assert ("frames/s" in output.err) is not quiet
