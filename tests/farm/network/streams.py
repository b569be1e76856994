"""Cases of live streams: single messages, and whole scans over ZeroMQ.

A scan is received by the source that the program opens for an address. Each accepted frame or
batch must be one of the messages that were sent. A valid message that follows is accepted, or a
notice states the reason.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random
from threading import Event
from typing import Any

from engine.core.errors import EngineError
from engine.geometry.xray import XrayGeometry
from engine.live import Ended, SourceEvent, open_events, open_source
from engine.live.core.frame import Frame, Noticed, Resumed, ShapeChanged
from engine.live.core.message import read_message
from engine.live.pet.event_batch import EventBatch
from engine.live.pet.event_message import read_event_message
from tests.farm.network.laws import WrongValueError, true_events, true_frame, true_geometry
from tests.farm.network.messages import Parts, damaged, damaged_scan, event_scan, frame_scan

DAMAGED_PER_SCAN = 20
SCAN_S = 30.0
"""Time for one scan of a few hundred kilobytes; a longer one hangs."""


class TooSlowError(AssertionError):
    """Reading a message or scan took longer than its limit."""


class NotHandledError(AssertionError):
    """A valid message was lost without a notice to the user."""


# single messages


def frame_message(rng: Random) -> None:
    """Read a damaged message of an X-ray scan."""
    parts = damaged(list(rng.choice(frame_scan())), rng)
    found = read_message(parts, 0.0)
    if isinstance(found, Frame):
        true_frame(found, parts)
    elif isinstance(found, XrayGeometry):
        true_geometry(found, parts)


def event_message(rng: Random) -> None:
    """Read a damaged message of a list-mode scan, after its announcement."""
    whole = event_scan()
    head = read_event_message(whole[0], None, 0.0)
    parts = damaged(list(rng.choice(whole)), rng)
    found = read_event_message(parts, head, 0.0)  # type: ignore[arg-type]  # it is a head
    if isinstance(found, EventBatch):
        true_events(found, parts)


# scans over ZeroMQ


def frame_stream(rng: Random) -> None:
    """Receive a damaged X-ray scan, then a valid one."""
    _received(rng, frame_scan(), open_source, "frames")


def event_stream(rng: Random) -> None:
    """Receive a damaged list-mode scan, then a valid one."""
    _received(rng, event_scan(), open_events, "batches")


def _received(
    rng: Random, whole: tuple[tuple[bytes, bytes], ...], opened: Callable[..., Any], method: str
) -> None:
    messages = damaged_scan(whole, DAMAGED_PER_SCAN, rng)
    with _pushing([*messages, *map(list, whole)]) as address:
        arrivals = _arrivals(opened(address), method)
    judge_arrivals(arrivals, messages, whole)


def judge_arrivals(
    arrivals: Sequence[object], sent: list[Parts], whole: Sequence[tuple[bytes, bytes]]
) -> None:
    """Compare the arrivals of a source with the sent messages.

    Parameters
    ----------
    arrivals
        everything that the source has yielded
    sent
        damaged messages in their order
    whole
        messages of the valid scan that followed

    Raises
    ------
    WrongValueError
        for an accepted value that was not sent
    NotHandledError
        if a message of the valid scan is missing without a notice
    """
    known: dict[object, list[Parts]] = {}
    for parts in (*sent, *map(list, whole)):
        known.setdefault(_key(parts), []).append(parts)
    for each in arrivals:
        if isinstance(each, Frame | EventBatch):
            _refuse_unknown(each, known.get(_key_of(each), []))
    if not arrivals or not isinstance(arrivals[-1], Ended):
        raise NotHandledError(f"the scan did not end: {_texts(arrivals)[-200:]}")
    ended_early = any(is_end(parts) for parts in sent)
    there = {_key_of(each) for each in arrivals if isinstance(each, Frame | EventBatch)}
    missing = [parts for parts in whole if _is_data(parts) and _key(parts) not in there]
    reported = any(isinstance(each, Noticed | Resumed | ShapeChanged) for each in arrivals)
    if missing and not ended_early and not reported:
        raise NotHandledError(f"{len(missing)} valid messages are missing without a notice")


def _refuse_unknown(found: Frame | EventBatch, candidates: list[Parts]) -> None:
    """Raise WrongValueError for values that differ from all messages with the same data."""
    difference = "nobody sent these values"
    for parts in candidates:
        try:
            true_frame(found, parts) if isinstance(found, Frame) else true_events(found, parts)
        except (
            ArithmeticError,
            WrongValueError,
            LookupError,
            RecursionError,
            TypeError,
            ValueError,
        ) as e:
            difference = str(e)
        else:
            return
    raise WrongValueError(f"{type(found).__name__}: {difference}")


def is_end(parts: Sequence[bytes]) -> bool:
    """Return True for a valid end of a scan."""
    with suppress(EngineError):
        return type(read_message(list(parts), 0.0)).__name__ == "ScanEnd"
    return False


def _is_data(parts: Sequence[bytes]) -> bool:
    return b'"announce": "end"' not in parts[0] and (
        b'"frame"' in parts[0] or b'"events"' in parts[0]
    )


def _key(parts: Sequence[bytes]) -> object:
    """Return the data of a message."""
    return parts[1] if len(parts) > 1 else None


def _key_of(found: Frame | EventBatch) -> object:
    if isinstance(found, Frame):
        return found.values.tobytes()
    events = found.events
    columns = (
        (events.crystals, "<i4"), (events.time_ms, "<u4"), (events.delayed, "|u1"),
        (events.tof_bins, "<i2"),
    )  # fmt: skip
    return b"".join(c.astype(form).tobytes() for c, form in columns if c is not None)


def _texts(arrivals: Sequence[object]) -> str:
    return " | ".join(each.text for each in arrivals if isinstance(each, SourceEvent))


def _arrivals(source: Any, method: str) -> list[object]:
    stop, arrivals = Event(), []
    timer = threading.Timer(SCAN_S, stop.set)
    timer.daemon = True
    timer.start()
    try:
        arrivals.extend(getattr(source, method)(stop))
    finally:
        timer.cancel()
        source.close()
    if stop.is_set():
        raise TooSlowError(f"no end after {SCAN_S:g} s: {_texts(arrivals)[-200:]}")
    return arrivals


@contextmanager
def _pushing(messages: list[Parts]) -> Iterator[str]:
    """Open a sender that listens on a port and sends these messages to its first receiver."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    done = Event()
    thread = threading.Thread(target=_push, args=(address, messages, done), daemon=True)
    thread.start()
    try:
        yield address
    finally:
        done.set()
        thread.join()


def _push(address: str, messages: list[Parts], done: Event) -> None:
    """Send messages until all are sent, and stay connected until `done` is set."""
    import zmq

    with zmq.Context() as context, context.socket(zmq.PUSH) as sender:
        sender.linger = 0
        while not done.is_set():
            try:
                sender.bind(address)
                break
            except zmq.ZMQError:  # the port is not free yet
                time.sleep(0.02)
        for parts in messages:
            while not done.is_set() and not sender.poll(50, zmq.POLLOUT):
                pass
            if done.is_set():
                return
            sender.send_multipart(parts)
        done.wait()
