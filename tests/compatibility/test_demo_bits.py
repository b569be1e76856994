"""Tests that the demo of each modality still gives the bits of earlier versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.modalities.demo import Demo
from tests.compatibility.demo_bits import SMALL, hashes, instruction_set, recorded


def test_every_modality_has_a_recorded_hash() -> None:
    found = recorded()
    if found is None:
        pytest.skip(f"no hashes were recorded for {instruction_set()}")
    assert set(found) == {demo.key for demo in SMALL}


@pytest.mark.slow
@pytest.mark.parametrize("demo", SMALL, ids=lambda demo: demo.key)
def test_image_has_the_recorded_bits(demo: Demo, tmp_path: Path) -> None:
    before = recorded()
    if before is None:
        pytest.skip(f"no hashes were recorded for {instruction_set()}")
    assert hashes(demo, tmp_path)["image"] == before[demo.key]["image"]
