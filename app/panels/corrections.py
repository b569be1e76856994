"""Step 2: the ledger of corrections: use, source, what each did or why it cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.fields import ChoiceEditor
from app.forms import Form
from app.icons import set_icon
from app.inputs import Inputs
from app.panels.step import Step, Tone
from app.theme import Theme
from app.widgets import label, set_tone
from app.words import sentence_case
from app.workbench import Workbench
from engine.corrections import CORRECTIONS, Correction
from engine.events import Corrected
from engine.protocol import Protocol

SOURCES: dict[str, Any] = {"attenuation": "attenuation", "normalisation": "normalisation"}
COMBO_PX = 112


@dataclass(frozen=True)
class Standing:
    """How one correction stands: an icon's name, its colour, and a sentence."""

    icon: str
    tone: str
    text: str


class CorrectionsStep(Step):
    """One row for each correction, and one for time of flight."""

    title = "Corrections"

    def __init__(self, number: int, bench: Workbench) -> None:
        super().__init__(number, bench.theme)
        self._session = bench.session
        self.rows = {kind.kind: CorrectionRow(kind, bench.theme) for kind in CORRECTIONS}
        for kind, row in self.rows.items():
            row.form.changed.connect(lambda value, k=kind: self._take(k, value))
            self.body.addWidget(row)
        self.tof = TimeOfFlightRow(bench.theme)
        self.tof.choice.edited.connect(self._take_tof)
        self.body.addWidget(self.tof)
        session = self._session
        for signal in (
            session.protocol_changed,
            session.inputs_changed,
            session.record_changed,
            session.state_changed,
        ):
            signal.connect(self._show)
        self._show()

    def _take(self, kind: str, value: Correction) -> None:
        protocol = self._session.protocol
        choices = protocol.corrections.model_copy(update={kind: value})
        self._session.set_protocol(protocol.model_copy(update={"corrections": choices}))

    def _take_tof(self) -> None:
        update = {"time_of_flight": self.tof.choice.raw() == "auto"}
        self._session.set_protocol(self._session.protocol.model_copy(update=update))

    def _show(self) -> None:
        session, protocol = self._session, self._session.protocol
        editable = not session.state.is_active
        obstacles = session.inputs.obstacles(protocol)
        applied, tones = [], []
        for kind, row in self.rows.items():
            choice = getattr(protocol.corrections, kind)
            told = session.record.ledger.get(kind)
            standing = standing_of(choice, obstacles.get(kind, ""), told)
            row.show_choice(choice, standing, source_of(kind, session.inputs), editable)
            tones.append(standing.tone)
            if standing.tone == "ok":
                applied.append(choice.title.lower())
        self._show_tof(protocol, editable)
        self.say(", ".join(applied) or "none in use yet", summary_tone(tones))

    def _show_tof(self, protocol: Protocol, editable: bool) -> None:
        scan = self._session.inputs.scan
        has_tof = scan is not None and scan.sample.tof_bins is not None
        if not protocol.time_of_flight:
            standing = Standing("off", "muted", "Switched off: arrival times are not used")
        elif scan is None:
            standing = Standing("waiting", "muted", "Used if the scan records it")
        elif has_tof and scan.sample.scanner.tof is not None:
            fwhm = scan.sample.scanner.tof.fwhm_ps
            standing = Standing("ok", "ok", f"Used, resolution {fwhm:g} ps")
        else:
            standing = Standing("off", "muted", "The scan does not record it")
        self.tof.show_choice(protocol.time_of_flight, standing, editable)


class LedgerRow(QWidget):
    """Icon and title, a choice beside them, a sentence below."""

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._icon = QLabel()
        self._icon.setFixedWidth(18)
        self.text = label("", "muted", wrap=True)
        self.source = label("", "muted", wrap=True)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 2, 0, 4)
        self.grid.setHorizontalSpacing(6)
        self.grid.setVerticalSpacing(2)
        self.grid.setColumnStretch(1, 1)
        self.grid.addWidget(self._icon, 0, 0)
        self.grid.addWidget(label(title, "entry"), 0, 1)
        self.grid.addWidget(self.text, 1, 1, 1, 2)
        self.grid.addWidget(self.source, 2, 1, 1, 2)

    def show_standing(self, standing: Standing, source: str = "") -> None:
        """Show how the row stands."""
        set_icon(self._icon, standing.icon, self._theme, standing.tone)
        self.text.setText(standing.text)
        set_tone(self.text, standing.tone if standing.tone in ("look", "missing") else "muted")
        self.source.setText(source)
        self.source.setVisible(bool(source))


class CorrectionRow(LedgerRow):
    """A correction: its use, and below its own settings where it has some."""

    def __init__(self, kind: type[Correction], theme: Theme) -> None:
        super().__init__(kind.title, theme)
        self.form = Form(kind, kind(), only=("use",), bare=True)
        self.form.setFixedWidth(COMBO_PX)
        self.form.setToolTip(kind.model_fields["use"].description or "")
        self.grid.addWidget(self.form, 0, 2)
        own = tuple(name for name in kind.model_fields if name not in ("use", "kind"))
        self.more = Form(kind, kind(), only=own) if own else None
        if self.more is not None:
            self.more.changed.connect(self.form.changed)
            self.grid.addWidget(self.more, 3, 1, 1, 2)

    def show_choice(
        self, choice: Correction, standing: Standing, source: str, editable: bool
    ) -> None:
        """Show the settings and how the correction stands."""
        self.show_standing(standing, source)
        self.form.show_value(choice)
        self.form.setEnabled(editable)
        if self.more is not None:
            self.more.show_value(choice)
            self.more.setEnabled(editable)
            self.more.setVisible(choice.use != "off")


class TimeOfFlightRow(LedgerRow):
    """Time of flight: used where recorded, or not at all."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("Time of flight", theme)
        self.choice = ChoiceEditor(("auto", "off"))
        self.choice.setAccessibleName("Use of time of flight")
        self.choice.setFixedWidth(COMBO_PX)
        self.grid.addWidget(self.choice, 0, 2)

    def show_choice(self, on: bool, standing: Standing, editable: bool) -> None:
        """Show the choice and how it stands."""
        self.show_standing(standing)
        self.choice.show_value("auto" if on else "off")
        self.choice.setEnabled(editable)


def standing_of(choice: Correction, obstacle: str | None, told: Corrected | None) -> Standing:
    """Return how a correction stands.

    `obstacle` is None where it can be used, empty while the scan is not known.
    """
    if choice.use == "off":
        return Standing("off", "muted", "Switched off in the protocol")
    if obstacle:
        if choice.use == "on":
            return Standing("missing", "missing", f"{sentence(obstacle)} It is switched on.")
        return Standing("look", "look", sentence(obstacle))
    if told is not None and told.state == "applied":
        return Standing("ok", "ok", sentence_case(told.text))
    if obstacle is None:
        return Standing("ok", "ok", "Will be applied")
    return Standing("waiting", "muted", "Decided when the scan is open")


def source_of(kind: str, inputs: Inputs) -> str:
    """Return the file a correction's numbers come from."""
    found = inputs.get(SOURCES[kind]) if kind in SOURCES else None
    return f"From {found.name}" if found else ""


def summary_tone(tones: list[str]) -> Tone:
    """Return the worst tone of the rows."""
    if "missing" in tones:
        return "missing"
    return "look" if "look" in tones else "ok"


def sentence(text: str) -> str:
    """Return a clause as a sentence."""
    return f"{sentence_case(text)}."
