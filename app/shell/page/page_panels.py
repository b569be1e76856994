"""The panels of each page: the steps of Prepare, and the folded panels of Judge."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QTabWidget

from app.shell.page.pages import Page, Pages
from app.shell.page.panel_rail import PanelRail
from app.shell.side_panels import SidePanel
from app.views.state import ViewState

FOLDED = -1


class PagePanels(QObject):
    """Show the panels of the current page, and remember which one is open on each page.

    Parameters
    ----------
    pages : pages of the window
    rail : rail with the buttons of the panels
    tabs : the panels
    steps, results : docks of the steps and of the panels
    """

    def __init__(
        self, pages: Pages, rail: PanelRail, tabs: QTabWidget, steps: SidePanel, results: SidePanel
    ) -> None:
        super().__init__()
        self._pages, self._rail, self._tabs = pages, rail, tabs
        self._steps, self._results = steps, results
        self._open: dict[Page, int] = {"prepare": FOLDED, "judge": FOLDED}
        self._hides_all = self._draws_lines = self._offers_preview = False
        rail.chosen.connect(self.show_panel)
        pages.changed.connect(self._arrange)
        results.chosen.connect(self.show_panel)
        results.closed.connect(lambda: self.show_panel(FOLDED))
        self._arrange()

    def show_panel(self, index: int) -> None:
        """Open a panel on the current page.

        Parameters
        ----------
        index
            its index; `FOLDED` folds the open panel
        """
        self._open[self._pages.current] = index
        self._arrange()

    def offer_preview(self, index: int, *, shown: bool) -> None:
        """Offer the preview of settings on the page Prepare.

        Parameters
        ----------
        index
            index of the preview
        shown
            True if the current settings have a preview
        """
        # Only the first time: a preview that the user has folded stays folded for this scan.
        if shown and not self._offers_preview:
            self._open["prepare"] = index
        elif not shown and self._open["prepare"] == index:
            self._open["prepare"] = FOLDED
        self._offers_preview = shown
        self._arrange()

    def follow_lines(self, view: ViewState, index: int) -> None:
        """Open the panel of measurements when the user begins to draw lines.

        Parameters
        ----------
        view
            state of the views
        index
            index of the panel
        """
        self._draws_lines = view.draws_lines

        def follow() -> None:
            # The signal also reports each new line.
            begins = view.draws_lines and not self._draws_lines
            self._draws_lines = view.draws_lines
            if begins and self._tabs.isTabVisible(index):
                self.show_panel(index)

        view.line_changed.connect(follow)

    def hide_all(self, on: bool) -> None:
        """Leave the whole window to the views, or show the panels again.

        Parameters
        ----------
        on
            True to hide the panels
        """
        self._hides_all = on
        self._arrange()

    def _arrange(self) -> None:
        index, judges = self._open[self._pages.current], self._pages.current == "judge"
        if index >= 0:
            self._tabs.setCurrentIndex(index)
            group = {i: self._tabs.tabText(i) for i in self._rail.group_of(index)}
            self._results.set_titles(group, index)
        self._rail.show_open(index)
        self._steps.setVisible(not self._hides_all and (not judges or self._steps.isFloating()))
        is_floating = self._results.isFloating()
        self._results.setVisible(not self._hides_all and (index >= 0 or is_floating))
        self._rail.setVisible(judges and not self._hides_all)
