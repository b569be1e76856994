"""Run a script of a user on an emulated GPU: `isocenter.best()` returns it.

python -m tests.emulator examples/17_own_weights.py             the CUDA text runs on the CPU
python -m tests.emulator --ptx 90 examples/17_own_weights.py    what NVRTC compiles for a card
python -m tests.emulator --reverse examples/17_own_weights.py   threads from last to first
"""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path

import engine
from engine.core.backend import cuda
from tests.emulator import EmulatedGpu


def main(arguments: list[str] | None = None) -> None:
    """Run the script named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.emulator", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("script", type=Path)
    parser.add_argument("--ptx", type=int, metavar="ARCH", help="run PTX for this architecture")
    parser.add_argument("--reverse", action="store_true", help="run threads from last to first")
    given = parser.parse_args(arguments)
    on = cuda(EmulatedGpu(ptx=given.ptx, reverse=given.reverse))
    engine.best = lambda: on  # type: ignore[assignment,misc]
    runpy.run_path(str(given.script), run_name="__main__")


if __name__ == "__main__":
    main()
