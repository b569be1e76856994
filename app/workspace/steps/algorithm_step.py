"""Settings of the algorithm."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.protocols.text import algorithm_text
from app.state.services.context import AppContext
from app.ui.forms.forms import Form
from app.workspace.steps.class_form import ClassForm
from app.workspace.steps.step_panel import StepPanel
from engine.modalities import AnyModality, Protocol, modality_of


class AlgorithmStep(StepPanel):
    """Chooses the algorithm and its iterations."""

    title = tr("Algorithm")

    def __init__(self, context: AppContext) -> None:
        super().__init__(0, context.theme)
        self._study, self._run = context.session.study, context.session.run
        protocol = self._study.protocol
        self.form = ClassForm(_algorithm_form, protocol)
        self.expert_form = ClassForm(_expert_form, protocol)
        self.expert = QCheckBox(tr("Expert settings"))
        self.expert.setToolTip(tr("Show settings that are rarely changed"))
        self.expert.toggled.connect(self._set_expert)
        for widget in (self.form, self.expert, self.expert_form):
            self.body.addWidget(widget)
        for form in (self.form, self.expert_form):
            form.changed.connect(self._study.set_protocol)
        self._study.protocol_changed.connect(self._show)
        self._run.state_changed.connect(self._show)
        self._set_expert(False)
        self._show()

    def _set_expert(self, expert: bool) -> None:
        self.form.set_expert(expert)
        self.expert_form.set_expert(expert)
        # A separate form, so that rarely used settings need no space.
        self.expert_form.setVisible(expert)

    def holds(self, modality: AnyModality, key: str) -> bool:
        return key in (*modality.iterating, *modality.expert)

    def _show(self) -> None:
        protocol = self._study.protocol
        for form in (self.form, self.expert_form):
            form.show_value(protocol)
            # A run uses the settings at its start. Changes would not be visible in its image.
            form.setEnabled(not self._run.state.is_active)
        has_scan = DATA in self._study.inputs
        parts = [algorithm_text(protocol), protocol.frame_text]
        self.show_summary(", ".join(filter(None, parts)), "ok" if has_scan else "waiting")


def _algorithm_form(protocol: Protocol) -> Form:
    return Form(type(protocol), protocol, only=modality_of(protocol).iterating)


def _expert_form(protocol: Protocol) -> Form:
    return Form(type(protocol), protocol, only=modality_of(protocol).expert)
