"""Regions of a scan, saved next to its study and opened with it."""

from __future__ import annotations

from pathlib import Path

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.session import Session
from engine.analysis.regions import (
    PRINT,
    RegionSet,
    regions_at,
    regions_file_of,
    scan_marks,
    write_regions,
)
from engine.core.errors import OutputError


def save_next_to(session: Session, study: Path) -> None:
    """Write the regions of the open scan next to its study; an empty set writes nothing.

    Parameters
    ----------
    session
        state of the window
    study
        file of the study

    Raises
    ------
    OutputError
        a file of this name contains regions of another scan, or cannot be read
    """
    regions, path = _regions_of_study(session), regions_file_of(study)
    if regions is None or regions.is_empty:
        return
    # Regions are manual work. Those of another scan are never overwritten silently. A damaged file
    # may contain the only ones.
    found = regions_at(path)
    if found.fault:
        raise OutputError(
            tr(
                "{name}: the study was saved without its regions, because this file cannot be read "
                "and must not be overwritten; save the study under another name. Reason: {fault}",
                name=path.name,
                fault=found.fault,
            )
        )
    if found.regions is not None and not found.regions.is_of(regions.scans):
        raise OutputError(
            tr(
                "{name}: the study was saved without its regions, because this file contains "
                "regions from another scan; save the study under another name.",
                name=path.name,
            )
        )
    write_regions(regions, path)
    session.add_log("info", tr("Regions saved: {path}", path=path))


def _regions_of_study(session: Session) -> RegionSet | None:
    """Return the regions of the open scan; None if there are none."""
    # The displayed image can be of another scan, perhaps of another patient.
    current, data = session.regions.current, session.study.inputs.get(DATA)
    if data is None or not data.fingerprint:
        return current
    from engine.protocols.privacy import pseudonym_of  # late, because it loads the file formats

    content = scan_marks(fingerprint=data.fingerprint)
    path = scan_marks(pseudonym=pseudonym_of(Path(data.value)))
    # Earlier versions stored no fingerprint with regions; then the path decides.
    has_content = any(mark.startswith(PRINT) for mark in current.scans)
    if set(current.scans) & set(content if has_content else path):
        return current
    return session.regions.of_scan(content)


def stored_file(session: Session) -> Path | None:
    """Return the region file next to the open study; None if no study file is open.

    Parameters
    ----------
    session
        state of the window
    """
    study = session.opened_from
    return regions_file_of(study) if study is not None and study.suffix == ".toml" else None
