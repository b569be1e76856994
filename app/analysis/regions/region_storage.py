"""Automatic storage of regions: those of the displayed scan are loaded and saved.

An image is identified by its scan: the fingerprint or digest of the raw data, the pseudonym of
their path, or the frame of reference. A path alone never leads to regions of another content. If
none of these is known, the image identifies itself. Regions never pass to another scan
automatically.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Lock

from PySide6.QtCore import QObject, QTimer

from app.language.translation import tr
from app.state.models.images.open_volumes import OpenVolume
from app.state.models.images.volume_origin import Origin
from app.state.models.messages import Problem
from app.state.models.run_record import RunRecord
from app.state.services.context import AppContext
from app.state.services.scan_regions import stored_file
from engine.analysis.regions import (
    PRINT,
    VALUES,
    RegionSet,
    StoredRegions,
    image_mark,
    marks_of,
    regions_at,
    regions_file_of,
    replace_regions,
    scan_marks,
)
from engine.core.errors import EngineError
from engine.protocols.privacy import pseudonym_of
from engine.results import VOLUME, Results

# A drag changes a region many times per second; it is saved after a pause.
SAVE_MS = 1500
FOLDER, ENDING = "regions", ".regions.toml"
DIGITS = 24
NOT_OURS = tr(
    "The regions saved with the study were drawn on another scan or on another computer. To use "
    "them, load their file in the Regions tab."
)

NOT_OVERWRITTEN = tr("The file stays in its folder. New regions do not overwrite it.")


class RegionStorage(QObject):
    """Connect the model to the displayed scan, and save its regions in the user's settings."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._session = context, context.session
        self._model = context.session.regions
        self._folder = context.preferences.folder / FOLDER
        # The digest of an image takes time, so the marks of the displayed volume are cached.
        self._known: tuple[OpenVolume, tuple[str, ...]] | None = None
        self._nameless: tuple[RunRecord, tuple[str, ...]] | None = None
        self._saved: RegionSet | None = None
        self._writes = RegionWrites()
        # The scan and the result for which regions were drawn last.
        self._drawn: tuple[RegionSet, str] = RegionSet(), ""
        self._has_reported = False
        self._reported: set[Path] = set()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SAVE_MS)
        self._soon.timeout.connect(self.save)
        self._session.view.volume_changed.connect(self.follow)
        self._model.changed.connect(self._save_soon)

    def follow(self) -> None:
        """Load the regions of the displayed scan."""
        opened = self._session.volumes.base
        if opened is None:
            return
        # Changes of the previous scan that are not saved yet would be lost with the model.
        if self._soon.isActive():
            self.save()
        marks = self._marks_of(opened)
        stored = self._stored(marks) if self._model.awaits_stored(marks) else None
        if stored is not None:
            self._saved = stored
            self._report_header_only(stored, opened.origin)
        self._model.follow(opened.volume, marks, _title_of(self._context, opened), stored)

    def _report_header_only(self, regions: RegionSet, origin: Origin) -> None:
        """Tell if only the header of a scan shows that regions belong to it."""
        is_of_content = any(mark.startswith((PRINT, VALUES)) for mark in regions.scans)
        if origin.values and not is_of_content:
            title = tr("The regions are from an earlier version.")
            text = tr(
                "It compared only the header of the scan, which can be equal for two patients. "
                "Check that the regions fit."
            )
            self._session.raise_problem(Problem(title, text, is_fault=False))

    def save(self) -> None:
        """Save the regions of the displayed scan in a thread."""
        self._soon.stop()
        regions = self._model.current
        if regions == self._saved or not regions.scans:
            return
        # No file is created for a scan that never had regions.
        if regions.is_empty and self._saved is None:
            return
        self._saved = regions
        write = self._writes.later(
            regions, self.file_of(regions.scans[0]), self._result_of(regions)
        )
        self._context.commands.run_task(
            lambda _: write(),
            self._report_moved_file,
            failed=tr("The regions could not be saved with the scan."),
        )

    def file_of(self, mark: str) -> Path:
        """Return the file with the regions of a scan.

        Parameters
        ----------
        mark
            mark of the scan; only its digest is in the name of the file
        """
        return self._folder / f"{sha256(mark.encode()).hexdigest()[:DIGITS]}{ENDING}"

    def _report_moved_file(self, moved: dict[Path, Path]) -> None:
        for path, aside in moved.items():
            text = tr(
                "{path}: the program could not read these regions, so new ones did not overwrite "
                "them. The file is now {name}.",
                path=path,
                name=aside.name,
            )
            self._session.add_log("warning", text)

    def _save_soon(self) -> None:
        self._drawn = self._model.current, self._result_of(self._model.current)
        self._soon.start()

    def _result_of(self, regions: RegionSet) -> str:
        """Return the ID of the result that regions belong to; empty if there is none."""
        image, (drawn, result) = self._session.volumes.image, self._drawn
        if image is not None and regions.is_of(self._found_marks(image)):
            return self._session.run.record.result_id
        # Another image may be displayed by now, perhaps of another patient.
        return result if regions.scans == drawn.scans else ""

    def _stored(self, marks: tuple[str, ...]) -> RegionSet | None:
        """Return the stored regions of a scan, or None."""
        is_damaged = False
        for path in map(self.file_of, marks):
            found = regions_at(path)
            if found.fault:
                is_damaged = True
                self._report_once(path, found.fault)
            elif found.regions is not None and found.regions.is_of(marks):
                return found.regions
        return (self._copied(marks) if is_damaged else None) or self._saved_with_study(marks)

    def _copied(self, marks: tuple[str, ...]) -> RegionSet | None:
        """Return the copy of the regions with the displayed result, if it is of this scan."""
        id = self._session.run.record.result_id
        if not id:
            return None
        try:
            found = regions_at(regions_file_of(Results().open(id).folder / VOLUME)).regions
        except EngineError:  # the card of the image states the fault
            return None
        return found if found is not None and found.is_of(marks) else None

    def _saved_with_study(self, marks: tuple[str, ...]) -> RegionSet | None:
        """Return the regions that were saved with the study, if they are of its scan."""
        path = stored_file(self._session)
        found = StoredRegions() if path is None else regions_at(path)
        if path is not None and found.fault:
            self._report_once(path, found.fault)
        if found.regions is None or found.regions.is_of(marks):
            return found.regions
        if not self._has_reported:
            self._has_reported = True  # once per session, not at every image of the scan
            self._session.add_log("info", NOT_OURS)
        return None

    def _report_once(self, path: Path, fault: str) -> None:
        """Show that a file cannot be read; once per session, not at every image of the scan."""
        if path not in self._reported:
            self._reported.add(path)
            self._session.raise_problem(
                Problem(tr("The regions could not be loaded."), fault, NOT_OVERWRITTEN)
            )

    def _marks_of(self, opened: OpenVolume) -> tuple[str, ...]:
        """Return the marks of the scan of a volume; all images of one run belong to one scan."""
        if self._known is not None and self._known[0] is opened:
            return self._known[1]
        self._known = opened, self._found_marks(opened)
        return self._known[1]

    def _found_marks(self, opened: OpenVolume) -> tuple[str, ...]:
        if opened.motion is not None:  # its coordinates are no longer those of its scan
            return (image_mark(opened.volume),)
        found, record = known_marks(opened), self._session.run.record
        if found or opened.kind not in ("image", "iterate"):
            return found or marks_of(opened.volume)
        if self._nameless is None or self._nameless[0] is not record:
            self._nameless = record, marks_of(opened.volume)
        return self._nameless[1]


class RegionWrites:
    """Writes of regions in threads: of those to one place, only the last request counts."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted: dict[tuple[Path, str], RegionSet] = {}

    def later(
        self, regions: RegionSet, path: Path, result_id: str = ""
    ) -> Callable[[], dict[Path, Path]]:
        """Return the write as a function for a thread.

        Parameters
        ----------
        regions, path, result_id
            as for `write_for_scan`

        Returns
        -------
        write
            returns the same as `write_for_scan`; does nothing once a later write was requested
        """
        place = path, result_id
        self._wanted[place] = regions

        def write() -> dict[Path, Path]:
            # Threads start in any order, and deleted regions would return with an older write.
            with self._lock:
                if self._wanted[place] is not regions:
                    return {}
                return write_for_scan(regions, path, result_id)

        return write


def known_marks(opened: OpenVolume) -> tuple[str, ...]:
    """Return the marks of the scan of a volume.

    Parameters
    ----------
    opened
        open volume with its origin

    Returns
    -------
    tuple of str
        empty if nothing is known about the scan
    """
    origin = opened.origin
    pseudonym = pseudonym_of(Path(origin.scan)) if origin.scan else ""
    return scan_marks(
        pseudonym=pseudonym,
        digest=origin.digest,
        frame_of_reference=origin.frame_of_reference,
        fingerprint=origin.fingerprint,
        values=origin.values,
    )


def write_for_scan(regions: RegionSet, path: Path, result_id: str = "") -> dict[Path, Path]:
    """Write regions for their owner, or remove the file if there are none.

    Parameters
    ----------
    regions
        regions of the scan
    path
        file in the user's settings
    result_id
        displayed result; its folder gets a copy, in which reports look for regions. Empty: none

    Returns
    -------
    dict
        old -> new path of files that could not be read, or belong to another scan; they get another
        name instead of being overwritten
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    places = [path]
    if result_id:
        places.append(regions_file_of(Results().open(result_id).folder / VOLUME))
    moved = {each: replace_regions(regions, each) for each in places}
    return {old: new for old, new in moved.items() if new is not None}


def _title_of(context: AppContext, opened: OpenVolume) -> str:
    record = context.session.run.record
    return record.title or opened.name if opened.kind in ("image", "iterate") else opened.name
