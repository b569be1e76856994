"""The report on a file: its format, content and faults."""

from __future__ import annotations

from dataclasses import dataclass

Facts = tuple[tuple[str, str], ...]
FORMAT = "Format"
"""Label of the fact that names the exact format."""
UNKNOWN = "unknown"
"""Format of a file that no reader accepts."""


@dataclass(frozen=True)
class Report:
    """Findings about a file.

    Attributes
    ----------
    format : name of the reader or of the kind of file, "unknown" if none
    title : summary in one line
    facts : (label, text) in the order of display
    faults : reasons why the file cannot be used, one sentence each; empty if it can
    notes : other things the user should know
    """

    format: str
    title: str
    facts: Facts = ()
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Return True if the file can be used."""
        return not self.faults


def with_format(head: Facts, facts: Facts) -> Facts:
    """Return facts that begin with the format of the file.

    Parameters
    ----------
    head
        facts that include the format
    facts
        facts of a reader; their own format is left out
    """
    # Readers can state a format too, but the exact one is already in the head.
    return (*head, *(fact for fact in facts if fact[0] != FORMAT))
