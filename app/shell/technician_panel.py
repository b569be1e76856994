"""The technician's steps, scan to signature: how each stands, in words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.control.context import AppContext
from app.language.keys import name_of_key
from app.language.translation import named, tr
from app.look.icons import set_icon
from app.look.widgets import button, label, set_paragraphs, set_tone
from app.models.inputs import DATA
from app.models.run_record import RunState
from app.report.sign_off import SignOff
from app.views.plain_text import PlainLabel, plain_tip
from engine.modalities import version_words

LEAST_PX = 300
DONE = (RunState.FINISHED, RunState.ABORTED, RunState.FAILED)
STATE_WORDS = {
    RunState.IDLE: tr("not started"),
    RunState.PAUSED: "paused",
    RunState.FINISHED: "finished",
    RunState.ABORTED: "aborted",
    RunState.FAILED: tr("stopped by a fault"),
}


class TechnicianStep(QFrame):
    """A number, a title, a mark, and words below."""

    def __init__(self, title: str, context: AppContext) -> None:
        super().__init__()
        self.setProperty("role", "step")
        self._theme, self._mark = context.theme, PlainLabel()
        self.words = label("", "muted", wrap=True)
        first = QHBoxLayout()
        first.addWidget(label(title, "heading"))
        first.addStretch(1)
        first.addWidget(self._mark)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(14, 10, 14, 12)
        self.column.setSpacing(6)
        self.column.addLayout(first)
        self.column.addWidget(self.words)

    def say(self, texts: list[str], tone: str) -> None:
        """Show a paragraph for each text, and how the step stands."""
        set_paragraphs(self.words, texts, 3)
        set_tone(self.words, "muted" if tone in ("ok", "waiting") else tone)
        set_icon(self._mark, tone, self._theme, "muted" if tone == "waiting" else tone)
        self.setAccessibleName(" ".join(texts))


class TechnicianPanel(QWidget):
    """Says how each step stands; the actions are those of the window."""

    def __init__(
        self, context: AppContext, open_scan: Callable[[], object], start: Callable[[], object]
    ) -> None:
        super().__init__()
        self.setObjectName("Workflow")
        self.setMinimumWidth(LEAST_PX)
        self._session = context.session
        self._study, self._run = context.session.study, context.session.run
        names = (tr("1  Scan"), tr("2  Protocol"), tr("3  Run"), tr("4  Judge and sign off"))
        self.scan, self.protocol, self.running, self.judging = (
            TechnicianStep(name, context) for name in names
        )
        self.open = button(tr("Open …"), open_scan, tr("Choose a scan (Ctrl+O)"))
        self.start = button(tr("Start"), start)
        self.sign_off = SignOff(context)
        self.scan.column.addWidget(self.open)
        self.running.column.addWidget(self.start)
        self.judging.column.addWidget(self.sign_off)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for step in (self.scan, self.protocol, self.running, self.judging):
            column.addWidget(step)
        column.addStretch(1)
        study, run = self._study, self._run
        for signal in (
            *(study.inputs_changed, study.protocol_changed, run.state_changed),
            *(run.record_changed, run.images_changed, self._session.order.changed),
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Say how things stand."""
        self._show_scan()
        self._show_protocol()
        self._show_run()
        self._show_judging()

    def _show_scan(self) -> None:
        inputs = self._study.inputs
        if DATA not in inputs:
            self.scan.say([tr("No scan is open.")], "waiting")
            return
        notes = list(inputs.scan.notes) if inputs.scan else []
        whose = self._session.order.describe()
        of = [tr("Of {whose}.", whose=whose)] if whose else []
        self.scan.say([inputs[DATA].text, *of, *notes], "look" if notes else "ok")

    def _show_protocol(self) -> None:
        words = version_words(self._study.base)
        quality = self._study.quality
        at = f", {name_of_key(quality)}" if quality else tr(", changed")
        why = self._session.refusal()
        self.protocol.say([f"{words}{at}", *([why] if why else [])], "missing" if why else "ok")

    def _show_run(self) -> None:
        state, obstacle = self._run.state, self._session.obstacle()
        self.start.setEnabled(not obstacle)
        self.start.setToolTip(plain_tip(obstacle or tr("Reconstruct (Ctrl+R)")))
        self.open.setEnabled(not state.is_active)
        is_done = state is RunState.FINISHED
        words = STATE_WORDS.get(state, self._session.doing)
        said = [f"{words[:1].upper()}{words[1:]}."]
        if obstacle and not state.is_active:
            said.append(obstacle)
        self.running.say(said, "ok" if is_done else "missing" if state in DONE else "waiting")

    def _show_judging(self) -> None:
        """Say which corrections were not applied, and each warning: what to look at."""
        record = self._run.record
        if self._run.state not in DONE or not record.images.items:
            self.judging.say([tr("Once there is an image.")], "waiting")
            return
        choices = self._study.modality.choices(self._study.protocol)
        titles = {kind: named(choice.title) for kind, choice in choices.items()}
        missing = [
            tr("{kind} not applied: {text}.", kind=titles.get(kind, kind), text=each.text)
            for kind, each in record.ledger.items()
            if each.state == "unavailable"
        ]
        found = [*missing, *record.warnings]
        self.judging.say(found or [tr("All corrections were applied.")], "look" if found else "ok")
