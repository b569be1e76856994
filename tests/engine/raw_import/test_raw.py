"""Tests of raw files: type, byte order, header and shape found from the values."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.raw_import.answers import Answers
from engine.raw_import.draft import draft_of
from engine.raw_import.raw_shape import period
from tests.engine.raw_import.scans import COLUMNS, N_VIEWS, ROWS, raw_file

TYPES = ("<u2", ">u2", "u1", "<u4", ">u4", "<i2", ">i2", "<f4", ">f4", "<f8", ">f8")


@pytest.mark.parametrize(("dtype", "header"), [*zip(TYPES, cycle((0, 512, 1024)), strict=False)])
def test_raw_file_of_any_type_is_recognised(tmp_path: Path, dtype: str, header: int) -> None:
    path = raw_file(tmp_path, dtype, header)
    draft = draft_of(path, Answers(columns=COLUMNS))
    kind = np.dtype(dtype)
    assert draft.table["dtype"] == kind.newbyteorder("=").name
    if kind.itemsize > 1:
        assert draft.table["byte_order"] == ("big" if dtype[0] == ">" else "little")
    assert draft.table.get("offset_bytes") == header
    assert draft.shape == (N_VIEWS, ROWS, COLUMNS)
    assert len(draft.questions) <= 4


@pytest.mark.parametrize(
    "known", [{}, {"rows": ROWS}, {"views": N_VIEWS}, {"columns": COLUMNS, "rows": ROWS}]
)
def test_one_known_side_determines_the_others(tmp_path: Path, known: dict[str, int]) -> None:
    assert draft_of(raw_file(tmp_path), Answers(**known)).shape == (N_VIEWS, ROWS, COLUMNS)


def test_answers_of_the_user_take_precedence(tmp_path: Path) -> None:
    path = raw_file(tmp_path)
    answers = Answers(columns=2 * COLUMNS, rows=ROWS // 2, dtype="int16", kind="counts")
    draft = draft_of(path, answers)
    assert draft.shape == (N_VIEWS, ROWS // 2, 2 * COLUMNS)
    assert draft.table["dtype"] == "int16"


def test_noise_has_no_period() -> None:
    noise = np.random.default_rng(1).normal(size=20_000)
    assert period(noise, 8, 5000) == []
    assert period(np.ones(1000), 8, 500) == []


def test_first_period_of_repeated_values_is_found() -> None:
    places = np.arange(20_000)
    for n in (37, 256, 1001):
        wave = (places % n > n // 3).astype(float)
        assert period(wave, 8, 5000)[0][0] == n


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"12345", "too small for projections .5 bytes"),
        (bytes(100_000), r"does not fit the images \(--type \w+\)"),
        (np.full(50_000, np.nan, "<f4").tobytes(), r"does not fit the images \(--type \w+\)"),
    ],
)
def test_unusable_raw_file_gives_one_sentence(tmp_path: Path, content: bytes, match: str) -> None:
    (tmp_path / "scan.raw").write_bytes(content)
    with pytest.raises(EngineError, match=match):
        draft_of(tmp_path / "scan.raw")
