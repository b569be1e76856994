"""Tests of the singular and plural of nouns after numbers."""

from __future__ import annotations

import pytest

from engine.core.visible_text import amount


@pytest.mark.parametrize(
    ("n", "words"), [(0, "0 flats"), (1, "1 flat"), (2, "2 flats"), (1200, "1,200 flats")]
)
def test_only_one_is_singular(n, words):
    assert amount(n, "flat") == words
