"""Send an eight-hour stream in fast motion and watch the memory of the program.

`python -m tests.farm.live.long_stream --frames 288000`: `isocenter live reconstruct --scan` follows
a detector that starts a scan again and again, and records every scan. Ten frames per second for
eight hours are 288,000 frames. At the end, all of them are in recordings, and the memory of the
program and its processes has not grown. `test_recordings.py` sends a short stream.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from engine.core.paths import HOME_VARIABLE
from engine.geometry.orbits import circular_cone
from engine.io import read_projections
from engine.live.core.message import message_of, message_of_end, message_of_geometry
from engine.live.ct.playing import Played
from engine.live.recording.records import RecordingFile
from tests.farm.live.recordings import Parts, started

N_FRAMES, N_VIEWS, SHAPE = 288_000, 3600, (16, 24)
REFERENCES = 2
WARM = 0.15
"""Share of the frames after which memory should be constant."""
MAX_GROWTH_MIB = 16.0
WAIT_S = 600.0


@dataclass
class Memory:
    """Memory of the program and its processes over time.

    Attributes
    ----------
    mib : sum of the unshared memory at each reading [MiB]
    n_processes, n_files, n_threads : numbers at each reading
    """

    mib: list[float] = field(default_factory=list)
    n_processes: list[int] = field(default_factory=list)
    n_files: list[int] = field(default_factory=list)
    n_threads: list[int] = field(default_factory=list)

    def read(self, process: psutil.Process) -> None:
        """Add a reading."""
        n_bytes, n = 0, 0
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                # Shared pages would count once for each process
                n_bytes += each.memory_full_info().uss
                n += 1
        self.mib.append(n_bytes / 2**20)
        self.n_processes.append(n)
        self.n_files.append(process.num_fds())
        self.n_threads.append(process.num_threads())

    def growth_mib(self) -> float:
        """Return the growth of the smallest memory, from the warm part of the first half on."""
        # A process of an ended recording may still be there, so single readings are too large
        first = int(WARM * len(self.mib))
        middle = (first + len(self.mib)) // 2
        return min(self.mib[middle:]) - min(self.mib[first:middle])


def scans(n_frames: int) -> Iterator[Parts]:
    """Yield the messages of scans one after the other."""
    angles = np.arange(N_VIEWS) * 2 * np.pi / N_VIEWS
    yield message_of_geometry(
        circular_cone(angles, source_axis_mm=500, source_detector_mm=800, shape=SHAPE, pixel_mm=4)
    )
    for kind, value in ((0, 10), (1, 60_000)):
        yield message_of(Played(kind, 0, None, np.full(SHAPE, value, np.uint16)))
    for k in range(n_frames):
        values = np.full(SHAPE, 500 + k % 50_000, np.uint16)
        yield message_of(Played(2, k % N_VIEWS, None, values))
    yield message_of_end(n_frames)


def follow(n_frames: int, folder: Path, say: Callable[[str], object]) -> tuple[Memory, list[str]]:
    """Send the stream; return the memory over time, and faults."""
    import zmq

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    scan, memory, begun = folder / "scan.h5", Memory(), time.monotonic()
    words = ("live", "reconstruct", f"tcp://*:{port}", "-o", str(folder / "image.nii.gz"))
    program = started((*words, "--scan", str(scan), "--threads", "1"), folder / "log.txt")
    with zmq.Context() as context, context.socket(zmq.PUSH) as out:
        out.setsockopt(zmq.IMMEDIATE, 1)
        out.connect(f"tcp://127.0.0.1:{port}")
        for k, message in enumerate(scans(n_frames)):
            while not out.poll(1000, zmq.POLLOUT):
                if program.poll() is not None:
                    return memory, [f"the program has ended: {_end_of(folder / 'log.txt')}"]
            out.send_multipart(message)
            if k % (n_frames // 100) == 0:
                memory.read(psutil.Process(program.pid))
            if k % (n_frames // 10) == 0:
                say(
                    f"{k:9,} frames, {time.monotonic() - begun:5.0f} s: {memory.mib[-1]:6.1f} MiB "
                    f"in {memory.n_processes[-1]} processes, {memory.n_files[-1]} files, "
                    f"{memory.n_threads[-1]} threads"
                )
    program.wait(WAIT_S)
    return memory, _faults(n_frames, folder, scan)


def _faults(n_frames: int, folder: Path, scan: Path) -> list[str]:
    n_scans = -(-n_frames // N_VIEWS)
    counts = [RecordingFile(path).count - REFERENCES for path in folder.glob("*.isorec")]
    # The last scan is saved, and its recording deleted
    last = len(read_projections(scan).values) if scan.exists() else 0
    found = sum(counts) + last
    if found != n_frames or len(counts) != n_scans - 1:
        return [
            f"{found:,} of {n_frames:,} frames are stored, in {len(counts) + (last > 0)} of "
            f"{n_scans} scans: {_end_of(folder / 'log.txt')}"
        ]
    return []


def _end_of(log: Path) -> str:
    return log.read_text("utf-8", "replace")[-500:] if log.exists() else ""


def main() -> int:
    """Send the stream; return 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=N_FRAMES, metavar="N")
    a = parser.parse_args()

    def say(text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory(prefix="stream") as name:
        os.environ[HOME_VARIABLE] = str(Path(name) / "home")
        memory, faults = follow(a.frames, Path(name), say)
    growth = memory.growth_mib()
    say(f"growth of the memory: {growth:.1f} MiB, at most {MAX_GROWTH_MIB:g} MiB")
    if growth > MAX_GROWTH_MIB:
        faults.append("the memory has grown")
    for fault in faults:
        say(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
