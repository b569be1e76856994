"""Rows of a ledger: use of a correction or step, its settings, what it did or why it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QHBoxLayout,
    QToolButton,
    QWidget,
)

from app.language.translation import named, tr
from app.ui.forms.fields import ChoiceEditor
from app.ui.forms.forms import Form
from app.ui.theme.formatting import sentence_case
from app.ui.theme.glossary import meaning_of
from app.ui.theme.icons import set_icon
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import label, set_tone
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.plots.scatter_plot import ScatterPlot
from app.workspace.steps.step_panel import Tone
from engine.data import ScatterProfile
from engine.data.runs.events import Corrected, Level

COMBO_PX = 112


@dataclass(frozen=True)
class LedgerState:
    """How one correction stands: an icon's name, its colour, and a sentence."""

    icon: str
    tone: str
    text: str


class LedgerRow(QWidget):
    """Icon and title, a choice beside them, a sentence below."""

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._icon = LiteralLabel()
        self._icon.setFixedWidth(18)
        self.text = label("", "muted", wrap=True)
        self.source = label("", "muted", wrap=True)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 2, 0, 4)
        self.grid.setHorizontalSpacing(6)
        self.grid.setVerticalSpacing(2)
        self.grid.setColumnStretch(1, 1)
        self.grid.addWidget(self._icon, 0, 0)
        name = label(title, "entry")
        name.setToolTip(literal_tip(meaning_of(title)))
        self.grid.addWidget(name, 0, 1)
        self.grid.addWidget(self.text, 1, 1, 1, 2)
        self.grid.addWidget(self.source, 2, 1, 1, 2)

    def show_state(self, ledger_state: LedgerState, source: str = "") -> None:
        """Show how the row stands."""
        set_icon(self._icon, ledger_state.icon, self._theme, ledger_state.tone)
        self.text.setText(ledger_state.text)
        set_tone(
            self.text, ledger_state.tone if ledger_state.tone in ("look", "missing") else "muted"
        )
        self.source.setText(source)
        self.source.setVisible(bool(source))


class LedgerEntry(LedgerRow):
    """A correction or step: its use, and below its own settings where it has some.

    `folded` settings are shown once the user asks for them.
    """

    def __init__(self, kind: type[Any], theme: Theme, *, folded: bool) -> None:
        super().__init__(named(kind.title), theme)
        self.unfold = QToolButton()
        self.unfold.setText(tr("Settings"))
        self.unfold.setProperty("role", "small")
        self.unfold.setAccessibleName(tr("Settings of {title}", title=named(kind.title)))
        self.unfold.setToolTip(tr("Show or hide the settings of this step"))
        self.unfold.setCheckable(True)
        self.unfold.setChecked(not folded)
        self.unfold.setVisible(False)
        self._folded = folded
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        self._buttons.addWidget(self.unfold)
        self._buttons.addStretch(1)
        self.grid.addLayout(self._buttons, 3, 1, 1, 2)
        self.form = Form(kind, kind(), only=("use",), bare=True)
        self.form.setFixedWidth(COMBO_PX)
        self.form.setToolTip(literal_tip(named(kind.model_fields["use"].description or "")))
        self.grid.addWidget(self.form, 0, 2)
        own = tuple(name for name in kind.model_fields if name not in ("use", "kind"))
        self.more = Form(kind, kind(), only=own) if own else None
        if self.more is not None:
            self.more.changed.connect(self.form.changed)
            self.grid.addWidget(self.more, 4, 1, 1, 2)
            self.unfold.toggled.connect(self._show_more)
        self.plot: ScatterPlot | None = None

    def show_profile(self, profile: ScatterProfile | None) -> None:
        """Show what a correction expects beside what was measured, once a run has told."""
        if self.plot is None:
            if profile is None:
                return
            self.plot = plot = ScatterPlot()
            self.grid.addWidget(plot, 5, 1, 1, 2)
            self._theme.changed.connect(lambda: plot.set_colours(view_colours(self._theme)))
            plot.set_colours(view_colours(self._theme))
        if self.plot.profile is not profile:
            self.plot.show_profile(profile)

    def add_button(self, added: QAbstractButton) -> None:
        """Put a button beside that of the settings."""
        self._buttons.insertWidget(1, added)

    def show_choice(
        self, choice: Any, ledger_state: LedgerState, source: str, editable: bool
    ) -> None:
        """Show the settings and how the row stands."""
        self.show_state(ledger_state, source)
        self.form.show_value(choice)
        self.form.setEnabled(editable)
        if self.more is not None:
            self.more.show_value(choice)
            self.more.setEnabled(editable)
            self._show_more()

    def _show_more(self) -> None:
        if self.more is not None:
            in_use = self.form.raw()["use"] != "off"
            self.unfold.setVisible(self._folded and in_use and not self.more.has_only_expert)
            self.more.setVisible(in_use and self.unfold.isChecked())


class SwitchRow(LedgerRow):
    """Something the scan may have recorded: used where it is there, or not at all."""

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__(title, theme)
        self.choice = ChoiceEditor(("auto", "off"))
        self.choice.name_after(tr("Use {title}", title=title))
        self.choice.setFixedWidth(COMBO_PX)
        self.grid.addWidget(self.choice, 0, 2)

    def show_choice(self, on: bool, ledger_state: LedgerState, editable: bool) -> None:
        """Show the choice and how it stands."""
        self.show_state(ledger_state)
        self.choice.show_value("auto" if on else "off")
        self.choice.setEnabled(editable)


def ledger_state_of(
    choice: Any, obstacle: str | None, message: Corrected | None, doubts: Sequence[str] = ()
) -> LedgerState:
    """Return how a correction stands; a row with a warning never has a green mark.

    Parameters
    ----------
    choice
        settings of the correction
    obstacle
        why it cannot be used: None if it can, empty while the scan is not known
    message
        what the last run said of it; None before a run
    doubts
        warnings of the last run about it
    """
    if choice.use == "off":
        if message is not None and message.state == "off":
            return LedgerState("off", "muted", sentence_case(message.text))
        return LedgerState("off", "muted", tr("Switched off in the protocol"))
    if obstacle:
        if choice.use == "on":
            return LedgerState(
                "missing",
                "missing",
                tr("{sentence} It is switched on.", sentence=sentence(obstacle)),
            )
        if message is not None and message.text.startswith(obstacle):
            obstacle = message.text  # with what the run found that it costs
        return LedgerState("look", "look", sentence(obstacle))
    if doubts:
        return LedgerState("look", "look", _doubted(message, doubts))
    if message is not None and message.level is Level.WARNING:
        text = tr(
            "Will be applied. It was not applied in the last run: {text}",
            text=sentence(message.text),
        )
        return LedgerState("waiting", "muted", text)
    if message is not None and message.state == "applied":
        return LedgerState("ok", "ok", sentence_case(message.text))
    if obstacle is None:
        return LedgerState("ok", "ok", tr("Will be applied"))
    return LedgerState("waiting", "muted", tr("Decided when a scan is open"))


def _doubted(message: Corrected | None, doubts: Sequence[str]) -> str:
    """Return what a correction did and its warnings, without what they repeat of it."""
    if message is None:
        return " ".join(doubts)
    new = []
    for doubt in doubts:  # "Scatter is scaled by 3." repeats "… scaled by 3"
        _, found, rest = doubt.removesuffix(".").partition(" is ")
        if not found or rest not in message.text:
            new.append(doubt)
    return " ".join((sentence(message.text), *new))


def switch_state_of(
    is_on: bool, found: bool | None, text: str, doubts: Sequence[str] = ()
) -> LedgerState:
    """Return how a switch stands.

    `found` says whether the scan has what it uses; `doubts` are warnings of the last run about it.
    """
    if not is_on:
        return LedgerState("off", "muted", tr("Switched off in the protocol"))
    if doubts:
        return LedgerState("look", "look", " ".join((sentence(text), *doubts)))
    if found is None:
        return LedgerState("waiting", "muted", text)
    return LedgerState("ok", "ok", text) if found else LedgerState("off", "muted", text)


def summary_tone(tones: list[str]) -> Tone:
    """Return the worst tone of the rows."""
    if "missing" in tones:
        return "missing"
    return "look" if "look" in tones else "ok"


def sentence(text: str) -> str:
    """Return a clause as a sentence."""
    return f"{sentence_case(text).removesuffix('.')}."
