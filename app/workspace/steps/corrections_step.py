"""Card of the corrections: their use, source and effect, or why they cannot be used."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from app.language.translation import named, tr, within
from app.state.models.inputs import DATA, Inputs
from app.state.services.context import AppContext
from app.ui.theme.theme import Theme
from app.views.literal_text import literal_tip
from app.workspace.ct_inspection.sweep_dialog import SweepDialog
from app.workspace.steps.align_dialog import AlignDialog
from app.workspace.steps.ledger import (
    LedgerEntry,
    LedgerState,
    SwitchRow,
    ledger_state_of,
    summary_tone,
    switch_state_of,
)
from app.workspace.steps.step_panel import StepPanel
from engine.data import InputRole
from engine.modalities import AnyCorrection, AnyModality, Sweep


class CorrectionsStep(StepPanel):
    """One row per correction of PET, or per preparation step of CT."""

    title = tr("Corrections")

    def __init__(self, number: int, context: AppContext) -> None:
        super().__init__(number, context.theme)
        self._theme, self._number = context.theme, number
        self._study, self._run = context.session.study, context.session.run
        self._context = context
        self._ledgers: dict[str, Ledger] = {}
        self._sweeps: dict[str, QToolButton] = {}
        self._aligners: list[tuple[QToolButton, InputRole]] = []
        self._shown: list[tuple[QToolButton, InputRole]] = []
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
        """The rows of the modality, created when they are first needed."""
        modality = self._study.modality
        # Rows are reused, because creating forms takes longer than showing them.
        if modality.key not in self._ledgers:
            self._ledgers[modality.key] = made = Ledger(modality, self._theme)
            for kind, row in made.rows.items():
                row.form.changed.connect(lambda value, k=kind: self._set_correction(k, value))
            for sweep in modality.sweeps:
                self._sweeps[sweep.kind] = self._sweep_button(sweep)
                made.rows[sweep.kind].add_button(self._sweeps[sweep.kind])
            for each in modality.ledger:
                for role in (role for role in each.inputs if role.is_aligned_with_patient):
                    align, show = self._align_button(role), self._view_button(role)
                    self._aligners.append((align, role))
                    self._shown.append((show, role))
                    made.rows[each.kind].add_button(align)
                    made.rows[each.kind].add_button(show)
            for field, switch in made.switches.items():
                switch.choice.edited.connect(partial(self._set_switch, field, switch))
            self.body.addWidget(made)
        return self._ledgers[modality.key]

    def _sweep_button(self, sweep: Sweep) -> QToolButton:
        made = QToolButton()
        made.setText(tr("Candidates …"))
        made.setProperty("role", "small")
        made.setToolTip(tr("Compare slices for several values and choose one"))
        made.setAccessibleName(tr("Candidates: {kind}", kind=sweep.kind))
        made.clicked.connect(lambda: SweepDialog(self.window(), self._context, sweep).open())
        return made

    def _align_button(self, role: InputRole) -> QToolButton:
        made = QToolButton()
        made.setText(tr("Align …"))
        title = named(role.title)
        made.setProperty("role", "small")
        made.setToolTip(
            literal_tip(
                tr("Check that this map matches the body in the scan: {title}", title=title)
            )
        )
        made.setAccessibleName(tr("Align: {title}", title=title))
        made.clicked.connect(lambda: AlignDialog(self.window(), self._context, role).open())
        return made

    def _view_button(self, role: InputRole) -> QToolButton:
        made = QToolButton()
        made.setText(tr("Show"))
        made.setProperty("role", "small")
        made.setToolTip(
            tr("Overlay the map on the image, or show its coverage if there is no image yet")
        )
        made.setAccessibleName(tr("Show: {title}", title=named(role.title)))
        made.clicked.connect(lambda: self._context.volumes.show_input(role.key))
        return made

    def _set_correction(self, kind: str, value: AnyCorrection) -> None:
        study = self._study
        # Through the protocol, so that undo and quality levels include corrections.
        study.set_protocol(study.modality.with_choice(study.protocol, kind, value))

    def _set_switch(self, field: str, row: SwitchRow) -> None:
        update = {field: row.choice.raw() == "auto"}
        self._study.set_protocol(self._study.protocol.model_copy(update=update))

    def holds(self, modality: AnyModality, key: str) -> bool:
        # All settings that no other step shows belong here.
        elsewhere = (*modality.iterating, *modality.expert, *modality.finishing, "grid")
        return key not in elsewhere

    def _show(self) -> None:
        study, ledger = self._study, self.ledger
        self.head.rename(f"{self._number}  {named(study.modality.ledger_title)}")
        for each in self._ledgers.values():
            each.setVisible(each is ledger)
        obstacles = study.modality.obstacles(study.protocol, study.known)
        choices = study.modality.choices(study.protocol)
        states = {
            kind: self._state_of(choice, obstacles.get(kind, ""))
            for kind, choice in choices.items()
        }
        for kind, choice in choices.items():
            self._show_choice(choice, states[kind])
        for made, role in self._aligners:
            made.setVisible(role.key in study.inputs and study.scanner is not None)
            made.setEnabled(not self._run.state.is_active)
        for made, role in self._shown:
            made.setVisible(role.key in study.inputs)
        self._show_switches()
        # The summary lists what works; missing corrections set its colour.
        applied = [
            within(named(choices[kind].title)) for kind in states if states[kind].tone == "ok"
        ]
        tones = [state.tone for state in states.values()]
        tone = summary_tone(tones) if DATA in study.inputs else "waiting"
        about = " ".join(state.text for state in states.values() if state.tone == "warning")
        self.show_summary(", ".join(applied) or tr("none applied yet"), tone, about)

    def _state_of(self, choice: AnyCorrection, obstacle: str | None) -> LedgerState:
        study, kind = self._study, choice.kind
        record = self._run.record
        doubts = record.doubts.get(kind, ())
        state = ledger_state_of(choice, obstacle, record.ledger.get(kind), doubts)
        # A correction that is optional or already in the data is no reason for a warning.
        is_no_fault = choice.on_demand or study.modality.is_done(kind, study.known)
        if state.tone == "warning" and is_no_fault:
            return LedgerState("off", "muted", state.text)
        return state

    def _show_choice(self, choice: AnyCorrection, state: LedgerState) -> None:
        editable = not self._run.state.is_active
        source = source_of(choice, self._study.inputs)
        row, message = self.ledger.rows[choice.kind], self._run.record.ledger.get(choice.kind)
        row.show_choice(choice, state, source, editable)
        # The profile of the last run is only valid while its correction is still in use.
        is_applied = message is not None and message.state == "applied" and choice.use != "off"
        row.show_profile(message.profile if message is not None and is_applied else None)
        if choice.kind in self._sweeps:
            is_open = self._study.inputs.scan is not None
            self._sweeps[choice.kind].setVisible(is_open and choice.use != "off")
            self._sweeps[choice.kind].setEnabled(editable)

    def _show_switches(self) -> None:
        study, editable = self._study, not self._run.state.is_active
        for field, switch in self.ledger.switches.items():
            is_on = bool(getattr(study.protocol, field))
            found, text = study.modality.switch_state(field, study.known)
            message = self._run.record.ledger.get(field)
            if message is not None and message.state == "applied":
                # The run knows numbers that the file alone does not contain.
                text = f"{text}; {message.text}"
            state = switch_state_of(is_on, found, text, self._run.record.doubts.get(field, ()))
            switch.show_choice(is_on, state, editable)


class Ledger(QWidget):
    """The rows of one modality: corrections or steps, and switches."""

    def __init__(self, modality: AnyModality, theme: Theme) -> None:
        super().__init__()
        self.rows = {
            kind.kind: LedgerEntry(kind, theme, folded=modality.folded) for kind in modality.ledger
        }
        self.switches = {
            each.field: SwitchRow(named(each.title), theme) for each in modality.switches
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for row in (*self.rows.values(), *self.switches.values()):
            column.addWidget(row)


def source_of(choice: AnyCorrection, inputs: Inputs) -> str:
    """Return the files that a correction uses.

    Parameters
    ----------
    choice
        settings of the correction
    inputs
        files of the study

    Returns
    -------
    "" if it uses none
    """
    names = [inputs[role.key].name for role in choice.inputs if role.key in inputs]
    return tr("From {value}", value=", ".join(names)) if names else ""
