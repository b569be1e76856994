"""The layout menu: arrangement, main view, and spacing of the light box."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from PySide6.QtWidgets import QMenu, QWidget

from app.language.keys import name_of_key
from app.language.translation import tr
from app.state.models.preferences import Preferences
from app.views.layout import SHEETS, SPACINGS, LayoutKind, ViewLayout, ViewName
from app.views.slices.ortho_view import OrthoView

KINDS: tuple[tuple[LayoutKind, str], ...] = (
    ("four", tr("Four views")),
    ("main", tr("One large and three small views")),
    ("one", tr("Single view")),
)


class LayoutMenu(QMenu):
    """A menu that is rebuilt each time it opens. The choice is stored in the preferences."""

    def __init__(self, views: OrthoView, preferences: Preferences, parent: QWidget) -> None:
        super().__init__(parent)
        self._views, self._preferences = views, preferences
        self.mains, self.spacings = (
            QMenu(tr("Large view"), self),
            QMenu(tr("Light box slices"), self),
        )
        self.aboutToShow.connect(self.fill)
        views.layout_changed.connect(self._remember)
        # After the signal is connected, so that a changed or invalid stored layout is corrected.
        views.set_layout(ViewLayout.of(preferences.layout))

    def fill(self) -> None:
        """Add all layouts."""
        self.clear()
        now = self._views.layout_now
        for kind, title in KINDS:
            self._add(self, title, replace(now, kind=kind), chosen=now.kind == kind)
        self.addSeparator()
        for rows, columns in SHEETS:
            sheet = replace(now, kind="sheet", rows=rows, columns=columns)
            self._add(
                self,
                tr("Light box, {rows} × {columns}", rows=rows, columns=columns),
                sheet,
                chosen=sheet == now,
            )
        self.addSeparator()
        self.mains.clear()
        for name in get_args(ViewName):
            self._add(
                self.mains, name_of_key(name), replace(now, main=name), chosen=now.main == name
            )
        # Four equal views have no main view.
        self.mains.setEnabled(now.kind != "four")
        self.spacings.clear()
        for spacing in SPACINGS:
            other = replace(now, spacing=spacing)
            self._add(self.spacings, _words(spacing), other, chosen=other == now)
        self.spacings.setEnabled(now.kind == "sheet")
        self.addMenu(self.mains)
        self.addMenu(self.spacings)

    def _add(self, menu: QMenu, title: str, layout: ViewLayout, *, chosen: bool) -> None:
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(lambda _=False: self._views.set_layout(layout))

    def _remember(self) -> None:
        self._preferences.layout = self._views.layout_now.to_text()


def _words(spacing: int) -> str:
    if spacing < 2:
        return tr("Every slice") if spacing else tr("The whole volume")
    return tr("One in {spacing} slices", spacing=spacing)
