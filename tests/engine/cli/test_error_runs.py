"""Tests of error maps: study file, --set, queue, stored results, and SUV."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.data.volume import Volume
from engine.io import read_volume
from engine.jobs.queue import StudyQueue
from engine.protocols.study.study import write_study
from engine.results import Results
from tests.engine.jobs.test_queue import queue as queue
from tests.engine.modalities.map_scans import study

OSEM = ("algorithm.kind=osem", "algorithm.iterations=1")
ERRORS = ("error_replicates=8", "error_seed=5")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scans")


def study_file(folder: Path, path: Path, *settings: str) -> Path:
    write_study(study(folder, "events", *OSEM, *settings), path)
    return path


def deviations(volume: Volume) -> np.ndarray:
    assert volume.error is not None
    assert (volume.error.n, volume.error.seed) == (8, 5)
    return volume.error.deviations


def test_study_file_option_and_queue_give_the_same_errors(
    queue: StudyQueue, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requested = study_file(folder, tmp_path / "asked.toml", *ERRORS)
    study = study_file(folder, tmp_path / "plain.toml")
    options = [part for setting in ERRORS for part in ("--set", setting)]

    assert main(["reconstruct", str(requested), "-o", str(tmp_path / "asked.h5")]) == DONE
    printed = capsys.readouterr().err
    assert main(["reconstruct", str(study), "-o", str(tmp_path / "set.h5"), *options]) == DONE
    assert main(["queue", "add", "-o", str(tmp_path), "--format", ".h5", str(requested)]) == DONE
    (entry,) = queue.entries()
    settings = entry.to_study().protocol.model_dump(include={"error_replicates", "error_seed"})
    assert settings == {"error_replicates": 8, "error_seed": 5}
    assert main(["queue", "run"]) == DONE

    assert "Included for the error map: 0:0" in printed
    assert "errors: applied (from 8 bootstrap replicates (seed 5))" in printed
    (queued,) = tmp_path.glob("study-*.h5")
    one, other, third = (
        read_volume(path) for path in (tmp_path / "asked.h5", tmp_path / "set.h5", queued)
    )
    np.testing.assert_array_equal(deviations(one), deviations(other))
    np.testing.assert_array_equal(deviations(one), deviations(third))


def test_stored_result_has_errors_even_if_the_output_file_has_none(
    queue: StudyQueue, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requested = study_file(folder, tmp_path / "asked.toml", *ERRORS)

    assert main(["reconstruct", str(requested), "-o", str(tmp_path / "image.nii.gz")]) == DONE

    assert "note: This format stores no error map." in capsys.readouterr().err
    (result,) = Results().newest_first()
    assert deviations(result.volume()).any()
    corrections = {each.kind: each.text for each in result.record.run_record.corrections}
    assert corrections["errors"] == "from 8 bootstrap replicates (seed 5)"
    report = tmp_path / "report.html"
    assert main(["report", result.id, "-o", str(report), "--full"]) == DONE
    assert "8 bootstrap replicates (seed 5)" in report.read_text("utf-8")


def test_suv_scales_the_errors(
    queue: StudyQueue, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requested = study_file(folder, tmp_path / "asked.toml", *ERRORS)
    assert main(["reconstruct", str(requested), "-o", str(tmp_path / "image.h5")]) == DONE
    options = {
        "--weight-kg": "70", "--dose-mbq": "300", "--injected-at": "2026-01-01T10:00",
        "--started-at": "2026-01-01T11:00", "--nuclide": "F-18", "--bq-ml-per-unit": "1e6",
        "--decay-corrected-to": "none", "--frame-s": "60",
    }  # fmt: skip
    command = [part for pair in options.items() for part in pair]

    assert main(["suv", str(tmp_path / "image.h5"), str(tmp_path / "suv.h5"), *command]) == DONE

    image, suv = (read_volume(tmp_path / name) for name in ("image.h5", "suv.h5"))
    np.testing.assert_array_equal(deviations(suv), deviations(image))
    assert suv.error is not None and image.error is not None
    inside = image.values > image.values.max() / 2
    # The relative error does not depend on the unit; float32 has seven digits.
    np.testing.assert_allclose(
        suv.error.standard_deviation[inside] / suv.values[inside],
        image.error.standard_deviation[inside] / image.values[inside],
        rtol=1e-5,
    )


def test_too_few_replicates_are_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_file(folder, tmp_path / "plain.toml")

    code = main(
        ["reconstruct", str(study), "-o", str(tmp_path / "a.h5"), "--set", "error_replicates=4"]
    )

    assert code == USER_FAULT
    assert "error_replicates: expected a number of at least 8, got 4" in (capsys.readouterr().err)
