"""The report on a file: its format, its content, and its faults."""

from __future__ import annotations

from dataclasses import dataclass

Facts = tuple[tuple[str, str], ...]
FORMAT = "Format"
"""Label of the fact that names the exact format."""


@dataclass(frozen=True)
class Report:
    """Findings about a file.

    Attributes
    ----------
    format : name of the reader or of the kind of file, "unknown" if none
    title : one line, what the file is
    facts : (label, text), in the order to show them
    faults : why the file cannot be used, one sentence each; none if it can
    notes : what the user should know
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
    """Return facts after a head that states the format, without a format of their own."""
    return (*head, *(fact for fact in facts if fact[0] != FORMAT))
