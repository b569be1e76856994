"""`isocenter response`: built, tracked, imported, looked into, refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.io.response_hdf5 import read_response
from tests.engine.response.unfolding import dense

TEST = ("--scanner", "test-panels")


def test_build_import_and_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built, folded = tmp_path / "built.h5", tmp_path / "folded.h5"
    assert main(["response", "build", "-o", str(built), *TEST, "--points", "512"]) == 0
    assert "18 orientations" in capsys.readouterr().out

    whole = dense(read_response(built))
    np.save(tmp_path / "whole.npy", whole.reshape(len(whole), -1))
    arguments = ["import", str(tmp_path / "whole.npy"), "-o", str(folded), *TEST]
    assert main(["response", *arguments, "--voxel", "0.6", "1", "0.6"]) == 0
    np.testing.assert_array_equal(read_response(folded).places, read_response(built).places)

    capsys.readouterr()
    assert main(["inspect", str(folded)]) == 0
    assert "response matrix of Test panels" in capsys.readouterr().out


def test_photons_can_be_tracked_instead(tmp_path: Path) -> None:
    path = tmp_path / "tracked.h5"
    options = ["--photons", "500", "--no-scatter", "--threshold", "0"]
    assert main(["response", "build", "-o", str(path), *TEST, *options]) == 0
    assert read_response(path).info["response"]["scatter"] is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scanner", "demo-ring"], "demo-ring: not a dual-head scanner; want one of dhapet"),
        ([*TEST, "--points", "1000"], "n_points must be a power of two, got 1000"),
        ([*TEST, "--photons", "0"], "n_pairs: input should be greater than or equal to 1"),
        ([*TEST, "--threshold", "2"], "threshold: input should be less than 0.1"),
    ],
)
def test_faults_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["response", "build", "-o", str(tmp_path / "m.h5"), *options]) == 2
    assert message in capsys.readouterr().err
