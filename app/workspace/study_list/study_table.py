"""The list of studies as a table with sorting and search."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QColor, QPixmap

from app.language.translation import tr
from app.state.models.images.image_names import names_of_results
from app.ui.theme.theme import Theme
from app.views.literal_text import literal_tip
from app.workspace.study_list.study_text import TONES, cells_of, detail_of
from engine.core.visible_text import visible_line
from engine.jobs.study_index import FILTERS, KnownStudy

COLUMNS = (
    *(tr("Patient"), tr("Patient ID"), tr("Scan"), tr("Protocol"), tr("State")),
    *(tr("Date"), tr("Size")),
)
PATIENT, NUMBER, SCAN, PROTOCOL, STATE, DATE, SIZE = range(7)
THUMBNAIL_PX = 36
SORT = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class StudyTable(QAbstractTableModel):
    """All studies, one per row, with a thumbnail of the result.

    `ratio` is the number of device pixels per pixel.
    """

    def __init__(self, theme: Theme, ratio: float = 1.0) -> None:
        super().__init__()
        self._theme = theme
        self.studies: Sequence[KnownStudy] = ()
        self._cells: list[tuple[str, ...]] = []
        self._thumbnails: dict[str, QPixmap] = {}
        self._ratio = ratio

    def take(self, studies: Sequence[KnownStudy]) -> None:
        """Show studies.

        Parameters
        ----------
        studies
            replace the current ones
        """
        self.beginResetModel()
        self.studies = studies
        names = names_of_results(each.result for each in studies if each.result is not None)
        # Texts are computed once: Qt asks for each cell at every paint and comparison.
        self._cells = [cells_of(study, names.get(study.id, "")) for study in studies]
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        # Table models have no children; Qt also asks for those of cells.
        return 0 if parent.isValid() else len(self.studies)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section == SIZE:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return COLUMNS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        study, column = self.studies[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return visible_line(self._cells[index.row()][column])
            case Qt.ItemDataRole.DecorationRole if column == SCAN:
                return self._thumbnail(study)
            case Qt.ItemDataRole.ToolTipRole:
                return literal_tip(detail_of(study))
            case Qt.ItemDataRole.TextAlignmentRole if column == SIZE:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole if column == STATE and study.state in TONES:
                return QColor(getattr(self._theme.colours, TONES[study.state]))
            case _ if role == SORT:
                return self._sorted_by(index.row(), column)
        return None

    def _thumbnail(self, study: KnownStudy) -> QPixmap | None:
        """Return the thumbnail of a result, as large as a row; None without an image."""
        if study.result is None:
            return None
        if study.id not in self._thumbnails:
            pixels = QPixmap(str(study.result.thumbnail))
            edge, ratio = THUMBNAIL_PX, self._ratio
            smooth = Qt.TransformationMode.SmoothTransformation
            aspect = Qt.AspectRatioMode.KeepAspectRatio
            # A missing thumbnail is not an error: the user may have deleted the file.
            if pixels.isNull():
                pixels = QPixmap(round(edge * ratio), round(edge * ratio))
                pixels.fill(QColor(self._theme.colours.field))
            pixels = pixels.scaled(round(edge * ratio), round(edge * ratio), aspect, smooth)
            pixels.setDevicePixelRatio(ratio)
            self._thumbnails[study.id] = pixels
        return self._thumbnails[study.id]

    def _sorted_by(self, row: int, column: int) -> str | float:
        study = self.studies[row]
        if column == DATE:
            return study.when.timestamp()
        how = self._cells[row][PROTOCOL]
        known = (study.patient, study.patient_id, study.scan, how, study.state)
        # Sizes sort as numbers, texts without regard to case.
        return study.n_bytes if column == SIZE else known[column].casefold()


class FoundStudies(QSortFilterProxyModel):
    """The studies that match the search, sorted by a column."""

    def __init__(self, table: StudyTable) -> None:
        super().__init__()
        self.setSourceModel(table)
        self.setSortRole(SORT)
        self._table, self._words, self._shown = table, "", "all"

    def search(self, words: str, shown: str) -> None:
        """Set the search.

        Parameters
        ----------
        words
            all of these words must occur
        shown
            key of the filter by state
        """
        # Tells the view that rows may disappear, so that it keeps a valid selection.
        self.beginFilterChange()
        self._words, self._shown = words, shown
        self.endFilterChange()

    def study_at(self, index: Index) -> KnownStudy | None:
        """Return the study of a visible row.

        Parameters
        ----------
        index
            index in this model

        Returns
        -------
        None for an invalid index
        """
        source = self.mapToSource(index)
        return self._table.studies[source.row()] if source.isValid() else None

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        study = self._table.studies[row]
        return FILTERS[self._shown](study) and study.matches(self._words)
