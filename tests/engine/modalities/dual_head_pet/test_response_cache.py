"""The cache of responses stays within its size limit and removes the oldest first."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.data.histogram import with_settings
from engine.data.response import ResponseMatrix
from engine.io import read_scanner
from engine.modalities.dual_head_pet import response_cache
from engine.modalities.dual_head_pet.response.parts import ResponseParts
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from tests.engine.geometry.panels import panels

SETTINGS = AnalyticResponse(n_points=256)


def test_oldest_responses_are_dropped_if_space_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_cache, "MAX_BYTES", 250)
    for name, age_s in (("new", 10), ("old", 300), ("middle", 100), ("oldest", 900)):
        path = tmp_path / f"{name}.h5"
        path.write_bytes(bytes(100))
        os.utime(path, (1e9 - age_s, 1e9 - age_s))
    build = response_cache.build(tmp_path, panels(), SETTINGS, threads=1)
    cached = response_cache.path_of(tmp_path, panels(), SETTINGS)
    assert {path.name for path in tmp_path.iterdir()} == {"new.h5", "middle.h5", cached.name}
    found = response_cache.find(tmp_path, panels(), SETTINGS)
    assert found is not None and (found.values == build.values).all()


def test_undeletable_entry_stays_and_does_not_block_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_cache, "MAX_BYTES", 0)
    stuck = tmp_path / "folder.h5"
    stuck.mkdir()
    (stuck / "other").write_bytes(bytes(100))
    response_cache.build(tmp_path, panels(), SETTINGS, threads=1)
    assert stuck.is_dir()
    assert response_cache.find(tmp_path, panels(), SETTINGS) is not None


def parts_of(path: Path, *, n_bytes: int, age_s: float) -> Path:
    """Return a folder with parts of an unfinished matrix, last changed `age_s` seconds ago."""
    folder = path.with_name(f"{path.name}.parts")
    folder.mkdir()
    (folder / "00000.npz").write_bytes(bytes(n_bytes))
    os.utime(folder, (time.time() - age_s,) * 2)
    return folder


def test_abandoned_parts_are_removed_and_those_of_a_running_build_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_cache, "MAX_BYTES", 250)
    day = 24 * 3600.0
    at_work = parts_of(tmp_path / "a.h5", n_bytes=200, age_s=60)
    abandoned = parts_of(tmp_path / "b.h5", n_bytes=200, age_s=2 * day)
    also_at_work = parts_of(tmp_path / "c.h5", n_bytes=200, age_s=0.5 * day)
    ours = response_cache.path_of(tmp_path, panels(), SETTINGS)
    parts_of(ours, n_bytes=300, age_s=9 * day)
    stopped: list[set[str]] = []

    def stop(done: int, total: int) -> None:
        stopped.append({path.name for path in tmp_path.iterdir()})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        response_cache.build(tmp_path, panels(), SETTINGS, threads=1, on_progress=stop)
    assert not abandoned.exists()
    assert {at_work.name, also_at_work.name, f"{ours.name}.parts"} == stopped[0]
    monkeypatch.setattr(response_cache, "MAX_BYTES", 2**20)
    small = parts_of(tmp_path / "e.h5", n_bytes=10, age_s=9 * day)
    response_cache.build(tmp_path, panels(), SETTINGS, threads=1)
    assert small.exists() and not ours.with_name(f"{ours.name}.parts").exists()


def test_response_is_found_by_its_defining_settings(tmp_path: Path) -> None:
    one = read_scanner("test-panels")
    cached = response_cache.path_of(tmp_path, one, SETTINGS)
    renamed = with_settings(one, name="The same by another name", source="hearsay")
    assert response_cache.path_of(tmp_path, renamed, SETTINGS) == cached
    others = [with_settings(one, **{k: v}) for k, v in (("n_planes", 9), ("crystal_mm", 2.0))]
    paths = {response_cache.path_of(tmp_path, other, SETTINGS) for other in (one, *others)}
    paths.add(response_cache.path_of(tmp_path, one, AnalyticResponse(n_points=512)))
    assert len(paths) == 4


def test_parallel_requests_for_one_response_compute_it_once(tmp_path: Path) -> None:
    """The second request waits for the first and computes nothing."""
    reports: list[list[tuple[int, int]]] = [[], []]

    def get(i: int) -> ResponseMatrix:
        def on_progress(done: int, total: int) -> None:
            reports[i].append((done, total))

        return response_cache.build(
            tmp_path, panels(), SETTINGS, threads=1, on_progress=on_progress
        )

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(get, range(2))
    np.testing.assert_array_equal(first.values, second.values)
    cached = response_cache.path_of(tmp_path, panels(), SETTINGS)
    assert [path.name for path in tmp_path.iterdir()] == [cached.name]
    n_built = sum(any(done == total for done, total in each) for each in reports)
    assert n_built == 1
    assert not response_cache.is_being_built(tmp_path, panels(), SETTINGS)


def test_damaged_parts_of_a_cached_matrix_are_recomputed(tmp_path: Path) -> None:
    cached = response_cache.path_of(tmp_path, panels(), SETTINGS)
    folder = parts_of(cached, n_bytes=100, age_s=0)
    (folder / "plan.json").write_text('{"of": "another"}')
    response_cache.build(tmp_path, panels(), SETTINGS, threads=1)
    assert [path.name for path in tmp_path.iterdir()] == [cached.name]


def test_part_of_another_plan_or_number_is_not_used(tmp_path: Path) -> None:
    arrays = {"values": np.arange(5.0)}
    parts = ResponseParts(tmp_path / "a.h5", {"points": 1})
    parts.save(0, arrays)
    found = parts.load(0)
    assert found is not None and list(found) == ["values"]
    (parts.folder / "00001.npz").write_bytes((parts.folder / "00000.npz").read_bytes())
    assert parts.load(1) is None
    (parts.folder / "plan.json").write_text("{")
    assert ResponseParts(tmp_path / "a.h5", {"points": 2}).load(0) is None
