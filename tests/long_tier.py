"""Run the long tests and store their date and result.

    python -m tests.long_tier [pytest options]

The long tests are marked `slow`: kills at random, every state of the window, complete demos, the
photon judge, installations. CI leaves them out. The result goes to `tests/long_tier.json`.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.io.safety.atomic_write import write_atomically

RESULT = Path(__file__).with_suffix(".json")


@dataclass
class Outcomes:
    """Outcomes of tests, as a plug-in of pytest collects them.

    Attributes
    ----------
    passed, skipped : number of tests
    failed : names of tests that failed, or failed to set up or to clean up
    """

    passed: int = 0
    skipped: int = 0
    failed: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one phase of one test."""
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.skipped:
            self.skipped += 1
        elif report.when == "call":
            self.passed += 1


def main(options: list[str]) -> int:
    """Run the long tests, store the result, and return pytest's exit code."""
    outcomes, begun = Outcomes(), time.monotonic()
    code = pytest.main(["-m", "slow", "--timeout", "3600", *options], plugins=[outcomes])
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "options": options,
        "seconds": round(time.monotonic() - begun),
        "passed": outcomes.passed,
        "skipped": outcomes.skipped,
        "failed": sorted(set(outcomes.failed)),
    }
    write_atomically(f"{json.dumps(result, indent=2)}\n".encode(), RESULT)
    sys.stdout.write(
        f"{RESULT.name}: {outcomes.passed} passed, {len(set(outcomes.failed))} failed\n"
    )
    return int(code)


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
