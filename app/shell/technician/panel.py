"""Steps of the technician, from scan to signature, with their state as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import named, tr
from app.output.report.sign_off import SignOff
from app.shell.folded_warnings import FoldedWarnings, RunWarning
from app.state.models.inputs import DATA, Inputs
from app.state.models.protocols.text import marked, protocol_notes
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, label, set_paragraphs, set_tone
from app.views.literal_text import LiteralLabel, literal_tip
from app.workspace.steps.ledger import sentence
from engine.core.visible_text import visible_line
from engine.data.runs.events import warnings_among
from engine.modalities import AnyCorrection, all_roles

LEAST_PX = 300
DONE = (RunState.FINISHED, RunState.ABORTED, RunState.FAILED)
STATE_WORDS = {
    RunState.IDLE: tr("not started"),
    RunState.PAUSED: tr("paused"),
    RunState.FINISHED: tr("finished"),
    RunState.ABORTED: tr("aborted"),
    RunState.FAILED: tr("stopped by an error"),
}


class TechnicianStep(QFrame):
    """A number, a title, a mark, texts, and folded warnings."""

    def __init__(self, title: str, context: AppContext) -> None:
        super().__init__()
        self.setProperty("role", "step")
        self._theme, self._mark = context.theme, LiteralLabel()
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
        self.warnings = FoldedWarnings(context)
        self.column.addWidget(self.warnings)

    def say(
        self,
        texts: list[str],
        tone: str,
        warnings: Sequence[RunWarning] = (),
        *,
        editable: bool = True,
    ) -> None:
        """Show the state of the step.

        Parameters
        ----------
        texts
            one paragraph each
        tone
            "ok", "waiting", "look" or "missing"
        warnings
            warnings, folded behind their number
        editable
            True if files can be chosen now
        """
        set_paragraphs(self.words, texts, 3)
        # Only a problem has a colour; done and waiting steps stay quiet.
        set_tone(self.words, "muted" if tone in ("ok", "waiting") else tone)
        # A step can be done and still have warnings to check.
        mark = "look" if warnings and tone in ("ok", "waiting") else tone
        set_icon(self._mark, mark, self._theme, "muted" if mark == "waiting" else mark)
        self.warnings.show_warnings(warnings, editable=editable)
        self.setAccessibleName(visible_line(" ".join((*texts, *self.warnings.texts))))


class TechnicianPanel(QWidget):
    """State of each step; the actions are those of the window."""

    def __init__(
        self, context: AppContext, open_scan: Callable[[], object], start: Callable[[], object]
    ) -> None:
        super().__init__()
        self.setObjectName("Workflow")
        self.setMinimumWidth(LEAST_PX)
        self._session = context.session
        self._study, self._run = context.session.study, context.session.run
        names = (tr("1  Scan"), tr("2  Protocol"), tr("3  Run"), tr("4  Review and sign off"))
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
        """Show the state of all steps."""
        self._show_scan()
        self._show_protocol()
        self._show_run()
        self._show_judging()

    def _show_scan(self) -> None:
        inputs = self._study.inputs
        if DATA not in inputs:
            self.scan.say([tr("No scan is open.")], "waiting")
            return
        notes = warnings_among(inputs.scan.notes if inputs.scan else ())
        whose = self._session.order.describe()
        of = [tr("Patient: {whose}.", whose=whose)] if whose else []
        titles = {role.key: named(role.title) for role in all_roles()}
        others = [
            f"{titles.get(role, tr('Scanner'))}: {found.name}"
            for role, found in inputs.items()
            if role != DATA
        ]
        warnings = [*map(RunWarning, notes), *self._missing_inputs()]
        editable = not self._run.state.is_active
        self.scan.say([inputs[DATA].text, *of, *others], "ok", warnings, editable=editable)

    def _missing_inputs(self) -> list[RunWarning]:
        """Return corrections that lack a file, before the run reports them."""
        study = self._study
        if self._run.state in DONE and self._run.record.images.items:
            return []  # the last step then shows what the run lacked
        obstacles = study.modality.obstacles(study.protocol, study.known)
        return [
            RunWarning(sentence(f"{named(choice.title)}: {why}"), roles)
            for kind, choice in study.modality.choices(study.protocol).items()
            if choice.use != "off"
            and (why := obstacles.get(kind))
            and (roles := self._roles_lacking(choice))
        ]

    def _roles_lacking(self, choice: AnyCorrection) -> tuple[str, ...]:
        """Return the keys of missing inputs that a correction could use."""
        keys = (role.key for role in choice.inputs)
        return tuple(key for key in keys if key in self._study.roles and key not in self._inputs)

    @property
    def _inputs(self) -> Inputs:
        return self._study.inputs

    def _show_protocol(self) -> None:
        words = [marked(self._study.words), *protocol_notes(self._study)]
        why = self._session.refusal()
        tone = "missing" if why else "look" if len(words) > 1 else "ok"
        self.protocol.say([*words, *([why] if why else [])], tone)

    def _show_run(self) -> None:
        state, obstacle = self._run.state, self._session.obstacle()
        self.start.setEnabled(not obstacle)
        self.start.setToolTip(literal_tip(obstacle or tr("Reconstruct (Ctrl+R)")))
        self.open.setEnabled(not state.is_active)
        is_done = state is RunState.FINISHED
        words = STATE_WORDS.get(state, self._session.doing)
        said = [f"{words[:1].upper()}{words[1:]}."]
        if obstacle and not state.is_active:
            said.append(obstacle)
        self.running.say(said, "ok" if is_done else "missing" if state in DONE else "waiting")

    def _show_judging(self) -> None:
        """Show the corrections that were not applied, and all warnings."""
        record = self._run.record
        if self._run.state not in DONE or not record.images.items:
            self.judging.say([tr("Available once there is an image.")], "waiting")
            return
        choices = self._study.modality.choices(self._study.protocol)
        found = [
            RunWarning(
                tr(
                    "{kind}: this correction was not applied. {text}",
                    kind=named(choices[kind].title) if kind in choices else kind,
                    text=sentence(each.text),
                ),
                self._roles_lacking(choices[kind]) if kind in choices else (),
            )
            for kind, each in record.lacking.items()
        ]
        # Each warning once: iterations repeat them.
        found += map(RunWarning, dict.fromkeys(record.warnings))
        words = tr("Check the image and the warnings.") if found else tr("Check the image.")
        self.judging.say([words], "ok", found)
