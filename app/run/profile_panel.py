"""Profile of a run: speed, time of each stage, and load of the machine."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import named, tr
from app.run import profile_text as words
from app.run.kernel_table import KernelTable
from app.run.machine_text import device_tip, gpu_counters_note, load_rows
from app.run.profile_text import ProfileRow
from app.run.profile_timeline import calls_of
from app.state.services.context import AppContext
from app.state.services.saving import ask_target
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, label, scrolled
from app.views.literal_text import literal_tip
from app.views.plots.stage_bars import StageBars
from app.views.plots.timeline import Timeline
from engine.core.profiling import Profile, trace_of
from engine.data import Plain

NOTHING = tr(
    "During a run, this tab shows the duration of each stage, the speed, and the load on the "
    "computer."
)
EXPORT_TIP = tr("Save all of these values to a JSON file")
TRACE_TIP = tr("Save the timeline as a trace, which Chrome (chrome://tracing) and Perfetto display")
NAME, TRACE_NAME = "profile.json", "timeline.json"


class ProfileTab(QWidget):
    """Latest profile; empty before a run."""

    title = tr("Profile")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._session = context, context.session
        self._study, self._run = context.session.study, context.session.run
        self._shown: Profile | None = None
        self.headline = label("", "heading", wrap=True)
        self.meaning = label("", "caption", wrap=True)
        self.bars = StageBars()
        self.bars.setToolTip(literal_tip(words.TIME_TIP))
        self.timeline = Timeline()
        self.rates = ProfileTable(tr("Speed of each stage"))
        self.traffic = ProfileTable(tr("Memory bandwidth, achieved and possible"))
        self.kernels = KernelTable()
        self.machine = ProfileTable(tr("Machine"))
        self.note = label("", "caption", wrap=True)
        self.save = button(tr("Export profile …"), self._export_chosen, EXPORT_TIP)
        self.save_trace = button(tr("Export timeline …"), self._choose_trace, TRACE_TIP)
        self._lay_out()
        self._run.progress_changed.connect(self._show)
        context.theme.changed.connect(self._paint)
        self._paint()
        self._show_profile(None)

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        head = QVBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.headline)
        head.addWidget(self.meaning)
        column.addLayout(head)
        self.time_title = label(tr("Time"))
        time = QVBoxLayout()
        time.setSpacing(0)
        time.addWidget(self.time_title)
        time.addWidget(self.bars)
        column.addLayout(time)
        self.timeline_title = label(tr("Timeline of the newest calls"))
        line = QVBoxLayout()
        line.setSpacing(4)
        line.addWidget(self.timeline_title)
        line.addWidget(self.timeline)
        column.addLayout(line)
        for part in (self.rates, self.machine, self.note, self.traffic, self.kernels):
            column.addWidget(part)
        saving = QHBoxLayout()
        saving.addWidget(self.save)
        saving.addWidget(self.save_trace)
        column.addLayout(saving)
        column.addStretch(1)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(scrolled(inside))

    def _paint(self) -> None:
        colours = view_colours(self._context.theme)
        self.bars.set_colours(colours)
        self.timeline.set_colours(colours)

    def _show(self) -> None:
        profile = self._run.record.profile
        # Progress arrives more often than profiles.
        if profile is not self._shown:
            self._shown = profile
            self._show_profile(profile)

    def _show_profile(self, profile: Profile | None) -> None:
        known = profile is not None
        self.save.setEnabled(known)
        self.save.setToolTip(literal_tip(EXPORT_TIP if known else tr("There is no profile yet.")))
        self.save_trace.setEnabled(known)
        self.save_trace.setToolTip(
            literal_tip(TRACE_TIP if known else tr("There is no profile yet."))
        )
        self.time_title.setVisible(known)
        self.bars.setVisible(known)
        # Only list mode has a speed in events; CT counts pixels and voxel updates.
        traced = profile is not None and profile.events_per_s is not None
        self.headline.setText(words.headline(profile) if profile else tr("No profile yet"))
        self.headline.setToolTip(literal_tip(words.SPEED_TIP if traced else ""))
        self.meaning.setText(words.meaning(profile) if profile else NOTHING)
        self.meaning.setToolTip(literal_tip(device_tip(profile) if profile else ""))
        self.bars.set_stages(
            [(named(s.title), s.seconds) for s in profile.stages] if profile else []
        )
        calls = calls_of(profile) if profile else []
        self.timeline.set_calls(calls)
        for each in (self.timeline, self.timeline_title):
            each.setVisible(bool(calls))
        self.rates.show_rows(words.rates(profile) if profile else [])
        self.traffic.show_rows(words.traffic(profile) if profile else [])
        # Only runs on a GPU have compiled kernels with these figures.
        self.kernels.show_kernels(profile.kernels if profile else ())
        self.machine.show_rows(load_rows(profile) if profile else [])
        self.note.setText(gpu_counters_note(profile) if profile else "")
        self.note.setVisible(bool(self.note.text()))

    def _export_chosen(self) -> None:
        target = self._target(tr("Export profile"), NAME, tr("Profiles (*.json)"))
        if target is not None:
            self.export(target)

    def _choose_trace(self) -> None:
        target = self._target(tr("Export timeline"), TRACE_NAME, tr("Traces (*.json)"))
        if target is not None:
            self.export_trace(target)

    def _target(self, title: str, name: str, kinds: str) -> Path | None:
        """Ask for a JSON file; return None if the user cancels."""
        preferences = self._context.preferences
        folder = Path(preferences.folder_last_used or Path.home())
        target = ask_target(self, self._session, title, folder / name, kinds)
        if target is not None:
            preferences.folder_last_used = str(target.parent)
        return target

    def export(self, target: Path) -> None:
        """Write the displayed profile to a file in a thread.

        Parameters
        ----------
        target
            JSON file, written completely or not at all
        """
        if self._shown is not None:
            values = {"run": self._session.run.record.title, **self._shown.as_dict()}
            self._write(values, target, tr("Profile saved: {target}", target=target))

    def export_trace(self, target: Path) -> None:
        """Write the displayed timeline as a Chrome trace in a thread.

        Parameters
        ----------
        target
            JSON file, written completely or not at all
        """
        if self._shown is not None:
            values = trace_of(self._shown, self._session.run.record.title)
            self._write(values, target, tr("Timeline saved: {target}", target=target))

    def _write(self, values: Plain, target: Path, saved: str) -> None:
        from engine.io import to_json, write_atomically

        # Made here and not in the thread, because the profile changes while a run continues.
        text = to_json(values, indent=2) + "\n"
        self._context.commands.run_task(
            lambda _: write_atomically(text.encode(), target),
            lambda _: self._session.add_log("info", saved),
            busy=tr("Saving {name}", name=target.name),
            failed=tr("{name} was not saved.", name=target.name),
        )


class ProfileTable(QWidget):
    """Title with names and values in two columns; hidden without rows."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(label(title), 0, 0, 1, 2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.rows: list[ProfileRow] = []
        self._labels: list[tuple[QLabel, QLabel]] = []

    def show_rows(self, rows: list[ProfileRow]) -> None:
        """Replace all rows.

        Parameters
        ----------
        rows
            rows in order; empty hides the table
        """
        self.rows = rows
        # Labels are created once and reused: rows change several times per second during a run.
        while len(self._labels) < len(rows):
            name, value = label("", "caption"), label("", "number")
            at = len(self._labels) + 1
            self._grid.addWidget(name, at, 0)
            self._grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignRight)
            self._labels.append((name, value))
        for i, (name, value) in enumerate(self._labels):
            shown = i < len(rows)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(rows[i].name)
                value.setText(rows[i].value)
                name.setToolTip(literal_tip(rows[i].tip))
                value.setToolTip(literal_tip(rows[i].tip))
        self.setVisible(bool(rows))
