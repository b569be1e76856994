"""Differences from the saved protocol, below the line of their step, with a reset button."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.ui.theme.formatting import sentence_case
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, icon_button
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.slices.labels import ElidedLabel
from app.workspace.steps.step_panel import StepPanel
from engine.core.errors import EngineError
from engine.modalities import SettingChange, with_setting_of

MAX_ROWS = 4


class StepChanges(QWidget):
    """A row per setting of a step that differs from the protocol; hidden if there is none."""

    def __init__(self, step: StepPanel, context: AppContext) -> None:
        super().__init__()
        self._step, self._context = step, context
        self._study, self._run = context.session.study, context.session.run
        self._shown: list[SettingChange] = []
        self._rows: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(32, 0, 8, 8)
        self._column.setSpacing(1)
        self.hide()
        self._study.protocol_changed.connect(self._show)
        # Settings cannot be changed during a run, but the differences stay visible.
        self._run.state_changed.connect(self._enable_buttons)
        self._show()

    @property
    def changes(self) -> list[SettingChange]:
        """Settings of this step that differ from the saved protocol."""
        study, holds = self._study, self._step.holds
        return [c for c in study.changes if c.keys and holds(study.modality, c.keys[0])]

    def _show(self) -> None:
        found = self.changes
        # Rebuilding rows would take the focus from their buttons.
        if found == self._shown:
            return
        self._shown = found
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(each) for each in found[:MAX_ROWS]]
        if len(found) > MAX_ROWS:
            self._rows.append(self._more_row(found))
        for row in self._rows:
            self._column.addWidget(row)
        self.setVisible(bool(found))
        self._enable_buttons()

    def _row(self, change: SettingChange) -> QWidget:
        label, then, now = change.difference
        title = sentence_case(label)
        back = icon_button(
            "undo",
            self._context.theme,
            lambda: self._reset_settings([change]),
            tr("Reset to the value in {name!r}: {then}", name=self._study.base.name, then=then),
        )
        back.setAccessibleName(tr("{label}: reset to {then}", label=title, then=then))
        return self._text_row(
            tr("{label}: {now} (was {then})", label=sentence_case(label), now=now, then=then), back
        )

    def _more_row(self, found: list[SettingChange]) -> QWidget:
        more = len(found) - MAX_ROWS
        tip = "\n".join(str(each.difference) for each in found[MAX_ROWS:])
        back = button(
            tr("Reset all"),
            lambda: self._reset_settings(found),
            tr("Reset all settings in this step to the values in the saved protocol"),
        )
        made = self._text_row(tr("and {more} more", more=more), back)
        made.setToolTip(literal_tip(tip))
        return made

    def _text_row(self, text: str, back: QWidget) -> QWidget:
        made = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        dot = LiteralLabel()
        set_icon(dot, "changed", self._context.theme, "link")
        words = ElidedLabel(text)
        row.addWidget(dot)
        row.addWidget(words, 1)
        row.addWidget(back)
        return made

    def _reset_settings(self, changes: list[SettingChange]) -> None:
        study = self._study
        try:
            now = study.protocol
            for each in changes:
                # All changes are one undo step.
                now = with_setting_of(study.base, now, each.keys)
        except EngineError as e:
            self._context.session.raise_problem(Problem(tr("The setting was not changed."), str(e)))
            return
        study.set_protocol(now)

    def _enable_buttons(self) -> None:
        for each in self.findChildren(QPushButton):
            each.setEnabled(not self._run.state.is_active)
