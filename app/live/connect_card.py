"""The card that connects to a running scan: type of scan and form of its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout

from app.language.translation import tr
from app.live.events_form import EventsForm
from app.live.frames_form import FramesForm
from app.live.live_request import LiveRequest
from app.live.pet_request import PetRequest
from app.live.source_form import SourceFaultError, choice
from app.ui.theme.widgets import button, label, set_tone

CARD_PX = 660
KINDS = (tr("X-ray projections"), tr("PET events"))
FRAMES, EVENTS = range(2)
ABOUT = (
    tr(
        "Shows slices while an X-ray scan is being acquired. The preparation steps and "
        "the filter are taken from the current CT protocol."
    ),
    tr(
        "Shows the image while a PET scan is being acquired, and reports motion at once. "
        "Voxels, algorithm and filters are taken from the current list-mode protocol."
    ),
)
Request = LiveRequest | PetRequest


class ConnectCard(QFrame):
    """Card that asks for a source.

    Parameters
    ----------
    connect_to : called with the request
    demo : called with the kind of scan
    leave : shows the images again
    files : returns the auxiliary files of the current study
    """

    def __init__(
        self,
        connect_to: Callable[[Request], object],
        demo: Callable[[int], object],
        leave: Callable[[], object],
        files: Callable[[], Mapping[str, Path]],
    ) -> None:
        super().__init__()
        self._connect_to = connect_to
        self.setProperty("role", "card")
        self.setMaximumWidth(CARD_PX)
        self.kind = choice(tr("Scan type"), KINDS)
        # The box would otherwise change its width with the selected kind.
        self.kind.setMinimumContentsLength(max(map(len, KINDS)))
        self.frames, self.events = FramesForm(), EventsForm(files)
        self._forms = QStackedWidget()
        for form in (self.frames, self.events):
            self._forms.addWidget(form)
            # Return in any field connects, as in a login form.
            for edit in form.findChildren(QLineEdit):
                edit.returnPressed.connect(self.ask)
        self._about = label("", "muted", wrap=True)
        self._fault = label("", wrap=True)
        set_tone(self._fault, "missing")
        self.begin = button(tr("Connect"), self.ask, tr("Follow this source"), "primary")
        self.demo = button(
            tr("Live demo"),
            # Read when the button is pressed, not when it is made.
            lambda: demo(self.kind.currentIndex()),
            tr("Play a simulated scan and watch it come into focus"),
        )
        self.leave = button(tr("Back"), leave, tr("Back to the images"))
        self.kind.currentIndexChanged.connect(self._show_kind)
        self._lay_out()
        self._show_kind()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.demo)
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.begin)
        head = QHBoxLayout()
        head.addWidget(label(tr("Follow a running scan"), "title"), 1)
        head.addWidget(self.kind)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 24, 28, 24)
        column.setSpacing(14)
        column.addLayout(head)
        for each in (self._about, self._forms, self._fault):
            column.addWidget(each)
        column.addLayout(buttons)
        self.show_fault("")

    def _show_kind(self) -> None:
        kind = self.kind.currentIndex()
        self._forms.setCurrentIndex(kind)
        self._about.setText(ABOUT[kind])
        # The study may have changed while the card was hidden.
        self.events.show_files()
        self.show_fault("")

    @property
    def fault(self) -> str:
        """The error message."""
        return self._fault.text()

    def show_fault(self, fault: str) -> None:
        """Show the reason why the connection failed; hide it if empty.

        Parameters
        ----------
        fault
            sentence for the user
        """
        self._fault.setText(fault)
        self._fault.setVisible(bool(fault))

    def show_request(self, request: Request) -> None:
        """Fill in an earlier request.

        Parameters
        ----------
        request
            its type selects the kind of scan
        """
        if isinstance(request, PetRequest):
            self.kind.setCurrentIndex(EVENTS)
            self.events.show_request(request)
        else:
            self.kind.setCurrentIndex(FRAMES)
            self.frames.show_request(request)

    def ask(self) -> None:
        """Connect to the entered source, or show the error."""
        form = self.events if self.kind.currentIndex() == EVENTS else self.frames
        try:
            request = form.request()
        # Errors of the form appear in the card; errors of the connection come later from the model.
        except SourceFaultError as e:
            self.show_fault(str(e))
            return
        self.show_fault("")
        self._connect_to(request)
