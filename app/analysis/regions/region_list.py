"""The table of regions: colour, name, visibility, values of the displayed image."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from app.analysis.regions.region_changes import change_text
from app.language.translation import tr
from app.state.models.region_model import RegionModel
from app.ui.theme.formatting import sentence_case
from app.views.literal_text import literal_tip
from app.views.state import ViewState
from app.views.text import number, with_error
from engine.analysis.regions import Difference, FigureError, MeasuredRegion, Region, middle_of

COLUMNS = (
    *(tr("Region"), tr("Mean"), tr("Change"), tr("SD"), tr("Peak"), tr("mL")),
    tr("Mean 2"),
)
TIPS = (
    tr(
        "Name of the region. The check box shows or hides the region. Press F2 to rename it "
        "or Delete to remove it."
    ),
    tr("Mean, weighted by the fraction of each voxel inside the region"),
    tr("Mean in the second volume minus mean in the first"),
    tr("Standard deviation of the voxel values"),
    tr("Highest mean of a 1 mL sphere in the region"),
    tr("Volume of the region inside the image"),
    tr("Mean in the second volume"),
)
SWATCH_PX, MAX_UNIT_CHARACTERS = 11, 8
MEAN, CHANGE, SPREAD, PEAK, VOLUME, SECOND = range(1, 7)
"""Columns of mean, change, standard deviation of the voxels, peak, volume and second mean."""
MIN_ROWS, MAX_ROWS = 2, 8
HEAD_PAD_PX = 18
"""Space on both sides of the text in a head."""
MIN_NAME_PX = 116
"""Width for check box, colour and the start and end of a name."""
DISPENSABLE = (SPREAD, VOLUME, PEAK)
"""Columns that make room for names, in this order. The figures below state them too."""
NAME = Qt.ItemDataRole.UserRole
EDITABLE = Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsUserCheckable


class RegionList(QTreeWidget):
    """Table of the regions of the displayed scan.

    Signals
    -------
    refused : reason why a name was not accepted
    """

    refused = Signal(str)

    def __init__(self, model: RegionModel, view: ViewState) -> None:
        super().__init__()
        self._model, self._view = model, view
        self.setAccessibleName(tr("Regions"))
        self.setHeaderLabels(COLUMNS)
        for column, tip in enumerate(TIPS):
            self.headerItem().setToolTip(column, literal_tip(tip))
        self.setRootIsDecorated(False)
        # Qt then measures one row instead of all.
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        # Not on a single click, which selects a region.
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.DoubleClicked
        )
        # The ends of names such as "Lesion A" and "Lesion B" differ.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._unused = {CHANGE, SECOND}
        for column in self._unused:
            self.setColumnHidden(column, True)
        head = self.header()
        head.moveSection(SECOND, CHANGE)  # both means stand side by side
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setMinimumSectionSize(34)
        self.itemChanged.connect(self._apply_edit)
        self.itemSelectionChanged.connect(self._follow_selection)
        model.changed.connect(self.fill)
        model.chosen_changed.connect(self._show_chosen)

    @property
    def states_unit(self) -> bool:
        """True if the heads state the unit; a long one would leave no width for the names."""
        return len(self._view.shown_unit) <= MAX_UNIT_CHARACTERS

    def fill(self) -> None:
        """Show the current regions."""
        with QSignalBlocker(self):
            names = [region.name for region in self._model.regions]
            # Reuse rows if possible: new ones would end the editing of a name and lose the
            # selection.
            if [self._row(k).data(0, NAME) for k in range(self.topLevelItemCount())] != names:
                self.clear()
                for _ in names:
                    item = QTreeWidgetItem()
                    item.setFlags(item.flags() | EDITABLE)
                    for column in range(1, len(COLUMNS)):
                        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
                    self.addTopLevelItem(item)
            for k, region in enumerate(self._model.regions):
                self._fill_row(self._row(k), region)
        self._fit_height()
        self._show_chosen()

    def _fit_height(self) -> None:
        """Show all rows of a short table, so that the figures below need no scrolling."""
        n = min(max(self.topLevelItemCount(), MIN_ROWS), MAX_ROWS)
        row = self.sizeHintForRow(0)
        self.setFixedHeight(self.header().sizeHint().height() + n * row + 2 * self.frameWidth())

    def show_figures(
        self,
        measured: Mapping[str, MeasuredRegion],
        changes: Mapping[str, Difference],
        second: Mapping[str, MeasuredRegion],
    ) -> None:
        """Show new figures.

        Parameters
        ----------
        measured
            measured regions by name; a region without figures shows dashes
        changes
            changes to the second volume by name; empty without a comparison
        second
            regions in the second volume by name; empty without one of the same unit
        """
        # The table is narrow: errors replace the standard deviation of the voxels, and a change
        # replaces peak and volume. The figures below state all of them.
        has_errors = any(each.errors is not None for each in measured.values())
        without = {
            SPREAD: has_errors or bool(second), CHANGE: not changes, SECOND: not second,
            PEAK: bool(changes or second), VOLUME: bool(changes or second),
        }  # fmt: skip
        self._unused = {column for column, is_unused in without.items() if is_unused}
        self._show_unit(has_two=bool(second))
        with QSignalBlocker(self):
            for k in range(self.topLevelItemCount()):
                item = self._row(k)
                name = str(item.data(0, NAME))
                found = measured.get(name)
                texts = self._texts(found, changes.get(name), second.get(name))
                for column, text in enumerate(texts, 1):
                    item.setText(column, text)
                # A long name is elided.
                fault = found.fault if found is not None else ""
                item.setToolTip(0, literal_tip(fault or name))
        self._fit_columns()
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Hide columns in a narrow table, where names would shrink to an ellipsis."""
        used = [column for column in range(1, len(COLUMNS)) if column not in self._unused]
        widths = {k: max(self.sizeHintForColumn(k), self._head_px(k)) for k in used}
        missing_px = sum(widths.values()) + MIN_NAME_PX - self.viewport().width()
        hidden = set(self._unused)
        for column in DISPENSABLE:
            if missing_px > 0 and column in widths:
                missing_px -= widths[column]
                hidden.add(column)
        for column in range(1, len(COLUMNS)):
            if self.isColumnHidden(column) != (column in hidden):
                self.setColumnHidden(column, column in hidden)

    def _head_px(self, column: int) -> int:
        """Return the width of a head; Qt gives 0 for hidden columns."""
        text = self.headerItem().text(column)
        return self.header().fontMetrics().size(0, text).width() + HEAD_PAD_PX

    def _show_unit(self, *, has_two: bool) -> None:
        """Show the unit of the values in their heads."""
        unit = self._view.shown_unit if self.states_unit else ""
        for column in (MEAN, CHANGE, SPREAD, PEAK, SECOND):
            title = tr("Mean 1") if column == MEAN and has_two else COLUMNS[column]
            # A second line, because the columns are narrow.
            self.headerItem().setText(column, f"{title}\n{unit}" if unit else title)

    def _texts(
        self,
        found: MeasuredRegion | None,
        change: Difference | None,
        second: MeasuredRegion | None,
    ) -> tuple[str, ...]:
        figures = found.figures if found is not None else None
        if figures is None:
            return ("–",) * (len(COLUMNS) - 1)
        say, errors = self._view.shown_number, found.errors if found is not None else None
        of_peak = errors.peak if errors is not None else None
        peak = "–" if figures.peak is None else self._value_text(figures.peak.value, of_peak)
        changed = "–" if change is None else change_text(change, self._view)
        others = say(figures.sd), peak, number(figures.volume_ml)
        return self._mean_text(found), changed, *others, self._mean_text(second)

    def _mean_text(self, found: MeasuredRegion | None) -> str:
        if found is None or found.figures is None:
            return "–"
        error = found.errors.mean if found.errors is not None else None
        return self._value_text(found.figures.mean, error)

    def _value_text(self, value: float, error: FigureError | None) -> str:
        to_shown = self._view.to_shown
        if error is None:
            return self._view.shown_number(value)
        # One digit of the error, because the table is narrow. The figures below have two.
        return with_error(to_shown(value), to_shown(error.sd), 1)

    def _row(self, k: int) -> QTreeWidgetItem:
        item = self.topLevelItem(k)
        if item is None:
            raise IndexError(k)
        return item

    def _fill_row(self, item: QTreeWidgetItem, region: Region) -> None:
        item.setText(0, region.name)
        # The text changes when the user edits it. This copy still has the old name.
        item.setData(0, NAME, region.name)
        item.setIcon(0, swatch_of(region.colour))
        shown = Qt.CheckState.Checked if region.shown else Qt.CheckState.Unchecked
        item.setCheckState(0, shown)

    def _apply_edit(self, item: QTreeWidgetItem, column: int) -> None:
        name = str(item.data(0, NAME))
        if column or self._model.current.named(name) is None:
            return
        is_shown = item.checkState(0) == Qt.CheckState.Checked
        try:
            self._model.change(name, name=item.text(0).strip(), shown=is_shown)
        except ValueError as e:
            reason = sentence_case(reason_of(e))
            self.refused.emit(tr("The name was not changed. {reason}.", reason=reason))
        self.fill()

    def _follow_selection(self) -> None:
        names = [str(item.data(0, NAME)) for item in self.selectedItems()]
        # The order of selection matters: "first minus the others".
        selected = [name for name in self._model.chosen if name in names]
        new = [name for name in names if name not in selected]
        self._model.choose(*selected, *new)
        region = self._model.current.named(new[0]) if len(new) == 1 else None
        if region is not None:
            # The slices and the values at the crosshair are then those of this region.
            self._view.set_cursor(middle_of(region.shape.bounds_mm))

    def _show_chosen(self) -> None:
        with QSignalBlocker(self):
            for k in range(self.topLevelItemCount()):
                item = self._row(k)
                item.setSelected(item.data(0, NAME) in self._model.chosen)
                if self._model.chosen[-1:] == (item.data(0, NAME),):
                    # NoUpdate: only the keyboard focus moves, and the selection stays.
                    self.setCurrentItem(item, 0, self.selectionModel().SelectionFlag.NoUpdate)
        self.viewport().update()


def swatch_of(colour: str) -> QIcon:
    """Return an icon filled with a colour."""
    pixmap = QPixmap(SWATCH_PX * 2, SWATCH_PX * 2)
    # Twice the pixels, sharp on screens with scaling.
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor(colour))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawRoundedRect(0, 0, SWATCH_PX, SWATCH_PX, 2, 2)
    painter.end()
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)  # otherwise Qt tints it in a selected row
    return icon


def reason_of(error: ValueError) -> str:
    """Return the reason why a value is refused, without the wording of pydantic.

    Parameters
    ----------
    error
        `ValidationError` of a model, or an error of the region model

    Returns
    -------
    str
        several reasons are joined by semicolons
    """
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        return "; ".join(str(e["msg"]).removeprefix("Value error, ") for e in error.errors())
    return str(error)
