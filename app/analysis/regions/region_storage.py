"""Automatic storage of regions: those of the displayed scan are loaded and saved.

`ScanMarks` identifies the scan of an image. Regions never pass to another scan automatically.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.analysis.regions.region_writes import RegionWrites
from app.analysis.regions.scan_marks import ScanMarks
from app.language.translation import tr
from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_origin import Origin
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.state.services.scan_regions import stored_file
from engine.analysis.regions import (
    PRINT,
    VALUES,
    RegionSet,
    StoredRegions,
    regions_at,
    regions_file_of,
)
from engine.core.errors import EngineError
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
        self._marks = ScanMarks(context.session)
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
        marks = self._marks.of(opened)
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
        if image is not None and regions.is_of(self._marks.of(image)):
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


def _title_of(context: AppContext, opened: OpenVolume) -> str:
    record = context.session.run.record
    return record.title or opened.name if opened.kind in ("image", "iterate") else opened.name
