"""Kill engines and runners of the queue at random moments; no study is lost or done twice.

`python -m tests.farm.queue_kills --studies 100 --kills 1000`: tiny list-mode studies on the command
line, with two runners at the same time. One kill in `RUNNER_EVERY` ends a runner, and a new one
starts. Failed studies are retried, as a user would. At the end each study has one complete result
of its own run, with the same bits as an undisturbed run.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from engine.core.paths import HOME_VARIABLE, jobs_dir
from engine.io import write_listmode
from engine.jobs.queue import StudyQueue
from engine.jobs.reconstruction import reconstruct
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.run_context.provenance import hash_array
from engine.results import Results
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.farm.scanners import small_ring
from tests.processes import working_for

START = "import sys; from engine.cli.main import main; sys.exit(main(sys.argv[1:]))"
ROOT = Path(__file__).resolve().parents[2]
RUNNER_EVERY = 40
N_RUNNERS = 2
LONGEST_S = 0.3
"""Longest time between two kills; an engine takes about twice as long for a study."""
PATIENCE_S = 600.0


@dataclass
class Report:
    """Numbers of kills and retries, and faults."""

    engines: int = 0
    runners: int = 0
    given_up: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        """Return the kills of engines and runners."""
        return self.engines + self.runners


def tiny_study(folder: Path) -> Study:
    """Return a study that takes half a second."""
    scan = folder / "scan.h5"
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    write_listmode(
        simulate_listmode(phantom, small_ring(), n_prompts=2000, seed=7, attenuation=False), scan
    )
    algorithm = {"kind": "osem", "iterations": 4, "subsets": 2}
    values = {"algorithm": algorithm, "reproducible": True}
    return Study(data=scan, protocol=ListModeProtocol.model_validate(values))


def disturb(folder: Path, n_studies: int, n_kills: int, seed: int = 1) -> Report:
    """Fill the queue, run it while processes are killed, and check the results."""
    rng, report, begin = random.Random(seed), Report(), time.monotonic()
    study, queue = tiny_study(folder), StudyQueue()
    peace = hash_array(reconstruct(study).values)
    for k in range(n_studies):  # studies of one scan with different names
        named = study.protocol.model_copy(update={"name": f"Study {k}"})
        queue.add(study.model_copy(update={"protocol": named}))
    runners: list[subprocess.Popen[bytes]] = []
    try:
        _disturb(queue, runners, rng, report, n_kills)
    finally:
        for runner in runners:
            runner.kill()
            runner.wait()
    report.seconds = time.monotonic() - begin
    report.faults += faults_of(queue, peace)
    return report


def _disturb(
    queue: StudyQueue,
    runners: list[subprocess.Popen[bytes]],
    rng: random.Random,
    report: Report,
    n_kills: int,
) -> None:
    calm_since = time.monotonic()
    while any(entry.state != "finished" for entry in queue.entries()):
        n_ended = sum(entry.state == "finished" for entry in queue.entries())
        due = n_kills * (n_ended + 1) / len(queue.entries())  # equal for all studies
        runners[:] = [runner for runner in runners if runner.poll() is None]
        while len(runners) < N_RUNNERS:
            runners.append(_runner())
        for entry in queue.entries():
            if entry.state == "failed":
                report.given_up += 1
                queue.retry(entry.id)
        time.sleep(LONGEST_S * rng.random())
        if report.kills < due and _kill_one(runners, rng, report):
            calm_since = time.monotonic()
        elif time.monotonic() - calm_since > PATIENCE_S:
            report.faults.append("the queue no longer gets on")
            return


def _runner() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", START, "queue", "run", "--at-once", "2"]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _kill_one(runners: list[subprocess.Popen[bytes]], rng: random.Random, report: Report) -> bool:
    """Kill an engine, or sometimes a runner; return False if no engine runs."""
    victim = rng.choice(runners)
    engines: list[psutil.Process] = []
    with suppress(psutil.Error):
        engines = working_for(victim.pid)
    if not engines:
        return False
    if (report.kills + 1) % RUNNER_EVERY == 0:
        victim.kill()
        report.runners += 1
        return True
    with suppress(psutil.Error):
        rng.choice(engines).kill()
        report.engines += 1
        return True
    return False


def faults_of(queue: StudyQueue, sha256: str) -> list[str]:
    """Return the faults in the studies of a finished queue."""
    entries, results = queue.entries(), Results().newest_first()
    whole = [result for result in results if not result.record.is_partial]
    faults = [f"{e.title}: {e.state} {e.text}" for e in entries if e.state != "finished"]
    for entry in entries:
        mine = [each for each in whole if each.record.job.startswith(f"{entry.run} of ")]
        if len(mine) != 1 or mine[0].id != entry.result:
            faults.append(f"{entry.title}: {len(mine)} results")
        elif hash_array(mine[0].volume().values) != sha256:
            faults.append(f"{entry.title}: other bits than an undisturbed run")
    if len(whole) != len(entries):
        faults.append(f"{len(whole)} results of {len(entries)} studies")
    if left := [path.name for path in jobs_dir().iterdir()]:
        faults.append(f"left over: {left}")
    return faults


def main() -> int:
    """Disturb a queue in a temporary folder; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.farm.queue_kills")
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[HOME_VARIABLE] = str(Path(folder, "home"))
        report = disturb(Path(folder), options.studies, options.kills, options.seed)
    sys.stdout.write(
        f"{options.studies} studies, {report.engines} engines and {report.runners} runners killed, "
        f"{report.given_up} times given up and retried, {report.seconds:.0f} s: "
        f"{'; '.join(report.faults) or 'none lost, none twice, all with the same bits'}\n"
    )
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main())
