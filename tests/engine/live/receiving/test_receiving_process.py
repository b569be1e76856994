"""Tests of the process that receives messages: limits, deadlines, restarts.

Cases, listed before the code was written:

- the process is killed between two messages: one sentence; a sender with a token continues;
- it is killed while a sender without a token sends: the next connection is another scan;
- it stops answering (SIGSTOP): it is killed after the deadline and restarted;
- it cannot start: one sentence, the source ends, and its memory is released;
- the port is in use: one sentence;
- the program closes the source, or ends: the process ends, too;
- ten strangers announce messages of a gibibyte and send nothing;
- bytes that are not ZeroMQ;
- a truncated report, or one with an impossible size;
- large frames use the shared memory, small ones do not; memory is released after use;
- a frame larger than a segment; frames across the end of a segment;
- no shared memory on this system: frames arrive through the pipe;
- prepared memory: messages in it, across its end and after it; unused prepared pages are released
  at the end; a system that cannot prepare memory;
- messages that are unread at the end: their pages are released, for any size;
- a program that reads nothing: the process waits, and nothing is lost.
"""

from __future__ import annotations

import io
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import numpy as np
import psutil
import pytest
import zmq

from engine.core.errors import DataError, ResourceError
from engine.live.core.frame import Ended, Frame, FrameKind, Noticed, Resumed
from engine.live.core.message import message_of, message_of_end
from engine.live.core.senders import with_token
from engine.live.ct.playing import Played
from engine.live.ct.sources.stream import StreamSource
from engine.live.receiving import child, process, receiver, shared_memory
from engine.live.receiving.presence import Presence
from engine.live.receiving.shared_memory import (
    PAGE,
    SEGMENT,
    STEP,
    MemoryReader,
    MemoryWriter,
    new_memory,
)
from engine.live.receiving.wire import HEAD, INLINE, Item, ItemReader, packed

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux memfd and signals")
SHAPE = (32, 48)


class Running:
    """A source on a free port, its arrivals, and a sender."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.arrivals: list[object] = []
        self.stop, self.context, self.fault = Event(), zmq.Context(), None
        self._senders: list[zmq.Socket] = []
        self.source = self.source_at(f"tcp://*:{self.port}")
        self._thread = Thread(target=self._follow, daemon=True)
        self._thread.start()
        self.until(lambda: self.arrivals or not self._thread.is_alive())

    def source_at(self, address: str) -> StreamSource:
        return StreamSource(address)

    def _follow(self) -> None:
        try:
            for each in self.source.frames(self.stop):
                self.arrivals.append(each)
        except Exception as e:  # noqa: BLE001  the test checks it
            self.fault = e

    @property
    def child(self) -> psutil.Process:
        return psutil.Process(self.source._receiver._child._process.pid)

    def sender(self, options: Mapping[int, bytes] = {}) -> zmq.Socket:
        push = self.context.socket(zmq.PUSH)
        for option, value in options.items():
            push.setsockopt(option, value)
        push.setsockopt(zmq.RECONNECT_IVL, 20)
        push.setsockopt(zmq.IMMEDIATE, 1)
        push.connect(f"tcp://127.0.0.1:{self.port}")
        self._senders.append(push)  # an unreferenced socket closes
        return push

    def until(self, holds: object, seconds: float = 20.0) -> None:
        until_s = time.monotonic() + seconds
        while not holds() and time.monotonic() < until_s:
            time.sleep(0.005)
        assert holds(), self.texts

    def end(self) -> None:
        self.stop.set()
        self._thread.join(20)
        self.context.destroy(0)

    @property
    def frames(self) -> list[Frame]:
        return [each for each in self.arrivals if isinstance(each, Frame)]

    @property
    def texts(self) -> str:
        return "\n".join(each.text for each in self.arrivals if hasattr(each, "text"))


@pytest.fixture
def line() -> Iterator[Running]:
    running = Running()
    yield running
    running.end()


def projection(k: int, token: str = "", shape: tuple[int, int] = SHAPE) -> list:
    message = message_of(Played(FrameKind.PROJECTION, k, None, np.full(shape, k + 1, np.uint16)))
    return with_token(message, token) if token else message


def send(to: zmq.Socket, messages: list) -> None:
    for each in messages:
        assert to.poll(10_000, zmq.POLLOUT)
        to.send_multipart(each)


@linux
@pytest.mark.parametrize(("how", "text"), [("kill", "signal 9"), ("stop", "did not answer")])
def test_ended_or_hanging_process_is_replaced_and_the_scan_continues(
    line: Running, monkeypatch: pytest.MonkeyPatch, how: str, text: str
) -> None:
    monkeypatch.setattr(receiver, "ANSWER_S", 1.5)
    monkeypatch.setattr(receiver, "PAUSE_S", 0.0)
    sender, first = line.sender(), line.child
    send(sender, [projection(k, "detector") for k in range(5)])
    line.until(lambda: len(line.frames) == 5)
    first.send_signal(signal.SIGKILL if how == "kill" else signal.SIGSTOP)
    line.until(lambda: "was started again" in line.texts)
    line.until(lambda: line.source._receiver._is_open)
    send(sender, [projection(k, "detector") for k in range(5, 9)])
    send(sender, [with_token(message_of_end(9), "detector")])
    line.until(lambda: isinstance(line.arrivals[-1], Ended))
    assert [each.index for each in line.frames] == list(range(9))
    assert {each.scan for each in line.frames} == {0}
    assert text in line.texts and line.texts.count("was started again") == 1
    assert not first.is_running()


@linux
@pytest.mark.slow
def test_new_process_does_not_trust_a_new_connection_without_a_token(
    line: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiver, "PAUSE_S", 0.0)
    sender = line.sender()
    send(sender, [projection(k) for k in range(3)])
    line.until(lambda: len(line.frames) == 3)
    line.child.kill()
    line.until(lambda: "was started again" in line.texts and line.source._receiver._is_open)
    send(sender, [projection(3)])
    line.until(lambda: len(line.frames) == 4)
    assert [each.scan for each in line.frames] == [0, 0, 0, 1]
    assert any(isinstance(each, Resumed) and each.is_new_sender for each in line.arrivals)


def test_process_that_cannot_start_gives_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "COMMAND", "raise SystemExit(3)")
    with pytest.raises(ResourceError, match=r"cannot be started\. It has ended \(exit code 3\)"):
        list(StreamSource("tcp://*:0").frames(Event()))


@linux
def test_process_that_the_system_refuses_leaves_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(child.subprocess, "Popen", refused)
    before = psutil.Process().num_fds()
    with pytest.raises(ResourceError, match="Cannot allocate memory"):
        list(StreamSource("tcp://*:0").frames(Event()))
    assert psutil.Process().num_fds() == before


@linux
@pytest.mark.slow
def test_process_ends_with_its_source_and_with_the_program(line: Running) -> None:
    running = line.child
    line.stop.set()
    line.until(lambda: not running.is_running())
    code = (
        "from threading import Event; import os\n"
        "from engine.live.ct.sources.stream import StreamSource\n"
        "s = StreamSource('tcp://127.0.0.1:*'); next(s.frames(Event()))\n"
        "print(s._receiver._child._process.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    number = int(found.stdout)
    line.until(lambda: not psutil.pid_exists(number))


@linux
@pytest.mark.slow
def test_announced_large_messages_of_strangers_cost_no_memory_and_no_frame(line: Running) -> None:
    sender = line.sender()
    send(sender, [projection(0, "detector")])
    line.until(lambda: line.frames)
    assert line.child.rlimit(psutil.RLIMIT_AS)[0] < 2**36, "the process has no memory limit"
    with strangers(line.port, 10, size=2**30):
        send(sender, [projection(k, "detector") for k in range(1, 9)])
        line.until(lambda: len(line.frames) == 9)
        assert line.child.memory_info().rss < 2**28
    assert "was started again" not in line.texts


@contextmanager
def strangers(port: int, n: int, *, size: int) -> Iterator[None]:
    """Open connections that announce one message of a given size without sending its data."""
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
    ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x04PUSH"
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(n)]
    for each in sockets:
        each.sendall(greeting)
    time.sleep(0.1)  # the peer must read the greeting first
    for each in sockets:
        each.sendall(b"\x04" + bytes([len(ready)]) + ready)
        each.sendall(b"\x02" + struct.pack(">Q", size))
    try:
        yield
    finally:
        for each in sockets:
            each.close()


def test_non_zeromq_bytes_change_nothing(line: Running) -> None:
    for garbage in (b"GET / HTTP/1.1\r\n\r\n", bytes(100), b"\xff" * 4000):
        with socket.create_connection(("127.0.0.1", line.port)) as stranger:
            stranger.sendall(garbage)
    send(line.sender(), [projection(0), message_of_end(1)])
    line.until(lambda: isinstance(line.arrivals[-1], Ended))
    assert len(line.frames) == 1


@pytest.mark.slow
def test_large_frames_arrive_with_and_without_shared_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for has_memory in (True, False):
        if not has_memory:
            monkeypatch.setattr(child, "new_memory", lambda: None)
        line = Running()
        sender = line.sender()
        send(sender, [projection(k, shape=(256, 384)) for k in range(40)])
        line.until(lambda line=line: len(line.frames) == 40)
        line.end()
        for k, each in enumerate(line.frames):
            assert each.values.shape == (256, 384) and (each.values == k + 1).all()
            assert not each.values.flags.writeable


@linux
def test_memory_is_released_once_a_frame_is_not_used() -> None:
    memory = new_memory()
    assert memory is not None
    writer, reader = MemoryWriter(memory), MemoryReader(memory)
    used = lambda: os.fstat(memory).st_blocks * 512  # noqa: E731
    first, second = os.urandom(3 * PAGE + 7), os.urandom(PAGE)
    views = [reader.view(writer.put(each), len(each)) for each in (first, second)]
    assert [bytes(each) for each in views] == [first, second]
    assert used() == 5 * PAGE
    values = np.frombuffer(views.pop(0), np.uint8)[10:20]
    assert used() == 5 * PAGE and bytes(values) == first[10:20]
    del values
    assert used() == PAGE
    reader.close()
    assert bytes(views[0]) == second, "a message in use was overwritten"


@linux
def test_messages_never_cross_the_end_of_a_mapping() -> None:
    memory = new_memory()
    assert memory is not None
    writer = MemoryWriter(memory)
    writer._next = SEGMENT - PAGE
    reader = MemoryReader(memory)
    offsets = [writer.put(b"a" * PAGE), writer.put(b"b" * (PAGE + 1)), writer.put(b"c")]
    assert offsets == [SEGMENT - PAGE, SEGMENT, SEGMENT + 2 * PAGE]
    assert [bytes(reader.view(k, 1)) for k in offsets] == [b"a", b"b", b"c"]
    writer._next = SEGMENT // 2
    monkey = memoryview(bytes(0))
    assert writer.put(monkey) == SEGMENT // 2
    reader.close()


@linux
def test_shared_memory_cannot_shrink_below_its_reader() -> None:
    memory = new_memory()
    assert memory is not None
    with pytest.raises(OSError, match="not permitted"):
        os.ftruncate(memory, 0)
    os.close(memory)


@linux
def test_messages_in_prepared_memory_and_after_it_are_complete() -> None:
    memory = new_memory()
    assert memory is not None
    writer, reader = MemoryWriter(memory, 2 * STEP + 5 * PAGE), MemoryReader(memory)
    used = lambda: os.fstat(memory).st_blocks * 512  # noqa: E731
    while writer.prepare():
        pass
    assert used() == 2 * STEP + 5 * PAGE
    size = STEP // 3 + 11
    sent = [os.urandom(size) for _ in range(9)]
    views = [reader.view(writer.put(each), size) for each in sent]
    assert [bytes(each) for each in views] == sent
    assert used() >= 9 * size
    while writer.prepare():  # ready for the next messages
        pass
    again = os.urandom(size)
    assert bytes(reader.view(writer.put(again), size)) == again
    assert [bytes(each) for each in views] == sent
    del views[1:]
    duplicate = os.dup(memory)  # like the mapping of a message
    reader.close()
    pages = -(-size // PAGE) * PAGE
    assert os.fstat(duplicate).st_blocks * 512 == pages, "unused pages were not released"
    assert bytes(views[0]) == sent[0]
    os.close(duplicate)


@linux
def test_unread_messages_of_any_size_are_released_at_the_end() -> None:
    memory = new_memory()
    assert memory is not None
    writer, reader = MemoryWriter(memory, STEP), MemoryReader(memory)
    first = reader.view(writer.put(b"a" * PAGE), PAGE)
    for offset in (PAGE, 2 * SEGMENT, 5 * SEGMENT):  # three large messages, with few written pages
        for place in (offset, offset + SEGMENT - PAGE):
            writer._next = place
            writer.put(b"b" * PAGE)
    assert writer.prepare()
    duplicate = os.dup(memory)  # like the mapping of the first message
    reader.close()
    assert os.fstat(duplicate).st_blocks * 512 == PAGE, "unused pages were not released"
    assert bytes(first) == b"a" * PAGE
    os.close(duplicate)


@linux
def test_prepared_memory_follows_the_messages_into_later_segments() -> None:
    memory = new_memory()
    assert memory is not None
    writer, reader = MemoryWriter(memory, STEP), MemoryReader(memory)
    for offset in (0, SEGMENT - STEP // 2, 5 * SEGMENT + STEP):
        writer._next = offset
        while writer.prepare():
            pass
        assert writer._ready >= offset + STEP
        sent = os.urandom(STEP - 3)
        place = writer.put(sent)
        assert bytes(reader.view(place, len(sent))) == sent
    reader.close()


@linux
def test_a_system_without_prepared_memory_receives_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_memory, "MADV_POPULATE_WRITE", 1000)
    memory = new_memory()
    assert memory is not None
    writer, reader = MemoryWriter(memory, STEP), MemoryReader(memory)
    assert not writer.prepare() and not writer.prepare()
    assert bytes(reader.view(writer.put(b"abc"), 3)) == b"abc"
    reader.close()


REPORTS = [
    Item({"event": "x"}, b"header", b"data", INLINE, 4, 1.5),
    Item({"event": "message"}, b"other", b"", 4096, 70_000, 2.5),
    Item({"event": "alive"}),
]
SENT = b"".join(bytes(piece) for item in REPORTS for piece in packed(item))


class Pieces(io.RawIOBase):
    """A byte source that returns one piece per read."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)

    def read(self, size: int = -1) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


def reader_of(*pieces: bytes) -> ItemReader:
    return ItemReader(Pieces(*pieces))


def test_arrived_reports_are_read_together() -> None:
    assert reader_of(SENT).read() == REPORTS


@pytest.mark.parametrize("cut", range(1, len(SENT)))
def test_reports_do_not_depend_on_the_pieces_in_which_they_arrive(cut: int) -> None:
    reader, found = reader_of(SENT[:cut], SENT[cut:]), list[Item]()
    while items := reader.read():
        found += items
    assert found == REPORTS


def test_truncated_report_ends_the_stream() -> None:
    first = b"".join(map(bytes, packed(REPORTS[0])))
    assert all(reader_of(first[:k]).read() == [] for k in range(1, len(first)))


@pytest.mark.parametrize("sizes", [(2**21, 0, 0), (0, 2**17, 0), (0, 0, 2**31)])
def test_report_with_an_impossible_size_is_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(DataError, match="wrong size"):
        reader_of(HEAD.pack(*sizes, INLINE, 0.0)).read()


def test_process_waits_for_a_program_that_does_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "ALIVE_S", 0.01)
    target = io.BytesIO()
    waiting = process.Receiving(
        process.Stream("tcp://*:0", "frames"), {}, lambda _: None, io.BytesIO(), target
    )
    waiting._outstanding = process.MAX_OUTSTANDING
    thread = Thread(target=waiting._wait_for_space)
    thread.start()
    until_s = time.monotonic() + 20
    while b"alive" not in target.getvalue() and time.monotonic() < until_s:
        time.sleep(0.005)
    assert thread.is_alive() and b"alive" in target.getvalue()
    waiting._source = io.BytesIO(b'{"taken": 1}\n')
    waiting._read_commands(lambda: None)
    thread.join(5)
    assert not thread.is_alive()


def test_many_restarts_are_reported_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    receiving = receiver.Receiver(process.Stream("tcp://*:1", "frames"), "frame")
    monkeypatch.setattr(receiving, "_start", lambda: None)
    monkeypatch.setattr(receiver, "PAUSE_S", 0.0)
    receiving._is_open = True
    found = [each for _ in range(20) for each in receiving._restarted("has ended", Event())]
    assert len(found) == receiver.MAX_REFUSALS and all(isinstance(e, Noticed) for e in found)
    assert "Further restarts are not reported" in found[-1].text


def test_messages_of_a_stranger_do_not_delay_a_report(tmp_path: Path) -> None:
    path = tmp_path / "reports"
    with path.open("wb") as target:
        receiving = process.Receiving(
            process.Stream("tcp://*:0", "frames"), {}, lambda _: None, io.BytesIO(), target
        )
        receiving._reported_s = time.monotonic() + 1
        receiving._add({"event": "message"}, b"header", b"data")
        assert not path.read_bytes(), "the report did not wait for its batch"
        receiving._reported_s = time.monotonic() - 2 * process.FLUSH_S
        receiving._send_heartbeat()
        assert path.read_bytes().endswith(b"headerdata")


def test_connection_that_closes_early_is_not_blamed_on_keys(line: Running) -> None:
    socket.create_connection(("127.0.0.1", line.port)).close()
    line.until(lambda: "closed its connection before it was accepted" in line.texts)
    assert "has no keys" not in line.texts
    keyed = {zmq.CURVE_SERVERKEY: zmq.curve_keypair()[0]}
    keyed |= dict(zip((zmq.CURVE_PUBLICKEY, zmq.CURVE_SECRETKEY), zmq.curve_keypair(), strict=True))
    # A sender that first notices a key mismatch closes the connection and does not return.
    for _ in range(20):
        line.sender(keyed)
        with suppress(AssertionError):
            line.until(lambda: "this receiver has no keys" in line.texts, 1.0)
            break
    assert "this receiver has no keys" in line.texts
    assert line.texts.count("closed its connection") == 1


def test_connection_that_breaks_the_protocol_is_not_blamed_on_keys(line: Running) -> None:
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)
    with socket.create_connection(("127.0.0.1", line.port)) as stranger:
        stranger.sendall(greeting + b"\x00\x05hello")
        line.until(lambda: "broke the protocol of ZeroMQ" in line.texts)
    assert "keys" not in line.texts


@pytest.mark.parametrize(("has_keys", "expected"), [(False, "without keys"), (True, "public key")])
def test_closed_connections_are_reported_again_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_keys: bool, expected: str
) -> None:
    """A sender can retry every few milliseconds, and another one can fail an hour later."""
    now = [100.0]
    monkeypatch.setattr(process, "monotonic", lambda: now[0])
    stream = process.Stream("tcp://*:0", "frames", sender_keys=("k",) if has_keys else ())
    with (tmp_path / "reports").open("wb") as target:
        receiving = process.Receiving(stream, {}, lambda _: None, io.BytesIO(), target)
        reports: list[str] = []
        monkeypatch.setattr(receiving, "_report", lambda facts: reports.append(facts["text"]))
        presence = Presence()
        for after_s, n_reports in ((0, 1), (1, 1), (process.AGAIN_S, 2), (1, 2)):
            now[0] += after_s
            presence.failed["closed"] += 1
            receiving._report_failures(presence)
            assert len(reports) == n_reports
        receiving._report_failures(presence)
        assert len(reports) == 2 and all(expected in each for each in reports), (
            "a report without a new connection"
        )
        # A sender with a refused key also closes its connections.
        now[0] += process.AGAIN_S
        presence.failed.update({"key": 1, "closed": 1})
        receiving._report_failures(presence)
        assert len(reports) == 3 and "key" in reports[-1] and "closed" not in reports[-1]
