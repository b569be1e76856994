"""Measure the forecasts of time and memory against runs of `isocenter reconstruct`.

    python -m tests.engine.modalities.measure_forecasts [--only WORD] [--set KEY=VALUE] [--stages]

Each case is one run in a new process, with an empty cache of results and with compiled kernels. The
table lists seconds and memory: forecast, measured, and their ratio.

Seconds do not include the time that the run waited for a processor, so other programs on the
machine hardly affect them. They are the processor time of the main thread, plus that of all other
threads divided by the number of threads. Memory is the largest resident set.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.core.backend.devices import cpu_device
from engine.jobs.loader.foreign_files import ForeignFiles
from engine.jobs.loader.loader import Loader
from engine.jobs.queue.admission import opened
from engine.modalities.demos import DEMOS
from engine.modalities.recognise import gathered, modality_of_scan
from engine.modalities.requirements import Requirements
from engine.modalities.studies import (
    Study,
    find_protocol,
    modality_of,
    protocol_of_kind,
    write_study,
)
from engine.protocols.study.assignments import with_settings

log = logging.getLogger(__name__)
SHARED = Path(__file__).parents[4] / "shared" / "data"
BOUND = 1.5
"""Largest accepted ratio between forecast and measurement, in both directions."""
MIB = 2**20
SIZES = {"pet": {"n_prompts": 500_000}, "pet-sinogram": {"n_prompts": 500_000}}
"""Sizes of demos that take less than a minute each."""


@dataclass(frozen=True)
class Case:
    """A scan and a protocol."""

    name: str
    data: str
    protocol: str = ""
    settings: tuple[str, ...] = ()
    inputs: dict[str, str] = field(default_factory=dict)
    scanner: str | None = None

    def study(self) -> Study | None:
        """Return the study; None if the file is absent."""
        path = SHARED / self.data
        if not path.exists():
            return None
        modality, files = gathered(path)
        if modality is None or files is None:
            modality, data, inputs = modality_of_scan(path), path, {}
        else:
            data, inputs = files.data, dict(files.inputs)
        protocol = find_protocol(self.protocol) if self.protocol else protocol_of_kind(modality)
        return Study(
            data=data,
            scanner=self.scanner,
            inputs=inputs | {key: SHARED / file for key, file in self.inputs.items()},
            protocol=with_settings(protocol, self.settings),
        )


MMR = "pet-listmode-mmr-brain/PET_ACQ_small.l.hdr.STIR"
SAFIR = "pet-listmode-safir-point/point_5.clm.safir"
CASES = (
    Case("mMR, whole body", MMR, "whole-body"),
    Case("mMR, brain", MMR, "brain-fdg"),
    Case("mMR, reproducible", MMR, "research-reproducible"),
    Case("SAFIR, small animal", SAFIR, "small-animal"),
    Case("SAFIR, standard", SAFIR),
    Case("PETSIRD", "pet-petsird-format-sample/petsird_generator_sample.petsird.gz"),
    Case("ADAC dual-head", "pet-listmode-adac-dualhead-2sources/sample_2p_static.csv"),
    Case("STIR sinogram", "pet-sinogram-stir-smalllong/smalllong.hs"),
    Case("tooth", "ct-parallel-tooth/tooth.h5", "ct-micro"),
    Case("tooth, standard", "ct-parallel-tooth/tooth.h5"),
    Case("HTC fan", "ct-fan-htc2022/htc2022_ta_full.mat"),
    Case("HTC fan, TV", "ct-fan-htc2022/htc2022_ta_full.mat", "ct-few-views"),
    Case("Zeiss TXRM", "formats/zeiss-txrm/txrm_test_chip_tomo.txrm"),
    Case("NXtomo", "formats/nxtomo-links/k11-18014.nxs"),
    Case("SAFIR, brain box", SAFIR, "brain-fdg"),
)


@dataclass(frozen=True)
class Run:
    """Measurements of one run.

    Attributes
    ----------
    seconds : without waiting for a processor
    elapsed_s : wall-clock time
    memory_bytes : largest resident set
    stages : seconds of each stage
    all_threads_s : processor time of all threads
    """

    seconds: float
    elapsed_s: float
    memory_bytes: int
    stages: dict[str, float]
    all_threads_s: float


def demo_studies(folder: Path, pattern: str) -> Iterator[tuple[str, Study]]:
    """Simulate the demos."""
    for key, demo in DEMOS.items():
        if not re.search(pattern, f"demo {key}"):
            continue
        sized = type(demo)(**SIZES.get(key, {}))
        yield f"demo {key}", sized.make(folder / key)


def forecast(study: Study, threads: int) -> Requirements:
    """Return the forecast that the window and the queue use."""
    loader = Loader()
    try:
        known = opened(study, ForeignFiles(loader))
    finally:
        loader.close()
    modality = modality_of(study.protocol)
    grid = modality.grid(study.protocol, known)
    found = grid and modality.requirements(study.protocol, known, grid, cpu_device(threads), 1.0)
    assert found is not None
    return found


class Clock:
    """Processor time of the main thread and of the other threads of a process."""

    def __init__(self, pid: int, threads: int) -> None:
        self._pid, self._threads = pid, threads
        self._ticks = os.sysconf("SC_CLK_TCK")

    def seconds(self) -> tuple[float, float]:
        """Return the time without waiting and the time of all threads, since the start."""
        whole = self._of(f"/proc/{self._pid}/stat")
        main = self._of(f"/proc/{self._pid}/task/{self._pid}/stat")
        return main + (whole - main) / self._threads, whole

    def peak_bytes(self) -> int:
        """Return the largest resident set. `wait4` would report at least that of the parent."""
        status = Path(f"/proc/{self._pid}/status").read_text()
        found = [int(x.split()[1]) for x in status.splitlines() if "VmHWM" in x]
        return 1024 * max(found, default=0)  # 0 if the process has ended

    def _of(self, path: str) -> float:
        values = Path(path).read_text().rpartition(")")[2].split()
        return (int(values[11]) + int(values[12])) / self._ticks


def measured(study: Path, folder: Path, threads: int) -> Run:
    """Run a study in a separate process."""
    shutil.rmtree(folder / "home" / "cache" / "sensitivity", ignore_errors=True)
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "app", "reconstruct", str(study), "--threads", str(threads)]
    command += ["-o", str(folder / "out.h5"), "--json", f"/dev/fd/{writing}", "--force"]
    began = os.times().elapsed
    faults = folder / "faults.txt"
    with faults.open("w") as errors:
        run = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=errors, pass_fds=[writing]
        )
    os.close(writing)
    with os.fdopen(reading) as events:
        found = watched(events, Clock(run.pid, threads))
    _, status, usage = os.wait4(run.pid, 0)
    if status:
        raise SystemExit(f"{study}: exit {status}: {faults.read_text()}")
    # After the last event, the run writes the volume in its main thread.
    save_s = usage.ru_utime + usage.ru_stime - found.all_threads_s
    return replace(
        found,
        seconds=found.seconds + save_s,
        elapsed_s=os.times().elapsed - began,
        stages=found.stages | {"save": save_s},
    )


def watched(events: Iterable[str], clock: Clock) -> Run:
    """Read the clock at each event of a run."""
    stages: dict[str, float] = {}
    peak, last, now, whole = 0, 0.0, 0.0, 0.0
    for line in events:
        event, (now, whole) = json.loads(line), clock.seconds()
        peak = max(peak, clock.peak_bytes())
        if event["event"] == "StageStarted":
            stages.setdefault("start", now)
            last = now
        elif event["event"] == "Measured":
            stages[event["stage"]] = now - last
            last = now
    return Run(now, 0.0, peak, stages, whole)


def ratio(a: float, b: float) -> str:
    """Return forecast over measurement, in bold if it exceeds the bound."""
    text = f"{a / b:.2f}"
    return text if 1 / BOUND <= a / b <= BOUND else f"**{text}**"


def row(name: str, needs: Requirements, done: Run) -> str:
    """Return a row of the table."""
    seconds = f"{needs.seconds:.1f} | {done.seconds:.1f} | {ratio(needs.seconds, done.seconds)}"
    memory = f"{needs.memory_bytes / MIB:.0f} | {done.memory_bytes / MIB:.0f}"
    return f"| {name} | {seconds} | {memory} | {ratio(needs.memory_bytes, done.memory_bytes)} |"


def stage_lines(needs: Requirements, done: Run) -> Iterator[str]:
    """Yield the forecast and the measured seconds of each stage."""
    for key in {**done.stages, **needs.stages}:
        yield f"    {key:12} {needs.stages.get(key, 0):8.2f} {done.stages.get(key, 0):8.2f}"
    yield f"    elapsed {done.elapsed_s:.1f}"


def studies(folder: Path, pattern: str) -> Iterator[tuple[str, Study | None]]:
    """Yield the cases, then the demos."""
    for case in CASES:
        if re.search(pattern, case.name):
            yield case.name, case.study()
    yield from demo_studies(folder, pattern)


def main() -> None:
    """Print one row for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="cases with names that match this pattern")
    parser.add_argument("--set", action="append", default=[], help="settings of every protocol")
    parser.add_argument("--stages", action="store_true", help="also list the stages")
    parser.add_argument(
        "--folder", type=Path, help="folder for demos, kernels and caches, which is not removed"
    )
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        os.environ["ISOCENTER_HOME"] = str(folder / "home")
        log.info("| case | forecast s | measured s | ratio | forecast MiB | measured MiB | ratio |")
        log.info("|---|---|---|---|---|---|---|")
        for name, study in studies(folder, options.only):
            if study is None:
                log.info("| %s | absent |", name)
                continue
            protocol = with_settings(study.protocol, tuple(options.set))
            study = study.model_copy(update={"protocol": protocol})
            write_study(study, folder / "study.toml")
            reported = forecast(study, options.threads)
            done = measured(folder / "study.toml", folder, options.threads)
            log.info(row(name, reported, done))
            for line in stage_lines(reported, done) if options.stages else ():
                log.info(line)


if __name__ == "__main__":
    main()
