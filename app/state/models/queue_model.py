"""The queue on disk, as the window last saw it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.state.models.images.image_names import names_of_entries
from engine.jobs import QueueEntry, QueueSettings
from engine.results import Result


class QueueModel(QObject):
    """Studies in their order, and how they are worked through.

    Attributes
    ----------
    entries : none before they were looked for
    names : short name of each study by its id; those of one scan differ
    settings : whether the queue runs, and how many studies at a time
    runs : whether a process works through it now
    fault : why it could not be read, empty if it could

    Signals
    -------
    changed : something of it is not as it was
    ended : a study that has finished or failed since the last look
    """

    changed = Signal()
    ended = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[QueueEntry, ...] = ()
        self.names: dict[str, str] = {}
        self._results: tuple[Result, ...] = ()
        self.settings = QueueSettings()
        self.runs = False
        self.fault = ""

    def take(self, entries: tuple[QueueEntry, ...], settings: QueueSettings, *, runs: bool) -> None:
        """Take over what was found."""
        before = {entry.id: entry.state for entry in self.entries}
        is_new = (entries, settings, runs, "") != (
            self.entries, self.settings, self.runs, self.fault,
        )  # fmt: skip
        self.entries, self.settings, self.runs, self.fault = entries, settings, runs, ""
        if is_new:
            self.names = names_of_entries(entries, self._results)
        for entry in entries:
            was = before.get(entry.id)
            if was is not None and was != entry.state and entry.state in ("finished", "failed"):
                self.ended.emit(entry)
        if is_new:
            self.changed.emit()

    def take_results(self, results: tuple[Result, ...]) -> None:
        """Name studies that have an image after that."""
        self._results = results
        names = names_of_entries(self.entries, results)
        if names != self.names:
            self.names = names
            self.changed.emit()

    def refuse(self, fault: str) -> None:
        """Note why the queue could not be read."""
        if fault != self.fault:
            self.fault = fault
            self.changed.emit()

    @property
    def may_change(self) -> bool:
        """Whether something may happen in it that the window does not do."""
        return self.settings.runs or any(entry.state == "running" for entry in self.entries)

    def describe(self) -> str:
        """Return how many studies stand how, in one line; empty for an empty queue."""
        order = ("running", "waiting", "paused", "finished", "failed")
        states = [state_of(entry) for entry in self.entries]
        return ", ".join(f"{states.count(s)} {s}" for s in order if s in states)


def state_of(entry: QueueEntry) -> str:
    """Return how a study stands; one whose process died waits for the next."""
    return "waiting" if entry.is_abandoned else entry.state
