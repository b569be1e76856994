"""Run the long tests and store their date and result.

    python -m tests.long_tier [--part K/N] [pytest options]

The long tests are marked `slow`: kills at random, every state of the window, complete demos, the
photon judge, installations. CI leaves them out. With --part, only every Nth file runs.
The results go to `tests/long_tier.json`, one entry for each part.
"""

from __future__ import annotations

import argparse
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
PART = "ISOCENTER_LONG_PART"
"""Environment variable with the part that runs, such as "2/8"."""


@dataclass(eq=False)  # pytest puts its plug-ins into sets
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


def main(arguments: list[str]) -> int:
    """Run the long tests or a part of them; store the result; return pytest's exit code.

    An interrupted run stores no result, because tests are missing.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=_part, default="1/1", metavar="K/N", help="every Nth file")
    chosen, options = parser.parse_known_args(arguments)
    outcomes, begun = Outcomes(), time.monotonic()
    # The environment and -p reach the workers of pytest-xdist, a plug-in object does not.
    os.environ[PART] = chosen.part
    options = ["-m", "slow", "--timeout", "3600", "-p", "tests.long_tier", *options]
    code = pytest.main(options, plugins=[outcomes])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(code)
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "seconds": round(time.monotonic() - begun),
        "passed": outcomes.passed,
        "skipped": outcomes.skipped,
        "failed": sorted(set(outcomes.failed)),
    }
    results = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    results[chosen.part] = result
    write_atomically(f"{json.dumps(results, indent=2)}\n".encode(), RESULT)
    sys.stdout.write(
        f"{RESULT.name}: {outcomes.passed} passed, {len(set(outcomes.failed))} failed\n"
    )
    return int(code)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the files of other parts. Tests of one file stay in one part, as they share fixtures."""
    number, n = (int(word) for word in os.environ.get(PART, "1/1").split("/"))
    files = {path: k for k, path in enumerate(dict.fromkeys(item.path for item in items))}
    others = [item for item in items if files[item.path] % n != number - 1]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if files[item.path] % n == number - 1]


def _part(text: str) -> str:
    number, n = (int(word) for word in text.split("/"))
    if not 1 <= number <= n:
        raise argparse.ArgumentTypeError(f"{text}: expected 1/{n} to {n}/{n}")
    return text


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
