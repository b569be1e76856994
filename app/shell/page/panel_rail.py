"""The rail at the right edge: one button for each panel, which opens or folds it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTabWidget, QToolBar, QToolButton, QWidget

from app.analysis.measure.measure_panel import MeasureTab
from app.analysis.regions.regions_tab import RegionsTab
from app.language.translation import tr
from app.output.report.report_panel import ReportTab
from app.output.results.results_panel import ResultsTab
from app.run.facts_panel import FactsTab
from app.run.profile_panel import ProfileTab
from app.run.progress_panel import ProgressTab
from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import word_under_icon
from app.views.literal_text import literal_tip
from app.workspace.ct_inspection.preview_panel import PreviewTab

BUTTON_PX, MARGIN_PX = 32, 4
PANELS: dict[type[QWidget], tuple[str, str]] = {
    ProgressTab: ("progress", tr("Convergence curve, speed and time of the run")),
    ProfileTab: ("profile", tr("Time of each stage, and load of the computer")),
    FactsTab: ("info", tr("Facts of the scan, the run and the image")),
    MeasureTab: ("line", tr("Profiles along lines, and figures of phantoms")),
    RegionsTab: ("regions", tr("Regions and their figures")),
    ReportTab: ("report", tr("Preview of the report, and its key images")),
    ResultsTab: ("results", tr("All finished images")),
    PreviewTab: ("preview", tr("Slices with the current settings, before a run")),
}
"""Icon and tooltip of each panel, by its class."""
OTHER = ("plug_in", "")
"""Icon and tooltip of the panel of a plug-in."""

RUN: tuple[type[QWidget], ...] = (ProgressTab, ProfileTab, FactsTab)
FIGURES: tuple[type[QWidget], ...] = (RegionsTab, MeasureTab)
"""Panels about the run, and those with figures of the image. Each group shares one button."""


class PanelRail(QToolBar):
    """Buttons of the panels. A click on the button of the open panel folds it.

    Attributes
    ----------
    panel_actions : one action for each panel, for the View menu

    Signals
    -------
    chosen : a panel was chosen, by its index; −1 folds the open one
    """

    chosen = Signal(int)

    def __init__(self, tabs: QTabWidget, theme: Theme) -> None:
        super().__init__(tr("Panels"))
        self.setObjectName("Rail")
        self.setMovable(False)
        self.setOrientation(Qt.Orientation.Vertical)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._sizes: dict[QToolButton, QSize] = {}
        self._tabs, self._shown = tabs, -1
        self._last = dict[tuple[type[QWidget], ...], int]()
        self.run = self._add_group(
            theme, RUN, "progress", tr("Run"), tr("Run. Progress, profile and facts of the run")
        )
        self.figures = self._add_group(
            *(theme, FIGURES, "regions", tr("Regions")),
            tr("Regions. Regions, profiles along lines, and figures of phantoms"),
        )
        self.panel_actions: list[QAction] = []
        for index in range(tabs.count()):
            panel = tabs.widget(index)
            kind = QWidget if panel is None else type(panel)
            icon, tip = PANELS.get(kind, OTHER)
            action = QAction(tabs.tabText(index), self)
            action.setToolTip(literal_tip(f"{tabs.tabText(index)}. {tip}".rstrip()))
            action.setCheckable(True)
            set_icon(action, icon, theme)
            action.triggered.connect(partial(self._toggle_panel, index))
            if kind not in (*RUN, *FIGURES):
                self.addAction(action)
            self.panel_actions.append(action)
        self._name_buttons()
        self.refresh()

    def _name_buttons(self) -> None:
        """Name the buttons below their icons; all have the width of the longest word."""
        actions = (self.run, self.figures, *self.panel_actions)
        for action in actions:
            made = self.widgetForAction(action)
            if isinstance(made, QToolButton):
                made.setAccessibleName(action.text())
                made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                self._sizes[made] = word_under_icon(made)
                # The button takes its text from the action again after each change.
                action.setIconText(made.text())
                self.setIconSize(made.iconSize())
        self.show_labels(on=True)

    def show_labels(self, *, on: bool) -> None:
        """Show the names of the panels below their icons, or icons alone.

        Parameters
        ----------
        on
            False in a narrow window
        """
        wide = max(size.width() for size in self._sizes.values()) if on else BUTTON_PX
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(style.ToolButtonTextUnderIcon if on else style.ToolButtonIconOnly)
        for each, size in self._sizes.items():
            each.setFixedSize(wide, size.height() if on else BUTTON_PX)
        self.setFixedWidth(wide + 2 * MARGIN_PX)

    def show_open(self, index: int) -> None:
        """Mark the panel that is open.

        Parameters
        ----------
        index
            its index; −1 for none
        """
        self._shown = index
        if group := self._group(index):
            self._last[group] = index
        self.refresh()

    def refresh(self) -> None:
        """Show the buttons of the panels that are offered now."""
        for index, action in enumerate(self.panel_actions):
            action.setVisible(self._tabs.isTabVisible(index))
            action.setChecked(index == self._shown)
        shown = self._group(self._shown)
        for group, action in ((RUN, self.run), (FIGURES, self.figures)):
            action.setVisible(bool(self._members(group)))
            action.setChecked(shown == group)

    def group_of(self, index: int) -> list[int]:
        """Return the panels that share a button with a panel, including itself.

        Parameters
        ----------
        index
            index of the panel
        """
        group = self._group(index)
        return self._members(group) if group else [index]

    def _add_group(
        self, theme: Theme, group: tuple[type[QWidget], ...], icon: str, name: str, tip: str
    ) -> QAction:
        made = QAction(name, self)
        made.setToolTip(literal_tip(tip))
        made.setCheckable(True)
        set_icon(made, icon, theme)
        made.triggered.connect(partial(self._press_group, group))
        self.addAction(made)
        return made

    def _group(self, index: int) -> tuple[type[QWidget], ...]:
        """Return the group of a panel; empty for a panel with its own button."""
        panel = self._tabs.widget(index)
        return next((each for each in (RUN, FIGURES) if isinstance(panel, each)), ())

    def _members(self, group: tuple[type[QWidget], ...]) -> list[int]:
        """Return the panels of a group that are offered now, in the order of the group."""
        tabs, found = self._tabs, list[int]()
        for kind in group:
            places = (i for i in range(tabs.count()) if isinstance(tabs.widget(i), kind))
            found += [i for i in places if tabs.isTabVisible(i)]
        return found

    def _toggle_panel(self, index: int) -> None:
        self.chosen.emit(-1 if index == self._shown else index)

    def _press_group(self, group: tuple[type[QWidget], ...]) -> None:
        members, last = self._members(group), self._last.get(group, -1)
        index = last if last in members else members[0]
        self.chosen.emit(-1 if self._group(self._shown) == group else index)
