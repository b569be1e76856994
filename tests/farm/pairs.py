"""Run two processes on each shared resource: both succeed, or one is refused immediately.

`python -m tests.farm.pairs --pairs 100`: the caches of responses and sensitivities, an output
file, the folder of a job, and a job to resume.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np

from engine.core.errors import EngineError
from engine.core.paths import HOME_VARIABLE, locks_dir
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.io.auxiliary.provenance_file import sidecar_path
from engine.io.safety.locks import after_others, only_writer
from engine.jobs.checkpoint import Job
from engine.jobs.process.starting import new_process, process_context
from engine.modalities.dual_head_pet import response_cache
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.listmode_pet import sensitivity_cache
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.studies import Study
from tests.engine.geometry.panels import panels

GRID = ImageGrid((4, 5, 6), (2.0, 2.0, 2.0))
LONGEST_S = 120.0
DONE, REFUSED = "done", "refused: "


def response(folder: Path, n: int, held: ExitStack) -> str:
    """Build the same response in both processes, with different panels for each pair."""
    scanner = panels(n_rows=2, n_columns=2, n_planes=3, thickness_mm=6 + n % 97 / 100)
    cache, settings = folder / "response", AnalyticResponse(n_points=256)
    found = response_cache.find(cache, scanner, settings)
    found = found or response_cache.build(cache, scanner, settings, threads=1)
    return f"{DONE} {np.asarray(found.values, np.float64).sum():.9g}"


def sensitivity(folder: Path, n: int, held: ExitStack) -> str:
    """Save and load the same image in both processes."""
    image = np.full(GRID.shape, n, np.float32)
    sensitivity_cache.keep(folder / "sensitivity", f"key{n}", Sensitivity(image, 10, 10, 0.0))
    found = sensitivity_cache.load(folder / "sensitivity", f"key{n}", GRID)
    return DONE if found is not None and (found.image == n).all() else "lost"


def volume(folder: Path, n: int, held: ExitStack) -> str:
    """Export to the same file in both processes; image and provenance must match afterwards."""
    mine = os.getpid() % 1000
    image = Volume(np.full(GRID.shape, mine, np.float32), GRID, "1/mm", {"of": mine})
    path = folder / f"{n}.nii.gz"
    save(image, path)
    # during the other export the volume has no provenance file for a moment
    with after_others(sidecar_path(path)):
        found = read_volume(path)
    return DONE if found.info == {"of": int(found.values[0, 0, 0])} else f"mixed: {found.info}"


def output(folder: Path, n: int, held: ExitStack) -> str:
    """Reserve the same output of long work in both processes: one is refused before it starts."""
    held.enter_context(only_writer(folder / f"long{n}.h5"))
    return DONE


def new_job(folder: Path, n: int, held: ExitStack) -> str:
    """Create a job in the same folder in both processes: one is refused."""
    Job.create(_study(folder), folder / f"job{n}")
    return DONE


def old_job(folder: Path, n: int, held: ExitStack) -> str:
    """Claim the same interrupted job in both processes: one is refused while the other runs."""
    Job.open(folder / f"old{n}").claim()
    return DONE


THINGS: dict[str, tuple[Callable[[Path, int, ExitStack], str], bool]] = {
    "response": (response, False),
    "sensitivity": (sensitivity, False),
    "volume": (volume, False),
    "output": (output, True),
    "new job": (new_job, True),
    "job to resume": (old_job, True),
}
"""Actions of two processes, and True if one of them must be refused."""


def _study(folder: Path) -> Study:
    return Study(data=folder / "scan.l", protocol=ListModeProtocol())


def _work(start: Barrier, answers: Connection, folder: Path, todo: list[tuple[str, int]]) -> None:
    for thing, n in todo:
        start.wait(LONGEST_S)
        with ExitStack() as held:
            try:
                answers.send(THINGS[thing][0](folder, n, held))
            except EngineError as e:
                answers.send(f"{REFUSED}{e}")
            start.wait(LONGEST_S)  # hold the resource until the other process has tried


def faults_of(pairs: int, things: tuple[str, ...] = tuple(THINGS)) -> list[str]:
    """Return the faults of `pairs` pairs on each resource."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        earlier = set(locks_dir().iterdir())
        (folder / "scan.l").write_bytes(b"events")
        todo = [(thing, n) for thing in things for n in range(pairs)]
        _leave_jobs(folder, [n for thing, n in todo if thing == "job to resume"])
        answers = _in_two_processes(folder, todo)
        faults = [f for each, pair in zip(todo, answers, strict=True) for f in _faults(each, pair)]
        litter = [*_litter(folder), *(set(locks_dir().iterdir()) - earlier)]
        return faults + [f"litter: {path.name}" for path in litter]


def _leave_jobs(folder: Path, numbers: list[int]) -> None:
    """Create jobs of a process that no longer exists, as after a kill."""
    for n in numbers:
        job = Job.create(_study(folder), folder / f"old{n}")
        owner = job.record.owner.model_copy(update={"pid": 2**22 + n})
        job._write(job.record.model_copy(update={"owner": owner}))


def _in_two_processes(folder: Path, todo: list[tuple[str, int]]) -> list[tuple[str, str]]:
    context = process_context()
    start, pipes, children = context.Barrier(2), [], []
    for _ in range(2):
        ours, theirs = context.Pipe(duplex=False)
        children.append(new_process(_work, start, theirs, folder, todo, name="one of two"))
        children[-1].start()
        theirs.close()
        pipes.append(ours)
    try:
        return [(_answer(pipes[0]), _answer(pipes[1])) for _ in todo]
    finally:
        for child in children:
            child.join(LONGEST_S)
            child.kill()


def _answer(pipe: Connection) -> str:
    try:
        return str(pipe.recv()) if pipe.poll(LONGEST_S) else "hung"
    except EOFError:
        return "died"


def _faults(each: tuple[str, int], pair: tuple[str, str]) -> list[str]:
    """Check that both results are equal, or that one process is refused if only one may succeed."""
    one_only, n_refused = THINGS[each[0]][1], sum(p.startswith(REFUSED) for p in pair)
    n_done = sum(p.startswith(DONE) for p in pair)
    fine = (n_done, n_refused) == (1, 1) if one_only else n_done == 2 and pair[0] == pair[1]
    return [] if fine else [f"{each[0]} {each[1]}: {pair[0]} | {pair[1]}"]


def _litter(folder: Path) -> list[Path]:
    patterns = ("**/.*.part", "**/*.parts", "**/*.lock")
    return [path for pattern in patterns for path in folder.glob(pattern)]


def main() -> int:
    """Run from the command line; return 1 if a pair had a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100)
    started, arguments = time.monotonic(), parser.parse_args()
    n_faults = 0
    with tempfile.TemporaryDirectory() as home:
        os.environ[HOME_VARIABLE] = home
        for thing in THINGS:
            faults = faults_of(arguments.pairs, (thing,))
            n_faults += len(faults)
            sys.stdout.write(f"{thing:15} {arguments.pairs} pairs, {len(faults)} faults\n")
            sys.stdout.write("".join(f"  {fault}\n" for fault in faults))
            sys.stdout.flush()
    sys.stdout.write(f"{time.monotonic() - started:.0f} s\n")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
