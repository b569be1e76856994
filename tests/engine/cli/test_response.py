"""Tests of `isocenter response`, which computes, imports and describes system matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cli.console import Console
from engine.cli.exit_codes import INTERRUPTED
from engine.cli.main import main
from engine.core.settings import to_toml
from engine.data.histogram import with_settings
from engine.data.runs.events import Event, Progressed
from engine.geometry.dual_head import DualHead
from engine.io import read_scanner
from engine.io.hdf5.response import read_response
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from tests.engine.modalities.dual_head_pet.response.unfolding import dense

TEST = ("--scanner", "test-panels")


def test_response_is_built_imported_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built, folded = tmp_path / "built.h5", tmp_path / "folded.h5"
    assert (
        main(["response", "build", "-o", str(built), *TEST, "--points", "512", "--no-scatter"]) == 0
    )
    assert "18 orientations" in capsys.readouterr().out

    matrix_lines = dense(read_response(built))
    np.save(tmp_path / "whole.npy", matrix_lines.reshape(len(matrix_lines), -1))
    arguments = ["import", str(tmp_path / "whole.npy"), "-o", str(folded), *TEST]
    assert main(["response", *arguments, "--voxel", "0.6", "1", "0.6"]) == 0
    np.testing.assert_array_equal(read_response(folded).places, read_response(built).places)

    capsys.readouterr()
    assert main(["inspect", str(folded)]) == 0
    assert "response matrix of Test panels" in capsys.readouterr().out


def test_matrix_with_reordered_lines_gives_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scanner = read_scanner("test-panels")
    matrix_lines = dense(build_analytic(scanner, AnalyticResponse(n_points=256))).reshape(576, -1)
    for lines, has_warning in ((matrix_lines, False), (matrix_lines[::2].repeat(2, axis=0), True)):
        np.save(tmp_path / "whole.npy", lines)
        words = ["import", str(tmp_path / "whole.npy"), "-o", str(tmp_path / "m.h5"), *TEST]
        assert main(["response", *words, "--force"]) == 0
        assert ("does not have the symmetries" in capsys.readouterr().err) == has_warning


def test_response_from_tracked_photons_is_written(tmp_path: Path) -> None:
    path = tmp_path / "tracked.h5"
    options = ["--photons", "500", "--no-scatter", "--threshold", "0"]
    assert main(["response", "build", "-o", str(path), *TEST, *options]) == 0
    assert read_response(path).info["response"]["scatter"] is False


@pytest.mark.parametrize("method", [["--photons", "2000"], ["--points", "256"]])
def test_response_uses_the_energy_window_of_the_scanner(method: list[str], tmp_path: Path) -> None:
    one, sums = read_scanner("test-panels"), []
    assert isinstance(one, DualHead)
    for low in (0.0, 450.0):
        scanner, path = tmp_path / f"{low}.toml", tmp_path / f"{low}.h5"
        scanner.write_text(to_toml(with_settings(one, energy_window_kev=(low, 650.0)).settings))
        words = ["--scanner", str(scanner), *method, "--seed", "7"]
        assert main(["response", "build", "-o", str(path), *words]) == 0
        matrix = read_response(path)
        assert matrix.info["response"]["seed"] == 7
        assert matrix.scanner.settings.energy_window_kev == (low, 650.0)
        sums.append(sum(matrix.stored(i).values.sum() for i in range(18)))
    assert sums[1] < 0.9 * sums[0]


def test_crystal_layers_can_be_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = read_scanner("test-panels")
    assert isinstance(one, DualHead)
    (tmp_path / "two.toml").write_text(to_toml(with_settings(one, n_layers=2).settings))
    words = ["--scanner", str(tmp_path / "two.toml"), "--points", "256", "--merge-layers"]
    assert main(["response", "build", "-o", str(tmp_path / "m.h5"), *words]) == 0
    assert "2 crystal layers are merged" in capsys.readouterr().err
    assert read_response(tmp_path / "m.h5", one).scanner.settings == one.settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scanner", "demo-ring"], "demo-ring: not a dual-head scanner; expected one of dhapet"),
        ([*TEST, "--photons", "9", "--points", "256"], "--points and --photons cannot be combined"),
        ([*TEST, "--points", "1000"], "n_points is 1000, expected a power of two"),
        ([*TEST, "--photons", "0"], "n_pairs: expected a number of at least 1"),
        ([*TEST, "--threshold", "2"], "threshold: expected a number below 0.1"),
    ],
)
def test_invalid_arguments_give_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["response", "build", "-o", str(tmp_path / "m.h5"), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_interrupted_build_explains_how_to_continue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, show = tmp_path / "m.h5", Console.show

    def interrupted(console: Console, event: Event) -> None:
        if isinstance(event, Progressed) and event.done:
            raise KeyboardInterrupt
        show(console, event)

    words = ["response", "build", "-o", str(path), "--scanner", "demo-panels", "--points", "2048"]
    with monkeypatch.context() as patch:
        patch.setattr(Console, "show", interrupted)
        assert main(words) == INTERRUPTED
    output = capsys.readouterr().err
    assert "run the same command again" in output and "resume" not in output
    assert main(["inspect", str(path)]) == 2
    assert "is incomplete" in capsys.readouterr().out
    assert main(words) == 0
    assert path.exists()
