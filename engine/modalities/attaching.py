"""Read the auxiliary files of a scan, check that they fit, and attach them to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from engine.core.errors import DataError
from engine.data.input_role import InputRole
from engine.protocols.run_context.context import RunContext
from engine.protocols.study.protocol import Protocol

D = TypeVar("D")


def attach_inputs(context: RunContext[Protocol], roles: Sequence[InputRole], data: D) -> D:
    """Read the auxiliary files of a study and attach them to the scan.

    Parameters
    ----------
    context
        run with the study
    roles
        roles of the files to attach
    data
        the scan
    """
    # The scan itself is passed on, so that a tracer file of another scan is refused.
    return attached(roles, context.study.inputs, data, of=context.study.data)


def attached(
    roles: Sequence[InputRole], files: Mapping[str, Path], data: D, *, of: Path | None = None
) -> D:
    """Read auxiliary files and attach them to a scan.

    Parameters
    ----------
    roles
        roles of the files to attach, in this order
    files
        path of each file by the key of its role; other keys are ignored
    data
        the scan
    of
        file of the scan; None skips the check that an auxiliary file belongs to it

    Returns
    -------
    data
        a copy with the contents of the files, and with the notes of their readers

    Raises
    ------
    DataError
        if a file belongs to another scan
    """
    scanner = getattr(data, "scanner", None)
    # In the order of the roles, so that the order of the study file does not matter.
    for role in roles:
        if role.key in files:
            content = role.read(files[role.key], scanner)
            if of is not None:
                _refuse_other(content, files[role.key], of)
            data = role.attached(data, content)
            # Notes of an auxiliary file would be lost, because only the scan's notes are reported.
            content_notes = getattr(content, "notes", ())
            if content_notes:
                data = replace(data, notes=(*getattr(data, "notes", ()), *content_notes))  # type: ignore[type-var]
    return data


def _refuse_other(content: object, file: Path, scan: Path) -> None:
    """Refuse a tracer file that was written for another scan."""
    wanted = getattr(content, "of_scan", None)
    # A missing scan cannot be compared; opening it reports the problem.
    if wanted is None or not scan.exists():
        return
    from engine.io.scan_fingerprint import is_scan_of  # only tracer files name their scan

    if not is_scan_of(scan, wanted):
        raise DataError(
            f"{file.name}: this tracer file was filled in for a different scan than {scan.name}; "
            "fill in a tracer file for this scan."
        )
