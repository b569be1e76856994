"""Run the twin tests with each planted fault in turn, and list the undetected ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.planted.faults import MISTAKES

ROOT = Path(__file__).parents[2]
FOUND = 1
"""Exit code of pytest after failed tests."""


def is_found(name: str) -> bool:
    """Return True if a test of the suite fails with this fault."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "tests.planted.plugin", MISTAKES[name].tests]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PLANTED": name}, capture_output=True, check=False
    )
    return done.returncode == FOUND


def main() -> int:
    """Return the number of undetected faults; names on the command line select some."""
    missed = 0
    for name in sys.argv[1:] or MISTAKES:
        found = is_found(name)
        missed += not found
        sys.stdout.write(f"{'found ' if found else 'MISSED'}  {name}\n")
        sys.stdout.flush()
    return missed


if __name__ == "__main__":
    sys.exit(main())
