"""Tracer, dose and body of the open scan: form, available units, and file."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.language.keys import name_of_key
from app.language.translation import tr
from app.state.models.inputs import DATA, role_created_on
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.state.services.saving import may_write
from app.ui.forms.forms import Form
from app.ui.theme.file_dialogs import ask_save, with_ending
from app.ui.theme.widgets import button, fit_to_screen, label, scrolled, set_paragraphs, set_tone
from app.workspace.steps.tracer_binding import doubt_of, tracer_bound_to
from engine.analysis.quality import TracerCheck, check_tracer
from engine.core.errors import EngineError
from engine.core.visible_text import visible_line
from engine.data import Plain, Tracer

SIZE_PX = (860, 660)
CALIBRATION = role_created_on("calibrate").key
ROLE = role_created_on("describe_tracer").key
SECOND = "injected_at"
KINDS = tr("Tracer files (*.toml)")
LEAD = tr(
    "Enter the nuclide, dose, times and body measurements for {scan}. Empty fields use "
    "the values stored in the scan. The values apply only to this scan. They are no "
    "longer used when you open another scan."
)
NO_CALIBRATION = tr("For Bq/mL, also add a calibration in the card Inputs.")
READY = tr("Bq/mL: all required values are known.")
NO_CONCENTRATION = tr("Bq/mL is not available yet.")
NO_SUV = tr("SUV is not available yet.")


class TracerDialog(QDialog):
    """Edits tracer data. It closes with its scan, so that data never belong to another one."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self._context, self._study = context, context.session.study
        self._scan = self._study.inputs[DATA]
        self.setWindowTitle(tr("Tracer and dose"))
        fit_to_screen(self, *SIZE_PX)
        known = self._study.inputs.get(ROLE)
        value = known.content if known is not None and isinstance(known.content, Tracer) else None
        # Values that were loaded for this scan can be saved for it again.
        value = value.model_copy(update={"of_scan": None}) if value is not None else Tracer()
        self.form = Form(Tracer, value, second=SECOND)
        self.given = label("", wrap=True)
        self.units = label("", wrap=True)
        self.notes = label("", wrap=True)
        set_tone(self.notes, "warning")
        self.save = button(tr("Save and use …"), self._save, role="primary")
        self.cancel = button(tr("Cancel"), self.reject)
        self._lay_out()
        self.form.edited.connect(self._show)
        # A scan that was already being read can still open behind this dialog.
        self._study.scan_replaced.connect(self.reject)
        self._show()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for each in (self.save, self.cancel):
            each.setAutoDefault(False)
            buttons.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(label(LEAD.format(scan=visible_line(self._scan.name)), wrap=True))
        column.addWidget(scrolled(self.form), 1)
        for words in (self.given, self.units, self.notes):
            column.addWidget(words)
        column.addLayout(buttons)

    @property
    def stated(self) -> Plain:
        """Values that the scan itself contains."""
        scan = self._study.inputs.scan
        return scan.stated if scan is not None else {}

    def _show(self) -> None:
        # Incomplete values show their errors at the fields, and no units can be listed.
        tracer = self.form.checked()
        self.save.setEnabled(tracer is not None)
        for words in (self.given, self.units, self.notes):
            words.setVisible(tracer is not None)
        if tracer is None:
            return
        check = check_tracer(cast(Tracer, tracer), self.stated)
        self.given.setText(f"{check.given}." if check.given else tr("No dose information yet."))
        set_paragraphs(self.units, _unit_texts(check, CALIBRATION in self._study.inputs))
        set_tone(self.units, "muted")
        notes = [*check.notes, *filter(None, (doubt_of(self._study.inputs),))]
        set_paragraphs(self.notes, notes)
        self.notes.setVisible(bool(notes))

    def _save(self) -> None:
        tracer = self.form.checked()
        if tracer is None:
            return
        path = Path(self._scan.value)
        start = path.parent / f"{path.name.partition('.')[0]}-tracer.toml"
        chosen = ask_save(self, tr("Save tracer and dose"), start, KINDS)
        target = with_ending(chosen, (".toml",)) if chosen is not None else None
        if target is None or not self._may_write(target):
            return
        from engine.io import write_tracer

        try:
            write_tracer(tracer_bound_to(self._scan, cast(Tracer, tracer)), target)
        except EngineError as e:
            self._context.session.raise_problem(
                Problem(tr("{name} was not saved.", name=target.name), str(e))
            )
            return
        self._context.commands.set_input(ROLE, str(target))
        self.accept()

    def _may_write(self, target: Path) -> bool:
        """Return True if a file may be written; the open tracer file may be replaced."""
        known = self._study.inputs.get(ROLE)
        if known is not None and Path(known.value) == target:
            return True
        return may_write(self, target, self._context.session)

    def done(self, result: int) -> None:
        """Close and delete the dialog.

        Parameters
        ----------
        result
            result code of the dialog
        """
        super().done(result)
        self.deleteLater()


def _unit_texts(check: TracerCheck, has_calibration: bool) -> list[str]:
    """Return a sentence about each unit that is available, or about its missing facts."""
    if check.concentration:
        words = [f"{NO_CONCENTRATION} {check.concentration}"]
    else:
        words = [READY if has_calibration else NO_CALIBRATION]
    ready = [name_of_key(kind) for kind, reasons in check.suv.items() if not reasons]
    if ready:
        words.append(tr("Available: {value}.", value=", ".join(ready)))
    common = check.suv["bw"]
    if common:
        words.append(" ".join((NO_SUV, *common)))
    # Kinds of SUV with the same missing values share one line.
    missing: dict[tuple[str, ...], list[str]] = {}
    for kind, reasons in check.suv.items():
        more = tuple(reason for reason in reasons if reason not in common)
        if more:
            missing.setdefault(more, []).append(name_of_key(kind))
    for more, titles in missing.items():
        lacking = tr("Not available yet: {value}.", value=", ".join(titles))
        words.append(" ".join((lacking, *more)))
    return words
