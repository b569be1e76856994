"""Kill, quit and start windows at random moments: no finished image is ever lost.

python -m tests.farm.results [--rounds 50] [--seed 1]

In each round a window runs a study. At random moments its engine is killed, or it gets the order to
start again, finish early or abort. Then it is killed or quits, sometimes at the moment when it
reports a finished image. Every image reported as finished must be among the results, with the same
bits.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import numpy as np
import psutil

from engine.core import paths
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode
from engine.jobs import hash_array
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, write_study
from engine.results import Results
from engine.simulate import simulate_listmode, uniform_cylinder

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120.0
LONGEST_WAIT_S = 1.5
"""Longest time between two acts on a window; a run takes about as long."""
ASK_AGAIN_S = 3.0
ACTS = ("kill engine", "start", "finish", "abort")
ENDS = ("kill window", "kill window when finished", "quit", "quit when finished")


def make_study(folder: Path) -> Path:
    """Write a small scan and its study; return the file of the study."""
    ring = RingScanner(
        RingSettings(
            name="Farm ring",
            n_rings=4,
            n_crystals_per_ring=48,
            radius_mm=80,
            ring_pitch_mm=6,
            max_ring_difference=3,
            n_tangential=24,
            voxel_mm=(6, 6, 6),
            fov_mm=(96, 24),
        )
    )
    scan = simulate_listmode(uniform_cylinder(diameter_mm=60), ring, n_prompts=5000, seed=7)
    write_listmode(scan, folder / "scan.h5")
    algorithm = {"kind": "osem", "iterations": 20, "subsets": 4}
    protocol = ListModeProtocol.model_validate({"name": "Farm", "algorithm": algorithm})
    write_study(Study(data=folder / "scan.h5", protocol=protocol), folder / "study.toml")
    return folder / "study.toml"


class Window:
    """A window in a separate process, and its messages."""

    def __init__(self, study: Path) -> None:
        command = [sys.executable, "-m", "tests.farm.results_window", str(study)]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )
        self.engine = 0
        self.finished: list[tuple[str, str]] = []
        self._said: Queue[str] = Queue()
        Thread(target=self._listen, daemon=True).start()

    def order(self, text: str) -> None:
        """Send an order to the window."""
        with suppress(OSError):
            self.process.stdin.write(f"{text}\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def hear(self, wanted: str = "", seconds: float = 0.0) -> bool:
        """Read messages for some time, or until the wanted one has arrived."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 or not self._said.empty():
            with suppress(Empty):
                word, *rest = self._said.get(timeout=min(max(left, 0.001), 0.1)).split()
                if word == "engine":
                    self.engine = int(rest[0])
                elif word == "finished":
                    self.finished.append((rest[0], rest[1]))
                if word == wanted:
                    return True
            if self.process.poll() is not None and self._said.empty():
                break
        return False

    def end(self) -> None:
        """Wait until the window and its engine have ended, and read the last messages."""
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.hear(seconds=0.2)
        end = time.monotonic() + PATIENCE_S
        while is_alive(self.engine) and time.monotonic() < end:
            time.sleep(0.05)

    def _listen(self) -> None:
        for line in self.process.stdout:  # type: ignore[union-attr]
            self._said.put(line)


def is_alive(pid: int) -> bool:
    """Return True if a process runs; a zombie has ended, even if no parent waits for it."""
    try:
        return pid > 0 and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def play(window: Window, rng: np.random.Generator) -> str:
    """Carry out random acts on a window until its end; return their names, the end last."""
    acts = []
    window.hear("engine", PATIENCE_S)
    for _ in range(int(rng.integers(0, 3))):
        window.hear(seconds=rng.uniform(0, LONGEST_WAIT_S))
        act = str(rng.choice(ACTS))
        acts.append(act)
        if act != "kill engine":
            window.order(act)
            continue
        if is_alive(window.engine):
            os.kill(window.engine, signal.SIGKILL)
        if window.hear("stopped", LONGEST_WAIT_S):
            window.order("resume")
    end = str(rng.choice(ENDS))
    if end.endswith("finished"):
        acts.append("" if until_finished(window) else "waits in vain")
    else:
        window.hear(seconds=rng.uniform(0, LONGEST_WAIT_S))
    if end.startswith("kill"):
        window.process.kill()
    else:
        window.order("quit")
    window.end()
    return ", ".join(filter(None, (*acts, end)))


def until_finished(window: Window) -> bool:
    """Wait for a finished run; repeat the order, because a window ignores it during a run."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        window.order("start")
        if window.hear("finished", ASK_AGAIN_S):
            return True
    return False


def lost(finished: list[tuple[str, str]]) -> list[str]:
    """Return the jobs with a finished image that is not among the results."""
    stored: dict[str, str] = {}
    for result in Results().newest_first():
        stored[result.record.job.split()[0]] = hash_array(result.volume().values)
    return [job for job, digest in finished if stored.get(job) != digest]


def litter() -> list[str]:
    """Return the names of temporary files among the results."""
    return [path.name for path in Results().folder.glob(".*")]


def farm(rounds: int, seed: int, say=sys.stdout.write) -> tuple[int, int]:
    """Play rounds in a temporary home; return the numbers of finished and lost images."""
    rng, n_finished, n_lost = np.random.default_rng(seed), 0, 0
    before, ends = os.environ.get(paths.HOME_VARIABLE), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[paths.HOME_VARIABLE] = str(Path(folder) / "home")
        try:
            study, finished = make_study(Path(folder)), []
            for i in range(rounds):
                window = Window(study)
                end = play(window, rng)
                ends[end.rpartition(", ")[2]] += 1
                finished += window.finished
                missing = lost(finished)
                n_finished, n_lost = len(finished), len(missing)
                words = f"round {i + 1}: {end}, {len(window.finished)} finished"
                say(f"{words}, {n_lost} lost of {n_finished}, litter {len(litter())}\n")
        finally:
            if before is not None:
                os.environ[paths.HOME_VARIABLE] = before
            else:
                del os.environ[paths.HOME_VARIABLE]
    say(f"{rounds} rounds ({dict(ends)}): {n_finished} images finished, {n_lost} lost\n")
    return n_finished, n_lost


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.exit(1 if farm(arguments.rounds, arguments.seed)[1] else 0)
