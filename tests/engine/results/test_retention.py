"""Tests of the retention limits of results."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.core import paths
from engine.results import Results
from engine.results.result import EXPORTED, PINNED, Result
from engine.results.result_record import ResultRecord
from engine.results.retention import GIB, SETTINGS, Retention

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def result(days: float, n_bytes: int = 1, *, pinned: bool = False, exported: bool = True) -> Result:
    record = ResultRecord(
        id=f"{days:g}",
        title="study-1, Standard",
        protocol="Standard",
        modality="listmode",
        outcome="finished",
        iteration=4,
        iterations=4,
        created_utc=NOW - timedelta(days=days),
        seconds=1,
        device="CPU",
        job="",
        inputs={},
        voxels="",
        unit="",
        digests={},
    )
    return Result(Path(record.id), record, pinned, exported, n_bytes)


def removed(limits: Retention, *results: Result) -> dict[str, str]:
    return {result.id: why for result, why in limits.outdated(results, NOW)}


def test_oldest_results_beyond_the_maximum_number_are_removed():
    three = [result(days) for days in (1, 2, 3)]
    assert removed(Retention(most=3), *three) == {}
    assert removed(Retention(most=1), *three) == {"2": "more than 1", "3": "more than 1"}


def test_oldest_results_beyond_the_maximum_size_are_removed():
    three = [result(days, GIB) for days in (1, 2, 3)]
    assert removed(Retention(most_gib=3), *three) == {}
    assert removed(Retention(most_gib=2.5), *three) == {"3": "more than 2.5 GiB"}


def test_results_older_than_the_limit_are_removed():
    assert removed(Retention(most_days=30), result(29.9), result(30.1)) == {
        "30.1": "older than 30 days"
    }


def test_pinned_and_recent_unexported_results_stay():
    limits = Retention(most=1, most_gib=1e-9, most_days=7)
    stay = [result(6.9, GIB, exported=False), result(400, GIB, pinned=True)]
    assert removed(limits, *stay) == {}
    assert set(removed(limits, result(7.1, exported=False), result(6.9, GIB))) == {"7.1", "6.9"}


def test_user_sets_limits_and_folder(monkeypatch, tmp_path):
    paths.config_dir().mkdir(parents=True)
    file = paths.config_dir() / SETTINGS
    assert Results().folder == paths.results_dir()
    file.write_text(f'folder = "{tmp_path}/large"\nmost_days = 30\n')
    results = Results()
    assert results.folder == tmp_path / "large" and results.note == ""
    assert "30 days" in results.retention.describe()
    file.write_text("most_days = 3\n")
    results = Results()
    assert results.retention == Retention()
    assert "most_days" in results.note and "The default limits apply" in results.note


def test_removed_results_are_listed_by_name(new):
    results = Results(Retention(most=1))
    old, newer, newest = (results.keep(new(i)) for i in range(3))
    old.mark(EXPORTED)
    newer.mark(EXPORTED)
    newer.mark(PINNED)
    (line,) = results.remove_outdated()
    assert line.startswith("study-") and ", Standard of " in line and line.endswith("(more than 1)")
    assert [each.id for each in results.newest_first()] == [newest.id, newer.id]


@pytest.mark.parametrize("limit", ["most", "most_gib", "most_days"])
def test_description_states_every_limit(limit):
    assert Retention().describe() != Retention(**{limit: 77}).describe()
