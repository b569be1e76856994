"""Studies of scans that are values of this process."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.core.errors import SettingsError
from engine.data.scan import content_of
from engine.modalities import MODALITIES
from engine.modalities.studies import modality_of, protocol_of_kind
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.study import StudyInMemory

FILE_NAME = re.compile(r"^(\S+|[^:]*\.\w+): ")
"""Beginning of a reader's note: the name of the file or folder."""


def in_memory(scan: object, protocol: Protocol | None) -> tuple[StudyInMemory, object]:
    """Return the study of a scan in memory, and the scan as the readers would deliver it.

    Parameters
    ----------
    scan
        value of any type
    protocol
        protocol; None: the standard one for the scan

    Raises
    ------
    EngineError
        if it is not a scan, a value is impossible, or the protocol does not fit
    """
    fitting = [each for each in MODALITIES if each.takes(scan)]
    if not fitting:
        raise SettingsError(
            f"a value of the type {type(scan).__name__!r} cannot be reconstructed, because it is "
            "no scan; pass ListMode, Histogram, Sinogram or Projections, a study, or the path of a "
            "file."
        )
    if protocol is None:
        # The first one, as for files.
        protocol = protocol_of_kind(fitting[0])
    elif modality_of(protocol) not in fitting:
        keys = " or ".join(repr(each.key) for each in fitting)
        raise SettingsError(
            f"the protocol {protocol.name!r} is of the modality {protocol.modality!r}, expected "
            f"{keys} for a scan of the type {type(scan).__name__!r}; choose another protocol, or "
            "omit it."
        )
    study = StudyInMemory(protocol=protocol)
    scan = _without_file_names(modality_of(protocol).as_read(scan, study.data), study.data)
    return study.model_copy(update={"content": content_of(scan)}), scan


def _without_file_names(scan: Any, place: Path) -> Any:
    """Return a scan whose notes do not name the file that it was once read from.

    The name can be that of a patient, and the record of a run may be passed on.
    """
    notes = getattr(scan, "notes", ())
    changed = tuple(_renamed(each, place) for each in notes)
    return scan if changed == tuple(notes) else replace(scan, notes=changed)


def _renamed(note: str, place: Path) -> str:
    text = FILE_NAME.sub(f"{place.name}: ", note)
    return type(note)(text) if text != note else note
