"""Run the twin tests with each planted mistake in turn, and list those that no test finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.planted.faults import MISTAKES

ROOT = Path(__file__).parents[2]
FOUND = 1
"""Exit code of pytest where tests failed."""


def is_found(name: str) -> bool:
    """Whether a test of the suite fails with this mistake in place."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "tests.planted.plugin", MISTAKES[name].tests]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PLANTED": name}, capture_output=True, check=False
    )
    return done.returncode == FOUND


def main() -> int:
    """Return how many mistakes no test finds; names alone are tried where some are given."""
    missed = 0
    for name in sys.argv[1:] or MISTAKES:
        found = is_found(name)
        missed += not found
        sys.stdout.write(f"{'found ' if found else 'MISSED'}  {name}\n")
        sys.stdout.flush()
    return missed


if __name__ == "__main__":
    sys.exit(main())
