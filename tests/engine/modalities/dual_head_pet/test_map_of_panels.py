"""Tests of MAP between two panels: activity regions, and only one prior."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.errors import SettingsError
from engine.modalities.dual_head_pet.support import Support
from tests.engine.modalities.map_scans import events_of, last, previews, study


def test_voxels_outside_the_activity_region_are_exactly_0(tmp_path: Path) -> None:
    size_mm = (6.0, 6.0, 8.0)
    box = ("support.kind='box'", f"support.size_mm={list(size_mm)}")
    events = events_of(study(tmp_path, "panels", *box))
    grid = last(events).volume.grid
    inside = Support(kind="box", size_mm=size_mm).mask(grid, None)
    for shown in (*previews(events), last(events)):
        assert not shown.volume.values[~inside].any()
        assert shown.volume.values[inside].any()
    assert last(events).run.ending == "converged"


def test_second_prior_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"prior\.strength is 0\.05, but MAP .*; set prior"
    ) as e:
        study(tmp_path, "panels", "prior.strength=0.05")
    assert str(e.value).replace("0.05", "").replace("prior.", "").count(".") == 1
