"""The film strip below the views: the results of the displayed scan, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QDropEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.language.translation import tr
from app.output.results.comparing_results import compare_results
from app.output.results.result_delegate import Thumbnails
from app.output.results.result_text import SIGNED, tip_of
from app.state.services.context import AppContext
from app.ui.theme.icons import draw
from app.views.literal_text import literal_tip
from engine.core.visible_text import visible_line
from engine.results import Result
from engine.results.reports import Judgement

HEIGHT_PX, THUMBNAIL_PX, GAP_PX, NAME_PX = 66, 52, 7, 132
MIN_RESULTS, MARK_PX = 2, 16
MARKS: dict[Judgement, tuple[str, str]] = {
    "acceptable": ("ok", "ok"),
    "acceptable with remarks": ("ok", "warning"),
    "not acceptable": ("missing", "missing"),
}
"""Icon and colour of each judgement."""
RESULT_TYPE = "application/x-isocenter-result"
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class FilmStrip(QListView):
    """Pictures of the results of one scan with their names. A click opens a result.

    A result that is dropped on another is compared with it. The strip is hidden while the scan has
    fewer than two results.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._session = context, context.session
        self._is_offered = True
        self._frames = StripModel(context, self)
        self.setModel(self._frames)
        self.setItemDelegate(StripDelegate(context, self._frames, self))
        self.setObjectName("FilmStrip")
        self.setAccessibleName(tr("Results of this scan"))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setFixedHeight(HEIGHT_PX)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        # A scroll bar would hide the names; wheel and keys scroll the strip.
        never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setHorizontalScrollBarPolicy(never)
        self.setVerticalScrollBarPolicy(never)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.clicked.connect(self._open)
        self.activated.connect(self._open)
        run, results = self._session.run, self._session.results
        for signal in (run.begun, run.record_changed, run.state_changed, results.changed):
            signal.connect(self.refresh)
        context.theme.changed.connect(lambda: self.viewport().update())
        self.refresh()

    @property
    def results(self) -> tuple[Result, ...]:
        """The results in the strip, newest first."""
        return self._frames.results

    def refresh(self) -> None:
        """Show the results of the displayed scan, and mark the displayed one."""
        record, results = self._session.run.record, self._session.results
        found = results.of_scan(record.study, record.known_inputs)
        self._frames.take(found)
        self.setVisible(self._is_offered and len(found) >= MIN_RESULTS)
        ids = [each.id for each in found]
        if record.result_id in ids:
            self.setCurrentIndex(self._frames.index(ids.index(record.result_id), 0))
        else:
            self.clearSelection()

    def offer(self, on: bool) -> None:
        """Show the strip if the scan has several results, or never.

        Parameters
        ----------
        on
            False on the page Prepare
        """
        self._is_offered = on
        self.refresh()

    def compare(self, dropped: str, row: int) -> None:
        """Compare a result with another one.

        Parameters
        ----------
        dropped
            ID of the result that was dropped
        row
            row of the result on which it was dropped
        """
        found = {each.id: each for each in self.results}
        if 0 <= row < len(self.results) and dropped in found:
            below = self.results[row]
            if below.id != dropped:
                compare_results(self._context, below, found[dropped])

    def dropEvent(self, event: QDropEvent) -> None:
        data = event.mimeData().data(RESULT_TYPE)
        row = self.indexAt(event.position().toPoint()).row()
        event.acceptProposedAction()
        self.compare(bytes(data.data()).decode(), row)

    def _open(self, index: QModelIndex) -> None:
        result, shown_id = self.results[index.row()], self._session.run.record.result_id
        if result.id == shown_id:
            return
        overlay = self._session.volumes.overlay
        shown = next((each for each in self.results if each.id == shown_id), None)
        # A click on the compared result swaps both; an image cannot be compared with itself.
        if shown is not None and overlay is not None and overlay.key == f"result:{result.id}":
            compare_results(self._context, result, shown)
        else:
            self._context.results.open(result)


class StripModel(QAbstractListModel):
    """The results of one scan."""

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._names = context.session.results
        self.results: tuple[Result, ...] = ()

    def take(self, results: tuple[Result, ...]) -> None:
        """Replace the results.

        Parameters
        ----------
        results
            results of the scan, newest first
        """
        self.beginResetModel()
        self.results = results
        self.endResetModel()

    def name_of(self, row: int) -> str:
        """Return the short name of a result.

        Parameters
        ----------
        row
            its row
        """
        result = self.results[row]
        return visible_line(self._names.names.get(result.id, result.scan))

    def judgement_of(self, row: int) -> Judgement | None:
        """Return the judgement of a result that is signed off; None for another one.

        Parameters
        ----------
        row
            its row
        """
        return self._names.judgements.get(self.results[row].id)

    def state_of(self, row: int) -> str:
        """Return the judgement of a result in words; empty before it is signed off.

        Parameters
        ----------
        row
            its row
        """
        judgement = self.judgement_of(row)
        return "" if judgement is None else SIGNED[judgement]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.results)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self.results):
            return None
        name = self.name_of(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return "\n".join(filter(None, (name, self.state_of(index.row()))))
        if role == Qt.ItemDataRole.ToolTipRole:
            hint = tr("Click to open. Drop it on another result to compare the two.")
            return f"{literal_tip(tip_of(self.results[index.row()], name))}<br>{hint}"
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        kinds = Qt.ItemFlag
        if not index.isValid():
            return kinds.NoItemFlags
        both = kinds.ItemIsDragEnabled | kinds.ItemIsDropEnabled
        return kinds.ItemIsEnabled | kinds.ItemIsSelectable | both

    def mimeTypes(self) -> list[str]:
        return [RESULT_TYPE]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        made = QMimeData()
        made.setData(RESULT_TYPE, QByteArray(self.results[indexes[0].row()].id.encode()))
        return made

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction


class StripDelegate(QStyledItemDelegate):
    """Paints the picture of a result with its judgement, and its name next to it."""

    def __init__(self, context: AppContext, frames: StripModel, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._frames = context.theme, frames
        self._thumbnails = Thumbnails(context.theme, THUMBNAIL_PX)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(3 * GAP_PX + THUMBNAIL_PX + NAME_PX, HEIGHT_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.row() >= len(self._frames.results):
            return
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        colours, flag = self._theme.colours, QStyle.StateFlag
        is_shown = bool(state & flag.State_Selected)
        painter.save()
        if is_shown or state & flag.State_MouseOver:
            painter.fillRect(rect, QColor(colours.hover if is_shown else colours.raised))
        if is_shown:
            painter.fillRect(
                QRect(rect.left(), rect.top(), rect.width(), 2), QColor(colours.accent)
            )
        top = rect.top() + (HEIGHT_PX - THUMBNAIL_PX) // 2
        frame = QRect(rect.left() + GAP_PX, top, THUMBNAIL_PX, THUMBNAIL_PX)
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(frame, self._thumbnails.of(self._frames.results[index.row()], ratio))
        painter.setPen(QPen(QColor(colours.line), 1))
        painter.drawRect(frame)
        painter.setPen(QColor(colours.text if is_shown else colours.muted))
        words = QRect(frame.right() + GAP_PX, frame.top(), NAME_PX, THUMBNAIL_PX)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(words, align, str(index.data()))
        judgement = self._frames.judgement_of(index.row())
        if judgement is not None:
            corner = frame.topRight() + QPoint(1 - MARK_PX, 0)
            mark = QRect(corner, QSize(MARK_PX, MARK_PX))
            # An own background, because the picture can be black or white.
            painter.fillRect(mark, QColor(colours.panel))
            icon, colour = MARKS[judgement]
            draw(icon, self._theme, colour).paint(painter, mark)
        painter.restore()
