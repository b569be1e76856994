"""Run a script or a command on an emulated GPU.

python -m tests.emulator examples/17_own_weights.py             run the CUDA source on the CPU
python -m tests.emulator --ptx 90 examples/17_own_weights.py    run the PTX that NVRTC compiles
python -m tests.emulator --reverse examples/17_own_weights.py   run threads from last to first
python -m tests.emulator isocenter bench cone --quick --parts breakup

`isocenter.best()` returns the emulated GPU, and commands use it in place of a GPU. Times are those
of the CPU.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from typing import Any

import engine
from engine.cli import device
from engine.cli.main import main as isocenter
from engine.core.backend import Backend, cuda
from tests.emulator import EmulatedGpu


def main(arguments: list[str] | None = None) -> int:
    """Run the script or the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.emulator", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--ptx", type=int, metavar="ARCH", help="run PTX for this architecture")
    parser.add_argument("--reverse", action="store_true", help="run threads from last to first")
    parser.add_argument("script", help="a script, or isocenter for a command")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="arguments of the command")
    given = parser.parse_args(arguments)
    on = cuda(EmulatedGpu(ptx=given.ptx, reverse=given.reverse))

    def emulated(*_: Any, **__: Any) -> Backend:
        return on

    if given.script == "isocenter":
        device.named = emulated
        return isocenter(given.words)
    engine.best = emulated
    runpy.run_path(given.script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
