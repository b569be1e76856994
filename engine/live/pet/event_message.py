"""Events as messages of two parts: a header in JSON and bytes.

    {"isocenter": {"announce": "list mode", "delayed": true, "tof": true}}          scanner, TOML
    {"isocenter": {"announce": "events", "first": k, "n": n, "columns": [...]}}     columns
    {"isocenter": {"announce": "end", "sent": n}}                                   nothing

Columns follow one another, little-endian: crystals (int32, two per event) and time_ms (uint32, from
the start of the scan), and if announced delayed (uint8, 0 or 1) and tof_bin (int16). The scanner is
the text of its own file. Nothing is unpickled, sizes must match, and all numbers are checked before
use.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.core.settings import to_toml
from engine.data.listmode import ListMode
from engine.geometry.dual_head import DualHead
from engine.geometry.ring import RingScanner
from engine.io.scanners.toml_scanner import scanner_of, scanner_settings
from engine.live.core.message import OURS, Buffer, ScanEnd, header_of, integer_of, table_of
from engine.live.pet.event_batch import EventBatch

COLUMNS = {"crystals": "<i4", "time_ms": "<u4", "delayed": "|u1", "tof_bin": "<i2"}
"""Columns in the order of the message."""
MAX_SCANNER_BYTES = 2**20
MAX_EVENTS = 20_000_000
"""Most events in one message."""

EventMessage: TypeAlias = EventBatch | ListMode | ScanEnd


def message_of_head(head: ListMode) -> list[Buffer]:
    """Return the message that announces a scan.

    Parameters
    ----------
    head
        scan without events

    Raises
    ------
    SettingsError
        for a scanner that is a crystal map, which has no settings to send
    """
    if not isinstance(head.scanner, RingScanner | DualHead):
        raise SettingsError(
            f"{head.scanner.name}: a scanner with a crystal map cannot be sent over ZeroMQ; send "
            "a scan from a ring or dual-head scanner."
        )
    ours: Plain = {
        "announce": "list mode",
        "delayed": head.delayed is not None,
        "tof": head.tof_bins is not None,
        "duration_s": float(head.duration_s),
    }
    return [json.dumps({OURS: ours}).encode(), to_toml(head.scanner.settings).encode()]


def message_of_events(events: ListMode, first: int) -> list[Buffer]:
    """Return the message of some events.

    Parameters
    ----------
    events
        events with all announced columns
    first
        number of the first event in the scan
    """
    given = {
        "crystals": events.crystals,
        "time_ms": events.time_ms,
        "delayed": events.delayed,
        "tof_bin": events.tof_bins,
    }
    columns = {name: values for name, values in given.items() if values is not None}
    ours: Plain = {
        "announce": "events", "first": first, "n": events.n_events, "columns": list(columns),
    }  # fmt: skip
    packed = [np.ascontiguousarray(v, COLUMNS[name]).tobytes() for name, v in columns.items()]
    return [json.dumps({OURS: ours}).encode(), b"".join(packed)]


def read_event_message(
    parts: Sequence[Buffer], head: ListMode | None, arrived_s: float
) -> EventMessage | None:
    """Read a message.

    Parameters
    ----------
    parts
        parts of the message
    head
        announced scan, None before the announcement
    arrived_s
        time of arrival, by `time.monotonic` [s]

    Returns
    -------
    message
        events, an announced scan or the end; None for events before an announcement

    Raises
    ------
    DataError
        if the message has another form or size than its header states, or does not fit the scanner
    """
    if len(parts) != 2:
        raise DataError(
            f"the message has {len(parts)} parts, expected two (a JSON header and binary data); "
            "check the sending program."
        )
    ours = table_of(header_of(bytes(parts[0])), OURS)
    announced = ours.get("announce")
    if announced == "end":
        return ScanEnd(integer_of(ours, "sent", 0, 2**53))
    if announced == "list mode":
        return _head(ours, parts[1])
    if announced != "events":
        raise DataError(
            f"in the header, 'announce' is {str(announced)[:40]!r}, expected 'list mode', "
            "'events' or 'end'."
        )
    if head is None:
        return None
    first, n = integer_of(ours, "first", 0, 2**53), integer_of(ours, "n", 1, MAX_EVENTS)
    return EventBatch(_events(head, ours, n, parts[1]), first, arrived_s)


def _head(ours: Plain, text: Buffer) -> ListMode:
    # The size is checked before the text is parsed
    if memoryview(text).nbytes > MAX_SCANNER_BYTES:
        raise DataError(
            f"the scanner description has {memoryview(text).nbytes:,} bytes, but at most "
            f"{MAX_SCANNER_BYTES:,} are allowed; check the sending program."
        )
    try:
        values = tomllib.loads(bytes(text).decode())
        scanner = scanner_of(scanner_settings(values, where="Scanner of the stream"))
    except SettingsError as e:
        raise DataError(f"{e} Check the sending program.") from e
    except (ValueError, RecursionError) as e:
        raise DataError(
            f"the scanner description cannot be read ({e}); check the sending program."
        ) from e
    is_timed = ours.get("tof") is True
    if is_timed and scanner.tof is None:
        raise DataError(
            "the events contain TOF data, but the scanner description has no TOF settings; add "
            "them to the scanner description."
        )
    duration = ours.get("duration_s")
    return ListMode(
        scanner=scanner,
        crystals=np.empty((0, 2), np.int32),
        delayed=np.empty(0, np.bool_) if ours.get("delayed") is True else None,
        tof_bins=np.empty(0, np.int16) if is_timed else None,
        time_ms=np.empty(0, np.uint32),
        # An unknown or absurd duration becomes known at the end of the scan
        duration_s=float(duration) if isinstance(duration, float) and 0 < duration < 1e7 else 0.0,
    )


def _events(head: ListMode, ours: Plain, n: int, data: Buffer) -> ListMode:
    wanted = _columns_of(head)
    if ours.get("columns") != wanted:
        raise DataError(
            f"the events have the columns {str(ours.get('columns'))[:80]}, but the start message "
            f"announced {wanted}; send the announced columns."
        )
    sizes = [n * (2 if name == "crystals" else 1) for name in wanted]
    kinds = [np.dtype(COLUMNS[name]) for name in wanted]
    n_bytes = sum(size * kind.itemsize for size, kind in zip(sizes, kinds, strict=True))
    if memoryview(data).nbytes != n_bytes:
        raise DataError(
            f"the message has {memoryview(data).nbytes:,} bytes of events, but the {n:,} events "
            f"in its header need {n_bytes:,} bytes; check the sending program."
        )
    found, at = {}, 0
    for name, size, kind in zip(wanted, sizes, kinds, strict=True):
        # A copy in native byte order: the message's buffer belongs to ZeroMQ
        found[name] = np.frombuffer(data, kind, size, at).astype(kind.newbyteorder("="))
        at += size * kind.itemsize
    crystals = found["crystals"].reshape(n, 2)
    # Kernels index arrays with these numbers without further checks
    _refuse_outside("crystals", crystals, head.scanner.n_crystals)
    _refuse_outside("tof_bin", found.get("tof_bin"), _n_bins(head))
    _refuse_outside("delayed", found.get("delayed"), 2)
    times = found["time_ms"]
    # Sliding images search times by bisection, which needs their order
    if (times[1:] < times[:-1]).any():
        raise DataError(
            f"event {np.argmax(times[1:] < times[:-1]) + 1} of the message is earlier than the "
            "event before it; send the events in time order."
        )
    delayed = found.get("delayed")
    return ListMode(
        scanner=head.scanner,
        crystals=crystals,
        delayed=None if delayed is None else delayed.astype(np.bool_),
        tof_bins=found.get("tof_bin"),
        time_ms=times,
    )


def _columns_of(head: ListMode) -> list[str]:
    there = {"delayed": head.delayed is not None, "tof_bin": head.tof_bins is not None}
    return [name for name in COLUMNS if there.get(name, True)]


def _n_bins(head: ListMode) -> int:
    return 0 if head.scanner.tof is None else head.scanner.tof.n_bins


def _refuse_outside(what: str, values: NDArray[np.generic] | None, limit: int) -> None:
    if values is None or not values.size:
        return
    least, most = int(values.min()), int(values.max())
    if least < 0 or most >= limit:
        wrong = least if least < 0 else most
        raise DataError(
            f"the column {what!r} of the events contains {wrong}, expected 0 to {limit - 1:,}; "
            "check the sending program."
        )
