"""One step of the workflow: a line that says how it stands, and a body that opens below it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import label, set_tone
from app.views.literal_text import LiteralLabel
from app.views.slices.labels import ElidedLabel
from engine.modalities import AnyModality

Tone = Literal["ok", "look", "noted", "missing", "fault", "waiting"]
WORDS: dict[Tone, str] = {
    "ok": tr("ok"),
    "look": tr("warning"),
    "noted": tr("note"),
    "missing": tr("missing"),
    "fault": tr("error"),
    "waiting": "",
}
MARKS = {"fault": ("missing", "missing"), "noted": ("info", "muted"), "waiting": ("off", "muted")}
"""Icon and colour of the tones that do not have both of their own."""


class StepPanel(QFrame):
    """A collapsible section; its subclasses fill `body` and call `say`.

    Signals
    -------
    opened : the body is shown now
    """

    opened = Signal()
    title = ""

    def __init__(self, number: int, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "step")
        self.setObjectName(f"step-{number}")
        self._theme = theme
        self.head = _Head(f"{number}  {self.title}", theme)
        self.head.clicked.connect(self._toggle)
        self._about, self._seen = "", set[str]()
        self._inside = QWidget()
        self.body = QVBoxLayout(self._inside)
        self.body.setContentsMargins(14, 2, 14, 14)
        self.body.setSpacing(8)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self._inside)
        self.set_open(False)

    def holds(self, modality: AnyModality, key: str) -> bool:
        """Whether a setting of a protocol stands in this step."""
        return False

    def add_changes(self, shown: QWidget) -> None:
        """Put what differs from the protocol below the line, whether the step is open or not."""
        self._column.insertWidget(1, shown)

    @property
    def is_open(self) -> bool:
        """Whether the body is shown."""
        return not self._inside.isHidden()

    def set_open(self, opened: bool) -> None:
        """Show or hide the body."""
        self._inside.setVisible(opened)
        self.head.show_open(opened)
        if opened:
            self.opened.emit()

    def _toggle(self) -> None:
        self.set_open(not self.is_open)
        self.acknowledge()

    def say(self, summary: str, tone: Tone, about: str = "") -> None:
        """Show the one-line summary and the state, as icon and word.

        `about` is what there is to look at: once it was seen the step asks no more.
        """
        self._about = about if tone == "look" else ""
        self.head.say(summary, "noted" if self._about in self._seen else tone)

    def acknowledge(self) -> None:
        """Take what there is to look at for seen: the step was opened, or a run started."""
        if self._about:
            self._seen.add(self._about)
            self.head.say(self.summary, "noted")

    @property
    def summary(self) -> str:
        """The one-line summary."""
        return self.head.summary.full_text

    @property
    def tone(self) -> str:
        """The state in one word."""
        return self.head.word.text()


class _Head(QPushButton):
    """The clickable line of a step."""

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = title
        self.setProperty("role", "step")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._caret, self._icon = LiteralLabel(), LiteralLabel()
        self.word = label("", "caption")
        self.summary = ElidedLabel()
        self.summary.setProperty("role", "muted")
        first = QHBoxLayout()
        first.setSpacing(6)
        self._name = label(title, "heading")
        for widget in (self._caret, self._name):
            first.addWidget(widget)
        first.addStretch(1)
        first.addWidget(self._icon)
        first.addWidget(self.word)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 12, 8)
        column.setSpacing(3)
        column.addLayout(first)
        second = QHBoxLayout()
        second.setContentsMargins(22, 0, 0, 0)
        second.addWidget(self.summary)
        column.addLayout(second)
        for child in self.findChildren(QLabel):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        return self._column.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._column.minimumSize()

    def rename(self, title: str) -> None:
        """Show another title."""
        self._title = title
        self._name.setText(title)

    def show_open(self, opened: bool) -> None:
        set_icon(self._caret, "opened" if opened else "closed", self._theme, "muted")
        self.setToolTip(tr("Close this step") if opened else tr("Open this step"))

    def say(self, summary: str, tone: Tone) -> None:
        self.summary.set_full_text(summary)
        self.word.setText(WORDS[tone])
        icon, colour = MARKS.get(tone, (tone, tone))
        set_tone(self.word, colour)
        set_icon(self._icon, icon, self._theme, colour)
        words = f"{WORDS[tone]}. {summary}".removeprefix(". ")
        self.setAccessibleName(f"{self._title}: {words}")
