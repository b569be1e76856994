"""Compile or load the kernels before a reconstruction needs them.

A step compiles one kernel, or loads it from the cache of Numba or CuPy. Steps call the operators of
a run with tiny data, so that the types of the arguments are the same. Each modality lists its
kernels.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.backend import Backend, cpu
from engine.kernels.compile_cache import has_compiled
from engine.modalities import MODALITIES
from engine.modalities.kernel_steps import Steps, of_filter, of_prior, warm_up
from engine.recon.postprocess import Gaussian, Median

if TYPE_CHECKING:
    from engine.modalities.demo import Demo

BACKWARDS, FORWARDS = "--backwards", "--forwards"
"""Options of processes that compile quietly, from the last or the first kernel."""
FIRST_AND_LAST = "engine.kernels.rays.ray_tracing", "engine.kernels.rays.ring_sums"
"""Modules of the first and of the last kernels of a run with list mode."""


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
    Each loads the kernels that the other has cached. It can do this for the kernels of a demo only.
    """
    if {BACKWARDS, FORWARDS} & {*sys.argv[1:]}:
        end, *demos = sys.argv[1:]
        steps = _of_demo(demos[0]) if demos else of_any_scan(cpu())
        for step in steps if end == FORWARDS else reversed(steps):
            step()
        return
    with _other_from_the_end():
        for done, total in warm_up(of_any_scan(cpu())):
            sys.stdout.write(f"warming up kernels: {done} of {total}\n")
            sys.stdout.flush()


def _of_demo(key: str) -> Steps:
    modality = MODALITIES.of(key)
    return () if modality is None else modality.demo.kernels(cpu())


@contextmanager
def compiled_early(demo: Demo) -> Iterator[None]:
    """Compile the kernels of a demo in another process while its scan is simulated.

    The process continues after the block, while the run compiles from the first kernel. Both meet
    in the middle.

    Parameters
    ----------
    demo
        the demo
    """
    # A process that started earlier has compiled its first kernel, which is the last of the run.
    is_first = demo.kernels(cpu()) and not any(map(has_compiled, FIRST_AND_LAST))
    other = _from_the_end(demo.key) if is_first else None
    try:
        yield
    except BaseException:
        if other is not None:
            other.kill()
        raise


@contextmanager
def _other_from_the_end() -> Iterator[None]:
    """Run a second process that compiles from the end, until this one has finished."""
    other = _from_the_end()
    if other is None:
        yield
        return
    with other:
        try:
            yield
        finally:
            other.terminate()


def _from_the_end(*demo: str) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles from the end; None if it would slow down this one."""
    if cpu().threads < 2:
        return None
    # The process must find the same copy of the program, whatever its current folder is.
    paths = os.pathsep.join((str(Path(__file__).parents[2]), *filter(None, sys.path)))
    # Its output is not needed: a kernel that fails there is compiled and reported here.
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "engine.modalities.warm_up", BACKWARDS, *demo],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
        )
    except OSError:
        return None


if __name__ == "__main__":
    main()
