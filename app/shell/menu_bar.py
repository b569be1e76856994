"""Menus of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from app.language.translation import tr
from app.shell.actions import Actions
from app.state.models.preferences import Preferences
from app.views.literal_text import literal_tip
from app.views.slices.labels import shortened

MENU_CHARACTERS = 60
"""Maximum length of a file name in a menu."""


def fill_menus(
    bar: QMenuBar,
    of: Actions,
    preferences: Preferences,
    open_path: Callable[[Path], object],
    try_demo: Callable[[str], object],
    panels: Sequence[QAction],
    copying: Sequence[QAction],
    console: QAction,
) -> None:
    """Fill the menu bar.

    Parameters
    ----------
    bar
        menu bar of the window
    of
        actions of the window
    preferences
        settings with the recent files
    open_path
        called with a recent file
    try_demo
        called with the key of a demo
    panels
        actions that show the panels of results
    copying
        actions that copy the study as text
    console
        action that opens the Python console
    """
    menus: dict[str, tuple[QAction | None, ...]] = {
        tr("&File"): (
            *(of.open, of.open_folder, of.studies, of.import_, of.live, None, of.save_study),
            *(*copying, of.save_protocol, of.protocols),
            *(None, of.export, of.report, of.send, of.identify, None, of.storage),
            *(of.settings, of.technician, None, of.quit),
        ),
        tr("&Edit"): (of.undo, of.redo),
        tr("&Run"): (
            *(of.start, None, of.finish, of.pause, of.abort),
            *(None, of.add_to_queue, of.queue),
            *(None, of.normalise, of.calibrate, of.measure_resolution, of.tune),
        ),
        tr("&View"): (
            *(of.full_views, of.suv, of.log, console, of.theme),
            *(None, *panels),
            *(None, of.detach_steps, of.detach_results),
        ),
        tr("&Help"): (of.guide, of.help, of.support_bundle, of.about),
    }
    for title, actions in menus.items():
        menu = bar.addMenu(title)
        if of.undo in actions:
            # Technician mode hides this menu: settings cannot be changed there.
            of.extra_menus.append(menu.menuAction())
        # Qt hides tooltips in menus by default, and they state why an action is not available.
        menu.setToolTipsVisible(True)
        for action in actions:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)
            if action is of.open:
                _add_recent(menu, preferences, open_path)
                of.extra_menus.append(_add_demos(menu, of, try_demo))


def _add_recent(menu: QMenu, preferences: Preferences, open_path: Callable[[Path], object]) -> None:
    recent = menu.addMenu(tr("Open recent"))

    def fill() -> None:
        recent.clear()
        for path in preferences.recent:
            name = shortened(path.name, MENU_CHARACTERS).replace("&", "&&")  # "&" marks a mnemonic
            action = recent.addAction(name)
            action.setToolTip(literal_tip(str(path)))
            action.triggered.connect(lambda _=False, p=path: open_path(p))
        if recent.isEmpty():
            recent.addAction(tr("No recent files")).setEnabled(False)

    recent.setToolTipsVisible(True)
    # Filled when it opens, because files are opened all the time.
    recent.aboutToShow.connect(fill)


def _add_demos(menu: QMenu, of: Actions, try_demo: Callable[[str], object]) -> QAction:
    demos = menu.addMenu(tr("Try a demo"))
    demos.setToolTipsVisible(True)
    for key, action in of.demos.items():
        demos.addAction(action)
        action.triggered.connect(lambda _=False, k=key: try_demo(k))
    return demos.menuAction()
