"""Send damaged messages and rogue peers to the real window in another process.

`python -m tests.farm.network.in_window --messages 10000 --rogues 200` follows live streams of
frames and events at an address, and queries worklists. After each batch of damaged messages, a
valid scan must arrive complete. Rogue peers send between the frames of a detector, and one sends
first. The program prints figures and exits with 1 after a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psutil
import zmq

from engine.io import read_listmode, read_projections
from engine.live.core.message import MAX_HEADER_BYTES
from engine.live.core.senders import with_token
from tests.farm.network.dicom_nodes import damaged_answers, node, recorded
from tests.farm.network.messages import Parts, damaged, damaged_scan, event_scan, frame_scan
from tests.farm.network.streams import is_end

ROOT = Path(__file__).resolve().parents[3]
LONGEST_S = 60.0
START_S = 120.0
MAX_MIB = 500.0
QUIET_LOOKS = 4
"""If the state does not change in so many checks, half a second apart, all messages are read."""
N_DETECTOR = 400
"""Number of projections from the detector, between messages of rogue peers."""
Whole = tuple[tuple[bytes, bytes], ...]


@dataclass
class Figures:
    """Figures of the run, and the faults."""

    messages: int = 0
    batches: int = 0
    rogues: int = 0
    longest_s: float = 0.0
    answer_s: float = 0.0
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Store a fault and print it."""
        self.faults.append(text)
        sys.stdout.write(f"FAULT {text}\n")
        sys.stdout.flush()


class Window:
    """A window in a separate process."""

    def __init__(self, home: Path) -> None:
        self.errors = (home.parent / "errors.txt").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.farm.network.window"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "ISOCENTER_HOME": str(home)},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._answer(START_S)
        self.max_mib = self.base_mib = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def ask(self, order: str, seconds: float = LONGEST_S) -> dict[str, Any]:
        """Give an order and return the answer.

        Raises
        ------
        RuntimeError
            if the window has ended, or does not answer in time
        """
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(f"{order}\n")
            self.process.stdin.flush()
        return self._answer(seconds)

    def set_base(self) -> None:
        """Take the present memory as the base."""
        self.base_mib = self.max_mib = self._mib()

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise RuntimeError(f"the window has not answered for {seconds:g} s") from None
        if not line:
            raise RuntimeError(f"the window ended with {self.process.wait()}")
        return dict(json.loads(line))

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _watch(self) -> None:
        while self.process.poll() is None:
            self.max_mib = max(self.max_mib, self._mib())
            time.sleep(1.0)

    def _mib(self) -> float:
        """Return the memory of the window and of its processes; shared pages count once."""
        total = 0
        with suppress(psutil.Error):
            this = psutil.Process(self.process.pid)
            for each in (this, *this.children(recursive=True)):
                with suppress(psutil.Error):
                    total += each.memory_full_info().pss
        return total / 2**20


def free_port() -> int:
    """Return a port that is not in use."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def connected(context: zmq.Context[zmq.Socket[bytes]], port: int) -> Iterator[zmq.Socket[bytes]]:
    """Connect a sender; it delivers its messages before it closes."""
    made = context.socket(zmq.PUSH)
    made.linger = 5000
    made.connect(f"tcp://127.0.0.1:{port}")
    try:
        yield made
    finally:
        made.close()


def put(sender: zmq.Socket[bytes], messages: Sequence[Sequence[bytes]], token: str = "") -> None:
    """Send messages; each must be sent within the time limit."""
    for parts in messages:
        if not sender.poll(int(1000 * LONGEST_S), zmq.POLLOUT):
            raise RuntimeError(f"a message was not taken in {LONGEST_S:g} s")
        sender.send_multipart(with_token(parts, token) if token else list(parts))


class Farm:
    """Send batches of damaged messages and run rogue peers."""

    def __init__(self, window: Window, folder: Path, seed: int) -> None:
        self.figures = Figures()
        self._window, self._folder, self._seed = window, folder, seed
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()

    def batch(self, kind: str, number: int, n: int) -> None:
        """Send damaged messages, then a complete valid scan from another sender."""
        rng, port = Random(f"{self._seed} {kind} {number}"), free_port()
        whole = frame_scan() if kind == "frames" else event_scan()
        # an accepted end of scan is no fault, but nothing would arrive after it
        messages = [each for each in damaged_scan(whole, n, rng) if not is_end(each)]
        started = time.monotonic()
        self._follow(kind, port)
        with connected(self._context, port) as sender:
            put(sender, messages)
        with connected(self._context, port) as sender:
            self._until_free(sender, whole, f"valid {number}")
        self.figures.messages += n
        self.figures.batches += 1
        self._check(kind, whole, f"{kind} batch {number}")
        seconds = time.monotonic() - started
        self.figures.longest_s = max(self.figures.longest_s, seconds)
        if seconds > LONGEST_S and number:
            self.figures.fault(f"{kind} batch {number}: {seconds:.0f} s")

    def worklist(self, number: int) -> None:
        """Query a worklist that sends damaged answers."""
        rng = Random(f"{self._seed} worklist {number}")
        answers = damaged_answers(recorded("worklist"), rng)
        started = time.monotonic()
        with node(answers, rng) as there:
            self._window.ask(f"worklist {there.host}:{there.port}", 180)
        self.figures.messages += sum(map(len, answers))
        self.figures.batches += 1
        seconds = time.monotonic() - started
        self.figures.longest_s = max(self.figures.longest_s, seconds)
        if seconds > LONGEST_S:
            self.figures.fault(f"query {number}: {seconds:.0f} s")

    def rogues(self, n: int, *, is_first: bool) -> None:
        """Send the frames of a detector, with messages of rogue peers between them."""
        rng, port = Random(f"{self._seed} rogues"), free_port()
        whole = frame_scan(N_DETECTOR)
        self._follow("frames", port)
        done = threading.Event()
        if is_first:
            self._rogue_first(port, whole)
        sent = threading.Thread(target=self._detector, args=(port, whole, done), daemon=True)
        sent.start()
        time.sleep(1.0)
        for k in range(n):
            with connected(self._context, port) as rogue:
                put(rogue, self._hostile(rng, whole), rng.choice(("", "", f"rogue {k}")))
            self.figures.rogues += 1
        done.set()
        sent.join()
        self._check("frames", whole, "first rogue" if is_first else f"{n} rogues", refused=n > 0)

    def _rogue_first(self, port: int, whole: Whole) -> None:
        """Let a rogue announce itself: the window must refuse the detector and not mix frames."""
        with connected(self._context, port) as rogue, connected(self._context, port) as detector:
            put(rogue, [whole[0], *whole[5:8]], "rogue")
            time.sleep(1.0)
            put(detector, whole[:20], "detector")
            time.sleep(2.0)
            state = self._window.ask("state")
            if not any("is not the sender of this scan" in each for each in state["messages"]):
                self.figures.fault("the detector was refused without a message")
        time.sleep(0.5)  # the rogue disconnects, and the detector starts again

    def _detector(self, port: int, whole: Whole, done: threading.Event) -> None:
        """Send frames during the messages of the rogues, and the last ones after them."""
        with connected(self._context, port) as sender:
            put(sender, whole[: N_DETECTOR // 2], "detector again")
            for parts in whole[N_DETECTOR // 2 : -10]:
                put(sender, [parts], "detector again")
                if not done.is_set():
                    time.sleep(0.02)
            done.wait()
            put(sender, whole[-10:], "detector again")
            time.sleep(0.5)

    def _hostile(self, rng: Random, whole: Whole) -> list[Parts]:
        found = [list(rng.choice(whole)) for _ in range(rng.randint(1, 4))]
        made = [each if rng.random() < 0.5 else damaged(each, rng) for each in found]
        # a token can only be added to a JSON header
        return [
            each for each in made if each and len(each[0]) < MAX_HEADER_BYTES and _is_json(each)
        ]

    def _follow(self, kind: str, port: int) -> None:
        self._window.ask(f"follow {kind} tcp://*:{port}")
        end = time.monotonic() + LONGEST_S
        while not self._state()["waiting"]:
            time.sleep(0.1)
            if time.monotonic() > end:
                raise RuntimeError("the source does not wait for messages")

    def _until_free(self, sender: zmq.Socket[bytes], whole: Whole, token: str) -> None:
        """Send the valid scan after the window has read the messages of the first sender."""
        before, n_quiet = None, 0
        while n_quiet < QUIET_LOOKS:
            time.sleep(0.5)
            state = self._state()
            now = state["came"], state["messages"], state["waiting"]
            n_quiet, before = (n_quiet + 1 if now == before else 0), now
        put(sender, whole, token)
        time.sleep(0.2)

    def _state(self) -> dict[str, Any]:
        started = time.monotonic()
        state = self._window.ask("state")
        self.figures.answer_s = max(self.figures.answer_s, time.monotonic() - started)
        return state

    def _check(self, kind: str, whole: Whole, what: str, *, refused: bool = False) -> None:
        """Wait for the end of the scan, save it, and compare it with the messages."""
        # the first batch of each kind may compile kernels
        end = time.monotonic() + (START_S if " 0" in what[-2:] else LONGEST_S)
        while not (state := self._state())["ended"]:
            time.sleep(0.1)
            if time.monotonic() > end:
                self.figures.fault(f"{what}: no end; {state['state']}; {state['messages'][-3:]}")
                break
        if refused and not any("refused" in each for each in state["messages"]):
            self.figures.fault(f"{what}: nobody was refused")
        path = self._folder / "scan.h5"
        path.unlink(missing_ok=True)
        answer = self._window.ask(f"save {path}")
        if not answer["saved"]:
            self.figures.fault(f"{what}: not saved: {answer['problem']}")
        elif difference := difference_of(kind, path, whole):
            self.figures.fault(f"{what}: {difference}; {state['messages'][-3:]}")
        self._window.ask("forget")


def _is_json(parts: Parts) -> bool:
    if len(parts[0]) > MAX_HEADER_BYTES:
        return False
    try:
        return isinstance(json.loads(parts[0]), dict)
    except (ValueError, RecursionError):
        return False


def difference_of(kind: str, path: Path, whole: Whole) -> str:
    """Return the first difference between a saved scan and its messages, or ""."""
    if kind == "frames":
        values = read_projections(path).values
        sent = [parts for parts in whole if b'"scan_index": 2' in parts[0]]
        if len(values) != len(sent):
            return f"{len(values)} projections were saved, expected {len(sent)}"
        for k, (image, parts) in enumerate(zip(values, sent, strict=True)):
            if not np.array_equal(image, np.frombuffer(parts[1], "<u2").reshape(image.shape)):
                return f"projection {k} differs"
        return ""
    events = read_listmode(path)
    batches = [parts for parts in whole if b'"events"' in parts[0]]
    numbers = [json.loads(parts[0])["isocenter"]["n"] for parts in batches]
    if events.n_events != sum(numbers):
        return f"{events.n_events:,} events were saved, expected {sum(numbers):,}"
    crystals = [np.frombuffer(p[1], "<i4", 2 * n) for p, n in zip(batches, numbers, strict=True)]
    same = np.array_equal(np.asarray(events.crystals).ravel(), np.concatenate(crystals))
    return "" if same else "other events were saved"


def main() -> int:
    """Run from the command line; 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--per-batch", type=int, default=500, help="before each valid scan")
    parser.add_argument("--rogues", type=int, default=200)
    parser.add_argument("--queries", type=int, default=100, help="worklists with damaged answers")
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder, begun = Path(text), time.monotonic()
        window = Window(folder / "home")
        farm = Farm(window, folder, a.seed)
        figures = farm.figures
        try:
            for kind in ("frames", "events"):
                farm.batch(kind, 0, 10)
            farm.worklist(0)
            figures.longest_s = 0.0
            window.set_base()
            for k in range(1, 1 + -(-a.messages // (2 * a.per_batch))):
                for kind in ("frames", "events"):
                    farm.batch(kind, k, a.per_batch)
                sys.stdout.write(
                    f"{figures.messages:,} messages, longest {figures.longest_s:.1f} s\n"
                )
                sys.stdout.flush()
            if a.rogues:
                farm.rogues(a.rogues, is_first=False)
                farm.rogues(0, is_first=True)
            for k in range(1, a.queries + 1):
                farm.worklist(k)
            sys.stdout.write(f"{a.queries} queries, longest {figures.longest_s:.1f} s\n")
            window.ask("ping", 5)
        except RuntimeError as e:
            figures.fault(str(e))
        more = window.max_mib - window.base_mib
        window.errors.seek(0)
        errors = window.errors.read()
        if "Traceback" in errors:
            figures.fault(f"a traceback: {errors[-2000:]}")
        if more > MAX_MIB:
            figures.fault(f"{more:.0f} MiB more memory")
        window.process.kill()
    sys.stdout.write(
        f"{figures.messages:,} damaged messages in {figures.batches} batches and queries, "
        f"{figures.rogues} rogue peers: {len(figures.faults)} faults; longest batch "
        f"{figures.longest_s:.1f} s, longest answer of the window {figures.answer_s:.2f} s, "
        f"{more:+.0f} MiB at most; {time.monotonic() - begun:.0f} s\n"
    )
    return 1 if figures.faults else 0


if __name__ == "__main__":
    sys.exit(main())
