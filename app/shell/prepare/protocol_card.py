"""Card of the protocol: its facts, others for this scan, and the forms of its settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.language.translation import tr
from app.shell.header_bar import ChoicePage
from app.state.models.inputs import DATA
from app.state.models.protocols.text import algorithm_text, marked, protocol_notes
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, label, remove_widgets, set_paragraphs, set_tone
from app.workspace.steps.folded_warnings import FoldedWarnings, RunWarning
from app.workspace.steps.step_panel import StepPanel, Tone
from engine.core.visible_text import visible_line
from engine.modalities import Protocol, misfit, modality_of

MAX_OTHERS = 3


class ProtocolCard(StepPanel):
    """Names the protocol and offers others; its form holds the steps of its settings.

    Parameters
    ----------
    number : number of the card
    context : context with the study
    choice : page with the list of protocols
    steps : steps with the settings of the protocol
    """

    title = tr("Protocol")

    def __init__(
        self, number: int, context: AppContext, choice: ChoicePage, steps: Sequence[StepPanel]
    ) -> None:
        super().__init__(number, context.theme)
        self._session, self._choice = context.session, choice
        self._study, self._run = context.session.study, context.session.run
        self._facts = label("", "muted", wrap=True)
        self._refusal = label("", wrap=True)
        set_tone(self._refusal, "missing")
        words = tr("1 warning about this protocol"), tr("{n} warnings about this protocol")
        self.notes = FoldedWarnings(context, words=words)
        self._others = QVBoxLayout()
        self._others.setSpacing(2)
        self._offered: list[Protocol] = []
        self._buttons: list[QPushButton] = []
        for part in (self._facts, self._refusal, self.notes):
            self.brief.addWidget(part)
        self._offer = label(tr("Change to"), "caption")
        self.brief.addWidget(self._offer)
        self.brief.addLayout(self._others)
        tools = QWidget()
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(choice.manage)
        row.addWidget(choice.pin)
        row.addStretch(1)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        tools.setContentsMargins(14, 0, 14, 6)
        self.body.addWidget(tools)
        for step in steps:
            self.body.addWidget(step)
            # A key or a test can open a step directly.
            step.opened.connect(partial(self.set_open, True))
        study = self._study
        for signal in (
            *(study.inputs_changed, study.protocol_changed, self._run.state_changed),
            choice.offers_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the protocol in use and the others."""
        study, has_scan = self._study, DATA in self._study.inputs
        # Before a scan is open, nothing is wrong yet.
        notes = protocol_notes(study) if has_scan else []
        facts = [algorithm_text(study.protocol), study.protocol.frame_text]
        set_paragraphs(self._facts, [", ".join(filter(None, facts))], 0)
        self.notes.show_warnings([RunWarning(each) for each in notes])
        why = self._session.refusal()
        self._refusal.setText(why)
        self._refusal.setVisible(bool(why))
        tone: Tone = "missing" if why else "warning" if notes else "ok"
        self.show_summary(
            marked(study.label),
            tone if has_scan or why else "waiting",
            " ".join(notes),
        )
        self._show_others()

    def _show_others(self) -> None:
        """Offer the protocols that suit the scanner and body; each takes one click."""
        study = self._study
        found = (
            []
            if DATA not in study.inputs
            else [p for p in self._choice.offered if self._suits_scan(p)]
        )
        if found[:MAX_OTHERS] != self._offered:
            self._offered = found[:MAX_OTHERS]
            remove_widgets(self._others)
            self._buttons = []
            for each in self._offered:
                name = visible_line(each.name)
                made = button(
                    name,
                    partial(study.use_protocol, each),
                    tr("Use the protocol {name!r}", name=each.name),
                    "offer",
                )
                set_icon(made, "off", self._theme, "muted")
                self._others.addWidget(made)
                self._buttons.append(made)
        self._offer.setVisible(bool(self._offered))
        for made in self.others():
            made.setEnabled(not self._run.state.is_active)

    def others(self) -> list[QPushButton]:
        """Return the buttons of the other protocols."""
        return list(self._buttons)

    def _suits_scan(self, protocol: Protocol) -> bool:
        study = self._study
        is_in_use = protocol.name == study.base.name and protocol.modality == study.base.modality
        if is_in_use or modality_of(protocol) not in study.suitable:
            return False
        known = study.known
        return not misfit(protocol, known) and not modality_of(protocol).fault(protocol, known)
