"""Read the auxiliary files of a scan, check that they fit, and attach them to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from engine.core.errors import DataError
from engine.data.input_role import InputRole
from engine.io.scan_fingerprint import scan_digest
from engine.protocols.run_context.context import RunContext
from engine.protocols.study.protocol import Protocol

D = TypeVar("D")


def attach_inputs(context: RunContext[Protocol], roles: Sequence[InputRole], data: D) -> D:
    """Read the auxiliary files of the study that these roles name, and put them to the scan."""
    return attached(roles, context.study.inputs, data, of=context.study.data)


def attached(
    roles: Sequence[InputRole], files: Mapping[str, Path], data: D, *, of: Path | None = None
) -> D:
    """Read the files that these roles name, by their keys, and put them to the scan.

    of : the scan's own file; what was written for another one is refused
    """
    scanner = getattr(data, "scanner", None)
    for role in roles:
        if role.key in files:
            content = role.read(files[role.key], scanner)
            if of is not None:
                _refuse_other(content, files[role.key], of)
            data = role.attached(data, content)
            content_notes = getattr(content, "notes", ())
            if content_notes:
                data = replace(data, notes=(*getattr(data, "notes", ()), *content_notes))  # type: ignore[type-var]
    return data


def _refuse_other(content: object, file: Path, scan: Path) -> None:
    """Refuse a tracer file that was written for another scan than this."""
    wanted = getattr(content, "of_scan", None)
    if wanted is not None and scan.exists() and scan_digest(scan) != wanted:
        raise DataError(
            f"{file.name}: this tracer file belongs to another scan than {scan.name}, "
            "so its dose and patient data cannot be used; fill in a tracer file for "
            "this scan."
        )
