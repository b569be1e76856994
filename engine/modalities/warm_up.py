"""Compile or load the kernels before a reconstruction needs them.

A step compiles one kernel, or loads it from the cache of Numba or CuPy. Steps call the operators of
a run with tiny data, so that the types of the arguments are the same. Each modality lists its
kernels.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engine.core.backend import Backend, cpu
from engine.modalities import MODALITIES
from engine.modalities.kernel_steps import Steps, of_filter, of_prior, warm_up
from engine.recon.postprocess import Gaussian, Median

BACKWARDS = "--backwards"
"""Option of the process that starts with the last kernel."""


def of_any_scan(on: Backend) -> Steps:
    """Return calls that compile all kernels of the CPU.

    Parameters
    ----------
    on
        device
    """
    return [
        *(step for modality in MODALITIES for step in modality.warm_up(on)),
        of_filter(Gaussian()),
        of_filter(Median()),
        *of_prior(on),
    ]


def main() -> None:
    """Compile the kernels of the CPU, with a line for each.

    A second process does the same from the last kernel to the first, so that two compile at once.
    Each loads what the other has cached.
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
    """Run a second process that compiles from the end, until this one has finished."""
    # With one core, a second process would only slow down the first.
    if cpu().threads < 2:
        yield
        return
    command = [sys.executable, "-m", __spec__.name, BACKWARDS]
    # Its output is not needed: a kernel that fails there is compiled and reported here.
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as other:
        try:
            yield
        finally:
            other.terminate()


if __name__ == "__main__":
    main()
