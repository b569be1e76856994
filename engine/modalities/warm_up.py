"""Compile or load the kernels before a reconstruction needs them.

A step compiles one kernel, or loads it from where it was kept: Numba's cache, or CuPy's. Steps call
the operators that a run calls, over next to nothing, so that the arguments are of the same types.
Which kernels there are, each kind of scan says.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engine.core.backend import Backend, cpu
from engine.modalities import MODALITIES
from engine.modalities.kernel_steps import Steps, of_filter, warm_up
from engine.recon.postprocess import Gaussian, Median

BACKWARDS = "--backwards"
"""Option of the process that starts with the last kernel."""


def of_any_scan(on: Backend) -> Steps:
    """Return what compiles all kernels of the CPU."""
    return [
        *(step for modality in MODALITIES for step in modality.warm_up(on)),
        of_filter(Gaussian()),
        of_filter(Median()),
    ]


def main() -> None:
    """Warm the CPU up, with a line for each kernel.

    Another process does the same from the last kernel to the first, so that two compile at once;
    what one has kept, the other loads.
    """
    if BACKWARDS in sys.argv[1:]:
        for step in reversed(of_any_scan(cpu())):
            step()
        return
    with _other_from_the_end():
        for done, total in warm_up(of_any_scan(cpu())):
            sys.stdout.write(f"warming up kernels: {done} of {total}\n")
            sys.stdout.flush()


@contextmanager
def _other_from_the_end() -> Iterator[None]:
    """Have another process compile from the end, until this one is through."""
    if cpu().threads < 2:
        yield
        return
    command = [sys.executable, "-m", __spec__.name, BACKWARDS]
    # what it says is of no use: a kernel that it fails at is compiled here, and told
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as other:
        try:
            yield
        finally:
            other.terminate()


if __name__ == "__main__":
    main()
