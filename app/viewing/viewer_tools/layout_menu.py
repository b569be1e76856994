"""The layout menu: arrangement, main view, and spacing of the light box."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from PySide6.QtWidgets import QMenu, QWidget

from app.language.keys import name_of_key
from app.language.translation import tr
from app.state.models.preferences import Preferences
from app.ui.theme.questions import ask_text
from app.views.layout import SHEETS, SPACINGS, LayoutKind, ViewLayout, ViewName
from app.views.literal_text import literal_tip
from app.views.slices.ortho_view import OrthoView
from engine.core.visible_text import visible_line

KINDS: tuple[tuple[LayoutKind, str], ...] = (
    ("four", tr("Four views")),
    ("main", tr("One large and three small views")),
    ("one", tr("Single view")),
)


MAX_SAVED, MAX_CHARACTERS = 12, 40
"""Largest number of saved layouts, and of letters in the name of one."""


class LayoutMenu(QMenu):
    """A menu that is rebuilt each time it opens, with the layouts that the user has saved."""

    def __init__(self, views: OrthoView, preferences: Preferences, parent: QWidget) -> None:
        super().__init__(parent)
        self._views, self._preferences = views, preferences
        self.mains, self.spacings = (
            QMenu(tr("Large view"), self),
            QMenu(tr("Light box slices"), self),
        )
        self.deleting = QMenu(tr("Delete layout"), self)
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Add all layouts."""
        self.clear()
        now = self._views.layout_now
        for kind, title in KINDS:
            self._add(self, title, replace(now, kind=kind), chosen=now.kind == kind)
        self.addSeparator()
        self._add_rendering()
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
            self._add(self.spacings, _spacing_text(spacing), other, chosen=other == now)
        self.spacings.setEnabled(now.kind == "sheet")
        self.addMenu(self.mains)
        self.addMenu(self.spacings)
        self.addSeparator()
        self._add_saved()

    def _add(self, menu: QMenu, title: str, layout: ViewLayout, *, chosen: bool) -> None:
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(lambda _=False: self._views.set_layout(layout))

    def _add_rendering(self) -> None:
        """Add the 3D view; disabled with the reason on a computer that cannot show it."""
        views = self._views
        action = self.addAction(tr("3D view instead of the projection\tD"))
        action.setCheckable(True)
        action.setChecked(views.shows_rendering and not views.no_rendering)
        action.setEnabled(views.state.volume is not None and not views.no_rendering)
        tip = tr("Volume rendering or surface from any direction")
        action.setToolTip(literal_tip(views.no_rendering or tip))
        action.triggered.connect(views.show_rendering)

    def _add_saved(self) -> None:
        """Add the saved layouts, and the actions that save and delete one."""
        saved, now = self._preferences.saved_layouts, self._views.layout_now
        for name, text in saved.items():
            layout = ViewLayout.of(text)
            self._add(self, name.replace("&", "&&"), layout, chosen=layout == now)
        save = self.addAction(tr("Save layout …"))
        save.triggered.connect(self._save)
        save.setEnabled(len(saved) < MAX_SAVED)
        if saved:
            self.deleting.clear()
            for name in saved:
                action = self.deleting.addAction(name.replace("&", "&&"))
                action.triggered.connect(lambda _=False, name=name: self._delete(name))
            self.addMenu(self.deleting)

    def _save(self) -> None:
        name = ask_text(self.window(), tr("Save layout"), tr("Name"), "")
        name = visible_line(name).replace("\t", " ").strip()[:MAX_CHARACTERS]
        if name:
            layout = self._views.layout_now.to_text()
            self._preferences.saved_layouts = {**self._preferences.saved_layouts, name: layout}

    def _delete(self, name: str) -> None:
        saved = self._preferences.saved_layouts
        saved.pop(name, None)
        self._preferences.saved_layouts = saved


def _spacing_text(spacing: int) -> str:
    if spacing < 2:
        return tr("Every slice") if spacing else tr("The whole volume")
    return tr("One in {spacing} slices", spacing=spacing)
