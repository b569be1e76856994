"""Step 3: the algorithm, as a form of its settings."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox

from app.forms import Form
from app.modalities import modality_of
from app.panels.class_form import ClassForm
from app.panels.step import Step
from app.workbench import Workbench


class AlgorithmStep(Step):
    """Chooses how the image is iterated."""

    title = "Algorithm"

    def __init__(self, number: int, bench: Workbench) -> None:
        super().__init__(number, bench.theme)
        self._session = bench.session
        self.form = ClassForm(lambda plan: Form(type(plan), plan, only=("algorithm",)))
        self.expert_form = ClassForm(
            lambda plan: Form(type(plan), plan, only=modality_of(plan).expert)
        )
        self.expert = QCheckBox("Expert settings")
        self.expert.toggled.connect(self._set_expert)
        for widget in (self.form, self.expert, self.expert_form):
            self.body.addWidget(widget)
        for form in (self.form, self.expert_form):
            form.changed.connect(self._session.set_protocol)
        self._session.protocol_changed.connect(self._show)
        self._session.state_changed.connect(self._show)
        self._set_expert(False)
        self._show()

    def _set_expert(self, expert: bool) -> None:
        self.form.set_expert(expert)
        self.expert_form.set_expert(expert)
        self.expert_form.setVisible(expert)

    def _show(self) -> None:
        protocol = self._session.protocol
        for form in (self.form, self.expert_form):
            form.show_value(protocol)
            form.setEnabled(not self._session.state.is_active)
        self.say(protocol.algorithm.describe(), "ok")
