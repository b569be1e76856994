"""Step 1: scan, scanner, μ-map and normalisation, with their problems."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from app.language.translation import named, tr
from app.state.models.inputs import DATA, SCANNER, Input
from app.state.models.study_model import StudyModel
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import (
    button,
    icon_button,
    label,
    set_paragraphs,
    set_tone,
)
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from app.workspace.steps.scanner_drawing import ScannerDrawing
from app.workspace.steps.step_panel import StepPanel
from engine.core.errors import EngineError
from engine.data import Making
from engine.data.runs.events import warnings_among
from engine.geometry import RingScanner, Scanner
from engine.modalities import all_roles

FROM_SCAN, FROM_FILE = "", "file"
KEEP_FILE_TIP = tr(
    "Use this file for every scan from this scanner that you open from now on. Scans from other "
    "scanners are not affected. Clear the box to stop."
)
KEEP_SCANNER_TIP = tr(
    "Use this scanner for every scan in this format that you open from now on. Clear the box to "
    "stop."
)
NO_SCAN = tr(
    "Open a scan or drop it on the window: list-mode data, a histogram or X-ray projections."
)


class StudyStep(StepPanel):
    """Chooses the files of the study."""

    title = tr("Study")

    def __init__(self, number: int, context: AppContext) -> None:
        super().__init__(number, context.theme)
        self._commands = context.commands
        self._study, self._run = context.session.study, context.session.run
        # Rows of all modalities exist; `_show` hides those that the protocol does not use.
        self.rows = {DATA: InputRow(DATA, tr("Scan"), NO_SCAN, context)}
        for role in all_roles():
            self.rows[role.key] = InputRow(
                role.key, named(role.title), named(role.without), context, role.making
            )
        self.scanner = ScannerRow(context)
        self.drawing = ScannerDrawing(context.theme)
        self._absent = label("", "muted", wrap=True)
        self._notes = label("", wrap=True)
        set_tone(self._notes, "look")
        self.body.addWidget(self.rows[DATA])
        self.body.addWidget(self._notes)
        self.body.addWidget(self._absent)
        self.body.addWidget(self.scanner)
        self.body.addWidget(self.drawing)
        for role in all_roles():
            self.body.addWidget(self.rows[role.key])
        study, run = self._study, self._run
        for signal in (study.inputs_changed, study.protocol_changed, run.state_changed):
            signal.connect(self._show)
        self._show()

    def _show(self) -> None:
        study, run = self._study, self._run
        for role, row in self.rows.items():
            row.show_input(study.inputs.get(role), not run.state.is_active)
            row.show_reading(study.reading.get(role, ""))
            row.show_making(study.scanner)
            row.setVisible(role in study.roles)
        self.scanner.setVisible(study.modality.takes_scanner)
        set_paragraphs(self._absent, words_on(study))
        self._absent.setVisible(bool(self._absent.text()))
        notes = study.inputs.scan.notes if study.inputs.scan else ()
        set_paragraphs(self._notes, notes)
        self._notes.setVisible(bool(notes))
        self.scanner.show_choice()
        try:
            grid = study.grid()
        # Impossible settings are reported in step 4. Here only the box is left out.
        except EngineError:
            grid = None
        self.drawing.show_scanner(study.scanner, grid)
        self._say()

    def _say(self) -> None:
        inputs = self._study.inputs
        data = inputs.get(DATA)
        if self._study.reading:
            self.say(tr("reading …"), "look")
        elif data is None:
            self.say(tr("no scan yet"), "waiting")
        elif fault := inputs.fault():
            self.say(fault, "missing")
        else:
            # Notes that only inform do not change the state of the step.
            known = [*warnings_among(inputs.scan.notes if inputs.scan else ()), self._study.misfit]
            notes = " ".join(filter(None, known))
            self.say(data.text, "look" if notes else "ok", notes)


def words_on(study: StudyModel) -> list[str]:
    """Return notes about the treatment of the open scan.

    Parameters
    ----------
    study
        the open study

    Returns
    -------
    one or two sentences each
    """
    words = [study.note, study.misfit, study.modality.absent]
    if len(study.suitable) > 1:
        words.append(study.modality.approach)
    if study.scanner is not None:
        words.append(study.scanner.caution)
    return [text for text in words if text]


class KeepBox(QCheckBox):
    """Saves an input for all scans of its scanner; hidden for files of a single scan."""

    def __init__(self, role: str, text: str, context: AppContext) -> None:
        super().__init__(text)
        self._role, self._commands = role, context.commands
        self.setToolTip(literal_tip(KEEP_SCANNER_TIP if role == SCANNER else KEEP_FILE_TIP))
        # `clicked` comes from the user only, unlike `toggled`.
        self.clicked.connect(lambda remembered: self._commands.keep(self._role, remembered))
        self.hide()

    def show_choice(self) -> None:
        """Show if the input is saved; hidden if it cannot be."""
        remembered = self._commands.is_remembered(self._role)
        self.setVisible(remembered is not None)
        self.setChecked(bool(remembered))


class InputRow(QWidget):
    """One file: name, description, and buttons to choose or clear it. A file can be dropped."""

    def __init__(
        self,
        role: str,
        title: str,
        without: str,
        context: AppContext,
        making: Making | None = None,
    ) -> None:
        super().__init__()
        self._title, self._without = title, without
        commands = context.commands
        # File names differ at both ends, so their middle is elided.
        self._name = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self._text = label("", "muted", wrap=True)
        self.choose = button(tr("Choose …"), lambda: commands.choose(role), tr("Choose a file"))
        self.clear = icon_button(
            "remove", context.theme, lambda: commands.clear(role), tr("Clear: {title}", title=title)
        )
        page, words, tip = (making.page, making.words, making.tip) if making else ("", "", "")
        self.make = button(named(words), lambda: commands.ask_to_make(page), named(tip))
        self._making = making
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(label(title, "caption"), 0, 0)
        grid.addWidget(self.clear, 0, 1)
        grid.addWidget(self.make, 0, 2)
        grid.addWidget(self.choose, 0, 3)
        grid.addWidget(self._name, 1, 0, 1, 4)
        grid.addWidget(self._text, 2, 0, 1, 4)
        self.keep = KeepBox(role, tr("Use for all scans from this scanner"), context)
        grid.addWidget(self.keep, 3, 0, 1, 4)
        self._role, self._commands = role, commands
        self.setAcceptDrops(True)

    def show_making(self, scanner: Scanner | None) -> None:
        """Offer to create the file if this is possible for the scanner.

        Parameters
        ----------
        scanner
            scanner of the study; None if it is not known
        """
        making = self._making
        fits = scanner is None or isinstance(scanner, RingScanner)
        self.make.setVisible(making is not None and (fits or not making.of_rings))

    def show_input(self, found: Input | None, editable: bool) -> None:
        """Show the chosen file.

        Parameters
        ----------
        found
            the file; None for none
        editable
            False while a run is active
        """
        self._name.set_full_text(found.name if found else "")
        self._name.setVisible(found is not None)
        self._text.setText(self._words(found))
        self.choose.setText(tr("Replace …") if found else tr("Choose …"))
        # "Choose" alone would be read for every row.
        self.choose.setAccessibleName(f"{self.choose.text()} {self._title}")
        self.choose.setEnabled(editable)
        self.make.setAccessibleName(f"{self.make.text()} {self._title}")
        self.make.setEnabled(editable)
        self.keep.show_choice()
        self.clear.setVisible(found is not None)
        self.clear.setEnabled(editable)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # One role takes one file; several are for the window as a whole.
        if len(event.mimeData().urls()) == 1 and self.choose.isEnabled():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = Path(event.mimeData().urls()[0].toLocalFile())
        self._commands.offer(self._role, path)

    def _words(self, found: Input | None) -> str:
        if found is None:
            return self._without
        return "\n".join(part for part in (found.text, found.origin) if part)

    def show_reading(self, name: str) -> None:
        """Show the file that is being read. The current one stays until this is finished.

        Parameters
        ----------
        name
            its name; "" for none
        """
        if name:
            self._name.set_full_text(name)
            self._name.setVisible(True)
            self._text.setText(tr("reading …"))


class ScannerRow(QWidget):
    """Choice of the scanner: the one that the scan names, a built-in one, or a file."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._commands = context.commands
        self._study, self._run = context.session.study, context.session.run
        self.box = QuietCombo()
        self.box.setAccessibleName(tr("Scanner"))
        self.box.addItem(tr("From the scan"), FROM_SCAN)
        for key, name in context.commands.builtin_scanners().items():
            self.box.addItem(name, key)
        self.box.addItem(tr("From a file …"), FROM_FILE)
        # Not `currentIndexChanged`, which `show_choice` emits too.
        self.box.activated.connect(self._chosen)
        self._text = label("", "muted", wrap=True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setVerticalSpacing(4)
        grid.addWidget(label(tr("Scanner"), "caption"), 0, 0)
        grid.addWidget(self.box, 1, 0)
        grid.addWidget(self._text, 2, 0)
        self.keep = KeepBox(SCANNER, tr("Use for all scans in this format"), context)
        grid.addWidget(self.keep, 3, 0)

    def show_choice(self) -> None:
        """Show the scanner in use."""
        chosen = self._study.inputs.get(SCANNER)
        at = self.box.findData(chosen.value) if chosen else 0
        if at < 0 and chosen is not None:
            # A scanner from a file is not in the list of built-in ones.
            self.box.insertItem(1, chosen.name, chosen.value)
            at = 1
        self.box.setCurrentIndex(at)
        self.box.setEnabled(not self._run.state.is_active)
        scanner = self._study.scanner
        origin = chosen.origin if chosen is not None else ""
        words = (scanner.describe() if scanner is not None else "", origin)
        self._text.setText("\n".join(part for part in words if part))
        self._text.setVisible(bool(self._text.text()))
        self.keep.show_choice()

    def _chosen(self) -> None:
        value = self.box.currentData()
        if value == FROM_FILE:
            # The list returns to the current scanner, because the user may cancel the file dialog.
            self.show_choice()
            self._commands.choose(SCANNER)
        elif value == FROM_SCAN:
            self._commands.clear(SCANNER)
        else:
            self._commands.set_input(SCANNER, value)
