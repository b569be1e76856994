"""The question of a queued scan, and the parts that answer it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.context import AppContext
from app.state.services.queueing.queue_intake import QueueAnswer
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import button, label, set_tone
from app.views.literal_text import literal_tip
from app.workspace.queue.queue_text import QUESTIONS
from engine.core.visible_text import visible_line
from engine.jobs import InputFile, Question, QueueEntry

FROM_FILE = "file"
ACTIONS = {
    "scanner": tr("Use this scanner"),
    "complete_events": tr("Use the complete events"),
    "import": tr("Enter the values …"),
    "assumption": tr("Accept and reconstruct"),
    "protocol": tr("Reconstruct anyway"),
    "input": tr("Answer"),
    "unreadable": tr("Read again"),
}
CHOOSE_FIRST = tr("Choose an answer in the list.")
NO_FITTING = tr("Choose another protocol below.")


class QuestionPanel(QWidget):
    """Shows a question with its answers. No answer is selected in advance.

    Signals
    -------
    answered : answer, and True if it also counts for other scans with the same question
    scanner_wanted : the user wants to choose the scanner from a file
    import_wanted : the user wants to describe the data of an entry
    """

    answered = Signal(object, bool)
    scanner_wanted = Signal()
    import_wanted = Signal(object)

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._commands = context.commands
        self._entry: QueueEntry | None = None
        self.heading = label("", "heading", wrap=True)
        self.reason = label("", wrap=True)
        set_tone(self.reason, "warning")
        self.choice = QuietCombo()
        self.choice.setAccessibleName(tr("Answer"))
        self.choice.currentIndexChanged.connect(self._show_action)
        self.act = button("", self._act)
        self.act.setAutoDefault(False)
        self.others = QCheckBox()
        row = QHBoxLayout()
        row.addWidget(self.choice, 1)
        row.addWidget(self.act)
        row.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for part in (self.heading, self.reason):
            column.addWidget(part)
        column.addLayout(row)
        column.addWidget(self.others)
        self.hide()

    def show_question(self, entry: QueueEntry | None, n_others: int) -> None:
        """Show the question of a study; hide the panel if it has none.

        Parameters
        ----------
        entry
            entry of the queue; None for none
        n_others
            number of other scans with the same question
        """
        question = entry.open_question if entry is not None else None
        self.setVisible(question is not None)
        if entry is None or question is None:
            self._entry = None
            return
        n = n_others
        self.others.setVisible(bool(n) and question.kind != "import")
        self.others.setText(tr("Also for {n} more with this question", n=n))
        known, self._entry = self._entry, entry
        # A refresh of the list must not undo a choice that the user is making.
        if known is not None and (known.id, known.question) == (entry.id, entry.question):
            return
        self.heading.setText(QUESTIONS[question.kind])
        self.reason.setText(visible_line(question.text))
        self.others.setChecked(False)
        self._fill(question)
        self.act.setText(ACTIONS[question.kind])
        self._show_action()

    def _fill(self, question: Question) -> None:
        self.choice.clear()
        if question.kind == "scanner":
            for key, name in self._commands.builtin_scanners().items():
                self.choice.addItem(visible_line(name), key)
            self.choice.addItem(tr("From a file …"), FROM_FILE)
        elif question.kind == "input":
            for text, files in choices_of(question.files):
                self.choice.addItem(text, files)
        self.choice.setVisible(self.choice.count() > 0)
        self.choice.setCurrentIndex(-1)
        self.choice.setPlaceholderText(tr("Choose an answer"))

    def _show_action(self) -> None:
        question = self._entry.open_question if self._entry is not None else None
        if question is None:
            return
        obstacle = ""
        if self.choice.count() and self.choice.currentIndex() < 0:
            obstacle = CHOOSE_FIRST
        elif question.kind == "protocol" and not question.assumed:
            obstacle = NO_FITTING
        self.act.setEnabled(not obstacle)
        self.act.setToolTip(literal_tip(obstacle))

    def _act(self) -> None:
        entry = self._entry
        question = entry.open_question if entry is not None else None
        if entry is None or question is None:
            return
        match question.kind:
            case "scanner" if self.choice.currentData() == FROM_FILE:
                self.scanner_wanted.emit()
            case "scanner":
                self.use_scanner(str(self.choice.currentData()))
            case "complete_events":
                self._emit_answer(QueueAnswer(complete_events=True))
            case "import":
                self.import_wanted.emit(entry)
            case "assumption" | "protocol":
                self._emit_answer(QueueAnswer(accepts=True))
            case "input":
                self._emit_answer(QueueAnswer(inputs=tuple(self.choice.currentData())))
            case "unreadable":
                self._emit_answer(QueueAnswer())

    def use_scanner(self, value: str | Path) -> None:
        """Answer with a scanner.

        Parameters
        ----------
        value
            its name, or its file
        """
        self._emit_answer(QueueAnswer(scanner=str(value)))

    def _emit_answer(self, answer: QueueAnswer) -> None:
        self.answered.emit(answer, self.others.isVisible() and self.others.isChecked())


def choices_of(files: tuple[InputFile, ...]) -> list[tuple[str, tuple[InputFile, ...]]]:
    """Return the answers to the question which files belong to a scan.

    Parameters
    ----------
    files
        auxiliary files that were added with the scan

    Returns
    -------
    text and files of each answer
    """
    each_alone = [(tr("Use {name}", name=visible_line(one.path.name)), (one,)) for one in files]
    found: list[tuple[str, tuple[InputFile, ...]]] = list(each_alone)
    # A study has one file for each role.
    if len(files) > 1 and len({each.role for each in files}) == len(files):
        found.insert(0, (tr("Use all of them"), files))
    return [*found, (tr("Reconstruct without them"), ())]
