"""The page of a running scan: connect, then watch it on the page of its kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.language.translation import tr
from app.live.connect_card import ConnectCard, Request
from app.live.live_model import LiveModel
from app.live.pet_model import LivePetModel
from app.live.pet_page import PetPage
from app.live.pet_request import PetRequest
from app.live.simulation_card import MakingCard
from app.live.slices_page import SlicesPage
from app.live.watch_page import WatchActions
from app.state.services.context import AppContext

Model = LiveModel | LivePetModel
P = TypeVar("P", PetPage, SlicesPage)
ASKING, MAKING = range(2)
"""Indices of the pages without a source."""


class LivePage(QWidget):
    """Page that asks for a source and then shows its scan.

    `state_changed` is emitted for both kinds of scan.

    Parameters
    ----------
    context : context of the window
    actions : actions of the pages
    demo : plays a demo of a kind of scan
    """

    state_changed = Signal()

    def __init__(
        self, context: AppContext, actions: WatchActions, demo: Callable[[int], object]
    ) -> None:
        super().__init__()
        self.setObjectName("Live")
        self.setAccessibleName(tr("Live"))
        self._context, self._actions = context, actions
        self.slices_model, self.pet_model = LiveModel(context, self), LivePetModel(context, self)
        self.model: Model = self.slices_model
        self.card = ConnectCard(self.start, demo, actions.leave, self.pet_model.study_files)
        self._pages = QStackedWidget()
        self.making = MakingCard(context.commands.stop_reading)
        self._pages.addWidget(_canvas(self.card))
        self._pages.addWidget(_canvas(self.making))
        self._is_making = False
        # Requests are compared by identity: the same source can be opened twice.
        self._seen: object | None = None
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(self._pages)
        for model in (self.slices_model, self.pet_model):
            model.state_changed.connect(self._follow)
        self._follow()

    def show_making(self, words: str) -> None:
        """Show the progress of a demo simulation instead of the form.

        Parameters
        ----------
        words
            name of the simulation; empty: show the form again
        """
        self._is_making = bool(words)
        if words:
            self.making.begin(f"{words} …")
        self._follow()

    @cached_property
    def slices(self) -> SlicesPage:
        """The page of X-ray scans."""
        return self._add_page(SlicesPage(self._context, self.slices_model, self._actions))

    @cached_property
    def pet(self) -> PetPage:
        """The page of list-mode scans, created on demand because its plots start slowly."""
        return self._add_page(PetPage(self._context, self.pet_model, self._actions))

    def _add_page(self, page: P) -> P:
        self._pages.addWidget(page)
        return page

    @property
    def watching(self) -> PetPage | SlicesPage:
        """The page of the current kind of scan."""
        return self.pet if self.model is self.pet_model else self.slices

    def start(self, request: Request) -> None:
        """Follow a source; the previous one is closed.

        Parameters
        ----------
        request
            its type selects the kind of scan
        """
        if isinstance(request, PetRequest):
            # The page has one state and one set of buttons, so only one source can be open.
            self.slices_model.forget()
            self.model = self.pet_model
            self.pet_model.start(request)
        else:
            self.pet_model.forget()
            self.model = self.slices_model
            self.slices_model.start(request)

    def suggest_scan(self, path: Path | None) -> None:
        """Suggest the current scan as one with the same geometry.

        Parameters
        ----------
        path
            file of the scan; None: nothing. An entry of the user stays
        """
        # An entry of the user has priority.
        if path is not None and not self.card.frames.like.text():
            self.card.frames.like.setText(str(path))

    def offer(self, kind: int) -> None:
        """Ask for the source of a kind of scan, unless one is followed.

        Parameters
        ----------
        kind
            `FRAMES` or `EVENTS`
        """
        if self.model.request is None:
            self.card.kind.setCurrentIndex(kind)
        self.card.events.show_files()

    def _follow(self) -> None:
        """Show another state."""
        model = self.model
        text, tone = model.state
        # A source that failed before its first update leads back to the form, with the error.
        is_asking = model.request is None or (model.update is None and tone == "missing")
        self.card.show_fault(text if is_asking else "")
        if model.request is not self._seen:
            self._begin(model.request)
        if is_asking:
            self._pages.setCurrentIndex(MAKING if self._is_making else ASKING)
        else:
            self._pages.setCurrentWidget(self.watching)
            self.watching.follow()
        self.state_changed.emit()

    def _begin(self, request: Request | None) -> None:
        self._seen = request
        if request is not None:
            self.card.show_request(request)
        self.watching.begin()


def _canvas(card: QWidget) -> QWidget:
    """Return a page with a card in its centre."""
    page = QWidget()
    page.setObjectName("Canvas")
    # A plain QWidget ignores the background of the style sheet otherwise.
    page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    middle = QHBoxLayout()
    middle.addStretch(1)
    middle.addWidget(card, 1000)  # the card grows to its maximum width before the sides do
    middle.addStretch(1)
    down = QVBoxLayout(page)
    down.addStretch(2)
    down.addLayout(middle)
    down.addStretch(3)
    return page
