"""The phantom panel: measure image quality, also over the iterations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.analysis.measure.figure_table import FigureTable
from app.analysis.measure.iterate_curves import IterateCurves
from app.language.translation import named, tr
from app.state.models.run_record import RunRecord
from app.state.services.context import AppContext
from app.state.services.saving import may_write
from app.ui.forms.fields import QuietCombo
from app.ui.theme.file_dialogs import ask_save, with_ending
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, label
from app.views.colour.window_controls import NumberEdit
from engine.analysis.quality import (
    QUALITY_PHANTOMS,
    PhantomFacts,
    QualityPhantom,
    QualityReport,
    report_bytes,
    to_png,
    with_source,
)
from engine.data import Volume

KINDS = {phantom.kind: phantom for phantom in QUALITY_PHANTOMS}
DEFAULT_CONTRAST = 4.0
ENDINGS = (".pdf", ".json")
Measured = tuple[QualityReport, Volume, bytes]


class QualityBox(QWidget):
    """Measure the selected phantom, and follow it over a run."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._session = context, context.session
        self.kind = QuietCombo()
        self.kind.setAccessibleName(tr("Phantom"))
        for phantom in QUALITY_PHANTOMS:
            self.kind.addItem(named(phantom.title), phantom.kind)
        self.contrast = NumberEdit(
            tr("Ratio of the activity in the hot spheres to that in the background")
        )
        self.contrast.show_value(DEFAULT_CONTRAST)
        self.measure = button(
            tr("Measure"), self._measure, tr("Find and measure the phantom in the displayed image")
        )
        self.save = button(
            tr("Save report …"),
            self._save,
            tr("Save the measured values and slices as PDF or JSON"),
        )
        self.note = label("", "muted", wrap=True)
        self.table = FigureTable()
        self.page = SlicesView()
        self.curves = IterateCurves(context)
        self.measured: Measured | None = None
        self._lay_out()
        self.kind.activated.connect(self._clear_results)
        context.session.view.volume_changed.connect(self._refresh)
        context.theme.changed.connect(self._paint)
        self._paint()
        self._clear_results()

    def _lay_out(self) -> None:
        self._hot = QWidget()
        contrast = QHBoxLayout(self._hot)
        contrast.setContentsMargins(0, 0, 0, 0)
        contrast.addWidget(label(tr("Contrast"), "caption"))
        contrast.addWidget(self.contrast)
        contrast.addWidget(label(tr("to 1"), "muted"))
        contrast.addStretch(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.measure, 1)
        buttons.addWidget(self.save, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.kind)
        column.addWidget(self._hot)
        column.addLayout(buttons)
        for widget in (self.note, self.table, self.page, self.curves):
            column.addWidget(widget)

    @property
    def phantom(self) -> QualityPhantom:
        """The selected phantom."""
        return KINDS[self.kind.currentData()]

    @property
    def facts(self) -> PhantomFacts:
        """The facts that the user entered."""
        return PhantomFacts(contrast=self.contrast.value)

    def rows(self) -> list[tuple[str, str]]:
        """Names and values of the figures."""
        if self.measured is None:
            return []
        figures, found = self.measured[0].figures, list[tuple[str, str]]()
        for group in dict.fromkeys(f.group for f in figures):
            found.append((group, ""))
            for figure in (f for f in figures if f.group == group):
                found.append((f"   {figure.name}", figure.text()))
                # Only figures of an image with an error map have it.
                if noise := figure.noise_text():
                    found.append((f"      {tr('Noise')}", noise))
        return found

    def _paint(self) -> None:
        self.curves.set_colours(view_colours(self._context.theme))

    def _clear_results(self) -> None:
        """Clear the results of another phantom."""
        self.measured = None
        self.curves.forget()
        self._refresh()

    def _refresh(self) -> None:
        has_image = self._session.view.volume is not None
        self.measure.setEnabled(has_image)
        self.save.setEnabled(self.measured is not None)
        # Only phantoms with hot spheres need a contrast.
        has_spheres = any(group == "Contrast recovery" for group, _ in self.phantom.followed)
        self._hot.setVisible(has_spheres)
        text = self.phantom.text if self.measured is None else self._summary()
        self.note.setText(text if has_image else tr("There is no image to measure."))
        self.table.setVisible(self.measured is not None)
        self.page.setVisible(self.measured is not None)

    def _summary(self) -> str:
        """Return the position of the phantom, with a note if another image is displayed."""
        if self.measured is None:
            return ""
        report, volume, _ = self.measured
        if volume is self._session.view.volume:
            # The last note states the source of the noise.
            noise = report.notes[-1:] if report.replicates else ()
            return " ".join((f"{report.title}: {report.placement}.", *noise))
        return tr(
            "{title}: {placement}. These values are not from the displayed image.",
            title=report.title,
            placement=report.placement,
        )

    def _measure(self) -> None:
        volume = self._session.view.volume
        if volume is None:
            return
        phantom, facts = self.phantom, self.facts
        # The position of a phantom in another volume says nothing about the images of the run.
        run = self._session.run.record if self._session.volumes.base_fits_run else None
        self.measure.setEnabled(False)
        self._context.commands.run_task(
            lambda _: measured(phantom, volume, facts),
            lambda found: self._show(found, facts, run),
            busy=tr("Measuring: {title}", title=named(phantom.title)),
            failed=tr("The phantom could not be measured."),
            # Called after success and failure, so that the button is enabled again.
            on_end=self._refresh,
        )

    def _show(self, found: Measured, facts: PhantomFacts, run: RunRecord | None) -> None:
        report, _, page = found
        if report.phantom != self.phantom.kind:
            # The combo box stays active during a measurement.
            return  # another one was chosen meanwhile
        self.measured = found
        self.page.show_image(page)
        self.table.show_rows(self.rows())
        self._refresh()
        if run is not self._session.run.record:
            self.curves.forget()
            return
        # The position is passed on: early iterations are too blurred to search in.
        self.curves.follow(self.phantom, replace(facts, at=report.at))

    def _save(self) -> None:
        if self.measured is None:
            return
        report, volume, _ = self.measured
        start = Path(self._context.preferences.folder_last_used or Path.home()) / "quality.pdf"
        chosen = ask_save(self, tr("Save the report"), start, tr("Report (*.pdf);;Values (*.json)"))
        if chosen is None:
            return
        target = with_ending(chosen, ENDINGS)
        if not may_write(self, target, self._context.session):
            return
        self._context.preferences.folder_last_used = str(target.parent)
        self._context.commands.run_task(
            lambda _: written(report, volume, target),
            lambda path: self._session.add_log("info", tr("Saved: {path}", path=path)),
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )


class SlicesView(QWidget):
    """An image as wide as its column."""

    def __init__(self) -> None:
        super().__init__()
        self.image = QPixmap()
        self.setAccessibleName(tr("Slices with the measured regions"))
        # The width follows the column; a size hint would make the whole panel wider.
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)

    def show_image(self, png: bytes) -> None:
        """Show another image."""
        self.image.loadFromData(png)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(self.rect(), self.image)

    def _fit(self) -> None:
        if not self.image.isNull():
            self.setFixedHeight(self.image.height() * self.width() // self.image.width())
            self.update()


def measured(phantom: QualityPhantom, volume: Volume, facts: PhantomFacts) -> Measured:
    """Measure a phantom in a thread.

    Parameters
    ----------
    phantom
        phantom to find
    volume
        image
    facts
        facts of the phantom

    Returns
    -------
    tuple
        report, image, and slices with marks as a PNG

    Raises
    ------
    DataError
        if the phantom is not found
    """
    report = with_source(phantom.measure(volume, facts), volume)
    return report, volume, to_png(report, volume)


def written(report: QualityReport, volume: Volume, target: Path) -> Path:
    """Write a report, completely or not at all.

    Parameters
    ----------
    report
        report to write
    volume
        measured image
    target
        .pdf or .json

    Returns
    -------
    Path
        `target`, for the callback of a task
    """
    from engine.io import write_atomically

    write_atomically(report_bytes(report, volume, target.suffix.lower()), target)
    return target
