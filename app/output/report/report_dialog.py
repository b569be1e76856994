"""Dialog for the report of the displayed result: sign off, save, print, send."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.output.report.printing import DPI, ask_and_print
from app.output.report.report_commands import (
    NO_NODE,
    Reported,
    free_path,
    read_subject,
    regions_on_show,
    send_result,
    sign_and_report,
)
from app.output.report.sign_off import SignOff
from app.state.services.context import AppContext
from app.state.services.saving import may_write
from app.ui.theme.file_dialogs import ask_save, with_ending
from app.ui.theme.widgets import button, grow_to_fit, label
from app.views.literal_text import LiteralLabel, literal_tip
from engine.analysis.regions import regions_at, regions_file_of
from engine.results import VOLUME, Results
from engine.results.reports import (
    KINDS,
    REGION_KINDS,
    ReportSubject,
    report_of,
    to_images,
)

WIDTH_PX = 880
PREVIEW_PX, A4 = 300, 297 / 210
"""Width of the preview, and ratio of height to width."""
PREVIEW_DPI = 110


class ReportDialog(QDialog):
    """Actions for a report; each action reads the result again."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Report"))
        self.setMinimumWidth(WIDTH_PX)
        self._context = context
        # Fixed now: a new run behind this dialog must not change the result of the report.
        self._id = context.session.run.record.result_id
        self.sign_off = SignOff(context)
        self.full = QCheckBox(tr("Full report, not just one page"))
        self.full.setToolTip(tr("Scan details, all settings, image statistics and all checksums"))
        self.formats = QButtonGroup(self)
        self.regions = QCheckBox(tr("Send the regions, too"))
        self.regions.setToolTip(
            tr("As structured report, segmentation and structure set, for archives and planning")
        )
        self.save = button(tr("Save …"), self._save, tr("Save the report to a file"), "primary")
        self.print = button(tr("Print …"), self._print, tr("Print the report"))
        self.send = button(tr("Send"), self._send)
        self.message = label("", "muted", wrap=True)
        self.preview = LiteralLabel()
        self.preview.setFixedSize(PREVIEW_PX, round(PREVIEW_PX * A4))
        self.preview.setAccessibleName(tr("First page of the report"))
        self.preview.setFrameShape(QFrame.Shape.StyledPanel)
        self._was_signed = False
        self._has_regions = _has_regions(context, self._id)
        self.regions.setVisible(self._has_regions)
        node = context.preferences.site.node
        self.send.setEnabled(bool(node))
        self.send.setToolTip(
            literal_tip(tr("Send the report to {node}", node=node) if node else NO_NODE)
        )
        self._lay_out()
        self.sign_off.changed.connect(self._follow)
        self.full.toggled.connect(self._refresh_preview)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh_preview()

    def _follow(self) -> None:
        """Make space for added texts, and show a new signature in the preview."""
        grow_to_fit(self)
        if self._was_signed != self.sign_off.is_signed:
            self._refresh_preview()

    def _refresh_preview(self) -> None:
        """Draw the preview of the first page again, in a thread."""
        # Settings are restored before the dialog is shown, and would start a first preview for
        # nothing.
        if not self.isVisible() or not self._id:
            return
        self._was_signed = self.sign_off.is_signed
        full = self.full.isChecked()
        self._context.commands.run_task(
            lambda _: to_images(report_of(self._read_subject(), full=full), PREVIEW_DPI)[0],
            self._show_preview,
            busy=tr("Creating the preview"),
            failed=tr("The preview could not be created."),
        )

    def _show_preview(self, page: bytes) -> None:
        pixels = QPixmap.fromImage(QImage.fromData(page))
        # On screens with scaling the preview needs more pixels to be sharp.
        ratio = self.devicePixelRatioF()
        area = QSize(PREVIEW_PX, PREVIEW_PX * 2) * ratio
        pixels = pixels.scaled(
            area, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        pixels.setDevicePixelRatio(ratio)
        self.preview.setPixmap(pixels)

    @property
    def ending(self) -> str:
        """Suffix of the selected format."""
        return list(KINDS)[self.formats.checkedId()]

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        grid.addWidget(label(tr("Signing off"), "caption"), 0, 0)
        grid.addWidget(self.sign_off, 0, 1)
        grid.addWidget(label(tr("Content"), "caption"), 1, 0)
        grid.addWidget(self.full, 1, 1)
        grid.addWidget(label(tr("Format"), "caption"), 2, 0)
        for i, (ending, (name, _)) in enumerate(KINDS.items()):
            radio = QRadioButton(f"{name} ({ending})")
            self.formats.addButton(radio, i)
            # Formats that contain only regions are not offered without them.
            if ending not in REGION_KINDS or self._has_regions:
                grid.addWidget(radio, 2 + i, 1)
        self.formats.button(0).setChecked(True)
        row = QHBoxLayout()
        row.addWidget(self.print)
        row.addWidget(self.send)
        row.addStretch(1)
        row.addWidget(button(tr("Close"), self.reject))
        row.addWidget(self.save)
        column = QVBoxLayout()
        column.setSpacing(14)
        column.addLayout(grid)
        column.addWidget(self.regions)
        column.addStretch(1)
        column.addWidget(self.message)
        column.addLayout(row)
        both = QHBoxLayout(self)
        both.setContentsMargins(20, 18, 20, 16)
        both.setSpacing(20)
        both.addWidget(self.preview, alignment=Qt.AlignmentFlag.AlignTop)
        both.addLayout(column, 1)

    def _save(self) -> None:
        site, result = self._context.preferences.site, Results().open(self._id)
        start = free_path(result, site)
        start = start.with_name(start.name.removesuffix(".pdf") + self.ending)
        chosen = ask_save(
            self, tr("Save the report"), start, tr("Reports (*{ending})", ending=self.ending)
        )
        if chosen is None:
            return
        target = with_ending(chosen, (self.ending,))
        if may_write(self, target, self._context.session):
            self._save_to(target)

    def _save_to(self, target: Path) -> None:
        sign_and_report(
            self._context,
            None,
            self._show_saved_path,
            path=target,
            full=self.full.isChecked(),
            id=self._id,
        )

    def _show_saved_path(self, reported: Reported) -> None:
        self.message.setText(tr("Saved: {path}", path=reported.path))

    def _print(self) -> None:
        self._context.commands.run_task(
            lambda _: to_images(report_of(self._read_subject(), full=self.full.isChecked()), DPI),
            lambda pages: ask_and_print(self, pages),
            busy=tr("Preparing the pages for printing"),
            failed=tr("The report was not printed."),
        )

    def _send(self) -> None:
        send_result(
            self._context,
            self.message.setText,
            full=self.full.isChecked(),
            with_regions=self._has_regions and self.regions.isChecked(),
            id=self._id,
        )

    def _read_subject(self) -> ReportSubject:
        return read_subject(self._context, self._id)


def _has_regions(context: AppContext, id: str) -> bool:
    """Return True if the report of a result has regions to measure."""
    shown = regions_on_show(context, id)
    if shown is not None:
        return bool(shown.regions)
    if not id:
        return False
    stored = regions_at(regions_file_of(Results().open(id).folder / VOLUME)).regions
    return stored is not None and bool(stored.regions)
