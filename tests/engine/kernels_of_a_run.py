"""Run studies in separate processes, and list when which kernels of Numba were compiled.

    python -m tests.engine.kernels_of_a_run [--warm] study.toml ...

Prints a list of [study, stage, kernel, types], with one entry for each version of a kernel that the
process had neither compiled nor loaded before. Each study runs in a new process without kernels.
`--warm` : all studies run in one process. It warms up first, as the set-up does, and previews each
scan.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path

from numba.core.dispatcher import Dispatcher

from engine.core.backend import cpu
from engine.data.runs.events import StageStarted
from engine.io import read_projections
from engine.jobs.reconstruction import run
from engine.modalities.kernel_steps import warm_up
from engine.modalities.studies import read_study
from engine.modalities.warm_up import of_any_scan
from engine.modalities.xray_ct.preview import SlicePreview
from engine.modalities.xray_ct.protocol import CtProtocol

ON = cpu(2)
Version = tuple[str, str]


def versions() -> set[Version]:
    """Return all versions of all kernels that this process has."""
    kernels = {
        value
        for name, module in list(sys.modules.items())
        if name.startswith("engine.kernels.")
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }
    return {
        (f"{kernel.py_func.__module__}.{kernel.py_func.__name__}", str(types))
        for kernel in kernels
        for types in kernel.signatures
    }


def compiled(path: Path) -> list[tuple[str, str, str]]:
    """Run a study; return stage, kernel and types of each compiled version."""
    found, known, stage = [], versions(), ""
    for event in run(read_study(path), on=ON):
        if isinstance(event, StageStarted):
            found += [(stage, *each) for each in sorted(versions() - known)]
            known, stage = versions(), event.stage
    return [*found, *((stage, *each) for each in sorted(versions() - known))]


def preview(path: Path) -> Iterator[tuple[str, str, str]]:
    """Preview the middle of a CT scan; yield each compiled version."""
    known, study = versions(), read_study(path)
    if isinstance(study.protocol, CtProtocol):
        SlicePreview(read_projections(study.data), on=ON).central_slice(study.protocol)
    yield from (("look", *each) for each in sorted(versions() - known))


def compiled_in_new_process(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Run a study in a new process; yield the name of the study, then stage, kernel and types."""
    context = get_context("fork" if "fork" in get_all_start_methods() else "spawn")
    with ProcessPoolExecutor(1, context) as pool:
        yield from ((path.stem, *each) for each in pool.submit(compiled, path).result())


def main(arguments: list[str]) -> None:
    paths = [Path(each) for each in arguments if each != "--warm"]
    if "--warm" in arguments:
        for _ in warm_up(of_any_scan(ON)):
            pass
        previewed = [(path.stem, *each) for path in paths for each in preview(path)]
        found = [*previewed, *((path.stem, *each) for path in paths for each in compiled(path))]
    else:
        found = [each for path in paths for each in compiled_in_new_process(path)]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
