"""Step 1: the scan, its scanner, μ-map and normalisation: what they are, or what is wrong."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.control.context import AppContext
from app.forms.fields import QuietCombo
from app.look.widgets import ElidedLabel, button, icon_button, label, paragraphs, set_tone
from app.models.inputs import Input, Role
from app.models.modalities import suitable_modalities
from app.models.session import Session
from app.study.scanner_drawing import ScannerDrawing
from app.study.step_panel import StepPanel
from engine.errors import EngineError
from engine.geometry.dual_head import DualHead

FROM_SCAN, FROM_FILE = "", "file"
LIMITED_ANGLE = (
    "Limited angle: two panels see no line that runs along them, so the image is blurred along y, "
    "their normal. Judge details in the coronal slices."
)
TITLES: dict[Role, str] = {
    "data": "Scan",
    "attenuation": "μ-map",
    "normalisation": "Normalisation",
    "response": "Response",
}
EMPTY: dict[Role, str] = {
    "data": "Open a PET list-mode file, a histogram or an X-ray scan, or drop it on the window.",
    "attenuation": "Attenuation map; without it, no attenuation correction.",
    "normalisation": "Crystal efficiencies; without them, all crystals count alike.",
    "response": "A stored matrix made elsewhere; without it, one is computed once and kept.",
}


class StudyStep(StepPanel):
    """Chooses the files of the study."""

    title = "Study"

    def __init__(self, number: int, context: AppContext) -> None:
        super().__init__(number, context.theme)
        self._session, self._commands = context.session, context.commands
        self._study, self._run = context.session.study, context.session.run
        self.rows = {role: InputRow(role, context) for role in TITLES}
        self.scanner = ScannerRow(context)
        self.drawing = ScannerDrawing(context.theme)
        self._absent = label("", "muted", wrap=True)
        self._notes = label("", wrap=True)
        set_tone(self._notes, "look")
        self.body.addWidget(self.rows["data"])
        self.body.addWidget(self._notes)
        self.body.addWidget(self._absent)
        self.body.addWidget(self.scanner)
        self.body.addWidget(self.drawing)
        self.body.addWidget(self.rows["attenuation"])
        self.body.addWidget(self.rows["normalisation"])
        self.body.addWidget(self.rows["response"])
        study, run = self._study, self._run
        for signal in (study.inputs_changed, study.protocol_changed, run.state_changed):
            signal.connect(self._show)
        self._show()

    def _show(self) -> None:
        study, run = self._study, self._run
        session = self._session
        modality = study.modality
        for role, row in self.rows.items():
            row.show_input(study.inputs.get(role), not run.state.is_active)
            row.setVisible(role in modality.roles)
        self.scanner.setVisible("scanner" in modality.roles)
        self._absent.setText(paragraphs(words_on(session)))
        self._absent.setVisible(bool(self._absent.text()))
        notes = study.inputs.scan.notes if study.inputs.scan else ()
        self._notes.setText(paragraphs(notes))
        self._notes.setVisible(bool(notes))
        self.scanner.show_choice()
        try:
            grid = study.grid()
        except EngineError:
            grid = None
        self.drawing.show_scanner(study.scanner, grid)
        self._say()

    def _say(self) -> None:
        inputs = self._study.inputs
        data = inputs.get("data")
        if data is None:
            self.say("no scan yet", "missing")
        elif any(found.is_reading for found in inputs.values()):
            self.say("reading …", "look")
        elif fault := inputs.fault():
            is_wrong = any(found.fault for found in inputs.values())
            self.say(fault, "fault" if is_wrong else "missing")
        else:
            self.say(data.text, "look" if inputs.scan and inputs.scan.notes else "ok")


def words_on(session: Session) -> list[str]:
    """Return what is to know of how the open scan is treated, a sentence or two each."""
    words = [session.study.note, session.study.modality.absent]
    if len(suitable_modalities(session.study.inputs)) > 1:
        words.append(session.study.modality.way)
    if isinstance(session.study.scanner, DualHead):
        words.append(LIMITED_ANGLE)
    return [text for text in words if text]


class InputRow(QWidget):
    """One file: name, what it is, and buttons to choose or clear it."""

    def __init__(self, role: Role, context: AppContext) -> None:
        super().__init__()
        self._role = role
        commands = context.commands
        self._name = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self._text = label("", "muted", wrap=True)
        self.choose = button("Choose …", lambda: commands.choose(role))
        self.clear = icon_button(
            "remove", context.theme, lambda: commands.clear(role), f"Clear {TITLES[role]}"
        )
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(label(TITLES[role], "caption"), 0, 0)
        grid.addWidget(self.clear, 0, 1)
        grid.addWidget(self.choose, 0, 2)
        grid.addWidget(self._name, 1, 0, 1, 3)
        grid.addWidget(self._text, 2, 0, 1, 3)

    def show_input(self, found: Input | None, editable: bool) -> None:
        """Show what was chosen."""
        self._name.set_full_text(found.name if found else "")
        self._name.setVisible(found is not None)
        self._text.setText(self._words(found))
        set_tone(self._text, "missing" if found and found.fault else "muted")
        self.choose.setText("Replace …" if found else "Choose …")
        self.choose.setAccessibleName(f"{self.choose.text()} {TITLES[self._role]}")
        self.choose.setEnabled(editable)
        self.clear.setVisible(found is not None)
        self.clear.setEnabled(editable)

    def _words(self, found: Input | None) -> str:
        if found is None:
            return EMPTY[self._role]
        return found.fault or found.text or "reading …"


class ScannerRow(QWidget):
    """Choice of the scanner: as the scan says, one that comes with us, or a file."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._commands = context.commands
        self._study, self._run = context.session.study, context.session.run
        self.box = QuietCombo()
        self.box.setAccessibleName("Scanner")
        self.box.setMinimumContentsLength(8)
        self.box.addItem("As the scan says", FROM_SCAN)
        for key, name in context.commands.builtin_scanners().items():
            self.box.addItem(name, key)
        self.box.addItem("From a file …", FROM_FILE)
        self.box.activated.connect(self._chosen)
        self._text = QLabel()
        self._text.setProperty("role", "muted")
        self._text.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setVerticalSpacing(4)
        grid.addWidget(label("Scanner", "caption"), 0, 0)
        grid.addWidget(self.box, 1, 0)
        grid.addWidget(self._text, 2, 0)

    def show_choice(self) -> None:
        """Show the scanner in use."""
        chosen = self._study.inputs.get("scanner")
        at = self.box.findData(chosen.value) if chosen else 0
        if at < 0 and chosen is not None:
            self.box.insertItem(1, chosen.name, chosen.value)
            at = 1
        self.box.setCurrentIndex(at)
        self.box.setEnabled(not self._run.state.is_active)
        scanner = self._study.scanner
        fault = chosen.fault if chosen else ""
        self._text.setText(fault or (scanner.describe() if scanner else ""))
        self._text.setVisible(bool(self._text.text()))
        set_tone(self._text, "missing" if fault else "muted")

    def _chosen(self) -> None:
        value = self.box.currentData()
        if value == FROM_FILE:
            self.show_choice()
            self._commands.choose("scanner")
        elif value == FROM_SCAN:
            self._commands.clear("scanner")
        else:
            self._commands.set_input("scanner", value)
