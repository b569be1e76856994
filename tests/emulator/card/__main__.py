"""Run the tests marked `gpu` with CuPy on the software card.

python -m tests.emulator.card [ARCHITECTURE ...]
"""

from __future__ import annotations

import argparse
import sys

from tests.emulator.card.machine import Machine
from tests.emulator.card.running import call, obstacle

ARCHITECTURES = (75, 90, 120)


def main() -> int:
    """Run the tests for each architecture; return the number of failed runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("architectures", nargs="*", type=int, default=ARCHITECTURES)
    if reason := obstacle():
        sys.stderr.write(f"There is no software card: {reason}.\n")
        return 1
    words = ("-m", "pytest", "-m", "gpu", "tests/engine")
    n_failed = 0
    for arch in parser.parse_args().architectures:
        done = call(Machine(arch=arch), *words)
        sys.stdout.write(f"compute_{arch}\n{done.stdout}{done.stderr}")
        n_failed += bool(done.returncode)
    return n_failed


if __name__ == "__main__":
    sys.exit(main())
