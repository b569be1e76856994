"""Step 5: filters of the finished image and between iterations."""

from __future__ import annotations

from app.control.context import AppContext
from app.forms.forms import Form
from app.look.widgets import label
from app.models.inputs import AnyProtocol
from app.models.modalities import modality_of
from app.study.class_form import ClassForm
from app.study.step_panel import StepPanel


class FinishingStep(StepPanel):
    """Chooses filters."""

    title = "Finishing"

    def __init__(self, number: int, context: AppContext) -> None:
        super().__init__(number, context.theme)
        self._study, self._run = context.session.study, context.session.run
        self.form = ClassForm(_finishing_form, self._study.protocol)
        self.form.changed.connect(self._study.set_protocol)
        self.body.addWidget(self.form)
        self.body.addWidget(
            label("The unfiltered iterations stay in the scrubber.", "muted", wrap=True)
        )
        self._study.protocol_changed.connect(self._show)
        self._run.state_changed.connect(self._show)
        self._study.inputs_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        protocol = self._study.protocol
        self.form.show_value(protocol)
        self.form.setEnabled(not self._run.state.is_active)
        parts = [each.describe() for each in protocol.finishing]
        parts += [f"{each.describe()} between iterations" for each in protocol.between]
        if getattr(protocol, "hounsfield", None) is not None:
            parts.append("CT numbers")
        if fault := self._study.modality.fault(protocol, self._study.inputs):
            self.say(fault, "fault")
            return
        self.say(", then ".join(parts) or "no filter", "ok")


def _finishing_form(protocol: AnyProtocol) -> Form:
    return Form(type(protocol), protocol, only=modality_of(protocol).finishing)
