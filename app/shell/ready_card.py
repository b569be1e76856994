"""The card of a scan that is ready: its drawing, facts and requirements."""

from __future__ import annotations

from app.shell.welcome import WelcomeTile
from app.state.services.context import AppContext
from app.ui.theme.widgets import label
from app.workspace.steps.scanner_drawing import ScannerDrawing
from engine.core.errors import EngineError
from engine.core.visible_text import visible_line


class ReadyCard(WelcomeTile):
    """Card of a scan that is ready or being prepared: drawing, facts and requirements."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._session = context.session
        self._study, self._run = context.session.study, context.session.run
        self._title = label("", "heading", wrap=True)
        self._text = label("", "muted", wrap=True)
        self._drawing = ScannerDrawing(context.theme, height=250)
        self._requirements = label("", wrap=True)
        for widget in (self._title, self._text, self._drawing, self._requirements):
            self.column.addWidget(widget)
        study, run = self._study, self._run
        session = self._session
        for signal in (study.inputs_changed, study.protocol_changed, run.state_changed):
            signal.connect(self._show)
        session.device.changed.connect(self._show)
        run.progress_changed.connect(self._show_text)
        self._show()

    def _show(self) -> None:
        study = self._study
        try:
            grid = study.grid()
        except EngineError:
            grid = None
        self._drawing.show_scanner(study.scanner, grid)
        self._show_text()

    def _needs(self) -> str:
        """Return the requirements of a run as text; empty if they are not known."""
        try:
            requirements = self._study.requirements()
        except EngineError:  # the grid is invalid, and its step shows the reason
            return ""
        return requirements.describe() if requirements else ""

    def _show_text(self) -> None:
        study, run = self._study, self._run
        session = self._session
        data = study.inputs.get("data")
        if data is None:
            return
        obstacle = session.obstacle()
        active = run.state.is_active
        stage = session.doing
        self._title.setText(f"{stage} …" if active else visible_line(data.name))
        self._text.setText(data.text)
        message = "" if obstacle else self._needs()
        self._requirements.setText(message if active else obstacle or message)
