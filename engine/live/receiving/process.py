"""Process that receives the messages of a live scan, checks them and forwards them.

It reads options and commands from standard input, and writes reports to standard output. Its memory
is limited. It sends a report at least every second, so that the program notices a process that
hangs. It ends with the program.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64decode
from collections import Counter, deque
from collections.abc import Callable, Sequence
from io import BufferedWriter, FileIO
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO

from engine.core.errors import EngineError, SettingsError
from engine.core.json_types import Plain
from engine.io.safety.budget import available_memory
from engine.jobs.loader.limits import limited_memory, write_no_core
from engine.live.core.message import Buffer, ScanEnd, read_message
from engine.live.core.senders import Origin, Senders
from engine.live.core.stream_keys import stream_key
from engine.live.core.zeromq import ServerKeys, listens, opened
from engine.live.receiving.limits import max_message_bytes, max_waiting_messages, size_note
from engine.live.receiving.presence import Failure, Presence
from engine.live.receiving.shared_memory import MemoryWriter
from engine.live.receiving.wire import INLINE, MESSAGE, Item, Stream, packed

if TYPE_CHECKING:
    import zmq

POLL_MS, PREPARING_MS = 100, 1
"""Maximum wait for a message: when idle, and between two steps of preparing memory."""
ALIVE_S = 1.0
"""Maximum time between two reports."""
LIMIT_BYTES = 9 * 2**29
"""Memory limit of the process: some of the largest messages, at most half of the free memory."""
MAX_KEYS = 100
"""Maximum number of refused keys that are reported."""
MIN_LIMIT = 2**29
PREPARED_PART = 32
"""At most 1 / 32 of the free memory is prepared for messages."""
PREPARE_S = 0.5
"""Maximum time of preparing before the socket opens; it continues while the socket is idle."""
MAX_OUTSTANDING = 2**28
"""Maximum number of bytes that the program has not processed yet."""
FLUSH_S, FLUSH_BYTES = 0.002, 2**18
"""Reports are sent together after this time or size."""
MIN_SHARED = 2**16
"""Smaller data are sent with their report, which is faster than shared memory."""
AGAIN_S = 60.0
"""Time between reports of closed connections; a sender can try every few milliseconds."""
BROKEN = (
    "A connection has failed, because it broke the protocol of ZeroMQ (ZMTP); check which program "
    "sends to this port."
)
FAILED: dict[Failure, str] = {
    "mechanism": "A connection has failed, because this receiver has no keys.",
    "key": "A connection has failed, because of its key.",
    "protocol": BROKEN,
    "closed": (
        "A sender closed its connection before it was accepted; check that it still runs and sends "
        "without keys."
    ),
}
"""Sentences of a receiver without keys."""
FAILED_WITH_KEYS: dict[Failure, str] = {
    "mechanism": (
        "A connection has failed, because the sender has no keys; give it a key pair and the "
        "public key of this receiver."
    ),
    "key": "A connection has failed, because its key is not allowed here.",
    "protocol": BROKEN,
    "closed": (
        "A sender closed its connection before it sent its key; check that it still runs and has "
        "the public key of this receiver."
    ),
}

Reader = Callable[[Sequence[Buffer]], object]


def receive() -> None:
    """Run the process: its first line of input has the options."""
    # An explicit buffer: standard output has none if PYTHONUNBUFFERED is set
    source, target = sys.stdin.buffer, BufferedWriter(FileIO(1, "w", closefd=False), FLUSH_BYTES)
    given = json.loads(source.readline())
    write_no_core()
    available = available_memory()
    free = max(MIN_LIMIT, available // 2)
    reader = _reader(given)
    import zmq  # noqa: F401  loaded before the limit counts

    given["max_prepared"] = available // PREPARED_PART
    with limited_memory(min(LIMIT_BYTES, free)):
        received = Receiving(Stream(**given["stream"]), given, reader, source, target)
        # `os._exit` also ends a process with a busy main thread
        received.run(on_end=lambda: os._exit(0))


class Receiving:
    """Receives one stream.

    Parameters
    ----------
    stream : address and kind
    given : state of an earlier process (sender), and descriptor of the shared memory
    reader : reads a message, or raises an `EngineError`
    source, target : commands of the program, and reports to it
    """

    def __init__(
        self, stream: Stream, given: Plain, reader: Reader, source: BinaryIO, target: BinaryIO
    ) -> None:
        self._stream, self._reader = stream, reader
        self._max_bytes = max_message_bytes(stream.kind, stream.frame_shape)
        self._source, self._target = source, target
        memory = given.get("memory")
        max_prepared = given.get("max_prepared", 0) if stream.kind == "frames" else 0
        self._memory = None if memory is None else MemoryWriter(memory, max_prepared)
        self._senders = Senders(
            is_listening=listens(stream.address),
            required=given.get("required") or stream.sender,
            has_keys=bool(stream.sender_keys),
        )
        self._confirmed: Origin | None = None
        if given.get("chosen"):
            # The connection of the earlier process is closed
            self._confirmed = self._senders.chosen = Origin(**given["chosen"], descriptor=-1)
        self._reported_s, self._has_unsent = 0.0, False
        self._n_refused = 0
        self._changed, self._outstanding = Condition(), 0
        self._required: str | None = None
        self._is_over = self._has_message = self._has_explained = False
        self._failed: Counter[Failure] = Counter()
        self._reported_reasons: set[Failure] = set()
        self._closed_again_s = 0.0
        self._refused_keys: deque[str] = deque(maxlen=MAX_KEYS)
        self._named_keys: set[str] = set()

    def run(self, on_end: Callable[[], None] = lambda: None) -> None:
        """Receive until the program ends.

        Parameters
        ----------
        on_end
            called in a thread when the program has ended
        """
        import zmq

        # ZeroMQ allocates memory from the size in the header of a message
        options = {
            int(zmq.RCVHWM): max_waiting_messages(self._max_bytes),
            int(zmq.MAXMSGSIZE): self._max_bytes,
            int(zmq.LINGER): 0,
        }
        kind = zmq.SUB if self._stream.subscribe else zmq.PULL
        address, network = self._stream.address, self._stream.network
        try:
            keys = self._keys()
            presence = Presence()
            until_s = monotonic() + PREPARE_S
            while self._prepares() and monotonic() < until_s:
                pass
            with opened(
                kind, address, options, network=network, keys=keys, prepare=presence.watch
            ) as socket:
                # An empty prefix subscribes to everything
                if self._stream.subscribe:
                    socket.setsockopt(zmq.SUBSCRIBE, b"")
                self._report({"event": "open"})
                Thread(target=self._read_commands, args=(on_end,), daemon=True).start()
                self._receive(socket, presence)
        except EngineError as e:
            is_setting = isinstance(e, SettingsError)
            self._report({"event": "fault", "is_setting": is_setting, "text": str(e)})

    def _keys(self) -> ServerKeys | None:
        allowed = frozenset(self._stream.sender_keys)
        if not allowed:
            return None
        return ServerKeys(stream_key().secret, allowed, self._refused_keys.append)

    def _prepares(self) -> bool:
        """Prepare memory for the next frames; return False once there is enough."""
        return self._memory is not None and self._memory.prepare()

    def _receive(self, socket: zmq.Socket[bytes], presence: Presence) -> None:
        wait_ms = POLL_MS
        while not self._is_over:
            self._choose()
            parts = _waiting_message(socket)
            if parts is None:
                self._flush()
            if parts is None and not socket.poll(wait_ms):
                wait_ms = PREPARING_MS if self._prepares() else POLL_MS
                # Only after all messages of the sender were read
                self._report_presence(presence)
                self._report_failures(presence)
                self._report_refused()
                self._send_heartbeat()
                continue
            if presence.has_left:
                self._report_presence(presence)
            if parts is not None:
                self._handle(parts)
            self._send_heartbeat()

    def _handle(self, parts: list[zmq.Frame]) -> None:
        senders, self._has_message = self._senders, True
        try:
            # Check the sender before its data are parsed
            is_accepted, text = senders.accepts(parts)
            if not is_accepted:
                self._n_refused += 1
                if text:
                    self._report_refused()
                    self._report({"event": "refused", "text": text})
                return
            message = self._reader([part.buffer for part in parts])
        except EngineError as e:
            self._report({"event": "invalid", "text": str(e)})
            return
        is_end = isinstance(message, ScanEnd)
        if is_end and not senders.is_fixed:
            # Probably an unknown sender: no message of a scan has arrived
            text = "the end of a scan came before its first message."
            self._report({"event": "invalid", "text": text})
            return
        senders.confirm()
        if is_end:
            self._report_refused()  # the report counts the refused messages
        self._forward(parts, text)

    def _forward(self, parts: list[zmq.Frame], text: str) -> None:
        senders = self._senders
        facts = dict(MESSAGE)
        if text:
            facts |= {"text": text, "follows": senders.follows}
        if senders.has_reconnected:
            facts["has_reconnected"] = True
        if senders.chosen is not None and senders.chosen != self._confirmed:
            self._confirmed = origin = senders.chosen
            facts["chosen"] = {
                name: getattr(origin, name) for name in ("token", "peer", "host", "key")
            }
        header, data = bytes(parts[0].buffer), parts[1].buffer
        if self._memory is None or data.nbytes < MIN_SHARED:
            self._add(facts, header, data)
            return
        self._wait_for_space()
        offset = self._memory.put(data)
        with self._changed:
            self._outstanding += data.nbytes
        self._add(facts, header, b"", offset, data.nbytes)

    def _wait_for_space(self) -> None:
        if self._outstanding >= MAX_OUTSTANDING:
            self._flush()  # the program can only release data that were reported to it
        while not self._is_over:
            with self._changed:
                if self._changed.wait_for(lambda: self._outstanding < MAX_OUTSTANDING, ALIVE_S):
                    return
            self._send_heartbeat()

    def _read_commands(self, on_end: Callable[[], None]) -> None:
        """Execute commands of the program until it ends."""
        for line in self._source:
            command = json.loads(line)
            with self._changed:
                self._outstanding -= command.get("taken", 0)
                self._required = command.get("required", self._required)
                self._changed.notify_all()
        self._is_over = True
        on_end()

    def _choose(self) -> None:
        """Use the sender that the user has chosen."""
        if self._required is None:
            return
        with self._changed:
            chosen, self._required = self._required, None
        if chosen is not None:
            self._senders.require(chosen)

    def _report_presence(self, presence: Presence) -> None:
        for is_disconnected in presence.changes():
            self._report({"event": "presence", "is_disconnected": is_disconnected})
            if is_disconnected:
                self._report_size_limit()

    def _report_size_limit(self) -> None:
        """Report the size limit once, if a sender disconnects before a complete message.

        ZeroMQ closes the connection if a message is too large, and gives no reason.
        """
        has_message, self._has_message = self._has_message, False
        if self._stream.kind != "frames" or has_message or self._has_explained:
            return
        self._has_explained = True
        text = size_note(self._stream.frame_shape, self._max_bytes)
        self._report({"event": "noticed", "text": text})

    def _report_failures(self, presence: Presence) -> None:
        """Report each reason of failed connections, and each refused key."""
        texts = FAILED_WITH_KEYS if self._stream.sender_keys else FAILED
        new, self._failed = presence.failed - self._failed, presence.failed.copy()
        n_closed = new.pop("closed", 0)
        for reason in new:
            # After a refusal, senders without the right key also close the connection themselves
            self._closed_again_s = monotonic() + AGAIN_S
            if reason not in self._reported_reasons:
                self._reported_reasons.add(reason)
                self._report({"event": "refused", "text": texts[reason]})
        if n_closed and monotonic() >= self._closed_again_s:
            self._closed_again_s = monotonic() + AGAIN_S
            self._report({"event": "noticed", "text": texts["closed"]})
        while self._refused_keys:
            key = self._refused_keys.popleft()
            if key not in self._named_keys and len(self._named_keys) < MAX_KEYS:
                self._named_keys.add(key)
                text = f"The key {key} of a sender is not allowed; add it with --sender-key."
                self._report({"event": "refused", "text": text})

    def _report_refused(self) -> None:
        if self._n_refused:
            self._n_refused = 0
            refused = [vars(each) for each in self._senders.refused]
            summary = self._senders.summary
            self._report({"event": "senders", "refused": refused, "summary": summary})

    def _send_heartbeat(self) -> None:
        # Refused messages of an unknown sender must not delay buffered reports
        if monotonic() - self._reported_s > FLUSH_S:
            self._flush()
        if monotonic() - self._reported_s >= ALIVE_S:
            self._report_refused()
            self._report({"event": "alive"})

    def _report(self, facts: Plain) -> None:
        self._add(facts)
        self._flush()

    def _add(
        self,
        facts: Plain,
        header: bytes = b"",
        data: Buffer = b"",
        offset: int = INLINE,
        n_bytes: int | None = None,
    ) -> None:
        """Buffer a report; it is sent with others, which is faster for small messages."""
        size = memoryview(data).nbytes if n_bytes is None else n_bytes
        now_s = monotonic()
        for piece in packed(Item(facts, header, data, offset, size, now_s)):
            if len(piece):
                self._target.write(piece)
        self._has_unsent = True
        if size >= FLUSH_BYTES or now_s - self._reported_s > FLUSH_S:
            self._flush()

    def _flush(self) -> None:
        if self._has_unsent:
            self._target.flush()
            self._reported_s, self._has_unsent = monotonic(), False


def _waiting_message(socket: zmq.Socket[bytes]) -> list[zmq.Frame] | None:
    """Return the next message, or None if none waits."""
    import zmq

    try:
        # Without a copy: frames of large detectors have tens of megabytes
        parts = [socket.recv(zmq.NOBLOCK, copy=False)]
    except zmq.Again:
        return None
    while parts[-1].more:
        parts.append(socket.recv(copy=False))
    return parts


def _reader(given: Plain) -> Reader:
    if given["stream"]["kind"] == "frames":
        return lambda parts: read_message(parts, 0.0)
    announced = [b64decode(each) for each in given.get("announced", ())]
    return _EventReader(announced)


class _EventReader:
    """Reads events, which fit only the scanner that was announced before."""

    def __init__(self, announced: Sequence[bytes]) -> None:
        from engine.data.listmode import ListMode
        from engine.live.pet.event_message import read_event_message

        self._kind, self._read = ListMode, read_event_message
        self._head: ListMode | None = None
        if announced:
            self(announced)

    def __call__(self, parts: Sequence[Buffer]) -> object:
        message = self._read(parts, self._head, 0.0)
        if isinstance(message, self._kind):
            self._head = message
        return message
