"""Limits of a receiving socket: size of a message, and number of queued messages.

ZeroMQ limits the number of queued messages of a connection, but not their total size. An unknown
sender can therefore fill the memory with the product of both limits. If the frame size is known
before the socket opens, it limits the messages, and more of them are queued; small frames then need
no thread switch each. If it is unknown, the limit is enough for most large detectors.
"""

from __future__ import annotations

from engine.live.core.message import MAX_BYTES, MAX_PIXELS

MIN_WAITING, MAX_WAITING = 2, 64
"""Queued messages of a connection. If the queue is full, the sender waits and loses nothing."""
PEER_BYTES = 2**30
"""Memory limit of the queued messages of a connection, but at least two of the largest."""
ITEM_BYTES = 8
"""Maximum size of a pixel."""
MIN_BYTES = 2**23
"""Enough for the geometry of the most views, and for frames larger than expected."""
EVENT_BYTES = 2**29
"""Maximum size of a message with events."""
UNKNOWN_BYTES = 2**27
"""Maximum size of a frame if its shape is unknown: 67 million pixels of 16 bits."""


def max_message_bytes(kind: str, frame_shape: tuple[int, int] | None) -> int:
    """Return the maximum size of a message [bytes].

    Parameters
    ----------
    kind
        "frames" or "events"
    frame_shape
        (n_rows, n_columns) of the frames; None if unknown
    """
    if kind != "frames":
        return EVENT_BYTES
    if frame_shape is None:
        return UNKNOWN_BYTES
    rows, columns = (min(n, MAX_PIXELS) for n in frame_shape)
    return min(MAX_BYTES, max(MIN_BYTES, ITEM_BYTES * rows * columns))


def max_waiting_messages(n_bytes: int) -> int:
    """Return the maximum number of queued messages of a connection.

    Parameters
    ----------
    n_bytes
        maximum size of a message
    """
    return min(MAX_WAITING, max(MIN_WAITING, PEER_BYTES // n_bytes))


def size_note(frame_shape: tuple[int, int] | None, n_bytes: int) -> str:
    """Return a note about a sender that disconnected before its first message was complete.

    Parameters
    ----------
    frame_shape
        (n_rows, n_columns) of the frames; None if unknown
    n_bytes
        maximum size of a message
    """
    if frame_shape is None:
        return (
            "a sender has disconnected before its first message was complete. A message has at "
            f"most {n_bytes:,} bytes until the geometry is known. For larger frames, choose the "
            "geometry first."
        )
    rows, columns = frame_shape
    return (
        "a sender has disconnected before its first message was complete. A message has at most "
        f"{n_bytes:,} bytes for frames of {rows} × {columns} pixels. Check that the geometry fits "
        "the detector."
    )
