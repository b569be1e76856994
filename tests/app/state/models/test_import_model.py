"""Tests of the questions about a scan without metadata: at most five answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.state.models.import_model import ImportModel
from engine.core.errors import EngineError
from engine.io import read_projections
from engine.raw_import import Reading, preview_of, write_draft
from tests.engine.raw_import.scans import COLUMNS, ROWS, counts, raw_file, tiff_folders

MAX_ANSWERS = 5
REPLIES = {"beam": "100,400", "pixel": "0.05", "angles": "360", "columns": str(COLUMNS)}


def show_preview(model: ImportModel) -> None:
    """Refresh the preview as the window does, without images."""
    answers = dict(model.answers)
    model.begin()
    try:
        model.take(answers, preview_of(model.source, answers, with_images=False))
    except EngineError as e:
        model.take(answers, str(e))
    model.end()


def say(model: ImportModel, key: str, value: object) -> None:
    model.answer(key, value)
    show_preview(model)


@pytest.mark.parametrize("returns_views", [False, True])
def test_tiff_folder_with_separate_flats_needs_few_answers(
    tmp_path: Path, returns_views: bool
) -> None:
    model = ImportModel(tiff_folders(tmp_path / "scan", returns_views=returns_views))
    show_preview(model)
    n_answers = finish(model)
    assert n_answers <= MAX_ANSWERS
    assert [field.key for field in model.fields][-7:-5] == ["flats", "darks"]
    assert model.draft is not None
    sidecar = write_draft(model.draft)
    for each in (sidecar, tmp_path / "scan" / "views"):
        data = read_projections(each)
        assert np.array_equal(data.values, counts())
        assert data.flats is not None


def test_raw_file_with_one_known_side_needs_few_answers(tmp_path: Path) -> None:
    model = ImportModel(raw_file(tmp_path, ">u2", 512))
    model.answers = {"columns": str(COLUMNS)}
    show_preview(model)
    assert 1 + finish(model) <= MAX_ANSWERS
    assert model.guess("rows")[0] == str(ROWS)
    assert model.guess("byte_order")[0] == "big"
    assert model.draft is not None
    write_draft(model.draft)
    assert np.array_equal(read_projections(model.source).values, counts())


def finish(model: ImportModel) -> int:
    """Answer the open questions; return the number of answers."""
    n = 0
    while model.missing:
        assert not model.is_complete
        assert model.tone == "warning"
        say(model, model.missing[0], REPLIES[model.missing[0]])
        n += 1
    assert model.is_complete
    return n


def test_wrong_answer_is_reported_and_can_be_withdrawn(tmp_path: Path) -> None:
    model = ImportModel(raw_file(tmp_path))
    show_preview(model)
    before = model.preview
    say(model, "beam", "sideways")
    assert model.tone == "missing"
    assert "sideways" in model.words
    assert model.preview is before
    assert not model.is_complete
    say(model, "beam", "")
    assert model.answers == {}
    assert not model.fault


def test_size_can_be_entered_if_no_size_fits(tmp_path: Path) -> None:
    path = tmp_path / "scan.raw"
    path.write_bytes(np.random.default_rng(1).bytes(5000))
    model = ImportModel(path)
    show_preview(model)
    assert model.fault
    assert {"columns", "rows", "dtype"} <= {field.key for field in model.fields}


def test_preview_of_older_answers_is_not_shown(tmp_path: Path) -> None:
    model = ImportModel(raw_file(tmp_path))
    old = preview_of(model.source, {}, with_images=False)
    model.answer("pixel", "0.05")
    model.take({}, old)
    assert model.preview is None


def test_picked_reading_is_reported(tmp_path: Path) -> None:
    model = ImportModel(raw_file(tmp_path))
    expected = []
    model.answers_changed.connect(lambda: expected.append(dict(model.answers)))
    picture = np.zeros((4, 4), np.float32)
    model.pick(Reading(True, False, picture))
    model.pick(Reading(True, False, picture))
    assert expected == [{"clockwise": True, "mirrored": False}]
    show_preview(model)
    assert model.draft is not None
    assert model.draft.table["geometry"]["clockwise"] is True
