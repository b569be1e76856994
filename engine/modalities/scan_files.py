"""A scan and the auxiliary files found with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class ScanFiles:
    """Files of a scan, found by their content.

    Attributes
    ----------
    data : the scan itself
    inputs : auxiliary files by the key of their role
    notes : ambiguous, unused or missing files, one sentence each
    members : role of files by their names, whether they are used or not
    """

    data: Path
    inputs: Mapping[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    members: Mapping[str, str] = field(default_factory=dict)

    def role_of(self, path: Path) -> str | None:
        """Return the role of a file by its name.

        Parameters
        ----------
        path
            file in the folder of the scan

        Returns
        -------
        role
            key of the role; None for files of the scan itself
        """
        return self.members.get(path.name)
