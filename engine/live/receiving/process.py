"""The process that receives the messages of a live scan, checks them and passes them on.

It reads its options and later commands from its standard input, and reports on its standard output.
It has a limit on its memory. It reports at least every second, so that the program notices if it no
longer works. It ends with the program.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64decode
from collections import deque
from collections.abc import Callable, Sequence
from io import BufferedWriter, FileIO
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO

import psutil

from engine.core.errors import EngineError, SettingsError
from engine.core.json_types import Plain
from engine.jobs.loader.limits import limited_memory, write_no_core
from engine.live.core.message import Buffer, ScanEnd, read_message
from engine.live.core.senders import Origin, Senders
from engine.live.core.stream_keys import stream_key
from engine.live.core.zeromq import ServerKeys, listens, opened
from engine.live.receiving.limits import max_message_bytes, max_waiting_messages, size_note
from engine.live.receiving.presence import Presence
from engine.live.receiving.shared_memory import MemoryWriter
from engine.live.receiving.wire import INLINE, MESSAGE, Item, Stream, packed

if TYPE_CHECKING:
    import zmq

LOOK_MS, PREPARING_MS = 100, 1
"""Longest wait for a message, also between two steps of preparing memory."""
ALIVE_S = 1.0
"""Longest time between two reports."""
LIMIT_BYTES = 9 * 2**29
"""Most memory of the process: some of the largest messages. Half of the free memory if less."""
MOST_KEYS = 100
"""Most keys that are not allowed and are named."""
LEAST_LIMIT = 2**29
PREPARED_PART = 32
"""Part of the free memory that may be prepared for messages,"""
PREPARE_S = 0.5
"""and longest time for it before the socket opens. It goes on while no messages come."""
MOST_OUTSTANDING = 2**28
"""Most bytes that the program has not taken yet."""
FLUSH_S, FLUSH_BYTES = 0.002, 2**18
"""Longest wait of a report for others, and the size of data that wait for none."""
LEAST_SHARED = 2**16
"""Smaller data travel with their report, which costs less than a mapping."""

Reader = Callable[[Sequence[Buffer]], object]


def receive() -> None:
    """Run the process: its first line of input has the options."""
    # With a buffer, which standard output lacks if PYTHONUNBUFFERED is set
    source, target = sys.stdin.buffer, BufferedWriter(FileIO(1, "w", closefd=False), FLUSH_BYTES)
    given = json.loads(source.readline())
    write_no_core()
    available = psutil.virtual_memory().available
    free = max(LEAST_LIMIT, available // 2)
    reader = _reader(given)
    import zmq  # noqa: F401  loaded before the limit counts

    given["most_prepared"] = available // PREPARED_PART
    with limited_memory(min(LIMIT_BYTES, free)):
        received = Receiving(Stream(**given["stream"]), given, reader, source, target)
        # Also if a message keeps the main thread busy
        received.run(on_end=lambda: os._exit(0))


class Receiving:
    """Receives one stream.

    Parameters
    ----------
    stream : address and kind
    given : state of an earlier process: sender and descriptor of the memory
    reader : reads a message, or raises an `EngineError`
    source, target : commands of the program, and reports to it
    """

    def __init__(
        self, stream: Stream, given: Plain, reader: Reader, source: BinaryIO, target: BinaryIO
    ) -> None:
        self._stream, self._reader = stream, reader
        self._most_bytes = max_message_bytes(stream.kind, stream.frame_shape)
        self._source, self._target = source, target
        memory = given.get("memory")
        most_prepared = given.get("most_prepared", 0) if stream.kind == "frames" else 0
        self._memory = None if memory is None else MemoryWriter(memory, most_prepared)
        self._senders = Senders(
            is_listening=listens(stream.address),
            required=given.get("required") or stream.sender,
            has_keys=bool(stream.sender_keys),
        )
        self._confirmed: Origin | None = None
        if given.get("chosen"):
            # Its connection has ended with the earlier process
            self._confirmed = self._senders.chosen = Origin(**given["chosen"], descriptor=-1)
        self._reported_s, self._has_unsent = 0.0, False
        self._n_refused = 0
        self._changed, self._outstanding = Condition(), 0
        self._required: str | None = None
        self._is_over = self._has_failed = self._has_message = self._has_explained = False
        self._refused_keys: deque[str] = deque(maxlen=MOST_KEYS)
        self._named_keys: set[str] = set()

    def run(self, on_end: Callable[[], None] = lambda: None) -> None:
        """Receive until the program ends.

        Parameters
        ----------
        on_end
            called in a thread when the program has ended
        """
        import zmq

        # ZeroMQ reserves memory by the header of a message
        options = {
            int(zmq.RCVHWM): max_waiting_messages(self._most_bytes),
            int(zmq.MAXMSGSIZE): self._most_bytes,
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
                self._tell({"event": "open"})
                Thread(target=self._obey, args=(on_end,), daemon=True).start()
                self._receive(socket, presence)
        except EngineError as e:
            is_setting = isinstance(e, SettingsError)
            self._tell({"event": "fault", "is_setting": is_setting, "text": str(e)})

    def _keys(self) -> ServerKeys | None:
        allowed = frozenset(self._stream.sender_keys)
        if not allowed:
            return None
        return ServerKeys(stream_key().secret, allowed, self._refused_keys.append)

    def _prepares(self) -> bool:
        """Prepare memory for the next frames; return False once there is enough."""
        return self._memory is not None and self._memory.prepare()

    def _receive(self, socket: zmq.Socket[bytes], presence: Presence) -> None:
        wait_ms = LOOK_MS
        while not self._is_over:
            self._choose()
            parts = _waiting_message(socket)
            if parts is None:
                self._flush()
            if parts is None and not socket.poll(wait_ms):
                wait_ms = PREPARING_MS if self._prepares() else LOOK_MS
                # Only once all messages of the sender were read
                self._tell_presence(presence)
                self._tell_failed(presence)
                self._tell_senders()
                self._tell_alive()
                continue
            if presence.has_left:
                self._tell_presence(presence)
            if parts is not None:
                self._take(parts)
            self._tell_alive()

    def _take(self, parts: list[zmq.Frame]) -> None:
        senders, self._has_message = self._senders, True
        try:
            # Before its data are read: an unknown sender must not choose the parsed data
            is_accepted, text = senders.accepts(parts)
            if not is_accepted:
                self._n_refused += 1
                if text:
                    self._tell_senders()
                    self._tell({"event": "refused", "text": text})
                return
            message = self._reader([part.buffer for part in parts])
        except EngineError as e:
            self._tell({"event": "invalid", "text": str(e)})
            return
        is_end = isinstance(message, ScanEnd)
        if is_end and not senders.is_fixed:
            # Of a stranger, perhaps: nothing of a scan has come
            text = "the end of a scan came before its first message."
            self._tell({"event": "invalid", "text": text})
            return
        senders.confirm()
        if is_end:
            self._tell_senders()  # its sentence counts the refused messages
        self._pass_on(parts, text)

    def _pass_on(self, parts: list[zmq.Frame], text: str) -> None:
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
        if self._memory is None or data.nbytes < LEAST_SHARED:
            self._add(facts, header, data)
            return
        self._wait_for_space()
        offset = self._memory.put(data)
        with self._changed:
            self._outstanding += data.nbytes
        self._add(facts, header, b"", offset, data.nbytes)

    def _wait_for_space(self) -> None:
        if self._outstanding >= MOST_OUTSTANDING:
            self._flush()  # the program can only take data that it knows
        while not self._is_over:
            with self._changed:
                if self._changed.wait_for(lambda: self._outstanding < MOST_OUTSTANDING, ALIVE_S):
                    return
            self._tell_alive()

    def _obey(self, on_end: Callable[[], None]) -> None:
        """Follow the commands of the program, and end with it."""
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

    def _tell_presence(self, presence: Presence) -> None:
        for is_disconnected in presence.changes():
            self._tell({"event": "presence", "is_disconnected": is_disconnected})
            if is_disconnected:
                self._tell_size()

    def _tell_size(self) -> None:
        """Report the limit of a message once, if a sender has gone without a whole message.

        ZeroMQ closes the connection of a message that is too large, and reports no reason.
        """
        has_message, self._has_message = self._has_message, False
        if self._stream.kind != "frames" or has_message or self._has_explained:
            return
        self._has_explained = True
        text = size_note(self._stream.frame_shape, self._most_bytes)
        self._tell({"event": "noticed", "text": text})

    def _tell_failed(self, presence: Presence) -> None:
        """Report connections without a valid key once, and each key that is not allowed."""
        if presence.n_failed and not self._has_failed:
            self._has_failed = True
            text = "A connection has failed, because this receiver has no keys."
            if self._stream.sender_keys:
                text = "A connection has failed, because its key is not allowed here."
            self._tell({"event": "refused", "text": text})
        while self._refused_keys:
            key = self._refused_keys.popleft()
            if key not in self._named_keys and len(self._named_keys) < MOST_KEYS:
                self._named_keys.add(key)
                text = f"The key {key} of a sender is not allowed; add it with --sender-key."
                self._tell({"event": "refused", "text": text})

    def _tell_senders(self) -> None:
        if self._n_refused:
            self._n_refused = 0
            refused = [vars(each) for each in self._senders.refused]
            summary = self._senders.summary
            self._tell({"event": "senders", "refused": refused, "summary": summary})

    def _tell_alive(self) -> None:
        # Refused messages of a stranger must not delay reports that wait for others
        if monotonic() - self._reported_s > FLUSH_S:
            self._flush()
        if monotonic() - self._reported_s >= ALIVE_S:
            self._tell_senders()
            self._tell({"event": "alive"})

    def _tell(self, facts: Plain) -> None:
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
        """Report something; reports of small messages wait for others, which is faster."""
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
