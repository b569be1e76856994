"""The Regions tab: draw, combine, measure and save regions."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QColorDialog, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from app.analysis.regions.live_figures import RegionFollower
from app.analysis.regions.region_changes import (
    MAX_CHANGES,
    change_sentence,
    changes_of,
    legend_of,
    pairs_of,
    seconds_of,
)
from app.analysis.regions.region_details import RegionDetails
from app.analysis.regions.region_files import RegionFiles
from app.analysis.regions.region_list import RegionList
from app.analysis.regions.region_marks import RegionMarks
from app.analysis.regions.region_menus import combining_menu, saving_menu
from app.analysis.regions.region_numbers import RegionNumbers
from app.analysis.regions.region_plots import MeanCurves
from app.analysis.regions.region_storage import RegionStorage
from app.analysis.regions.region_tools import RegionTools
from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, icon_button, label, scrolled, set_tone
from app.views.fusion.fusion_text import asks_for_comparison, pair_names, region_obstacle
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from engine.analysis.regions import Difference, MeasuredRegion
from engine.core.errors import EngineError
from engine.core.visible_text import visible_line

EMPTY = tr(
    "Choose a tool and drag in a slice. Regions are saved with their scan and apply to all "
    "of its images. They apply to another scan only if you load them there."
)
TWO = tr("Select two or more regions.")


class RegionsTab(QWidget):
    """All regions of the displayed scan."""

    title = tr("Regions")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._session = context, context.session
        self.model, view = context.session.regions, context.session.view
        self.storage = RegionStorage(context)
        self.marks = RegionMarks(self.model, view)
        self.live = RegionFollower(context)
        self.files = RegionFiles(self, context, self.live)
        self.tools = RegionTools(self.model, view)
        self.list = RegionList(self.model, view)
        self.numbers = RegionNumbers(self.model, view)
        self.details = RegionDetails(context.session)
        self.curves = MeanCurves()
        self.note = label("", "muted", wrap=True)
        self.image = ElidedLabel()
        self.image.setProperty("role", "caption")
        self.verdict = label("", wrap=True)
        self.legend = label("", "muted", wrap=True)
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._paint()
        self.refresh()

    def _make_buttons(self) -> None:
        theme = self._context.theme
        self.undo = icon_button(
            "undo", theme, self.model.undo, tr("Undo the last change to the regions")
        )
        self.redo = icon_button("redo", theme, self.model.redo, tr("Redo the last undone change"))
        self.combine = QPushButton(tr("Combine"))
        self.combine.setMenu(combining_menu(self, self.model))
        self.copy = button(tr("Copy"), self.files.copy, tr("Copy the table with all values"))
        self.csv = QPushButton(tr("Save"))
        self.csv.setToolTip(tr("Save tables, regions, or labels for other programs"))
        self.csv.setMenu(saving_menu(self, self.files))
        self.more = icon_button(
            *("menu", theme, self._show_menu),
            tr("Change the colour, convert to voxels, duplicate, delete or load regions"),
        )
        self.more.setAccessibleName(tr("More"))

    def menu(self) -> QMenu:
        """Return the menu with further actions."""
        menu, model = QMenu(self), self.model
        chosen, one = model.chosen, model.chosen_region
        colour = menu.addAction(tr("Colour …"))
        colour.triggered.connect(self._recolour)
        freeze = menu.addAction(tr("Convert to voxels of this image"))
        freeze.triggered.connect(self._freeze)
        for action in (colour, freeze):
            action.setEnabled(one is not None)
        copy = menu.addAction(tr("Duplicate"))
        copy.triggered.connect(lambda: model.duplicate(*chosen))
        delete = menu.addAction(tr("Delete"))
        delete.triggered.connect(lambda: model.remove(*chosen))
        for action in (copy, delete):
            action.setEnabled(bool(chosen))
        menu.addSeparator()
        menu.addAction(tr("Load from a file …")).triggered.connect(lambda: self.files.load())
        for title, found in model.others():
            take = menu.addAction(tr("Use the regions from {title} …", title=title))
            take.triggered.connect(lambda _=False, t=title, f=found: self.files.copy_regions(t, f))
        return menu

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(label(tr("Draw"), "heading"), 1)
        head.addWidget(self.undo)
        head.addWidget(self.redo)
        head.addWidget(self.more)
        row = QHBoxLayout()
        row.setSpacing(6)
        for wide in (self.combine, self.csv, self.copy):
            row.addWidget(wide, 1)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.tools)
        column.addWidget(self.note)
        column.addWidget(self.image)
        column.addWidget(self.list)
        column.addWidget(self.verdict)
        column.addWidget(self.legend)
        column.addLayout(row)
        for each in (self.numbers, self.curves, self.details):
            column.addWidget(each)
        column.addStretch(1)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(scrolled(inside))

    def _connect(self) -> None:
        model, view = self.model, self._session.view
        for signal in (
            model.changed,
            model.chosen_changed,
            model.scan_changed,
            view.volume_changed,
            self._session.volumes.changed,
        ):
            signal.connect(self.refresh)
        self.live.measured.connect(self._show_figures)
        model.chosen_changed.connect(self._show_figures)
        self.list.refused.connect(self._show_text)
        self._context.theme.changed.connect(self._paint)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list)
        delete.activated.connect(lambda: model.remove(*model.chosen))
        # Only in the list: Delete in a text field must not remove a region.
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)

    def showEvent(self, event: QShowEvent) -> None:
        """Start measuring.

        Parameters
        ----------
        event
            event of Qt
        """
        super().showEvent(event)
        self.live.want(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # A hidden tab neither measures nor draws.
        self.live.want(False)
        self.model.set_tool("")

    def refresh(self) -> None:
        """Enable the actions that can be used now."""
        model = self.model
        has_any, has_image = bool(model.regions), self._session.view.volume is not None
        self.undo.setEnabled(model.can_undo)
        self.redo.setEnabled(model.can_redo)
        self.list.setVisible(has_any)
        self._name_images(has_two=False)
        set_tone(self.note, "muted")
        self.note.setText(EMPTY if has_image else tr("There is no image to draw on."))
        self.note.setVisible(not has_any)
        for each in (self.copy, self.csv):
            each.setVisible(has_any)
        self.combine.setVisible(has_any)
        can_combine = len(model.chosen) > 1
        self.combine.setEnabled(can_combine)
        self.combine.setToolTip(
            literal_tip(tr("Combine the selected regions into one") if can_combine else TWO)
        )
        # Without an image there is no coordinate system for loaded regions.
        self.more.setEnabled(has_image)

    def _name_images(self, *, has_two: bool) -> None:
        """Name the image of the figures, or both images of the means."""
        base, view = self._session.volumes.base, self._session.view
        name = visible_line(base.name) if base is not None else ""
        text = tr("Values in {name}", name=name)
        if has_two:
            first, second = pair_names(view)
            text = tr("Mean 1: {first}. Mean 2: {second}.", first=first, second=second)
        if not self.list.states_unit:
            text = tr("{image} [{unit}]", image=text, unit=view.shown_unit)
        self.image.set_full_text(text)
        self.image.setVisible(bool(self.model.regions) and bool(name))

    def _show_figures(self) -> None:
        found = {each.region.name: each for each in self.live.found.measured}
        changes = changes_of(found, self.live.found.second, self._session.view)
        second = seconds_of(self.live.found.second, self._session.view)
        self.list.show_figures(found, changes, second)
        self._name_images(has_two=bool(second))
        self._show_verdicts(found, changes)
        ink = {region.name: region.colour for region in self.model.regions if region.shown}
        view, found_curves = self._session.view, self.live.found.curves
        over_time = self.live.is_of_frames
        self.curves.show_curves(found_curves, ink, view.unit, view.power, over_time=over_time)
        self.details.show_figures(found, self.live.found.histogram, self.live.found.second)

    def _show_verdicts(
        self, found: Mapping[str, MeasuredRegion], changes: Mapping[str, Difference]
    ) -> None:
        """Show a sentence about each change or difference, or why there is none."""
        view, lines = self._session.view, list[str]()
        # A few regions are all shown, so that a reader can judge them together.
        names = [*changes] if 1 < len(changes) <= MAX_CHANGES else self.model.chosen
        for name in names:
            figures = found[name].figures if name in changes else None
            if figures is not None:
                line = change_sentence(changes[name], figures.mean, view)
                lines.append(f"{name}: {line}" if len(names) > 1 else line)
        if not changes and not asks_for_comparison(view):
            lines = pairs_of(found, self.model.chosen, view)
        why = region_obstacle(view) if found and asks_for_comparison(view) else ""
        # A no-break space, so that no line begins with "%".
        self.verdict.setText(why or "\n".join(lines).replace(" %", "\N{NO-BREAK SPACE}%"))
        self.verdict.setVisible(bool(why or lines))
        legend = legend_of(found, view, has_changes=bool(changes))
        self.legend.setText(legend)
        self.legend.setVisible(bool(legend))

    def _show_text(self, text: str) -> None:
        set_tone(self.note, "warning")
        self.note.setText(text)
        self.note.setVisible(True)

    def _show_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _recolour(self) -> None:
        region = self.model.chosen_region
        if region is None:
            return
        chosen = QColorDialog.getColor(QColor(region.colour), self, tr("Colour of the region"))
        if chosen.isValid():
            self.model.change(region.name, colour=chosen.name())

    def _freeze(self) -> None:
        region, volume = self.model.chosen_region, self._session.view.volume
        if region is None or volume is None:
            return
        try:
            self.model.freeze(region.name, volume)
        except EngineError as e:
            self._show_text(str(e))

    def _paint(self) -> None:
        colours = view_colours(self._context.theme)
        self.curves.set_colours(colours)
        self.details.set_colours(colours)
