"""Limits of a receiving socket: the size of a message, and the number of messages that wait.

ZeroMQ counts waiting messages of each connection, and not their bytes. A stranger that sends the
largest messages fills the memory with the product of both. If the size of the frames is known
before the socket opens, messages are limited to it, and more of them may wait. Small frames are
then received without a switch between threads for each. If it is not known, frames of large
detectors fit, but not those of the largest.
"""

from __future__ import annotations

from engine.live.core.message import MOST_BYTES, MOST_PIXELS

LEAST_WAITING, MOST_WAITING = 2, 64
"""Messages of a connection that wait here. A sender waits longer, without a loss."""
PEER_BYTES = 2**30
"""Most memory of waiting messages of a connection, unless two of the largest need more."""
ITEM_BYTES = 8
"""Most bytes of a pixel."""
LEAST_BYTES = 2**23
"""Room for the geometry of the most views, and for frames that are larger than expected."""
EVENT_BYTES = 2**29
"""Most bytes of a message with events."""
UNKNOWN_BYTES = 2**27
"""Most bytes of a frame if the size of the frames is not known: 67 million pixels of 16 bits."""


def max_message_bytes(kind: str, frame_shape: tuple[int, int] | None) -> int:
    """Return the most bytes of a message.

    Parameters
    ----------
    kind
        "frames" or "events"
    frame_shape
        (n_rows, n_columns) of the frames; None if it is not known
    """
    if kind != "frames":
        return EVENT_BYTES
    if frame_shape is None:
        return UNKNOWN_BYTES
    rows, columns = (min(n, MOST_PIXELS) for n in frame_shape)
    return min(MOST_BYTES, max(LEAST_BYTES, ITEM_BYTES * rows * columns))


def max_waiting_messages(n_bytes: int) -> int:
    """Return the most messages of a connection that wait.

    Parameters
    ----------
    n_bytes
        most bytes of a message
    """
    return min(MOST_WAITING, max(LEAST_WAITING, PEER_BYTES // n_bytes))


def size_note(frame_shape: tuple[int, int] | None, n_bytes: int) -> str:
    """Return sentences about a sender that has gone without a whole message.

    Parameters
    ----------
    frame_shape
        (n_rows, n_columns) of the frames; None if it is not known
    n_bytes
        most bytes of a message
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
