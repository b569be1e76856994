"""Tolerances in tests of geometry and physics state the reason for their size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tolerance_reasons import count, files, unexplained

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("tests/engine/geometry", "tests/physics")


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_tolerance_has_a_reason(folder: str) -> None:
    texts = {path: path.read_text("utf-8") for path in files(ROOT / folder)}
    assert sum(count(text) for text in texts.values()) > 20, "the tests were not found"
    bare = [f"{path}:{line}" for path, text in texts.items() for line in unexplained(text)]
    assert not bare, "write a comment that gives the reason, or use a name of tests/tolerances.py"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("assert x == approx(1, rel=0.1)", [1]),
        ("assert x == approx(1, rel=0.1)  # two standard errors", []),
        ("# two standard errors\nassert x == approx(1, rel=0.1)", []),
        ("assert x == approx(1, rel=0.1)  # noqa: E501", [1]),
        ("assert x == approx(1, rel=FLOAT32)", []),
        ("assert x == approx(1, rel=0.1 * FLOAT32)", [1]),
        ("assert x == approx(1, rel=0)", []),
        ("for x in y:  # why\n    pass\n    assert_allclose(x, 1, atol=2)", [3]),
    ],
)
def test_reason_is_a_comment_or_a_name(text: str, lines: list[int]) -> None:
    assert unexplained(text) == lines
