"""Rows of the ledger: use of a correction or step, settings, and effect or obstacle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from app.workspace.steps.step_panel import Tone
from engine.data import ScatterProfile
from engine.data.runs.events import Corrected, Level

if TYPE_CHECKING:  # pyqtgraph takes a third of a second to import
    from app.views.plots.scatter_plot import ScatterPlot

COMBO_PX = 112


@dataclass(frozen=True)
class LedgerState:
    """State of a correction: name of an icon, its colour, and a sentence."""

    icon: str
    tone: str
    text: str


class LedgerRow(QWidget):
    """Icon and title with a choice next to them and a sentence below."""

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
        """Show the state of the row.

        Parameters
        ----------
        ledger_state
            icon, colour and sentence
        source
            files that the correction uses; "" for none
        """
        set_icon(self._icon, ledger_state.icon, self._theme, ledger_state.tone)
        self.text.setText(ledger_state.text)
        set_tone(
            self.text, ledger_state.tone if ledger_state.tone in ("warning", "missing") else "muted"
        )
        self.source.setText(source)
        self.source.setVisible(bool(source))


class LedgerEntry(LedgerRow):
    """A correction or step: its use, and its own settings below.

    `folded` settings are hidden until the user opens them.
    """

    def __init__(self, kind: type[Any], theme: Theme, *, folded: bool) -> None:
        super().__init__(named(kind.title), theme)
        self.unfold = QToolButton()
        self.unfold.setText(tr("Settings"))
        self.unfold.setProperty("role", "small")
        self.unfold.setAccessibleName(tr("Settings: {title}", title=named(kind.title)))
        self.unfold.setToolTip(tr("Show or hide the settings for this step"))
        self.unfold.setCheckable(True)
        self.unfold.setChecked(not folded)
        self.unfold.setVisible(False)
        self._folded = folded
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        self._buttons.addWidget(self.unfold)
        self._buttons.addStretch(1)
        self.grid.addLayout(self._buttons, 3, 1, 1, 2)
        # The class gives all texts, so a new correction needs no code here.
        self.form = Form(kind, kind(), only=("use",), bare=True)
        self.form.setFixedWidth(COMBO_PX)
        self.form.setToolTip(literal_tip(named(kind.model_fields["use"].description or "")))
        self.grid.addWidget(self.form, 0, 2)
        own = tuple(name for name in kind.model_fields if name not in ("use", "kind"))
        self.more = Form(kind, kind(), only=own) if own else None
        if self.more is not None:
            # Both forms edit the same value, so they share one signal.
            self.more.changed.connect(self.form.changed)
            self.grid.addWidget(self.more, 4, 1, 1, 2)
            self.unfold.toggled.connect(self._show_more)
        self.plot: ScatterPlot | None = None

    def show_profile(self, profile: ScatterProfile | None) -> None:
        """Show the estimated scatter next to the measured counts.

        Parameters
        ----------
        profile
            the curves of the last run; None hides them
        """
        # Most rows never have a profile, and a plot is slow to create.
        if self.plot is None:
            if profile is None:
                return
            from app.views.plots.scatter_plot import ScatterPlot

            self.plot = plot = ScatterPlot()
            self.grid.addWidget(plot, 5, 1, 1, 2)
            self._theme.changed.connect(lambda: plot.set_colours(view_colours(self._theme)))
            plot.set_colours(view_colours(self._theme))
        if self.plot.profile is not profile:
            self.plot.show_profile(profile)

    def add_button(self, added: QAbstractButton) -> None:
        """Add a button next to that of the settings.

        Parameters
        ----------
        added
            the button
        """
        self._buttons.insertWidget(1, added)

    def show_choice(
        self, choice: Any, ledger_state: LedgerState, source: str, editable: bool
    ) -> None:
        """Show the settings and the state.

        Parameters
        ----------
        choice
            settings of the correction
        ledger_state
            icon, colour and sentence
        source
            files that the correction uses
        editable
            False while a run is active
        """
        self.show_state(ledger_state, source)
        self.form.show_value(choice)
        self.form.setEnabled(editable)
        if self.more is not None:
            self.more.show_value(choice)
            self.more.setEnabled(editable)
            # The form of an active correction may have been switched off by undo.
            self._show_more()

    def _show_more(self) -> None:
        if self.more is not None:
            # Settings of a correction that is off would have no effect.
            in_use = self.form.raw()["use"] != "off"
            self.unfold.setVisible(self._folded and in_use and not self.more.has_only_expert)
            self.more.setVisible(in_use and self.unfold.isChecked())


class SwitchRow(LedgerRow):
    """Data that the scan may contain: used if present, or switched off."""

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__(title, theme)
        self.choice = ChoiceEditor(("auto", "off"))
        self.choice.name_after(tr("Use: {title}", title=title))
        self.choice.setFixedWidth(COMBO_PX)
        self.grid.addWidget(self.choice, 0, 2)

    def show_choice(self, on: bool, ledger_state: LedgerState, editable: bool) -> None:
        """Show the choice and the state.

        Parameters
        ----------
        on
            True if the data are used
        ledger_state
            icon, colour and sentence
        editable
            False while a run is active
        """
        self.show_state(ledger_state)
        # "auto" instead of "on": the data are used only if the scan has them.
        self.choice.show_value("auto" if on else "off")
        self.choice.setEnabled(editable)


def ledger_state_of(
    choice: Any, obstacle: str | None, message: Corrected | None, doubts: Sequence[str] = ()
) -> LedgerState:
    """Return the state of a correction. A row with a warning is never green.

    Parameters
    ----------
    choice
        settings of the correction
    obstacle
        why it cannot be used; None if it can, "" if the scan is not known
    message
        report of the last run about it; None before a run
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
                tr(
                    "{sentence} This correction is set to 'on' but cannot be applied. To continue "
                    "without it, switch it off.",
                    sentence=sentence(obstacle),
                ),
            )
        # Two sentences with the same beginning would be repetitive.
        if message is not None and message.text.startswith(obstacle):
            obstacle = message.text  # the run also states the effect
        return LedgerState("warning", "warning", sentence(obstacle))
    if doubts:
        return LedgerState("warning", "warning", _effect_with_warnings(message, doubts))
    # The warning belongs to the last run; the inputs may be complete by now.
    if message is not None and message.level is Level.WARNING:
        text = tr(
            "Will be applied. It was not applied in the last run. {text}",
            text=sentence(message.text),
        )
        return LedgerState("waiting", "muted", text)
    if message is not None and message.state == "applied":
        return LedgerState("ok", "ok", sentence_case(message.text))
    if obstacle is None:
        return LedgerState("ok", "ok", tr("Will be applied"))
    return LedgerState("waiting", "muted", tr("Determined after a scan is opened"))


def _effect_with_warnings(message: Corrected | None, doubts: Sequence[str]) -> str:
    """Return the effect of a correction and its warnings, without repetitions."""
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
    """Return the state of a switch.

    Parameters
    ----------
    is_on
        True if the data may be used
    found
        True if the scan has the data; None if no scan is open
    text
        sentence about the data
    doubts
        warnings of the last run about it
    """
    if not is_on:
        return LedgerState("off", "muted", tr("Switched off in the protocol"))
    if doubts:
        return LedgerState("warning", "warning", " ".join((sentence(text), *doubts)))
    if found is None:
        return LedgerState("waiting", "muted", text)
    return LedgerState("ok", "ok", text) if found else LedgerState("off", "muted", text)


def summary_tone(tones: list[str]) -> Tone:
    """Return the worst tone of the rows.

    Parameters
    ----------
    tones
        tones of all rows
    """
    if "missing" in tones:
        return "missing"
    return "warning" if "warning" in tones else "ok"


def sentence(text: str) -> str:
    """Return a clause as a sentence, with capital and full stop.

    Parameters
    ----------
    text
        the clause
    """
    return f"{sentence_case(text).removesuffix('.')}."
