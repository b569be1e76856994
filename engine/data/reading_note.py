"""Informative notes of readers.

All other notes of a reader are assumptions or losses, which the user should check. Readers mark the
notes that inform. `engine.events` decides what level that is.
"""

from __future__ import annotations


class Information(str):
    """A sentence about the reading of a file, without an assumption or a loss."""

    __slots__ = ()
