"""Tests of simulating, inspecting and reconstructing a dual-head scan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.data.histogram import with_settings
from engine.data.listmode import ListMode
from engine.io import read_histogram, read_scanner, read_volume, write_listmode
from engine.io.hdf5.response import write_response
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse

THREE = ("--set", "algorithm.iterations=3", "--set", "algorithm.subsets=2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("panels")
    matrix = build_analytic(read_scanner("test-panels"), AnalyticResponse(n_points=512))
    write_response(matrix, path / "r.h5")
    common = ("--scanner", "test-panels", "--response", str(path / "r.h5"), "--phantom", "point")
    counts = ("--prompts", "20000", "--randoms", "0.2")
    assert main(["simulate", "histogram", "-o", str(path / "scan.h5"), *common, *counts]) == DONE
    return path


def test_simulated_scan_has_the_requested_counts(folder: Path) -> None:
    data = read_histogram(folder / "scan.h5")
    assert data.scanner.name == "Test panels"
    assert data.n_prompts == pytest.approx(20_000, abs=700)
    assert data.n_delayeds == pytest.approx(4_000, abs=320)


def test_inspect_recognises_a_dual_head_scan(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(folder / "scan.h5")]) == DONE
    output = capsys.readouterr().out
    assert "prompts, Test panels" in output and "point source" in output


def test_reconstruct_needs_only_scan_and_response(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("reconstruct", str(folder / "scan.h5"), "-o", str(folder / "v.nii.gz"))
    assert main([*words, "--response", str(folder / "r.h5"), *THREE]) == DONE
    output = capsys.readouterr().err
    assert "randoms: applied" in output and "OSEM, 3 iterations × 2 subsets" in output
    values = read_volume(folder / "v.nii.gz").values
    hottest = np.array(np.unravel_index(values.argmax(), values.shape))
    assert (np.abs(hottest - [11.5, 5, 7.5]) <= [1.5, 1, 1.5]).all()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--scanner", "demo-ring"), "demo-ring: not a dual-head scanner"),
        (("--phantom", "cube"), "--phantom 'cube': expected one of lines, derenzo"),
        (("--prompts", "0"), "n_prompts is 0"),
    ],
)
def test_invalid_arguments_give_one_sentence(
    folder: Path, words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    required = (
        "--scanner",
        "test-panels",
        "--response",
        str(folder / "r.h5"),
        "--phantom",
        "point",
    )
    out = ("-o", str(folder / "no.h5"))
    assert main(["simulate", "histogram", *out, *required, *words]) == USER_FAULT
    assert sentence in capsys.readouterr().err
    assert not (folder / "no.h5").exists()


def test_events_of_two_layers_are_converted_to_a_histogram(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scanner = with_settings(read_scanner("test-panels"), n_layers=2)
    lines = np.random.default_rng(5).integers(scanner.n_lors, size=900)
    write_listmode(ListMode(scanner, scanner.lors(lines)), tmp_path / "events.h5")
    words = ("convert", str(tmp_path / "events.h5"), str(tmp_path / "counts.h5"), "--histogram")
    assert main(words) == DONE
    separate = read_histogram(tmp_path / "counts.h5")
    assert separate.scanner.settings == scanner.settings
    np.testing.assert_array_equal(separate.prompts, np.bincount(lines, minlength=scanner.n_lors))
    assert main((*words[:3], "--merge-layers", "--force")) == USER_FAULT
    assert "--merge-layers needs --histogram" in capsys.readouterr().err
    assert main((*words, "--merge-layers", "--force")) == DONE
    assert "2 crystal layers are combined" in capsys.readouterr().err
    found = read_histogram(tmp_path / "counts.h5")
    assert found.scanner.settings.n_layers == 1
    np.testing.assert_array_equal(
        found.prompts, np.bincount(lines % found.scanner.n_lors, minlength=found.scanner.n_lors)
    )
