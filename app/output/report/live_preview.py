"""The pages of the report of the displayed result, drawn again in a thread after each change."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.output.report.report_commands import as_shown, regions_on_show
from app.state.services.context import AppContext
from app.state.services.key_images import png_of
from engine.analysis.regions import RegionSet
from engine.results import Results
from engine.results.reports import (
    MAX_IMAGES,
    KeyImage,
    ReportSubject,
    report_of,
    signature_warnings,
    signatures_of,
    to_images,
    usable_key_images,
    usable_regions,
)

PAUSE_MS = 150
"""A drag changes a region many times a second; the page is drawn after the last change."""
DPI = 90
SHOWN_PX = 360
"""Width of a key image on the page; larger ones only take time."""


class LivePreview(QObject):
    """Draws the pages while they are visible.

    Signals
    -------
    drawn : PNG of each page
    emptied : there is no result to report

    Parameters
    ----------
    context : window with the displayed result
    panel : widget that shows the pages; nothing is drawn while it is hidden
    """

    drawn = Signal(object)
    emptied = Signal()

    def __init__(self, context: AppContext, panel: QWidget) -> None:
        super().__init__(panel)
        self._context, self._panel = context, panel
        self._stored: ReportSubject | None = None
        self._fault = self._region_fault = ""
        self._is_drawing = self._is_stale = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PAUSE_MS)
        self._soon.timeout.connect(self._draw)
        session = context.session
        run = session.run
        for signal in (
            *(run.begun, run.images_changed, run.record_changed, run.result_stored),
            *(session.regions.changed, session.key_images.changed, session.draft.changed),
            *(session.results.changed, session.view.volume_changed, session.view.display_changed),
        ):
            signal.connect(self.refresh)

    def refresh(self) -> None:
        """Draw the pages again soon, if they are visible."""
        if self._panel.isVisible():
            self._soon.start()

    def _draw(self) -> None:
        if not self._panel.isVisible():
            return
        if self._is_drawing:
            self._is_stale = True
            return
        id = self._context.session.run.record.result_id
        if not id:
            self._stored = None
            self.emptied.emit()
            return
        self._is_drawing, self._is_stale = True, False
        regions, draft = regions_on_show(self._context, id), self._context.session.draft
        words = draft.words, draft.remark
        self._context.commands.run_task(
            lambda _: self._pages(id, regions, words),
            lambda pages: self._show(id, pages),
            failed=tr("The preview could not be created."),
            on_end=self._finish_drawing,
        )

    def _pages(self, id: str, regions: RegionSet | None, draft: tuple[str, str]) -> list[bytes]:
        """Return the pages; called in a thread."""
        subject = self._current_subject(id)
        if regions is not None:
            subject = replace(subject, regions=regions.facing(subject.volume))
        elif self._region_fault:
            subject = replace(subject, warnings=(*subject.warnings, self._region_fault))
        return to_images(report_of(replace(subject, draft=draft)), DPI)

    def _current_subject(self, id: str) -> ReportSubject:
        """Return the displayed result; its image is not read again after each change."""
        result, stored = Results().open(id), self._stored
        if stored is None or stored.result.id != id:
            self._stored = stored = self._read_subject(id)
        made = signatures_of(result)
        subject = as_shown(self._context, replace(stored, result=result, signatures=made))
        # New key images replace those of a damaged file.
        faults = (self._fault,) if self._fault and not subject.key_images else ()
        return replace(
            subject,
            site=self._context.preferences.site,
            warnings=(*signature_warnings(result, made), *faults),
            key_images=tuple(map(_scaled_to_page, subject.key_images)),
        )

    def _read_subject(self, id: str) -> ReportSubject:
        result, session = Results().open(id), self._context.session
        chosen = usable_key_images(result)
        self._fault = chosen.fault
        shown = session.run.record.result
        # The image is in memory already. A saved report reads it again and checks its digest.
        if shown is None or session.run.record.result_id != id:
            shown = result.volume()
        found = usable_regions(result, shown)
        self._region_fault = found.fault
        return ReportSubject(
            result,
            shown,
            result.provenance,
            self._context.preferences.site,
            regions=found.regions,
            key_images=chosen.images,
        )

    def _show(self, id: str, pages: list[bytes]) -> None:
        # Another result may be displayed by now.
        if id == self._context.session.run.record.result_id:
            self.drawn.emit(pages)

    def _finish_drawing(self) -> None:
        self._is_drawing = False
        if self._is_stale:
            self.refresh()


@lru_cache(maxsize=MAX_IMAGES)
def _scaled_to_page(image: KeyImage) -> KeyImage:
    """Return a key image with as many pixels as the page shows."""
    large = QImage.fromData(image.png)
    smooth = Qt.TransformationMode.SmoothTransformation
    return replace(image, png=png_of(large.scaledToWidth(SHOWN_PX, smooth)))
