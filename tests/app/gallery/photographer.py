"""Take a screenshot of each state of the window in every theme, and check it for faults."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QSize, QTimer
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.shell.application import make_window
from app.shell.main_window import MainWindow
from app.state.models.preferences import Preferences
from app.state.models.run_record import RunState
from app.ui.theme.widgets import fitted
from engine.modalities.demo import Demo
from engine.modalities.studies import Study
from tests.app.screen_laws import faults_of

PATIENCE_S = 300.0
POLL_S, N_TURNS = 0.005, 8
MODAL_MS = 30
"""Interval between two checks for a dialog that blocks."""


def tab_name(panel: QWidget) -> str:
    """Return the name of a panel of Judge, which is the same in all languages."""
    return type(panel).__name__.removesuffix("Tab")


@dataclass(frozen=True)
class Act:
    """Some states of one window, played in order.

    Attributes
    ----------
    pictures : names of the screenshots
    play : goes through the states
    """

    pictures: tuple[str, ...]
    play: Callable[[Photographer], None]

    def has_picture_with(self, word: str) -> bool:
        """Return True if the name of one of its screenshots contains a word."""
        return any(word in name for name in self.pictures)


class Photographer:
    """Control one window at a time and save its screenshots in a folder.

    Attributes
    ----------
    faults : faults by picture and theme
    names : names of the screenshots so far
    size : size of the window; None for that of the screen
    """

    def __init__(
        self,
        app: QApplication,
        folder: Path,
        themes: tuple[str, ...],
        only: str = "",
        *,
        size: QSize | None = None,
    ) -> None:
        self.app, self.folder, self.themes, self.only = app, folder, themes, only
        self.size = size
        self.demos = folder.parent / "demos"
        self.faults: dict[str, list[str]] = {}
        self.names: list[str] = []
        self.window: MainWindow

    def play(self, act: Act) -> None:
        """Show a new window, and take screenshots of the states of an act."""
        preferences = Preferences(self.folder / "settings" / act.play.__name__)
        preferences.theme = self.themes[0]
        self.window = make_window(self.app, preferences)
        available = self.window.screen().availableSize()
        self.window.resize(fitted(self.size or available, available))
        self.window.show()
        self.wait(lambda: self.window.session.device.found != () and self.is_calm())
        first = len(self.names)
        act.play(self)
        self.window.dialogs.confirm = lambda *words: True
        self.window.close()
        missing = {n for n in act.pictures if self.only in n} - set(self.names[first:])
        if missing:
            raise RuntimeError(f"{act.play.__name__} has not shown {sorted(missing)}")

    def is_calm(self) -> bool:
        """Return True if no file is read and no search is running."""
        return not self.window.commands.is_busy

    def wait(self, ready: Callable[[], bool]) -> None:
        """Run the event loop until the window has reached a state, and repaint it."""
        end = time.monotonic() + PATIENCE_S
        while not ready():
            self._turn()
            if time.monotonic() > end:
                raise TimeoutError("the window never came to this state")
        self.settle()

    def settle(self) -> None:
        """Process events until the window has drawn all changes."""
        n_turns = 0
        while n_turns < N_TURNS or self.window.context.theme.is_refreshing:
            self._turn()
            n_turns += 1

    def _turn(self) -> None:
        """Run the event loop once as for users, including deferred deletions."""
        self.app.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        time.sleep(POLL_S)

    def wants(self, name: str) -> bool:
        """Return True if a screenshot was requested."""
        return self.only in name

    def shoot(self, name: str, widget: QWidget | None = None) -> None:
        """Take a screenshot of the window, a dialog or a menu, and record its faults."""
        if not self.wants(name):
            return
        for theme in self.themes:
            self._keep(name, theme, widget or self.window)
        self.names.append(name)

    def _keep(self, name: str, theme: str, shown: QWidget) -> None:
        if self.window.context.theme.name != theme:
            self.window.context.theme.use(theme)
        self.settle()
        if not shown.grab().save(str(self.folder / f"{name}-{theme}.png")):
            raise OSError(f"{name}: the picture was not written")
        if found := [] if isinstance(shown, QMenu) else faults_of(shown):
            self.faults[f"{name}-{theme}"] = found

    def shoot_modal(self, name: str, ask: Callable[[], object]) -> None:
        """Take a screenshot of the modal dialog that a function opens, in each theme; cancel it."""
        if not self.wants(name):
            return
        for theme in self.themes:
            self.window.context.theme.use(theme)
            self.settle()
            QTimer.singleShot(MODAL_MS, partial(self._answer, name, theme))
            ask()
        self.names.append(name)

    def _answer(self, name: str, theme: str) -> None:
        dialog = self.app.activeModalWidget()
        if dialog is None:
            QTimer.singleShot(MODAL_MS, partial(self._answer, name, theme))
            return
        self._keep(name, theme, dialog)
        dialog.close()

    def shoot_dialog(self, name: str, dialog: QWidget) -> None:
        """Take a screenshot of a modeless dialog, and close it."""
        dialog.show()
        self.wait(self.is_calm)
        self.shoot(name, dialog)
        dialog.close()

    def shoot_menu(self, name: str, menu: QMenu) -> None:
        """Take a screenshot of a menu."""
        menu.popup(self.window.mapToGlobal(self.window.rect().center()))
        self.shoot(name, menu)
        menu.close()

    # user actions

    def make(self, demo: Demo) -> Study:
        """Return the study of a demo; all images share its files."""
        return demo.make(self.demos)

    def open(self, study: Study) -> None:
        """Open a study, and wait until it can start."""
        self.window.commands.open_study(study)
        session = self.window.session
        self.wait(
            lambda: (
                session.study.inputs.get("data") is not None
                and session.study.inputs["data"].value == str(study.data)
                and not session.obstacle()
                and self.is_calm()
            )
        )
        self.show_step(0)

    def show_step(self, number: int | None) -> None:
        """Open one step on the page Prepare and close the others; None closes all."""
        if number is not None:
            self.window.pages.show("prepare")
        for k, step in enumerate(self.window.steps):
            step.set_open(k == number)
        self.settle()

    def show_tab(self, name: str) -> None:
        """Open a panel on the page Judge, given its class name without "Tab"."""
        tabs = self.window.tabs
        self.window.pages.show("judge")
        names = [tab_name(tabs.widget(index)) for index in range(tabs.count())]
        self.window.page_panels.show_panel(names.index(name))
        self.settle()

    def start(self, n_images: int = 2) -> None:
        """Start a run, and wait for `n_images` iterates."""
        self.window.runner.start()
        record = self.window.session.run.record
        self.wait(lambda: len(record.images.items) >= n_images or self.has_ended())

    def has_ended(self) -> bool:
        """Return True if no run is in progress and its thread has ended."""
        return not self.window.session.run.state.is_active and self.window.runner.job is None

    def finish(self) -> None:
        """Wait until a run and its follow-up tasks have ended."""
        self.wait(lambda: self.has_ended() and self.is_calm())
        if self.window.session.run.state is not RunState.FINISHED:
            raise RuntimeError(self.window.centre.message_bar.text)
