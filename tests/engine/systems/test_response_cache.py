"""The folder of kept responses stays as large as it may be, and loses the oldest first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.data.histogram import with_settings
from engine.io import read_scanner
from engine.response.settings import AnalyticResponse
from engine.systems import response_cache
from tests.engine.geometry.panels import panels

SETTINGS = AnalyticResponse(n_points=256)


def test_the_oldest_go_where_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_cache, "MOST_BYTES", 250)
    for name, age_s in (("new", 10), ("old", 300), ("middle", 100), ("oldest", 900)):
        path = tmp_path / f"{name}.h5"
        path.write_bytes(bytes(100))
        os.utime(path, (1e9 - age_s, 1e9 - age_s))
    made = response_cache.build(tmp_path, panels(), SETTINGS, threads=1)
    kept = response_cache.path_of(tmp_path, panels(), SETTINGS)
    assert {path.name for path in tmp_path.iterdir()} == {"new.h5", "middle.h5", kept.name}
    found = response_cache.find(tmp_path, panels(), SETTINGS)
    assert found is not None and (found.values == made.values).all()


def test_a_response_is_found_by_what_fixes_it(tmp_path: Path) -> None:
    one = read_scanner("test-panels")
    kept = response_cache.path_of(tmp_path, one, SETTINGS)
    renamed = with_settings(one, name="The same by another name", source="hearsay")
    assert response_cache.path_of(tmp_path, renamed, SETTINGS) == kept
    others = [with_settings(one, **{k: v}) for k, v in (("n_planes", 9), ("crystal_mm", 2.0))]
    paths = {response_cache.path_of(tmp_path, other, SETTINGS) for other in (one, *others)}
    paths.add(response_cache.path_of(tmp_path, one, AnalyticResponse(n_points=512)))
    assert len(paths) == 4
