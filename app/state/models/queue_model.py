"""The queue on disk, as the window read it last."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.images.image_names import names_of_entries
from engine.jobs import QueueEntry, QueueSettings
from engine.results import Result

COUNTED = {
    "running": tr("{n} running"),
    "asking": tr("{n} with a question"),
    "waiting": tr("{n} waiting"),
    "paused": tr("{n} paused"),
    "finished": tr("{n} finished"),
    "failed": tr("{n} failed"),
}
"""Number of studies in each state, in the order of the line about the queue."""


class QueueModel(QObject):
    """Studies in their order, and the settings of the queue.

    Signals
    -------
    changed : any part of the queue
    ended : a study that has finished or failed since the last update

    Attributes
    ----------
    entries : empty until the queue has been read
    names : short name of each study by ID; names within one scan differ
    folders : folder of each study by ID, if another scan has the same file name
    settings : whether the queue is active, and the number of parallel studies
    runs : True if a process is working on it
    fault : reason why it could not be read; empty if it could
    """

    changed = Signal()
    ended = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[QueueEntry, ...] = ()
        self.names: dict[str, str] = {}
        self.folders: dict[str, str] = {}
        self._results: tuple[Result, ...] = ()
        self.settings = QueueSettings()
        self.runs = False
        self.fault = ""

    def take(self, entries: tuple[QueueEntry, ...], settings: QueueSettings, *, runs: bool) -> None:
        """Update the model with the queue on disk.

        Parameters
        ----------
        entries
            studies in their order
        settings
            settings of the queue
        runs
            True if a process is working on it
        """
        # Another window or `isocenter queue` may have changed the files since the last poll.
        before = {entry.id: entry.state for entry in self.entries}
        is_new = (entries, settings, runs, "") != (
            self.entries, self.settings, self.runs, self.fault,
        )  # fmt: skip
        self.entries, self.settings, self.runs, self.fault = entries, settings, runs, ""
        if is_new:
            # Naming parses the studies, which is too slow for every poll.
            self.names = names_of_entries(entries, self._results)
            self.folders = folders_of_entries(entries)
        for entry in entries:
            was = before.get(entry.id)
            if was is not None and was != entry.state and entry.state in ("finished", "failed"):
                self.ended.emit(entry)
        if is_new:
            self.changed.emit()

    def take_results(self, results: tuple[Result, ...]) -> None:
        """Rename studies that have an image now.

        Parameters
        ----------
        results
            all results on disk
        """
        self._results = results
        names = names_of_entries(self.entries, results)
        if names != self.names:
            self.names = names
            self.changed.emit()

    def refuse(self, fault: str) -> None:
        """Store the reason why the queue could not be read.

        Parameters
        ----------
        fault
            sentence for the user
        """
        if fault != self.fault:
            self.fault = fault
            self.changed.emit()

    def words(self, id: str) -> tuple[str, str]:
        """Return the short name and the folder of a study; empty if it has none.

        Parameters
        ----------
        id
            ID of its entry
        """
        return self.names.get(id, ""), self.folders.get(id, "")

    @property
    def may_change(self) -> bool:
        """True if the queue can change without an action in this window."""
        return self.settings.runs or any(entry.state == "running" for entry in self.entries)

    def describe(self) -> str:
        """Return the number of studies in each state, in one line; empty for an empty queue."""
        states = [state_of(entry) for entry in self.entries]
        counted = ((states.count(state), words) for state, words in COUNTED.items())
        return ", ".join(words.format(n=n) for n, words in counted if n)


def state_of(entry: QueueEntry) -> str:
    """Return the state of a queued study.

    Parameters
    ----------
    entry
        its entry; "waiting" if its process died, because the next one resumes it
    """
    return "waiting" if entry.is_abandoned else entry.state


def folders_of_entries(entries: tuple[QueueEntry, ...]) -> dict[str, str]:
    """Return the folders that distinguish scans with the same file name.

    Parameters
    ----------
    entries
        entries of the queue

    Returns
    -------
    name of the folder by the ID of the entry
    """
    paths = {entry.id: entry.files[0] for entry in entries if entry.files}
    places: dict[str, set[Path]] = {}
    for path in paths.values():
        places.setdefault(path.name, set()).add(path)
    return {id: path.parent.name for id, path in paths.items() if len(places[path.name]) > 1}


def same_question(entry: QueueEntry, other: QueueEntry) -> bool:
    """Return True if two scans wait with the same question.

    Parameters
    ----------
    entry, other
        entries of the queue
    """
    one, two = entry.open_question, other.open_question
    if one is None or two is None or one.kind != two.kind:
        return False
    if one.kind == "scanner" and one.format:
        return one.format == two.format
    # Sentences begin with the name of the file, which differs between equal questions.
    texts = [q.text.replace(e.files[0].name, "") for e, q in ((entry, one), (other, two))]
    return texts[0] == texts[1]
