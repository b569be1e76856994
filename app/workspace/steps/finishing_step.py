"""Filters of the finished image and between iterations."""

from __future__ import annotations

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.services.context import AppContext
from app.ui.forms.choices import title_of
from app.ui.forms.forms import Form
from app.ui.theme.widgets import label
from app.workspace.steps.class_form import ClassForm
from app.workspace.steps.step_panel import StepPanel
from engine.core.errors import EngineError
from engine.core.settings import Settings
from engine.modalities import AnyModality, Protocol, modality_of


class FinishingStep(StepPanel):
    """Chooses the filters."""

    title = tr("Finishing")

    def __init__(self, context: AppContext) -> None:
        super().__init__(0, context.theme)
        self._study, self._run = context.session.study, context.session.run
        self.form = ClassForm(_finishing_form, self._study.protocol)
        self.form.changed.connect(self._study.set_protocol)
        self.body.addWidget(self.form)
        self.slider_hint = label(
            tr("Use the iteration slider to see the unfiltered iterations."), "muted", wrap=True
        )
        self.body.addWidget(self.slider_hint)
        self._study.protocol_changed.connect(self._show)
        self._run.state_changed.connect(self._show)
        self._study.inputs_changed.connect(self._show)
        self._show()

    def holds(self, modality: AnyModality, key: str) -> bool:
        return key in modality.finishing

    def _show(self) -> None:
        protocol = self._study.protocol
        self.form.show_value(protocol)
        self.form.setEnabled(not self._run.state.is_active)
        self.slider_hint.setVisible(not protocol.algorithm.direct)
        self._show_hints()
        parts = [each.describe() for each in protocol.finishing]
        parts += [
            tr("between iterations: {describe}", describe=each.describe())
            for each in protocol.between
        ]
        parts += [*self._conversions(), *_error_map(protocol)]
        # Conversions to SUV, for example, need data that the scan may not have.
        if fault := self._study.modality.fault(protocol, self._study.known):
            self.show_summary(fault, "fault")
            return
        has_scan = DATA in self._study.inputs
        self.show_summary(
            tr(", then ").join(parts) or tr("no filter"), "ok" if has_scan else "waiting"
        )

    def _show_hints(self) -> None:
        """Show default widths in mm once the voxel size is known."""
        try:
            grid = self._study.grid()
        # The step Volume reports why there is no grid.
        except EngineError:
            return
        if grid is not None:
            self.form.form.show_voxels(grid.voxel_mm)

    def _conversions(self) -> list[str]:
        """Return conversions of the finished image in addition to the filters."""
        protocol = self._study.protocol
        values = [getattr(protocol, name) for name in self._study.modality.finishing]
        return [title_of(type(value)) for value in values if isinstance(value, Settings)]


def _error_map(protocol: Protocol) -> list[str]:
    """Return the error map that a protocol requests; not all protocols can."""
    n = protocol.model_dump(include={"error_replicates"}).get("error_replicates")
    return [tr("error map from {n} replicates", n=n)] if n else []


def _finishing_form(protocol: Protocol) -> Form:
    return Form(type(protocol), protocol, only=modality_of(protocol).finishing)
