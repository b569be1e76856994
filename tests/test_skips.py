"""The summary of skipped tests names each reason once, with its count."""

from __future__ import annotations

import pytest

from tests.skips import summary


def skipped(reason: str) -> pytest.TestReport:
    longrepr = ("tests/test_x.py", 1, f"Skipped: {reason}")
    return pytest.TestReport("x", ("", None, ""), {}, "skipped", longrepr, "setup")


def test_most_frequent_reason_comes_first() -> None:
    reports = [skipped("no\n  GPU"), skipped("no data"), skipped("no GPU")]
    assert summary(reports) == ["    2 skipped: no GPU", "    1 skipped: no data"]


def test_expected_failures_are_not_counted_as_skips() -> None:
    expected = pytest.TestReport("x", ("", None, ""), {}, "skipped", "reason", "call")
    assert summary([expected]) == []
