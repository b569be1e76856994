"""Step 2: the ledger of corrections: use, source, what each did or why it cannot be used."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from app.control.context import AppContext
from app.inspect.sweep_dialog import SweepDialog
from app.look.theme import Theme
from app.models.inputs import Inputs
from app.models.modalities import AnyModality
from app.study.ledger import (
    LedgerEntry,
    LedgerState,
    SwitchRow,
    ledger_state_of,
    summary_tone,
    switch_state_of,
)
from app.study.step_panel import StepPanel

SOURCES: dict[str, Any] = {"attenuation": "attenuation", "normalisation": "normalisation"}


class CorrectionsStep(StepPanel):
    """One row for each correction of PET, or step of preparation of CT."""

    title = "Corrections"

    def __init__(self, number: int, context: AppContext) -> None:
        super().__init__(number, context.theme)
        self._session, self._theme, self._number = context.session, context.theme, number
        self._study, self._run = context.session.study, context.session.run
        self._context = context
        self._ledgers: dict[str, Ledger] = {}
        self._tries: dict[str, QToolButton] = {}
        study, run = self._study, self._run
        for signal in (
            study.protocol_changed,
            study.inputs_changed,
            run.record_changed,
            run.state_changed,
        ):
            signal.connect(self._show)
        self._show()

    @property
    def ledger(self) -> Ledger:
        """The rows for the kind of scan; made when they are first needed."""
        modality = self._study.modality
        if modality.key not in self._ledgers:
            self._ledgers[modality.key] = made = Ledger(modality, self._theme)
            for kind, row in made.rows.items():
                row.form.changed.connect(lambda value, k=kind: self._take(k, value))
            for kind in modality.tried:
                self._tries[kind] = self._button_to_try(kind, modality)
                made.rows[kind].add_button(self._tries[kind])
            for field, switch in made.switches.items():
                switch.choice.edited.connect(partial(self._take_switch, field, switch))
            self.body.addWidget(made)
        return self._ledgers[modality.key]

    def _button_to_try(self, kind: str, modality: AnyModality) -> QToolButton:
        made = QToolButton()
        made.setText("Candidates …")
        made.setToolTip("Look at slices with several values, and take one")
        made.setAccessibleName(f"Candidates of {kind}")
        of = modality.tried[kind]
        made.clicked.connect(lambda: SweepDialog(self.window(), self._context, of).open())
        return made

    def _take(self, kind: str, value: Any) -> None:
        study = self._study
        study.set_protocol(study.modality.with_choice(study.protocol, kind, value))

    def _take_switch(self, field: str, row: SwitchRow) -> None:
        update = {field: row.choice.raw() == "auto"}
        self._study.set_protocol(self._study.protocol.model_copy(update=update))

    def _show(self) -> None:
        session, protocol = self._session, self._study.protocol
        editable, ledger = not session.run.state.is_active, self.ledger
        self.head.rename(f"{self._number}  {session.study.modality.ledger_title}")
        for each in self._ledgers.values():
            each.setVisible(each is ledger)
        obstacles = session.study.modality.obstacles(protocol, session.study.inputs)
        applied, tones = [], []
        for kind, choice in session.study.modality.choices(protocol).items():
            message = session.run.record.ledger.get(kind)
            ledger_state = ledger_state_of(choice, obstacles.get(kind, ""), message)
            is_done = session.study.modality.is_done(kind, session.study.inputs)
            is_no_fault = is_done or kind in session.study.modality.on_demand
            if ledger_state.tone == "look" and is_no_fault:
                ledger_state = LedgerState("off", "muted", ledger_state.text)
            source = source_of(kind, session.study.inputs)
            ledger.rows[kind].show_choice(choice, ledger_state, source, editable)
            tones.append(ledger_state.tone)
            if kind in self._tries:
                self._tries[kind].setVisible(
                    session.study.inputs.scan is not None and choice.use != "off"
                )
                self._tries[kind].setEnabled(editable)
            if ledger_state.tone == "ok":
                applied.append(choice.title.lower())
        for field, switch in ledger.switches.items():
            is_on = bool(getattr(protocol, field))
            found, text = self._study.modality.switch_state(field, self._study.inputs)
            switch.show_choice(is_on, switch_state_of(is_on, found, text), editable)
        self.say(", ".join(applied) or "none in use yet", summary_tone(tones))


class Ledger(QWidget):
    """The rows of one kind of scan: its corrections or steps, and its switches."""

    def __init__(self, modality: AnyModality, theme: Theme) -> None:
        super().__init__()
        self.rows = {
            kind.kind: LedgerEntry(kind, theme, folded=modality.folded) for kind in modality.ledger
        }
        self.switches = {each.field: SwitchRow(each.title, theme) for each in modality.switches}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for row in (*self.rows.values(), *self.switches.values()):
            column.addWidget(row)


def source_of(kind: str, inputs: Inputs) -> str:
    """Return the file a correction's numbers come from."""
    found = inputs.get(SOURCES[kind]) if kind in SOURCES else None
    return f"From {found.name}" if found else ""
