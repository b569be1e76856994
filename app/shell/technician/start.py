"""Technician mode of a window: the parts that it hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.output.results.results_panel import ResultsTab
from app.shell.technician.mode import TechnicianMode

if TYPE_CHECKING:
    from app.shell.main_window import MainWindow


def technician_of(window: MainWindow) -> TechnicianMode:
    """Return the technician mode of a window.

    Parameters
    ----------
    window
        complete window; the preferences decide if it starts in this mode
    """
    tabs = [window.tabs.widget(i) for i in range(window.tabs.count())]
    results = [each for each in tabs if isinstance(each, ResultsTab)]
    extras: list[QWidget | QAction] = [
        window.header.choice.manage,
        *window.centre.welcome.extras,
        # Settings of a result and deleting it are not for this mode.
        *(part for each in results for part in (each.settings, each.more)),
        *window.actions_.extra_menus,
    ]
    mode = TechnicianMode(
        window,
        window.context,
        window.actions_.named(),
        extras,
        window.workflow.lock,
        window.tabs,
    )
    mode.changed.connect(window.header.choice.offer_approved)
    mode.changed.connect(lambda on: window.header.allow_device(not on))
    mode.changed.connect(window.rail.refresh)
    mode.changed.connect(window.action_states.refresh)
    mode.changed.connect(window.workflow.protocol.refresh)
    # The mode may already be on, before these receivers were connected.
    mode.changed.emit(mode.is_on)
    window.actions_.technician.triggered.connect(mode.toggle)
    return mode
