"""Tests of unknown HDF5 files: content, selection of datasets, and its reuse."""

from __future__ import annotations

import io
import sys
import tomllib
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import EngineError
from engine.io import read_projections
from engine.io.input_files import files_behind
from engine.raw_import import (
    Answers,
    answers_like,
    answers_of,
    datasets_of,
    described_like,
    draft_of,
    preview_of,
    write_draft,
)
from tests.engine.raw_import.scans import COLUMNS, N_VIEWS, OPEN, ROWS, STEP_DEG, counts

ANSWERS = {
    "array": "/e/imgs",
    "flats": "/e/one",
    "darks": "/e/two",
    "angles": "/e/motor",
    "beam": "parallel",
    "pixel": "0.5",
}
"""Answers; the names of the datasets reveal no role."""


def scan(folder: Path, n_views: int = N_VIEWS, **more: np.ndarray) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {
        "imgs": counts(n_views),
        "one": np.full((3, ROWS, COLUMNS), OPEN),
        "two": np.full((2, ROWS, COLUMNS), 7.0),
        "motor": 40.0 + np.arange(n_views) * STEP_DEG,
        "clock": np.zeros(n_views),
        **more,
    }
    with h5py.File(folder / "scan.h5", "w") as file:
        for name, values in arrays.items():
            file[f"e/{name}"] = values
    return folder / "scan.h5"


def test_datasets_are_listed_with_their_middle_slice(tmp_path: Path) -> None:
    images = np.arange(5 * 6 * 7, dtype=np.float32).reshape(5, 6, 7)
    path = scan(tmp_path, imgs=images)
    found = {each.name: each for each in datasets_of(path)}
    assert found["/e/imgs"].text == "5 × 6 × 7, float32"
    assert np.array_equal(found["/e/imgs"].preview, images[2])
    assert found["/e/motor"].text == f"{N_VIEWS}, float64, 40 to {40 + 360 - STEP_DEG:g}"
    assert found["/e/motor"].preview is None and found["/e/motor"].is_list


def test_selection_is_stored_in_a_small_text_that_opens_from_either_file(tmp_path: Path) -> None:
    path = scan(tmp_path)
    draft = draft_of(path, answers_of(dict(ANSWERS)))
    assert draft.questions == ()
    text = write_draft(draft)
    table = tomllib.loads(text.read_text())
    assert table["file"] == "scan.h5#/e/imgs"
    assert (table["flats"], table["darks"]) == ("scan.h5#/e/one", "scan.h5#/e/two")
    assert table["geometry"]["angles"] == {"file": "scan.h5#/e/motor"}
    assert text.stat().st_size < 2000
    for each in (text, path):
        data = read_projections(each)
        assert np.array_equal(data.values, counts())
        assert len(data.flats) == 3 and float(data.darks.mean()) == 7
        turned = np.unwrap(data.geometry.angles_rad)
        assert np.allclose(np.rad2deg(turned - turned[0]), np.arange(N_VIEWS) * STEP_DEG)
    assert set(files_behind(text)) == {text, path}


def test_next_file_of_the_same_structure_gets_the_same_selection(tmp_path: Path) -> None:
    first, second = scan(tmp_path / "a"), scan(tmp_path / "b", n_views=20)
    other = scan(tmp_path / "c", extra=np.zeros(4))
    assert described_like(second) is None
    answers = ANSWERS | {
        "clockwise": True,
        "mirrored": True,
        "axis_column": 30.5,
        "first_row": "bottom",
    }
    text = write_draft(draft_of(first, answers_of(answers)))
    assert described_like(second) == text
    assert described_like(other) is None
    reused = answers_like(text, second)
    expected = {**answers, "kind": "counts", "pixel": "0.5,0.5"}
    assert {key: getattr(reused, key) for key in expected} == expected
    preview = preview_of(second, {}, with_images=False)
    assert preview.like == text and preview.similar["array"] == "/e/imgs"
    data = read_projections(write_draft(draft_of(second, reused)))
    assert np.array_equal(data.values, counts(20))
    with pytest.raises(EngineError, match=r"but scan\.h5 contains other datasets"):
        answers_like(text, other)


def test_command_lists_suggests_and_imports_datasets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = scan(tmp_path / "a"), scan(tmp_path / "b")
    text = write_draft(draft_of(first, answers_of(dict(ANSWERS))))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["import", str(second)]) == USER_FAULT
    output = capsys.readouterr().out
    assert f"/e/imgs: {N_VIEWS} × {ROWS} × {COLUMNS}, uint16" in output
    assert f"add --like {text}" in output
    assert main(["import", str(second), "--like", str(text), "--clockwise"]) == DONE
    data = read_projections(second)
    assert len(data.flats) == 3
    assert np.diff(np.unwrap(data.geometry.angles_rad)).max() < 0


@pytest.mark.parametrize(
    ("answers", "match"),
    [
        ({"array": "/e/none"}, r"no array '/e/none'.*/e/imgs"),
        ({"array": "/e/motor"}, r"/e/motor has 40 values, but projections need two or three axes"),
        (
            {"flats": "/e/none"},
            r"there are no images for 'flats' at this path.*has no dataset with this name.*e/one",
        ),
        (
            {"flats": "/e/motor"},
            r"/e/motor \('flats'\) has 40 values, but the projections in /e/imgs have images of",
        ),
        (
            {"flats": "/e/small"},
            r"has 3 x 4 x 4 values, .* images of 12 x 64 pixels; choose another",
        ),
        ({"flats": "/e/imgs"}, r"/e/imgs is used for both the projections and 'flats'"),
        (
            {"angles": "/e/short"},
            r"/e/short: the dataset has 39 values, but the scan has 40 views; choose a list",
        ),
        (
            {"angles": "/e/one"},
            r"/e/one: the dataset has 3 x 12 x 64 values, but the scan has 40 views",
        ),
        (
            {"angles": "/e/clock"},
            r"/e/clock: the dataset has 40 values, expected one finite angle",
        ),
    ],
)
def test_invalid_selection_gives_one_sentence(
    tmp_path: Path, answers: dict[str, str], match: str
) -> None:
    path = scan(tmp_path, short=np.arange(N_VIEWS - 1.0), small=np.ones((3, 4, 4)))
    with pytest.raises(EngineError, match=match) as fault:
        draft_of(path, answers_of(ANSWERS | answers))
    assert "\n" not in str(fault.value)
    preview = preview_of(path, dict(ANSWERS | answers))
    assert preview.draft is None and preview.fault == str(fault.value) and preview.datasets


@pytest.mark.parametrize(
    ("written", "match"),
    [
        ("scan.h5#/e/gone", r"scan\.h5: contains no array '/e/gone' \(arrays: "),
        ("scan.h5#/e/imgs", r"/e/imgs has 40 x 12 x 64 values, expected a list of angles"),
        ("gone.h5#/e/motor", r"names the file 'gone\.h5', which was not found"),
    ],
)
def test_text_with_a_missing_dataset_gives_one_sentence(
    tmp_path: Path, written: str, match: str
) -> None:
    text = write_draft(draft_of(scan(tmp_path), answers_of(dict(ANSWERS))))
    text.write_text(text.read_text().replace("scan.h5#/e/motor", written))
    with pytest.raises(EngineError, match=match):
        read_projections(text)


def test_flats_none_ignores_an_array_named_flat(tmp_path: Path) -> None:
    path = scan(tmp_path, flat=np.full((2, ROWS, COLUMNS), OPEN))
    answers = Answers(array="/e/imgs", flats="none", beam="parallel", pixel="0.5")
    assert "flats" not in draft_of(path, answers).table
    assert "flats" in draft_of(path, answers.model_copy(update={"flats": None})).table
