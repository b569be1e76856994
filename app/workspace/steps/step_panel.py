"""One step of the workflow: its state and essentials, and a form that opens below."""

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

Tone = Literal["ok", "warning", "noted", "missing", "fault", "waiting"]
WORDS: dict[Tone, str] = {
    "ok": tr("ok"),
    "warning": tr("warning"),
    "noted": tr("note"),
    "missing": tr("missing"),
    "fault": tr("error"),
    "waiting": "",
}
MARKS = {"fault": ("missing", "missing"), "noted": ("info", "muted"), "waiting": ("off", "muted")}
"""Icon and colour of tones without an icon and a colour of the same name."""


class StepPanel(QFrame):
    """A collapsible section. Subclasses fill `brief` and `body`, and call `say`.

    Signals
    -------
    opened : the body has been opened

    Attributes
    ----------
    brief : layout of the part that is always visible; hidden while it is empty
    body : layout of the part that opens
    is_locked : True if the form cannot be opened
    """

    opened = Signal()
    title = ""

    def __init__(self, number: int, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "step")
        # The name lets the style sheet and the tests find the step.
        self.setObjectName(f"step-{number}-{self.title}")
        self._theme = theme
        self.head = _Head(f"{number}  {self.title}" if number else self.title, theme)
        self.head.clicked.connect(self._toggle)
        self._about, self._seen = "", set[str]()
        self.is_locked = False
        self._essentials = QWidget()
        self.brief = QVBoxLayout(self._essentials)
        self.brief.setContentsMargins(14, 0, 14, 10)
        self.brief.setSpacing(6)
        self._essentials.hide()
        self._inside = QWidget()
        self.body = QVBoxLayout(self._inside)
        self.body.setContentsMargins(14, 2, 14, 14)
        self.body.setSpacing(8)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self._essentials)
        column.addWidget(self._inside)
        self.set_open(False)

    def make_card(self) -> None:
        """Show the step as a card with its essentials."""
        self.setProperty("role", "step-card")
        self._essentials.setVisible(self.brief.count() > 0)

    def lock(self, on: bool) -> None:
        """Lock the form: only the essentials stay.

        Parameters
        ----------
        on
            True to lock it
        """
        self.is_locked = on
        self.head.show_lock(on)
        if on:
            self.set_open(False)

    def holds(self, modality: AnyModality, key: str) -> bool:
        """Return True if this step shows a setting of the protocol.

        Parameters
        ----------
        modality
            modality of the protocol
        key
            name of the setting
        """
        return False

    def add_changes(self, shown: QWidget) -> None:
        """Add the changes below the line, visible even if the step is closed.

        Parameters
        ----------
        shown
            widget with the changes
        """
        self._column.insertWidget(2, shown)

    @property
    def is_open(self) -> bool:
        """True if the body is visible."""
        return not self._inside.isHidden()

    def set_open(self, opened: bool) -> None:
        """Show or hide the body.

        Parameters
        ----------
        opened
            True to show it
        """
        opened = opened and not self.is_locked
        self._inside.setVisible(opened)
        self.head.show_open(opened)
        if opened:
            self.opened.emit()

    def _toggle(self) -> None:
        self.set_open(not self.is_open)
        self.acknowledge()

    def show_summary(self, summary: str, tone: Tone, about: str = "") -> None:
        """Show a summary and the state, as icon and word.

        Parameters
        ----------
        summary
            one line
        tone
            state of the step
        about
            text of the warnings; once the user has seen it, they count as a note
        """
        # Other states cannot be acknowledged: errors stay until they are resolved.
        self._about = about if tone == "warning" else ""
        self.head.show_summary(summary, "noted" if self._about in self._seen else tone)

    def acknowledge(self) -> None:
        """Mark the warnings as seen, because the step was opened or a run was started."""
        if self._about:
            # By text: a new warning in the same step must be shown again.
            self._seen.add(self._about)
            self.head.show_summary(self.summary, "noted")

    def forget(self) -> None:
        """Count no warning as seen, because another scan follows."""
        # Another patient may lack the same file. The sentence is equal, the scan is not.
        self._seen.clear()

    @property
    def summary(self) -> str:
        """The one-line summary."""
        return self.head.summary.full_text

    @property
    def tone(self) -> str:
        """The state as a word."""
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
        self._more = label("", "caption")
        first.addWidget(self._icon)
        first.addWidget(self._name)
        first.addWidget(self.word)
        first.addStretch(1)
        for widget in (self._more, self._caret):
            first.addWidget(widget)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 12, 8)
        column.setSpacing(3)
        column.addLayout(first)
        second = QHBoxLayout()
        second.setContentsMargins(4, 0, 0, 0)
        second.addWidget(self.summary)
        column.addLayout(second)
        for child in self.findChildren(QLabel):
            # Labels would take the clicks of the button.
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        # QPushButton computes its size from its own text, which is empty here.
        return self._column.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._column.minimumSize()

    def rename(self, title: str) -> None:
        """Show another title."""
        self._title = title
        self._name.setText(title)

    def show_open(self, opened: bool) -> None:
        set_icon(self._caret, "closed" if not opened else "opened", self._theme, "muted")
        self._more.setText(tr("Less") if opened else tr("More"))
        self.setToolTip(tr("Close this step") if opened else tr("Open this step"))

    def show_lock(self, on: bool) -> None:
        self._caret.setVisible(not on)
        self._more.setVisible(not on)
        # A disabled button would be grey, and so would its summary.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if on else Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, on)
        self.setToolTip("" if on else tr("Open this step"))

    def show_summary(self, summary: str, tone: Tone) -> None:
        self.summary.set_full_text(summary)
        self.word.setText(WORDS[tone])
        icon, colour = MARKS.get(tone, (tone, tone))
        set_tone(self.word, colour)
        set_icon(self._icon, icon, self._theme, colour)
        words = f"{WORDS[tone]}. {summary}".removeprefix(". ")
        # Screen readers read the button only, so its name contains all of its labels.
        self.setAccessibleName(f"{self._title}: {words}")
