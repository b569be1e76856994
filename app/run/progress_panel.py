"""Progress of a run: state, numbers, convergence curve, and time of each stage."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.language.translation import named, tr
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.ui.theme.formatting import clock, count
from app.ui.theme.glossary import meaning_of
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import label, scrolled
from app.views.literal_text import literal_tip
from app.views.plots.curve_view import CurveView
from app.views.plots.stage_bars import StageBars
from app.views.text import number
from engine.data.runs.events import Preview


class ProgressTab(QWidget):
    """Progress of the current run, or of the last one."""

    title = tr("Progress")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self._study, self._run = context.session.study, context.session.run
        self.headline = label("", "heading", wrap=True)
        self.numbers = Numbers()
        self.curve = CurveView(tr("Log-likelihood"))
        self.curve.setMinimumHeight(190)
        self.curve.setMaximumHeight(260)
        self.changes = CurveView(tr("Largest change in a region"), "%", is_log=True)
        self.changes.setMinimumHeight(150)
        self.changes.setMaximumHeight(220)
        self.bars = StageBars()
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        column.addWidget(self.headline)
        column.addWidget(self.numbers)
        column.addWidget(self.curve)
        column.addWidget(self.changes)
        column.addWidget(label(tr("Time")))
        column.addWidget(self.bars)
        column.addStretch(1)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(scrolled(inside))
        study, run = self._study, self._run
        run.progress_changed.connect(self._show)
        run.state_changed.connect(self._show)
        run.record_changed.connect(self._show_record)
        # The title of the curve depends on the modality.
        study.protocol_changed.connect(self._show_record)
        self._theme.changed.connect(self._paint)
        self._paint()
        self._show()
        self._show_record()

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        self.curve.set_colours(colours)
        self.changes.set_colours(colours)
        self.bars.set_colours(colours)

    def _show_record(self) -> None:
        record = self._run.record
        self.curve.set_points(*_x_and_y(record.curve))
        names = self._study.modality.stages
        title, unit = self._study.modality.curve
        if self._is_penalised:
            title, unit = tr("Penalised log-likelihood"), ""
        self.changes.set_points(*_x_and_y(record.changes), record.limit_of_change)
        self.changes.setVisible(self._is_penalised)
        self.changes.setToolTip(literal_tip(meaning_of(tr("Largest change in a region"))))
        self.curve.set_title(named(title), unit)
        self.curve.setToolTip(literal_tip(meaning_of(named(title))))
        # Visible before the first point, so that the panel does not jump when it arrives.
        self.curve.setVisible(bool(record.curve) or self._has_iterations)
        stages = [(named(names.get(m.stage, m.stage)), m.seconds) for m in record.timings]
        self.bars.set_stages(stages)
        tips = [f"{name}: {meaning_of(name)}" for name, _ in stages if meaning_of(name)]
        self.bars.setToolTip(literal_tip("\n".join(tips)))
        self._show()

    @property
    def _has_iterations(self) -> bool:
        """True if a run of the current protocol has a convergence curve."""
        return "iterations" in type(self._study.protocol.algorithm).model_fields

    @property
    def _is_penalised(self) -> bool:
        """True if the current run, or else the current protocol, has a penalised likelihood."""
        shown = self._run.record.curve
        return bool(self._run.record.changes) or (
            not shown and self._study.protocol.algorithm.is_penalised
        )

    def _show(self) -> None:
        run = self._run
        session = self._session
        self.headline.setText(headline(run.state, session.doing))
        self.numbers.show_rows(self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        record, latest = self._run.record, self._run.record.latest
        rows, counted = [], self._study.modality.rows
        # After the end, "iteration 8 of 8" says less than the total time.
        if latest is not None and self._run.state is not RunState.FINISHED:
            rows += _steps(latest)
        _, unit = self._study.modality.curve
        if record.changes and latest is not None:
            text = tr(
                "{change} %, limit {limit} %",
                change=number(record.changes[-1][1]),
                limit=number(record.limit_of_change or 0.0),
            )
            rows.append((tr("Largest change in a region"), text))
        elif record.curve and unit:
            rows.append((tr("Residual"), f"{number(record.curve[-1][1])} {unit}"))
        # While paused or finishing the estimate does not hold.
        if self._run.state is RunState.RUNNING and record.seconds_left is not None:
            left = clock(record.seconds_left)
            is_most = latest is not None and latest.may_end_early
            text = tr("at most {clock}", clock=left) if is_most else left
            rows.append((tr("Time left"), text))
        for measured in record.timings:
            # The unit that is counted depends on the modality.
            rate = measured.figures.get(f"{counted}_per_second")
            if rate:
                rows.append((tr("Speed"), f"{count(rate)} {counted}/s"))
        if self._run.state is RunState.FINISHED:
            # The sum of the stages, without the time in which the run was paused.
            total = sum(measured.seconds for measured in record.timings)
            rows.append((tr("Whole run"), clock(total)))
        if record.n_warnings:
            words = tr("{n_warnings}, see the log", n_warnings=record.n_warnings)
            if not record.events_are_known:
                words = tr("{n_warnings}, see the page Judge", n_warnings=record.n_warnings)
            rows.append((tr("Warnings"), words))
        return rows


def _x_and_y(curve: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [iteration for iteration, _ in curve], [value for _, value in curve]


class Numbers(QWidget):
    """Names and values in two columns."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(3)
        self._grid.setHorizontalSpacing(10)
        self._grid.setColumnStretch(1, 1)
        # Not Maximum: it would limit the height to that of unwrapped values.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._labels: list[tuple[QLabel, QLabel]] = []

    def show_rows(self, rows: list[tuple[str, str]]) -> None:
        """Replace all rows.

        Parameters
        ----------
        rows
            (name, value) in order; empty hides the table
        """
        while len(self._labels) < len(rows):
            # Labels are created once and reused: rows change several times per second during a run.
            pair = label("", "caption"), label("", "number", wrap=True)
            at = len(self._labels)
            pair[1].setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(pair[0], at, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(pair[1], at, 1)
            self._labels.append(pair)
        for i, (name, value) in enumerate(self._labels):
            shown = i < len(rows)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(rows[i][0])
                name.setToolTip(literal_tip(meaning_of(rows[i][0])))
                value.setText(rows[i][1])
        self.setVisible(bool(rows))


def headline(state: RunState, doing: str) -> str:
    """Return the state of a run as one line.

    Parameters
    ----------
    state
        state of the run
    doing
        current activity, for states in which something runs
    """
    fixed = {
        RunState.IDLE: tr("Nothing is running"),
        RunState.PAUSED: tr("Paused"),
        RunState.FINISHED: tr("Finished"),
        RunState.FAILED: tr("Stopped by an error"),
        RunState.ABORTED: tr("Aborted"),
    }
    return fixed.get(state, doing)


def _steps(latest: Preview) -> list[tuple[str, str]]:
    """Return the position of a run in iterations, frames or slabs."""
    of_most = tr("{k} of at most {n}") if latest.may_end_early else tr("{k} of {n}")
    in_frame = of_most if latest.frame is not None else tr("{k} of {n}")
    of_subsets = in_frame.format(k=latest.subset, n=latest.subsets)
    if latest.slices is not None:
        slices = tr("{k:,} of {n:,}", k=latest.slices, n=latest.volume.grid.shape[0])
        return [(tr("Slabs"), of_subsets), (tr("Slices"), slices)]
    names = (tr("Iteration"), tr("Subset")) if latest.frame is None else (tr("Frame"), tr("Update"))
    of_all = tr("{k} of {n}") if latest.frame is not None else of_most
    rows = [(names[0], of_all.format(k=latest.iteration, n=latest.iterations))]
    # "Subset 1 of 1" would only ask for an explanation.
    return [*rows, (names[1], of_subsets)] if latest.subsets > 1 else rows
