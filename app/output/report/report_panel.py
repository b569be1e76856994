"""The panel of the report: its current pages and its key images."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import (
    QHideEvent,
    QIcon,
    QImage,
    QKeySequence,
    QPixmap,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListView,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.output.report.live_preview import LivePreview
from app.output.report.report_commands import NO_RESULT
from app.state.services.context import AppContext
from app.state.services.key_images import KeyImageStorage
from app.ui.theme.widgets import icon_button, label
from app.views.literal_text import LiteralLabel, literal_tip
from engine.results.reports import KeyImage

THUMB_PX = 56
MARGIN_PX = 12
"""Space around the page."""
HINT = tr(
    "The report shows automatic pictures. To choose key images, right-click a view and choose "
    "“Add to the report” (E)."
)


class ReportTab(QWidget):
    """Pages of the report above its key images. The pages follow each change while visible."""

    title = tr("Report")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._model = context.session.key_images
        self.storage = KeyImageStorage(context, self)
        self.live = LivePreview(context, self)
        self.pages: list[QImage] = []
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(MARGIN_PX)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setWidget(self._inside)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setAccessibleName(tr("Preview of the report"))
        self.note = label(NO_RESULT, "muted", wrap=True)
        self.hint = label(HINT, "muted", wrap=True)
        self.list = self._make_list()
        self._make_buttons(context)
        self._lay_out()
        for key, act in (("Delete", self._remove), ("Ctrl+Up", partial(self._move, -1))):
            self._add_key(key, act)
        self._add_key("Ctrl+Down", partial(self._move, 1))
        self.live.drawn.connect(self._show_pages)
        self.live.emptied.connect(lambda: self._show_pages([]))
        self._model.changed.connect(self._show_images)
        self.list.currentRowChanged.connect(self._enable)
        self._show_pages([])
        self._show_images()

    def _make_list(self) -> QListWidget:
        made = QListWidget()
        made.setAccessibleName(tr("Key images of the report"))
        made.setViewMode(QListView.ViewMode.ListMode)
        made.setIconSize(QSize(THUMB_PX, THUMB_PX))
        made.setWordWrap(True)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        made.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        made.model().rowsMoved.connect(self._take_order)
        return made

    def _make_buttons(self, context: AppContext) -> None:
        theme, model = context.theme, self._model
        self.up = icon_button("up", theme, lambda: self._move(-1), tr("Move up (Ctrl+Up)"))
        self.down = icon_button("down", theme, lambda: self._move(1), tr("Move down (Ctrl+Down)"))
        self.remove = icon_button(
            "remove", theme, self._remove, tr("Remove from the report (Delete)")
        )
        self.undo = icon_button(
            "undo", theme, model.undo, tr("Undo the last change to the key images")
        )
        self.redo = icon_button("redo", theme, model.redo, tr("Redo the last undone change"))

    def _lay_out(self) -> None:
        self._head = QWidget()
        row = QHBoxLayout(self._head)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(label(tr("Key images"), "heading"), 1)
        for each in (self.up, self.down, self.remove, self.undo, self.redo):
            row.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        column.setSpacing(8)
        column.addWidget(self.note)
        column.addWidget(self._area, 3)
        column.addWidget(self.hint)
        column.addWidget(self._head)
        column.addWidget(self.list, 1)
        column.addStretch(0)

    def _add_key(self, key: str, act: Callable[[], None]) -> None:
        made = QShortcut(QKeySequence(key), self.list, act)
        made.setContext(Qt.ShortcutContext.WidgetShortcut)

    # Pages

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the pages when they become visible."""
        super().showEvent(event)
        self.live.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """Free the pages, which may belong to another result when they are shown again."""
        super().hideEvent(event)
        self._show_pages([])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the pages to the width."""
        super().resizeEvent(event)
        self._fit()

    def _show_pages(self, pages: list[bytes]) -> None:
        self.pages = [QImage.fromData(each) for each in pages]
        self.note.setVisible(not pages and not self._model.result_id)
        self._area.setVisible(bool(pages) or bool(self._model.result_id))
        while self._column.count() > len(pages):
            item = self._column.takeAt(self._column.count() - 1)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.deleteLater()
        while self._column.count() < len(pages):
            made = LiteralLabel()
            made.setAccessibleName(tr("Page {n} of the report", n=self._column.count() + 1))
            made.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            self._column.addWidget(made)
        self._fit()

    def _fit(self) -> None:
        ratio, width = self.devicePixelRatioF(), max(self._area.viewport().width(), 1)
        for i, page in enumerate(self.pages):
            item = self._column.itemAt(i)
            shown = item.widget() if item is not None else None
            if isinstance(shown, QLabel):
                smooth = Qt.TransformationMode.SmoothTransformation
                pixels = QPixmap.fromImage(page.scaledToWidth(round(width * ratio), smooth))
                pixels.setDevicePixelRatio(ratio)
                shown.setPixmap(pixels)

    # Key images

    def _show_images(self) -> None:
        images, row = self._model.images, self.list.currentRow()
        self.list.clear()
        for image in images:
            self.list.addItem(_item(image))
        self.list.setCurrentRow(min(row, len(images) - 1))
        self._enable()

    def _enable(self) -> None:
        row, n, model = self.list.currentRow(), self.list.count(), self._model
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < n - 1)
        self.remove.setEnabled(row >= 0)
        self.undo.setEnabled(model.can_undo)
        self.redo.setEnabled(model.can_redo)
        has_any = bool(n or model.can_undo or model.can_redo)
        self._head.setVisible(has_any)
        self.list.setVisible(bool(n))
        self.hint.setVisible(not n and bool(model.result_id))
        for each, needed in ((self.up, n > 1), (self.down, n > 1), (self.remove, n > 0)):
            each.setVisible(needed)
        self.redo.setVisible(model.can_redo)

    def _move(self, step: int) -> None:
        row = self.list.currentRow()
        to = row + step
        if row >= 0 and 0 <= to < self.list.count():
            self._model.move(row, to)
            self.list.setCurrentRow(to)

    def _remove(self) -> None:
        self._model.remove(self.list.currentRow())

    def _take_order(self, _parent: object, first: int, _last: int, _to: object, row: int) -> None:
        """Take the order after a drag. Qt states the row before which the item is inserted."""
        to = row - 1 if row > first else row
        # The list is filled again, which must not happen while it still moves its items.
        QTimer.singleShot(0, self, lambda: self._model.move(first, to))


def _item(image: KeyImage) -> QListWidgetItem:
    pixels = QPixmap.fromImage(QImage.fromData(image.png))
    pixels = pixels.scaled(
        QSize(2 * THUMB_PX, 2 * THUMB_PX),
        Qt.AspectRatioMode.KeepAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
    made = QListWidgetItem(QIcon(pixels), image.caption)
    made.setToolTip(literal_tip(image.caption))
    return made
