"""Left panel: the cards of the page Prepare, for everybody."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.shell.header_bar import ChoicePage
from app.shell.prepare.protocol_card import ProtocolCard
from app.shell.prepare.steps_column import column_of
from app.state.services.context import AppContext
from app.workspace.steps.corrections_step import CorrectionsStep
from app.workspace.steps.inputs_step import InputsStep
from app.workspace.steps.step_panel import StepPanel
from app.workspace.steps.study_step import StudyStep


class Workflow(QWidget):
    """Four cards: scan, protocol, corrections and inputs.

    Attributes
    ----------
    scan, protocol, corrections, inputs : the cards
    cards : the cards from top to bottom

    Parameters
    ----------
    context : context with the study
    choice : page with the list of protocols
    scan, corrections : steps that are cards
    settings : steps with the settings of the protocol
    """

    def __init__(
        self,
        context: AppContext,
        choice: ChoicePage,
        scan: StudyStep,
        corrections: CorrectionsStep,
        settings: Sequence[StepPanel],
    ) -> None:
        super().__init__()
        self.scan, self.corrections = scan, corrections
        self.protocol = ProtocolCard(2, context, choice, settings)
        self.inputs = InputsStep(4, context, scan.inputs)
        self.cards: tuple[StepPanel, ...] = (scan, self.protocol, corrections, self.inputs)
        for card in self.cards:
            card.make_card()
        self._settings = tuple(settings)
        for each in (*self.cards, *self._settings):
            context.session.study.scan_replaced.connect(each.forget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(column_of(self.cards, self._settings))

    def lock(self, on: bool) -> None:
        """Lock all forms; the essentials of the cards stay.

        Parameters
        ----------
        on
            True in technician mode
        """
        for each in (*self.cards, *self._settings):
            each.lock(on)
