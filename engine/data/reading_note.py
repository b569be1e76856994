"""Notes of readers that only inform: what was read, and how.

All other notes of a reader are assumptions or losses, which the user should check. Readers mark the
notes that inform. `engine.events` decides what level that is.
"""

from __future__ import annotations


class Information(str):
    """A sentence that tells how a file was read, without an assumption and without a loss."""

    __slots__ = ()
