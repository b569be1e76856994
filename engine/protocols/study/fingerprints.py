"""Refuse a study if another scan has taken the place of its own."""

from __future__ import annotations

from engine.core.errors import DataError
from engine.protocols.study.study import SHOWN, StudyValues


def refuse_changed_files(study: StudyValues) -> None:
    """Refuse a study if a file is not the one that its settings are for.

    Parameters
    ----------
    study
        study; files without a fingerprint are not checked

    Raises
    ------
    DataError
        names the file, its fingerprint and the expected one
    EngineError
        if a file with a fingerprint cannot be read
    """
    if not study.fingerprints or study.in_memory:
        return
    from engine.io import fingerprint_of, scan_file

    for role, expected in study.fingerprints.items():
        path = study.files.get(role)
        if path is None:
            continue
        found = fingerprint_of(scan_file(path))
        if found != expected:
            raise DataError(
                f"{path.name}: this is not the file that the study was set up for (fingerprint "
                f"{found[:SHOWN]}, expected {expected[:SHOWN]}), and it may belong to another "
                "patient. Restore that file, or set up the study again."
            )
