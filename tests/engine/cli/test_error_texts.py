"""Tests of the errors of images that commands print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.regions import Region, RegionSet, SphereRegion, marks_of, write_regions
from engine.analysis.regions.measuring import measure
from engine.analysis.regions.pairs import compared
from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.data.error_map import ErrorMap
from engine.data.formatting import interval_text
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save, save_frames
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.requirements import Requirements
from engine.modalities.studies import Study, write_study

GRID = ImageGrid((12, 12, 12), (3.0, 3.0, 3.0))
N = 8
BALLS = {
    "Left": SphereRegion(centre_mm=(-9, 0, 0), diameter_mm=14),
    "Right": SphereRegion(centre_mm=(9, 0, 0), diameter_mm=14),
}


def image(rng: np.random.Generator) -> Volume:
    values = (5 + 0.1 * np.broadcast_to(GRID.centres_mm(0), GRID.shape)).astype(np.float32)
    draws = [values + rng.normal(0, 0.3, GRID.shape).astype(np.float32) for _ in range(N)]
    return Volume(values, GRID, "Bq/mL", error=ErrorMap.of(values, draws, seed=3))


def regions_file(volume: Volume, path: Path) -> Path:
    regions = tuple(Region(name=name, shape=shape) for name, shape in BALLS.items())
    write_regions(RegionSet(regions=regions, scans=marks_of(volume)), path)
    return path


def test_regions_are_printed_with_errors_and_differences(
    rng: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = image(rng)
    save(volume, tmp_path / "image.h5")
    path = regions_file(volume, tmp_path / "r.toml")

    assert main(["regions", str(tmp_path / "image.h5"), "--regions", str(path)]) == DONE

    printed = capsys.readouterr().out
    measured = [measure(Region(name=name, shape=shape), volume) for name, shape in BALLS.items()]
    for each in measured:
        assert each.figures and each.errors and each.errors.peak
        mean, most, peak = each.errors.mean, each.errors.maximum, each.errors.peak
        assert (
            f"errors from {N} replicates: mean ± {mean.sd:.2g} (95 %: "
            f"{interval_text(each.figures.mean, mean.half_width)}), "
            f"maximum ± {most.sd:.2g}, peak ± {peak.sd:.2g} Bq/mL"
        ) in printed
    (pair,) = compared(measured)
    assert "Left − Right: difference of the means −1." in printed
    assert f"), {pair.verdict()}\n" in printed
    assert pair.verdict() == "significant (p < 0.001)"


def test_frames_have_errors_but_no_compared_pairs(
    rng: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = image(rng)
    frames = [FrameVolume(TimeFrame(1000 * k, 1000 * (k + 1)), image(rng)) for k in range(2)]
    save_frames(volume, frames, tmp_path / "frames.h5", {})
    path = regions_file(volume, tmp_path / "r.toml")

    assert main(["regions", str(tmp_path / "frames.h5"), "--regions", str(path)]) == DONE

    printed = capsys.readouterr().out
    assert printed.count(f"errors from {N} replicates") == 4
    assert "difference of the means" not in printed


def test_inspection_states_replicates_and_seed(
    rng: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = image(rng)
    save(volume, tmp_path / "image.h5")
    save(replace(volume, error=None), tmp_path / "plain.h5")

    assert main(["inspect", str(tmp_path / "image.h5")]) == DONE
    assert "Error map:             8 bootstrap replicates (seed 3)" in capsys.readouterr().out

    assert main(["inspect", str(tmp_path / "plain.h5")]) == DONE
    printed = capsys.readouterr().out
    assert "Error map" not in printed and "Quantity" not in printed


@pytest.mark.parametrize("ending", [".nii.gz", ".dicom", ".mha", ".h5"])
def test_inspection_names_the_quantity_of_an_error_image(
    rng: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    save(image(rng), tmp_path / "image.h5")
    target = str(tmp_path / f"sd{ending}")
    assert main(["export", str(tmp_path / "image.h5"), target, "--error"]) == DONE

    assert main(["inspect", target]) == DONE

    assert "Quantity:              standard deviation from 8 replicates" in capsys.readouterr().out


def test_inspection_of_a_study_states_requested_replicates(
    rng: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(image(rng), tmp_path / "scan.h5")
    for name, settings, expected in (
        ("default", {}, ""),
        ("asked", {"error_replicates": 20}, "20 bootstrap replicates\n"),
        ("seeded", {"error_replicates": 20, "error_seed": 0}, "20 bootstrap replicates (seed 0)\n"),
    ):
        protocol = ListModeProtocol.model_validate(settings)
        path = tmp_path / f"{name}.toml"
        write_study(Study(data=tmp_path / "scan.h5", protocol=protocol), path)

        main(["inspect", str(path)])

        printed = capsys.readouterr().out
        assert expected in printed and ("Error map" in printed) is bool(expected), name


def test_forecast_states_the_time_of_the_error_map() -> None:
    without_errors = Requirements(1, 2, {"reconstruct": 60.0})
    with_errors = Requirements(1, 2, {"reconstruct": 60.0, "errors": 75.0})

    assert "Included for the error map" not in without_errors.describe()
    assert "Estimated time: 2:15. Included for the error map: 1:15." in with_errors.describe()
