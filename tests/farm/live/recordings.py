"""Kill live scans at any moment, cut their recordings anywhere, and fill their disk.

`python -m tests.farm.live.recordings --kills 100 --cuts 500 --seed 1`: `isocenter live reconstruct
--scan` of X-ray frames and of list mode, ended by SIGKILL, SIGTERM or SIGHUP. All data except those
of the last second are on the disk, with their values, and the next start offers every recording.
The recordings are then cut at random bytes. As root, one is written to a small tmpfs that fills up.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event, Thread

import numpy as np

from engine.core.paths import HOME_VARIABLE
from engine.geometry.orbits import circular_cone
from engine.geometry.xray import XrayGeometry
from engine.io import read_listmode, read_projections
from engine.live.core.message import message_of, message_of_geometry
from engine.live.ct.playing import Played
from engine.live.ct.recorded import recorded_projections
from engine.live.pet.event_message import message_of_events, message_of_head
from engine.live.pet.recorded import recorded_events
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.recording_list import described
from engine.live.recording.records import CHECK, HEAD, MAGIC, Record, RecordingFile, RecordKind
from tests.engine.live.pet.running_events import scan
from tests.farm.kills import ROOT, START

SIGNALS = ("SIGKILL", "SIGTERM", "SIGHUP")
LAST_S = 1.0
"""Data of the last second may be lost."""
FRAME_S, N_VIEWS, SHAPE = 0.03, 400, (48, 64)
EVENTS = 20
"""Events in a message."""
MAX_DELAY_S = 2.5
WAIT_S = 150.0
AT_ONCE = 2
TMPFS_BYTES = 4 * 2**20
Parts = Sequence[bytes | memoryview]


@dataclass(frozen=True)
class Sent:
    """One message of data, and the time at which the sender handed it over."""

    first: int
    at_s: float


@dataclass
class Tally:
    """Counts of the kills, and faults."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@cache
def geometry() -> XrayGeometry:
    """Return more views than a sender sends."""
    angles = np.arange(N_VIEWS) * 2 * np.pi / N_VIEWS
    return circular_cone(
        angles, source_axis_mm=500, source_detector_mm=1000, shape=SHAPE, pixel_mm=4
    )


def frame(k: int) -> np.ndarray:
    """Return a projection with its number in every value."""
    return np.full(SHAPE, 500 + k, np.uint16)


def frames() -> Iterator[tuple[int, Parts]]:
    """Yield (number, message) of the geometry, the references and the projections."""
    yield -1, message_of_geometry(geometry())
    for kind, value in ((0, 10), (1, 60_000)):
        yield -1, message_of(Played(kind, 0, None, np.full(SHAPE, value, np.uint16)))
    for k in range(N_VIEWS):
        yield k, message_of(Played(2, k, None, frame(k)))


def events() -> Iterator[tuple[int, Parts]]:
    """Yield (number of the first event, message) of the scanner and the events."""
    whole = scan()
    yield -1, message_of_head(whole)
    for first in range(0, whole.n_events, EVENTS):
        some = whole.select(slice(first, first + EVENTS))
        yield first, message_of_events(some, first)


class Sender:
    """Sends messages at a steady rate until it is stopped."""

    def __init__(self, port: int, messages: Iterator[tuple[int, Parts]]) -> None:
        self.sent: list[Sent] = []
        self._stop = Event()
        self._thread = Thread(target=self._run, args=(port, messages), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self, port: int, messages: Iterator[tuple[int, Parts]]) -> None:
        import zmq

        with zmq.Context() as context, context.socket(zmq.PUSH) as out:
            # send nothing before the receiver is connected
            out.setsockopt(zmq.IMMEDIATE, 1)
            out.setsockopt(zmq.LINGER, 0)
            out.connect(f"tcp://127.0.0.1:{port}")
            for first, message in messages:
                while not out.poll(20, zmq.POLLOUT):
                    if self._stop.is_set():
                        return
                out.send_multipart(message)
                self.sent.append(Sent(first, time.monotonic()))
                if self._stop.wait(FRAME_S if first >= 0 else 0):
                    return


def command(kind: str, port: int, folder: Path) -> tuple[str, ...]:
    """Return the command of a live scan."""
    words = ("live", "reconstruct", f"tcp://*:{port}", "-o", str(folder / "image.nii.gz"))
    words += ("--scan", str(folder / "scan.h5"), "--threads", "1")
    return (*words, "--pet", "--set", "grid.voxel_mm=[8, 8, 8]") if kind == "PET" else words


def started(words: tuple[str, ...], log: Path | None = None) -> subprocess.Popen[str]:
    """Start the command line in its own group; its messages go to a pipe or a file."""
    with nullcontext() if log is None else log.open("w") as file:
        return subprocess.Popen(
            [sys.executable, "-c", START, *words],
            env=os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "2"},
            stdout=file or subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def numbers_in(path: Path, kind: str) -> set[int]:
    """Return the numbers of frames or of first events in a recording; values are compared."""
    file, found = RecordingFile(path), set[int]()
    for record in file.records():
        if record.kind != RecordKind.DATA:
            continue
        header = json.loads(record.header)
        if kind == "PET":
            first = header["isocenter"]["first"]
            found |= set(range(first, first + record.count, EVENTS))
        elif header["image_attributes"]["scan_index"] == 2:
            k = header["frame"]
            values = np.frombuffer(record.data, np.uint16)
            found.add(k if (values == 500 + k).all() else -1)
    return found


def killed(k: int, seed: int, folder: Path) -> tuple[str, str]:
    """Record a scan and end the program at a random moment; return its name and a fault or ""."""
    rng = random.Random(f"{seed} {k}")
    kind, name = ("CT", "PET")[k % 2], rng.choice(SIGNALS)
    place = folder / f"scan {k}"
    place.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = started(command(kind, port, place))
    sender = Sender(port, frames() if kind == "CT" else events())
    try:
        until_s = time.monotonic() + WAIT_S
        while not list(place.glob("*.isorec")):
            if program.poll() is not None or time.monotonic() > until_s:
                program.kill()
                return name, f"{kind}: no recording was begun: {program.communicate()[0][:300]}"
            time.sleep(0.02)
        time.sleep(rng.uniform(0.05, MAX_DELAY_S))
        at_s = time.monotonic()
        # The whole group, as a closed terminal does
        os.killpg(program.pid, getattr(signal, name))
        program.communicate(timeout=WAIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        return f"{kind} {name}", f"the program had not ended {WAIT_S:g} s later"
    finally:
        sender.stop()
    needed = {each.first for each in sender.sent if each.first >= 0 and each.at_s < at_s - LAST_S}
    return f"{kind} {name}", fault_of(place, kind, needed)


def fault_of(place: Path, kind: str, needed: set[int]) -> str:
    """Compare the data on the disk with the data sent before the last second."""
    until_s = time.monotonic() + WAIT_S
    found = [*place.glob("*.isorec")]
    while found and described(found[0]).is_running and time.monotonic() < until_s:
        time.sleep(0.02)
    if len(found) != 1:
        return f"{len(found)} recordings"
    numbers = numbers_in(found[0], kind)
    if needed - numbers:
        return f"{len(needed - numbers)} of {len(needed)} messages are not on the disk"
    if -1 in numbers:
        return "a frame has the values of another"
    return _wrong_scan(place / "scan.h5", kind, numbers)


def _wrong_scan(path: Path, kind: str, numbers: set[int]) -> str:
    """Return a fault of the scan that the program or its recording saved."""
    if not numbers:
        return ""
    if not path.exists():
        return "the scan is not saved"
    if kind == "CT":
        values = read_projections(path).values
        expected = [500 + k for k in sorted(numbers)]
        return "" if values[:, 0, 0].tolist() == expected else "the scan has other frames"
    made = read_listmode(path)
    rows = np.concatenate([np.arange(k, min(k + EVENTS, scan().n_events)) for k in sorted(numbers)])
    same = np.array_equal(made.crystals, scan().crystals[rows])
    return "" if same else "the scan has other events"


def kills(n: int, seed: int, folder: Path, say: Callable[[str], object]) -> Tally:
    """Kill `n` scans, then count the recordings that the next start offers."""
    tally = Tally()

    def one(k: int) -> tuple[str, str]:
        return killed(k, seed, folder)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for k, (what, fault) in enumerate(pool.map(one, range(n))):
            tally.counts[what] += 1
            if fault:
                tally.faults.append(f"{k} {what}: {fault}")
            say(f"{k:4} {what} {fault}")
    offers = {"the command line": offered(), "the window": offered_by_window()}
    expected = {str(next(place.glob("*.isorec"))) for place in folder.glob("scan *")}
    for who, found in offers.items():
        say(f"{who} offers {len(found)} of {n} recordings")
        if found != expected or len(found) != n:
            tally.faults.append(f"{who} offers {len(found & expected)} of {n} recordings")
    return tally


def offered() -> set[str]:
    """Return the recordings that a new program lists."""
    words = ("live", "recordings", "--json")
    said, _ = started(words).communicate(timeout=WAIT_S)
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return {line["path"] for line in lines if line["count"] and not line["in_progress"]}


def offered_by_window() -> set[str]:
    """Return the recordings on the first page of the window."""
    from app.shell.welcome_lists import recordings_to_offer

    return {str(path) for path, _, _ in recordings_to_offer()}


def cuts(paths: Sequence[Path], n: int, seed: int, folder: Path) -> list[str]:
    """Cut recordings at random bytes; each opens up to the cut."""
    rng, faults, cut = random.Random(seed), list[str](), folder / "cut.isorec"
    contents = [path.read_bytes() for path in paths]
    for _ in range(n):
        which = rng.randrange(len(paths))
        at = rng.randrange(len(contents[which]))
        cut.write_bytes(contents[which][:at])
        whole, found = RecordingFile(paths[which]), list(RecordingFile(cut).records())
        expected = [each for each, _ in zip(whole.records(), found, strict=False)]
        end = RecordingFile(cut)
        list(end.records())
        # The next record of the whole file does not fit in the part
        is_longest = at - end.extent.end < _size_after(contents[which], end.extent.end)
        if found != expected or not is_longest:
            faults.append(f"cut at {at} of {paths[which].name}: {len(found)} records")
        faults += _unreadable(cut, found)
    return faults


def _size_after(content: bytes, at: int) -> int:
    """Return the size of the record at a position."""
    if at == 0:
        return len(MAGIC)
    _, _, _, n_header, n_data = HEAD.unpack_from(content, at)
    return HEAD.size + 2 * CHECK.size + n_header + n_data


def _unreadable(cut: Path, found: Sequence[Record]) -> list[str]:
    """Open the part before the cut as a scan; return a fault or ""."""
    n = sum(each.count for each in found if each.kind == RecordKind.DATA)
    if described(cut).count != n:
        return [f"{described(cut).count} of {n} are counted"]
    headers = [json.loads(each.header) for each in found if each.kind == RecordKind.DATA]
    n_views = sum(h.get("image_attributes", {}).get("scan_index") == 2 for h in headers)
    file = RecordingFile(cut)
    if n_views and len(recorded_projections(file, cut.parent).values) != n_views:
        return [f"{cut.stat().st_size}: projections are missing"]
    if headers and not n_views and "frame" not in headers[0]:
        return [] if recorded_events(file).n_events == n else ["events are missing"]
    return []


@contextmanager
def small_disk(n_bytes: int) -> Iterator[Path]:
    """Mount a tmpfs; only root can."""
    with tempfile.TemporaryDirectory(prefix="small") as folder:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", folder], check=True
        )
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def full_disk(folder: Path, say: Callable[[str], object]) -> list[str]:
    """Record until the disk is full, then free it: all confirmed and all later data are intact.

    The folder is on a small disk, which a ballast file fills.
    """
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(TMPFS_BYTES // 2))
    recorder = LiveRecorder("frames", "farm", folder / "scan.h5")
    notices, put = list[str](), 0
    recorder.announce(message_of_geometry(geometry()))
    until_s = time.monotonic() + WAIT_S
    while not any("cannot be written" in text for text in notices) and put < N_VIEWS:
        recorder.put(1, message_of(Played(2, put, None, frame(put))))
        put += 1
        time.sleep(0.003)
        notices += recorder.take_notices()
    time.sleep(LAST_S)
    confirmed, numbers = recorder.synced, numbers_in(recorder.path, "CT")
    say(f"full after {put} frames: {confirmed} confirmed, {len(numbers)} in the recording")
    faults = [] if put < N_VIEWS else ["the disk was never full"]
    if len(numbers & set(range(put))) < confirmed or not confirmed:
        faults.append(f"{len(numbers)} of {confirmed} confirmed frames are in the recording")
    ballast.unlink()
    while recorder.synced < put and time.monotonic() < until_s:
        time.sleep(0.05)
    recorder.close()
    later = numbers_in(recorder.path, "CT")
    say(f"after space was freed: {len(later)} of {put} frames")
    return faults if later == set(range(put)) and recorder.is_whole else [*faults, "frames lost"]


def main() -> int:
    """Run everything; return 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, metavar="N")
    parser.add_argument("--cuts", type=int, default=500, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()

    def say(text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory(prefix="recordings") as name:
        folder = Path(name)
        # One home: the next start finds all of them
        os.environ[HOME_VARIABLE] = str(folder / "home")
        tally = kills(a.kills, a.seed, folder, say)
        say(", ".join(f"{what}: {n}" for what, n in sorted(tally.counts.items())))
        longest = sorted(folder.glob("scan */*.isorec"), key=lambda path: path.stat().st_size)
        faults = cuts(longest[-6:], a.cuts, a.seed, folder)
        say(f"{a.cuts} cuts: {len(faults)} faults")
        faults += tally.faults
    if sys.platform == "linux" and os.geteuid() == 0:
        with small_disk(TMPFS_BYTES) as folder:
            os.environ[HOME_VARIABLE] = str(folder / "home")
            faults += full_disk(folder, say)
    else:
        say("the full disk needs root on Linux, and was left out")
    for fault in faults:
        say(fault)
    say(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
