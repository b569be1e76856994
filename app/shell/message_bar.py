"""Message bar above the views for a problem: cause, saved state, and remedy."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout

from app.language.translation import tr
from app.state.models.messages import Problem
from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import button, label, set_property
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.slices.labels import shortened, shortened_words

MAX_CHARACTERS, MAX_TITLE_CHARACTERS, MAX_WORD_CHARACTERS = 600, 160, 48
"""Maximum lengths of text, title and word; the log shows more, and the views keep their space."""
FEW_CHARACTERS = 200
"""Length from which the buttons are below the text."""


class MessageBar(QFrame):
    """Bar with one problem until it is dismissed or solved; it never blocks the window."""

    shown = Signal(bool)

    def __init__(
        self, theme: Theme, resume: Callable[..., object], show_log: Callable[[], object]
    ) -> None:
        super().__init__()
        self.setProperty("role", "message-bar")
        self._theme, self._resume = theme, resume
        self.problem: Problem | None = None
        self._icon = LiteralLabel()
        self._icon.setFixedWidth(18)
        self._title = label("", "heading", wrap=True)
        self._text = label("", wrap=True)
        self.resume = button(
            tr("Resume"), self._resume_job, tr("Continue from the last checkpoint"), "primary"
        )
        self.on_cpu = button(
            "", self._resume_on_cpu, tr("The CPU gives the same result, but takes longer")
        )
        self.answer = button("", self._do_answer)
        self._log = button(tr("Show log"), show_log, tr("Open the log (Ctrl+L)"))
        self._dismiss = button(tr("Dismiss"), self.clear, tr("Hide this message (Esc)"))
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self._title)
        words.addWidget(self._text)
        text_row = QHBoxLayout()
        text_row.setSpacing(8)
        text_row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        text_row.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for each in (self.resume, self.on_cpu, self.answer, self._log, self._dismiss):
            buttons.addWidget(each)
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._parts.setContentsMargins(14, 10, 12, 10)
        self._parts.setSpacing(8)
        self._parts.addLayout(text_row, 1)
        self._parts.addLayout(buttons)
        self.hide()

    def report(self, problem: Problem) -> None:
        """Show a problem; it replaces the previous one.

        Parameters
        ----------
        problem
            title, text and possible answers
        """
        self.problem = problem
        words = " ".join(part for part in (problem.text, problem.safe) if part)
        for shown, text, most in (
            (self._title, problem.title, MAX_TITLE_CHARACTERS),
            (self._text, words, MAX_CHARACTERS),
        ):
            # A long path without spaces cannot wrap and would widen the window.
            shown.setText(shortened(shortened_words(text, MAX_WORD_CHARACTERS), most))
            shown.setToolTip(literal_tip(text if shown.text() != text else ""))
        # Only an interrupted run has a job to resume.
        self.resume.setVisible(bool(problem.job))
        self.on_cpu.setText(problem.cpu_text)
        self.on_cpu.setVisible(bool(problem.cpu_job))
        self.answer.setVisible(problem.answer is not None)
        if problem.answer is not None:
            self.answer.setText(problem.answer.text)
            self.answer.setToolTip(literal_tip(problem.answer.tip))
        self._log.setVisible(problem.is_fault)
        direction = QBoxLayout.Direction  # next to four buttons there is no space for text
        has_many = bool(problem.cpu_job or problem.answer)
        is_long = len(self._text.text()) > FEW_CHARACTERS
        self._parts.setDirection(
            direction.TopToBottom if has_many or is_long else direction.LeftToRight
        )
        set_icon(
            self._icon,
            "missing" if problem.is_fault else "info",
            self._theme,
            "missing" if problem.is_fault else "muted",
        )
        # A property of the style sheet: notes have a calmer colour than errors.
        set_property(self, "calm", not problem.is_fault)
        self.setAccessibleName(f"{problem.title} {problem.text}")
        self.show()
        self.shown.emit(True)

    def clear(self) -> None:
        """Hide the message."""
        self.problem = None
        self.hide()
        self.shown.emit(False)

    @property
    def text(self) -> str:
        """Title and text of the current problem; empty without one."""
        return f"{self._title.text()} {self._text.text()}" if self.problem else ""

    def _do_answer(self) -> None:
        if self.problem is not None and self.problem.answer is not None:
            # Stored first: the answer can raise another problem, which must not be cleared.
            answer = self.problem.answer
            self.clear()
            answer.act()

    def _resume_job(self) -> None:
        if self.problem is not None:
            job = self.problem.job
            self.clear()
            self._resume(job)

    def _resume_on_cpu(self) -> None:
        if self.problem is not None:
            job = self.problem.cpu_job
            self.clear()
            self._resume(job, device="cpu")
