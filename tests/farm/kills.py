"""Kill a process at a random moment, start it again, and compare with an undisturbed run.

`python -m tests.farm.kills --kills 50`: list mode, iterative CT, FDK, dual head and the calculation
of a response on the command line, with scans of a few seconds. A resumed run gives the same bits. A
run that cannot be resumed starts again with a message. An older output stays intact, and no
temporary file remains. `--way stop` suspends the process for a while; `--way full` fills the disk.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.core.paths import HOME_VARIABLE
from engine.io import read_volume
from engine.io.hdf5.response import COLUMNS, read_response
from engine.io.safety.seal import digest

ROOT = Path(__file__).resolve().parents[2]
START = "import sys; from engine.cli.main import main; sys.exit(main(sys.argv[1:]))"
OLD = b"an older image, which nobody may lose"
PARTS_ARE_DEAD_S = 2.1
"""Temporary files younger than this are not removed."""
ASLEEP_S = 1.5
MAX_TRIES = 3
"""Maximum tries per disturbance: a run may end before it."""
ENDED_FIRST = "ended first"
Outcome = tuple[str, str]
"""Outcome, and a description of a fault or ""."""
LITTER = ("**/.*.part", "**/*.lock", "**/core*")


@dataclass(frozen=True)
class Flow:
    """One kind of work: how its input is made, its command, and the output to compare."""

    key: str
    make: tuple[str, ...]
    command: tuple[str, ...]
    output: str
    resumes: bool = True
    """True if `resume` continues the work; otherwise the command is repeated."""


OSEM = ("--set", "algorithm.iterations=40", "--set", "reproducible=true")
SMALL = ("--set", "grid.voxel_mm=[8, 8, 8]", "--set", "sensitivity.method=sampled")
FEW = ("--views", "60", "--detector", "48", "24", "--pixel", "8")
FLOWS = (
    Flow(
        "pet",
        ("simulate", "listmode", "-o", "pet.h5", "--prompts", "60000"),
        ("reconstruct", "pet.h5", *SMALL, *OSEM),
        "pet.nii.gz",
    ),
    Flow(
        "ct",
        ("simulate", "projections", "-o", "ct.h5", *FEW),
        ("reconstruct", "ct.h5", "--set", "algorithm.kind=sirt", "--set",
         "algorithm.iterations=60", "--set", "grid.voxel_mm=[6, 6, 6]"),
        "ct.nii.gz",
    ),
    Flow(
        "fdk",
        ("simulate", "projections", "-o", "fdk.h5", *FEW),
        ("reconstruct", "fdk.h5", "--set", "grid.voxel_mm=[2, 2, 2]"),
        "fdk.nii.gz",
    ),
    Flow(
        "dual head",
        ("simulate", "histogram", "-o", "dual.h5", "--scanner", "test-panels", "--prompts",
         "100000"),
        ("reconstruct", "dual.h5", "--set", "algorithm.iterations=100"),
        "dual.nii.gz",
    ),
    Flow(
        "response",
        (),
        ("response", "build", "--scanner", "test-panels", "--points", "8192"),
        "response.h5",
        resumes=False,
    ),
)  # fmt: skip


@dataclass
class Tally:
    """Outcomes and faults of one flow."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def run(folder: Path, words: tuple[str, ...], max_bytes: int = 0) -> subprocess.Popen[str]:
    """Start the command line in a folder, with a limit on the size of files."""
    environment = os.environ | {
        HOME_VARIABLE: str(folder / "home"),
        "PYTHONPATH": str(ROOT),
        "NUMBA_NUM_THREADS": "2",
    }
    return subprocess.Popen(
        [sys.executable, "-c", START, *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=(lambda: limit_files(max_bytes)) if max_bytes else None,
    )


def limit_files(max_bytes: int) -> None:
    """Limit the size of files that this process writes, to simulate a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, max_bytes))


def done(folder: Path, words: tuple[str, ...]) -> str:
    """Run to the end; return exit code and output."""
    process = run(folder, words)
    printed, _ = process.communicate(timeout=600)
    return f"{process.returncode} {printed}"


def run_undisturbed(folder: Path, words: tuple[str, ...]) -> str:
    """Run to the end; raise RuntimeError if it fails."""
    printed = done(folder, words)
    if not printed.startswith("0 "):
        raise RuntimeError(f"{' '.join(words)}: {printed}")
    return printed


def result_of(path: Path) -> str:
    """Return a digest of the result: an image, or the columns of a response."""
    if path.name.startswith("response"):
        matrix = read_response(path)
        return " ".join(digest(getattr(matrix, name)) for name in COLUMNS)
    return digest(read_volume(path).values)


def killed(folder: Path, flow: Flow, words: tuple[str, ...], after_s: float) -> bool:
    """Run and kill after some time; return False if the run had already ended."""
    process = run(folder, words)
    try:
        process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    return False


def slept(folder: Path, flow: Flow, words: tuple[str, ...], after_s: float, wanted: str) -> Outcome:
    """Suspend the process for some time, like a laptop; its result must be the same."""
    process = run(folder, words)
    time.sleep(after_s)
    for sign in (signal.SIGSTOP, signal.SIGCONT):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        time.sleep(ASLEEP_S if sign == signal.SIGSTOP else 0)
    printed, _ = process.communicate(timeout=600)
    if process.returncode:
        return "failed", printed
    same = result_of(folder / flow.output) == wanted
    return "slept", "" if same else "another result than undisturbed"


def out_of_space(
    folder: Path, flow: Flow, words: tuple[str, ...], after_s: float, wanted: str
) -> Outcome:
    """Limit the file size: the run must end with one sentence and not change the older image."""
    process = run(folder, words, max_bytes=int(1000 * 10 ** (2 * after_s % 3)))
    printed, _ = process.communicate(timeout=600)
    output = folder / flow.output
    if process.returncode not in (0, 2) or "Traceback" in printed:
        return "failed", printed
    if process.returncode == 0:
        return "had space", "" if result_of(output) == wanted else "another result than undisturbed"
    litter = _litter(folder)
    if output.read_bytes() != OLD:
        return "lost", "the older image is gone"
    return "refused", f"left lying about: {litter}" if litter else ""


def farm(
    flow: Flow, n: int, seed: int, folder: Path, report: Callable[[str], object], way: str = "kill"
) -> Tally:
    """Disturb one flow `n` times, at random moments."""
    rng, tally = random.Random(seed), Tally()
    output, words = folder / flow.output, (*flow.command, "-o", flow.output, "--force")
    if flow.make:
        run_undisturbed(folder, flow.make)
    run_undisturbed(folder, words)  # the first one compiles and fills the caches
    started = time.monotonic()
    printed = run_undisturbed(folder, words)
    whole_s, expected = time.monotonic() - started, result_of(output)
    report(f"{flow.key}: {whole_s:.1f} s undisturbed: {printed.splitlines()[-1]}")
    for i in range(MAX_TRIES * n):
        output.write_bytes(OLD)
        after_s, started = rng.uniform(0.2, 1.0) * whole_s, time.monotonic()
        outcome, fault = WAYS[way](folder, flow, words, after_s, expected)
        tally.counts[outcome] += 1
        if outcome == ENDED_FIRST:  # the machine was busier before
            whole_s = min(whole_s, time.monotonic() - started)
        if fault:
            tally.faults.append(f"{flow.key} {i}, after {after_s:.2f} s: {fault}")
            report(tally.faults[-1])
        if tally.counts.total() - tally.counts[ENDED_FIRST] == n:
            break
    return tally


def killed_once(
    folder: Path, flow: Flow, words: tuple[str, ...], after_s: float, wanted: str
) -> Outcome:
    """Kill once and resume; return the outcome and a fault."""
    output = folder / flow.output
    if not killed(folder, flow, words, after_s):
        return ENDED_FIRST, "" if result_of(output) == wanted else "another result than undisturbed"
    image = output.read_bytes()
    if image != OLD and result_of(output) != wanted:
        return "lost", "the older image is gone, and no whole one is there"
    time.sleep(PARTS_ARE_DEAD_S)
    outcome, printed = "resumed", ""
    if flow.resumes:
        printed = done(folder, ("resume", "-o", flow.output, "--force"))
    if not printed.startswith("0 "):
        no_job = not flow.resumes or "no interrupted job" in printed
        if not no_job:
            return "refused", printed
        outcome, printed = "begun again" if flow.resumes else "continued", done(folder, words)
    if not printed.startswith("0 "):
        return "failed", printed
    if result_of(output) != wanted:
        return outcome, "another result than undisturbed"
    litter = [*_litter(folder), *(p.name for p in folder.glob("**/*.parts"))]
    return outcome, f"left lying about: {litter}" if litter else ""


def _litter(folder: Path) -> list[str]:
    return [p.name for pattern in LITTER for p in folder.glob(pattern) if p.is_file()]


WAYS = {"kill": killed_once, "stop": slept, "full": out_of_space}


def main() -> int:
    """Run from the command line; return 1 if anything was lost, mixed up or left over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--way", choices=tuple(WAYS), default="kill")
    parser.add_argument("--flows", nargs="*", default=[flow.key for flow in FLOWS])
    arguments = parser.parse_args()
    n_faults = 0

    def report(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    for flow in (each for each in FLOWS if each.key in arguments.flows):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            tally = farm(flow, arguments.kills, arguments.seed, place, report, arguments.way)
        n_faults += len(tally.faults)
        counts = ", ".join(f"{n} {outcome}" for outcome, n in sorted(tally.counts.items()))
        report(f"{flow.key}: {counts}; {len(tally.faults)} faults")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
