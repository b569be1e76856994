"""A summary of the skipped tests, by reason."""

from __future__ import annotations

from collections import Counter

import pytest


def reasons(reports: list[pytest.TestReport]) -> Counter[str]:
    """Count skipped tests by their reason, without the prefix of pytest."""
    return Counter(
        " ".join(report.longrepr[2].removeprefix("Skipped: ").split())
        for report in reports
        if isinstance(report.longrepr, tuple)
    )


def summary(reports: list[pytest.TestReport]) -> list[str]:
    """Return a line for each reason, the most frequent first."""
    return [f"{n:5,} skipped: {reason}" for reason, n in reasons(reports).most_common()]
