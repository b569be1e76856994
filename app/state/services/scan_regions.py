"""Regions of a scan, saved next to its study and opened with it."""

from __future__ import annotations

from pathlib import Path

from app.language.translation import tr
from app.state.models.session import Session
from engine.analysis.regions import RegionSet, read_regions, regions_file_of, write_regions
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
        a file of this name contains regions of another scan
    """
    regions, path = session.regions.current, regions_file_of(study)
    if regions.is_empty:
        return
    # Regions are manual work. Those of another scan are never overwritten silently.
    if path.exists() and not read_regions(path).is_of(regions.scans):
        raise OutputError(
            tr(
                "{name}: the study was saved without its regions, because this file contains "
                "regions from another scan; save the study under another name.",
                name=path.name,
            )
        )
    write_regions(regions, path)
    session.add_log("info", tr("Regions saved: {path}", path=path))


def stored_regions(session: Session) -> RegionSet | None:
    """Read the regions next to the open study.

    Parameters
    ----------
    session
        state of the window

    Returns
    -------
    the regions, of whichever scan; None if there are none
    """
    study = session.opened_from
    path = regions_file_of(study) if study is not None and study.suffix == ".toml" else None
    return read_regions(path) if path is not None and path.is_file() else None
