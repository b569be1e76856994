"""Voxel size, field of view, and the resulting grid."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.services.context import AppContext
from app.ui.forms.forms import Form
from app.ui.theme.widgets import label, set_tone
from app.workspace.steps.class_form import ClassForm
from app.workspace.steps.step_panel import StepPanel
from engine.core.errors import EngineError
from engine.core.settings import Settings
from engine.geometry import ImageGrid
from engine.modalities import AnyModality


class VolumeStep(StepPanel):
    """Chooses voxel size and field of view."""

    title = tr("Volume")

    def __init__(self, context: AppContext) -> None:
        super().__init__(0, context.theme)
        self._study, self._run = context.session.study, context.session.run
        self.form = ClassForm(_grid_form, self._study.protocol.grid)
        self.form.changed.connect(self._set_grid)
        self.expert = QCheckBox(tr("Expert settings"))
        self.expert.setToolTip(tr("Show settings that are rarely changed"))
        self.expert.toggled.connect(self.form.set_expert)
        self._result = label("", "muted", wrap=True)
        self.body.addWidget(self.form)
        self.body.addWidget(self.expert)
        self.body.addWidget(self._result)
        for signal in (
            self._study.protocol_changed,
            self._study.inputs_changed,
            self._run.state_changed,
        ):
            signal.connect(self._show)
        self._show()

    def _set_grid(self, grid: Settings) -> None:
        protocol = self._study.protocol
        self._study.set_protocol(protocol.model_copy(update={"grid": grid}))

    def holds(self, modality: AnyModality, key: str) -> bool:
        return key == "grid"

    def _show(self) -> None:
        study, run = self._study, self._run
        self.form.show_value(study.protocol.grid)
        self.form.setEnabled(not run.state.is_active)
        # A scan without a pixel size is reconstructed in units of its pixels.
        self.form.form.set_unit("mm", study.inputs.length_unit)
        self.expert.setVisible(self.form.form.has_expert)
        source = study.modality.grid_from
        try:
            grid = study.grid()
            self._show_hints(source)
        except EngineError as e:
            self._show_result(str(e), "missing")
            self.show_summary(tr("no grid"), "fault")
            return
        if grid is None:
            self._show_result(
                tr("The voxel grid is set from the scanner once the scanner is known.")
                if source == "scanner"
                else tr("The voxel grid is set from the scan once a scan is open."),
                "muted",
            )
            source_text = tr("from the scanner") if source == "scanner" else tr("from the scan")
            self.show_summary(source_text, "ok" if DATA in study.inputs else "waiting")
            return
        self._show_grid(grid)

    def _show_grid(self, grid: ImageGrid) -> None:
        study = self._study
        size = " × ".join(f"{edge:.3g}" if edge < 10 else f"{edge:.0f}" for edge in grid.size_mm)
        unit, described = study.inputs.length_unit, study.inputs.describe(grid)
        text = f"{described} voxels\n{size} {unit}"
        if note := study.modality.grid_note(study.protocol, study.known):
            text += f"\n{note}."
        requirements = study.requirements()
        # The estimate is a range. Only a lower end above the memory is an error.
        fits = requirements is None or (requirements.minimum or requirements).fits
        # The message gives the required memory, so that the user can choose larger voxels.
        if requirements is not None and not requirements.fits:
            message = (
                tr("The volume may be too large for this computer. {describe}")
                if fits
                else tr("The volume is too large for this computer. {describe}")
            )
            text += "\n" + message.format(describe=requirements.describe())
        self._show_result(text, "muted" if fits else "missing")
        self.show_summary(described, "ok" if fits else "fault")

    def _show_result(self, text: str, tone: str) -> None:
        self._result.setText(text)
        set_tone(self._result, tone)

    def _show_hints(self, source: str) -> None:
        study = self._study
        default = study.modality.default_grid(study.protocol, study.known)
        if default is None:
            return
        voxel, (diameter, depth, length) = default
        # Empty fields show the values that a run would use.
        words = (
            tr("{value:.5g}, from the scanner")
            if source == "scanner"
            else tr("{value:.5g}, from the scan")
        )
        hints = {
            "voxel_mm": " × ".join(f"{edge:.6g}" for edge in voxel),
            "diameter_mm": words.format(value=diameter),
            "depth_mm": words.format(value=depth),
            "length_mm": words.format(value=length),
        }
        fields = type(study.protocol.grid).model_fields
        self.form.form.set_hints({name: hints[name] for name in fields if name in hints})


def _grid_form(grid: Settings) -> Form:
    return Form(type(grid), grid)
