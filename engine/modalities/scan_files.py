"""A scan and the files that lie beside it for the parts of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class ScanFiles:
    """The files of a scan, told by their content.

    Attributes
    ----------
    data : the scan itself
    inputs : auxiliary files by the key of their role
    notes : what is ambiguous, left out or missing, one sentence each
    members : keys of the roles that files are for by their names, chosen or left out
    """

    data: Path
    inputs: Mapping[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    members: Mapping[str, str] = field(default_factory=dict)

    def role_of(self, path: Path) -> str | None:
        """Return for which role a file is, by its name; None of the scan's own."""
        return self.members.get(path.name)
