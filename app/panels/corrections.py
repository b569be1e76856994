"""Step 2: the ledger of corrections: use, source, what each did or why it cannot be used."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from app.candidates_dialog import CandidatesDialog
from app.inputs import Inputs, Scan
from app.modality import Modality
from app.panels.ledger import LedgerEntry, Standing, TimeOfFlightRow, standing_of, summary_tone
from app.panels.step import Step
from app.theme import Theme
from app.workbench import Workbench
from engine.protocols.pet import Protocol

SOURCES: dict[str, Any] = {"attenuation": "attenuation", "normalisation": "normalisation"}


class CorrectionsStep(Step):
    """One row for each correction of PET, or step of preparation of CT."""

    title = "Corrections"

    def __init__(self, number: int, bench: Workbench) -> None:
        super().__init__(number, bench.theme)
        self._session, self._theme, self._number = bench.session, bench.theme, number
        self._bench = bench
        self._ledgers: dict[str, Ledger] = {}
        self._tries: dict[str, QToolButton] = {}
        session = self._session
        for signal in (
            session.protocol_changed,
            session.inputs_changed,
            session.record_changed,
            session.state_changed,
        ):
            signal.connect(self._show)
        self._show()

    @property
    def ledger(self) -> Ledger:
        """The rows for the kind of scan; made when they are first needed."""
        modality = self._session.modality
        if modality.key not in self._ledgers:
            self._ledgers[modality.key] = made = Ledger(modality, self._theme)
            for kind, row in made.rows.items():
                row.form.changed.connect(lambda value, k=kind: self._take(k, value))
            for kind in modality.tried:
                self._tries[kind] = self._button_to_try(kind, modality)
                made.rows[kind].add_button(self._tries[kind])
            if made.tof is not None:
                made.tof.choice.edited.connect(self._take_tof)
            self.body.addWidget(made)
        return self._ledgers[modality.key]

    def _button_to_try(self, kind: str, modality: Modality) -> QToolButton:
        made = QToolButton()
        made.setText("Candidates …")
        made.setToolTip("Look at slices with several values, and take one")
        made.setAccessibleName(f"Candidates of {kind}")
        of = modality.tried[kind]
        made.clicked.connect(lambda: CandidatesDialog(self.window(), self._bench, of).open())
        return made

    def _take(self, kind: str, value: Any) -> None:
        session = self._session
        session.set_protocol(session.modality.with_choice(session.protocol, kind, value))

    def _take_tof(self) -> None:
        tof = self.ledger.tof
        update = {"time_of_flight": tof is not None and tof.choice.raw() == "auto"}
        self._session.set_protocol(self._session.protocol.model_copy(update=update))

    def _show(self) -> None:
        session, protocol = self._session, self._session.protocol
        editable, ledger = not session.state.is_active, self.ledger
        self.head.rename(f"{self._number}  {session.modality.ledger_title}")
        for each in self._ledgers.values():
            each.setVisible(each is ledger)
        obstacles = session.modality.obstacles(protocol, session.inputs)
        applied, tones = [], []
        for kind, choice in session.modality.choices(protocol).items():
            told = session.record.ledger.get(kind)
            standing = standing_of(choice, obstacles.get(kind, ""), told)
            is_done = session.modality.is_done(kind, session.inputs)
            is_no_fault = is_done or kind in session.modality.on_demand
            if standing.tone == "look" and is_no_fault:
                standing = Standing("off", "muted", standing.text)
            source = source_of(kind, session.inputs)
            ledger.rows[kind].show_choice(choice, standing, source, editable)
            tones.append(standing.tone)
            if kind in self._tries:
                self._tries[kind].setVisible(
                    session.inputs.scan is not None and choice.use != "off"
                )
                self._tries[kind].setEnabled(editable)
            if standing.tone == "ok":
                applied.append(choice.title.lower())
        if ledger.tof is not None:
            ledger.tof.show_choice(protocol.time_of_flight, self._tof_standing(protocol), editable)
        self.say(", ".join(applied) or "none in use yet", summary_tone(tones))

    def _tof_standing(self, protocol: Protocol) -> Standing:
        scan = self._session.inputs.scan
        if not protocol.time_of_flight:
            return Standing("off", "muted", "Switched off: arrival times are not used")
        if not isinstance(scan, Scan):
            return Standing("waiting", "muted", "Used if the scan records it")
        if scan.sample.tof_bins is not None and scan.sample.scanner.tof is not None:
            fwhm = scan.sample.scanner.tof.fwhm_ps
            return Standing("ok", "ok", f"Used, resolution {fwhm:g} ps")
        return Standing("off", "muted", "The scan does not record it")


class Ledger(QWidget):
    """The rows of one kind of scan; `tof` only where arrival times are measured."""

    def __init__(self, modality: Modality, theme: Theme) -> None:
        super().__init__()
        self.rows = {
            kind.kind: LedgerEntry(kind, theme, folded=modality.folded) for kind in modality.ledger
        }
        self.tof = TimeOfFlightRow(theme) if modality.key == "pet" else None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for row in (*self.rows.values(), self.tof):
            if row is not None:
                column.addWidget(row)


def source_of(kind: str, inputs: Inputs) -> str:
    """Return the file a correction's numbers come from."""
    found = inputs.get(SOURCES[kind]) if kind in SOURCES else None
    return f"From {found.name}" if found else ""
