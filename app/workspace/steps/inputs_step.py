"""Card of the inputs: the files that the corrections in use need, and all others on demand."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.language.translation import named, tr, within
from app.state.models.inputs import DATA
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, label
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.slices.labels import ElidedLabel
from app.workspace.steps.ledger import sentence
from app.workspace.steps.step_panel import StepPanel
from engine.data import InputRole
from engine.modalities import all_roles

ICON_PX = 18
FORM = "describe_tracer"
"""Page of the input that a user fills in, instead of choosing a file."""


class InputsStep(StepPanel):
    """Lists the inputs that are needed or loaded; hidden until a scan is open.

    Parameters
    ----------
    number : number of the card
    context : context with the study
    forms : container with the complete rows of all inputs
    """

    title = tr("Inputs")

    def __init__(self, number: int, context: AppContext, forms: QWidget) -> None:
        super().__init__(number, context.theme)
        self._study, self._run = context.session.study, context.session.run
        self.needed = {role.key: NeededRow(role, context) for role in all_roles()}
        for row in self.needed.values():
            self.brief.addWidget(row)
        self.body.addWidget(forms)
        study = self._study
        for signal in (study.inputs_changed, study.protocol_changed, self._run.state_changed):
            signal.connect(self._show)
        self._show()

    @property
    def buttons(self) -> dict[str, QPushButton]:
        """The buttons that load missing inputs, by role."""
        shown = {key: row for key, row in self.needed.items() if not row.isHidden()}
        return {key: row.choose for key, row in shown.items() if not row.choose.isHidden()}

    def _missing(self) -> dict[str, str]:
        """Return the reason for each input that a correction in use lacks, by role."""
        study = self._study
        obstacles = study.modality.obstacles(study.protocol, study.known)
        found: dict[str, str] = {}
        for kind, choice in study.modality.choices(study.protocol).items():
            why = obstacles.get(kind)
            if choice.use == "off" or not why:
                continue
            for role in choice.inputs:
                if role.key in study.roles and role.key not in study.inputs:
                    found.setdefault(role.key, sentence(f"{named(choice.title)}: {why}"))
        return found

    def _show(self) -> None:
        study = self._study
        self.setVisible(DATA in study.inputs)
        missing = self._missing() if DATA in study.inputs else {}
        editable = not self._run.state.is_active
        for key, row in self.needed.items():
            loaded = study.inputs.get(key)
            row.show_need(loaded.name if loaded else "", missing.get(key, ""), editable=editable)
        titles = {role.key: within(named(role.title)) for role in all_roles()}
        names = [titles[key] for key in study.inputs if key in titles]
        n = len(missing)
        parts = [", ".join(names)] if names else []
        parts += [tr("1 missing") if n == 1 else tr("{n} missing", n=n)] if n else []
        self.show_summary(
            "; ".join(parts) or tr("none needed"), "warning" if n else "ok", repr(missing)
        )


class NeededRow(QWidget):
    """One line: the input and its file, or a button that loads it or fills it in."""

    def __init__(self, role: InputRole, context: AppContext) -> None:
        super().__init__()
        title, self._theme = named(role.title), context.theme
        self._mark, self.words = LiteralLabel(), ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self._mark.setFixedWidth(ICON_PX)
        self.words.setProperty("role", "muted")
        form = role.making.page if role.making is not None and role.making.page == FORM else ""
        if form:
            self.choose = button(tr("Fill in …"), lambda: context.commands.ask_to_make(form))
        else:
            self.choose = button(tr("Choose …"), lambda: context.commands.choose(role.key))
        self.choose.setAccessibleName(tr("Load file: {title} …", title=title))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._mark)
        row.addWidget(label(title))
        row.addWidget(self.words, 1)
        row.addWidget(self.choose)

    def show_need(self, name: str, missing: str, *, editable: bool) -> None:
        """Show the state of the input; the row is hidden if it is neither loaded nor missing.

        Parameters
        ----------
        name
            name of the loaded file; "" for none
        missing
            why it is missing, as a sentence; "" if it is not
        editable
            False while a run is active
        """
        self.setVisible(bool(name or missing))
        tone = "ok" if name else "warning"
        set_icon(self._mark, tone, self._theme, tone)
        self.words.set_full_text(name)
        self.choose.setVisible(not name)
        self.choose.setEnabled(editable)
        self.choose.setToolTip(literal_tip(missing or tr("Choose a file")))
