"""Activity and progress of a run in the header, and the three ways to stop it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from app.language.translation import tr
from app.shell.actions import Actions
from app.shell.header_parts import verb_button
from app.state.models.run_record import RunState
from app.state.models.session import Session
from app.state.services.context import AppContext
from app.ui.theme.formatting import clock
from app.ui.theme.widgets import label
from app.views.slices.labels import ElidedLabel

TEXT_PX = 90
MIN_BAR_PX = 40
BAR_STEPS = 1000


class RunningPage(QWidget):
    """Activity and progress of a run, and the three ways to stop it."""

    def __init__(self, context: AppContext, actions: Actions) -> None:
        super().__init__()
        self._session = context.session
        self._run = context.session.run
        self.text = ElidedLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, BAR_STEPS)
        self.bar.setAccessibleName(tr("Progress"))
        self.left = label("", "muted")
        self.left.setMinimumWidth(78)
        self.left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        self.text.setMinimumWidth(TEXT_PX)
        self.bar.setMinimumWidth(MIN_BAR_PX)
        row.addWidget(self.text, 3)
        row.addWidget(self.bar, 2)
        row.addWidget(self.left)
        for action in (actions.finish, actions.pause, actions.abort):
            row.addWidget(verb_button(action))
        self._run.progress_changed.connect(self._show)
        self._run.state_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        record, state = self._run.record, self._run.state
        self.text.set_full_text(progress_text(self._session))
        fraction = record.fraction
        # An empty range is Qt's busy indicator; a paused run must not look busy.
        self.bar.setRange(0, 0 if fraction is None and state is not RunState.PAUSED else BAR_STEPS)
        self.bar.setValue(round((fraction or 0) * BAR_STEPS))
        self.left.setText(time_text(self._session))


def time_text(session: Session) -> str:
    """Return the time left, or the reason why it is not known."""
    if session.run.state is RunState.PAUSED:
        return tr("paused")
    if session.run.state is RunState.FINISHING:
        return tr("finishing")
    seconds = session.run.record.seconds_left
    # An estimate from before a pause would be wrong.
    known = seconds is not None and session.run.state is RunState.RUNNING
    if not known or seconds is None:
        return ""
    latest = session.run.record.latest
    if latest is not None and latest.may_end_early:
        return tr("at most {clock} left", clock=clock(seconds))
    return tr("{clock} left", clock=clock(seconds))


def progress_text(session: Session) -> str:
    """Return the progress of the run as text.

    Parameters
    ----------
    session
        session of the window

    Returns
    -------
    str
        position in iterations, frames or slabs; otherwise the current activity
    """
    record = session.run.record
    latest = record.latest
    # Direct methods such as FDK have a single update, which tells nothing.
    if record.stage != "reconstruct" or latest is None or latest.iterations * latest.subsets == 1:
        return session.doing
    if latest.slices is not None:
        return tr(
            "Slab {subset} of {subsets}, finished slices: {slices:,}",
            subset=latest.subset,
            subsets=latest.subsets,
            slices=latest.slices,
        )
    at = {"n": latest.iteration, "of": latest.iterations}
    parts = {"k": latest.subset, "parts": latest.subsets}
    if latest.frame is not None:
        if latest.may_end_early:
            return tr("Frame {n} of {of}, update {k} of at most {parts}", **at, **parts)
        if latest.subsets > 1:
            return tr("Frame {n} of {of}, update {k} of {parts}", **at, **parts)
        return tr("Frame {n} of {of}", **at)
    if latest.may_end_early:
        return tr("Iteration {n} of at most {of}", **at)
    if latest.subsets > 1:
        return tr("Iteration {n} of {of}, subset {k} of {parts}", **at, **parts)
    return tr("Iteration {n} of {of}", **at)
