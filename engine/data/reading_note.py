"""Marks notes of readers that only inform.

All other notes of a reader are assumptions or losses that the user should check.
`engine.data.runs.events` derives the level of a message from this mark.
"""

from __future__ import annotations


class Information(str):
    """A sentence about the reading of a file, without an assumption or a loss."""

    __slots__ = ()
