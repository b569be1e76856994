"""Dose, time of injection and weight of the open scan: facts of its file, and missing facts.

The fields are filled from the scan and its tracer file. An entry is written to a tracer file of
this scan, so that the run, the queue and the report use the same values. Nothing is guessed.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError
from PySide6.QtWidgets import QGridLayout, QLineEdit, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.inputs import DATA, role_created_on
from app.state.models.study_model import StudyModel
from app.state.services.context import AppContext
from app.ui.theme.widgets import label, set_tone
from app.views.literal_text import literal_tip
from app.workspace.steps.tracer_binding import TRACER, doubt_of, tracer_bound_to
from engine.analysis.quality import TracerCheck, check_tracer
from engine.core.settings import explain
from engine.data import Plain, Tracer

CALIBRATION = role_created_on("calibrate").key
FOLDER = "tracers"
FIELDS = {
    "weight_kg": tr("Weight [kg]"),
    "dose_mbq": tr("Dose [MBq]"),
    "injected_at": tr("Injected"),
}
"""Fields by the name of the setting in `Tracer`."""
TIPS = {
    "weight_kg": tr("Body weight in kg, for SUV"),
    "dose_mbq": tr("Activity at the time of injection in MBq, for SUV"),
    "injected_at": tr("Date and time of injection, for example 2026-11-22 10:05"),
}
NEEDED = {
    "weight_kg": tr("weight"),
    "injected_bq": tr("dose"),
    "injected_at": tr("time of injection"),
    "scan_start": tr("start of the scan"),
    "half_life_s": tr("nuclide"),
    "duration_s": tr("length of the frame"),
}
"""Facts that SUV by body weight needs."""
READY = tr("The image will be in SUV by body weight, decay-corrected to the start of the scan.")
AT_INJECTION = tr(
    "The image will be in SUV by body weight, decay-corrected to the time of injection."
)


class DoseRow(QWidget):
    """Fields for SUV by body weight, and a sentence with the missing values."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._study = context, context.session.study
        self._run = context.session.run
        self.editors: dict[str, QLineEdit] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        for column, (key, title) in enumerate(FIELDS.items()):
            editor = QLineEdit()
            editor.setAccessibleName(title)
            editor.setToolTip(literal_tip(TIPS[key]))
            editor.editingFinished.connect(lambda k=key: self._edited(k))
            grid.addWidget(label(title, "caption"), 0, column)
            grid.addWidget(editor, 1, column)
            # Date and time are longer than the numbers.
            grid.setColumnStretch(column, 2 if key == "injected_at" else 1)
            self.editors[key] = editor
        self.state = label("", "muted", wrap=True)
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(0, 0, 0, 0)
        column_of_all.setSpacing(4)
        column_of_all.addLayout(grid)
        column_of_all.addWidget(self.state)
        self._fault = ""
        self._shown_scan: object = None
        self.hide()

    def refresh(self) -> None:
        """Show the values of the open scan; hide the row if SUV do not concern it."""
        study = self._study
        scan = study.inputs.get(DATA)
        self.setVisible(scan is not None and TRACER in study.roles and concerns_suv(study))
        if scan is not self._shown_scan:  # an error belongs to the scan that it was entered for
            self._shown_scan, self._fault = scan, ""
        if self.isHidden():
            return
        facts = facts_of(study)
        for key, editor in self.editors.items():
            if not editor.hasFocus() or not self._fault:
                editor.setText(_text_of(facts, key))
            editor.setEnabled(not self._run.state.is_active)
        self._show_text()

    def _show_text(self) -> None:
        missing = missing_for_suv(self._study)
        check = check_tracer(tracer_of(self._study), stated_by(self._study))
        tone = "warning" if self._fault or missing else "muted"
        if self._fault:
            text = self._fault
        elif missing:
            text = tr("Missing for SUV: {value}.", value=", ".join(missing))
        elif obstacles := obstacles_of(check):
            text, tone = " ".join(obstacles), "warning"
        else:
            text = AT_INJECTION if self._is_of_injection() else READY
        if others := self._image_values():
            # The image shown keeps the values that its provenance and its report state.
            next_run = tr(
                "These values apply to the next run. The image shown keeps its own: {others}.",
                others=others,
            )
            text, tone = f"{text} {next_run}", "warning"
        if doubt := doubt_of(self._study.inputs):
            text, tone = f"{text} {doubt}", "warning"
        self.state.setText(text)
        set_tone(self.state, tone)

    def _image_values(self) -> str:
        """Return the values of the image shown that differ from the fields; empty for none."""
        record = self._run.record
        if record.study is None or record.result is None:
            return ""
        if not self._study.inputs.is_scan_of(record.study):  # a result of another scan
            return ""
        of_image, facts = record.result.info.get("scan"), facts_of(self._study)
        if not isinstance(of_image, dict):
            return ""
        return ", ".join(
            f"{title}: {_text_of(of_image, key) or tr('none')}"
            for key, title in FIELDS.items()
            if _text_of(of_image, key) != _text_of(facts, key)
        )

    def _is_of_injection(self) -> bool:
        # No correction is named here: those with a reference time state it by its own name.
        steps = self._study.modality.choices(self._study.protocol).values()
        return any(getattr(step, "reference", "") == "injection" for step in steps)

    def _edited(self, key: str) -> None:
        """Use an entry, unless it is the value that is in use already."""
        study, text = self._study, self.editors[key].text().strip()
        if DATA not in study.inputs or text == _text_of(facts_of(study), key):
            return
        values = tracer_of(study).model_dump(exclude={"of_scan"})
        values[key] = text.replace(",", ".") if key != "injected_at" else text
        # An activity at injection needs no time of its own, and no residual.
        if key == "dose_mbq":
            values |= {"dose_at": None, "residual_mbq": 0.0, "residual_at": None}
        try:
            tracer = Tracer.model_validate({**values, key: values[key] or None})
        except ValidationError as e:
            self._fault = explain(e)
            self._show_text()
            return
        self._fault = ""
        self._write(tracer)

    def _write(self, tracer: Tracer) -> None:
        """Write the values to a tracer file of this scan in a thread, and use the file."""
        scan = self._study.inputs[DATA]
        folder = Path(self._context.preferences.folder) / FOLDER

        def work(_: object) -> Path:
            from engine.io import write_tracer

            own = tracer_bound_to(scan, tracer)
            digest = sha256(own.model_dump_json().encode()).hexdigest()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Named by its content: a queued study must not see values that are entered later.
            target = folder / f"{digest[:24]}.toml"
            write_tracer(own, target)
            return target

        def use(target: Path) -> None:
            if self._study.inputs.get(DATA) is scan:
                self._context.commands.set_input(TRACER, str(target))

        failed = tr("The dose could not be saved.")
        self._context.commands.run_task(work, use, failed=failed)


def concerns_suv(study: StudyModel) -> bool:
    """Return True if the scan states a dose, or the user works towards Bq/mL or SUV.

    Parameters
    ----------
    study
        the open study
    """
    has_dose = bool(stated_by(study).get("injected_bq"))
    return has_dose or TRACER in study.inputs or CALIBRATION in study.inputs


def stated_by(study: StudyModel) -> Plain:
    """Return the facts that the open scan states itself.

    Parameters
    ----------
    study
        the open study
    """
    scan = study.inputs.scan
    return scan.stated if scan is not None else {}


def tracer_of(study: StudyModel) -> Tracer:
    """Return the content of the tracer file of a study; empty without one.

    Parameters
    ----------
    study
        the open study
    """
    found = study.inputs.get(TRACER)
    content = found.content if found is not None else None
    return content if isinstance(content, Tracer) else Tracer()


def facts_of(study: StudyModel) -> Plain:
    """Return the facts of scan and tracer file, those of the file first.

    Parameters
    ----------
    study
        the open study
    """
    return {**stated_by(study), **tracer_of(study).facts()}


def dose_text(study: StudyModel) -> str:
    """Return dose, nuclide, time of injection and weight in one line, as far as they are known.

    Parameters
    ----------
    study
        the open study
    """
    facts = facts_of(study)
    waited_s = check_tracer(tracer_of(study), stated_by(study)).waited_s
    dose, nuclide = facts.get("injected_bq"), str(facts.get("isotope") or "")
    has_dose = isinstance(dose, int | float) and dose > 0
    mbq = f"{dose / 1e6:.4g}" if isinstance(dose, int | float) else ""
    if has_dose and nuclide:
        words = [tr("{mbq} MBq of {nuclide}", mbq=mbq, nuclide=nuclide)]
    else:
        words = [tr("{mbq} MBq", mbq=mbq) if has_dose else nuclide]
    if waited_s is not None and any(words):
        minutes = f"{abs(waited_s) / 60:,.0f}"
        words.append(
            tr("injected {minutes} min before the scan began", minutes=minutes)
            if waited_s >= 0
            else tr("injected {minutes} min after the scan began", minutes=minutes)
        )
    weight = facts.get("weight_kg")
    if isinstance(weight, int | float) and weight:
        words.append(tr("{weight:g} kg", weight=weight))
    return ", ".join(filter(None, words))


def missing_for_suv(study: StudyModel) -> tuple[str, ...]:
    """Return the values that SUV by body weight still needs, in the language of the window.

    Parameters
    ----------
    study
        the open study
    """
    facts = facts_of(study)
    half_life = (
        facts.get("half_life_s")
        or Tracer.model_construct(nuclide=facts.get("isotope"), half_life_s=None).known_half_life_s
    )
    facts = {**facts, "half_life_s": half_life}
    missing = [name for key, name in NEEDED.items() if not facts.get(key)]
    scan = study.inputs.scan
    has_calibration = CALIBRATION in study.inputs or (
        scan is not None and CALIBRATION in scan.brings
    )
    return (*missing, *(() if has_calibration else (tr("calibration of the scanner"),)))


def obstacles_of(check: TracerCheck) -> tuple[str, ...]:
    """Return the reasons against SUV by body weight although no value is missing.

    Parameters
    ----------
    check
        check of the tracer file against the scan
    """
    return check.suv["bw"]


def _text_of(facts: Plain, key: str) -> str:
    """Return a value as the field shows it; empty if it is not known."""
    if key == "dose_mbq":
        dose = facts.get("injected_bq")
        return f"{dose / 1e6:.6g}" if isinstance(dose, int | float) and dose else ""
    value = facts.get(key)
    if isinstance(value, int | float):
        return f"{value:g}" if value else ""
    return str(value or "").replace("T", " ")
