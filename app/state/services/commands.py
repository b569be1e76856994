"""What the user can do with a study: open, choose, clear, keep, save. `runner` reconstructs it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from app.language.translation import tr
from app.state.models.inputs import DATA, SCANNER
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.scanner_inputs import KeepingOwner, KeptInputs, owner_of
from app.state.models.session import Session
from app.state.services.opening import Opening
from app.state.services.opening_request import Request
from app.state.services.reading import StudyReader
from app.state.services.scan_regions import save_beside
from app.state.services.tasks import Tasks
from engine.core.errors import EngineError
from engine.geometry import Scanner
from engine.modalities import Study, version_words, write_study

if TYPE_CHECKING:  # the loader is not needed to open the window
    from engine.jobs import Loader


class Commands(Tasks):
    """Changes the session, slow parts in threads of their own.

    Signals
    -------
    choose_requested : the role that the user wants to choose a file for
    offered : a role and the file that the user dropped on it
    import_requested : a file or folder that does not describe itself
    item_requested : a folder, and the scans and images in it to choose from
    queue_requested : the scans, dropped with the open one, that the user adds to the queue
    protocols_changed : the saved protocols are others now
    making_requested : the page on which the user wants to measure or fill in a file

    Parameters
    ----------
    session, preferences
        what is changed, and what is remembered
    loader
        reads foreign files; one of its own by default, which ends with it
    """

    choose_requested = Signal(str)
    offered = Signal(str, object)
    import_requested = Signal(object)
    item_requested = Signal(object, object)
    queue_requested = Signal(object)
    protocols_changed = Signal()
    making_requested = Signal(str)

    def __init__(
        self, session: Session, preferences: Preferences, loader: Loader | None = None
    ) -> None:
        super().__init__(session)
        self._preferences = preferences
        self._study = session.study
        self._loader, self._owns_loader = loader, loader is None
        self._making_loader = Lock()
        self.kept = KeptInputs(preferences.folder)
        self._opening = Opening(session, preferences, self.kept, self, self.loader)
        self._opening.import_requested.connect(self.import_requested)
        self._opening.item_requested.connect(self.item_requested)
        self._opening.queue_requested.connect(self.queue_requested)
        session.study.library = lambda: preferences.library
        self.protocols_changed.connect(session.study.follow_library)
        if self.kept.fault:
            session.add_log("warning", self.kept.fault)

    def loader(self) -> Loader:
        """Return what reads foreign files; called in threads."""
        with self._making_loader:
            if self._loader is None:
                from engine.jobs import Loader

                self._loader = Loader()
            return self._loader

    def start_loader(self) -> None:
        """Start what reads foreign files, so that the first one need not wait for it."""
        self.run_task(
            lambda _: self.loader().start(), lambda _: None, failed=tr("No file is being read.")
        )

    def wait(self) -> None:
        super().wait()
        if self._loader is not None and self._owns_loader:
            self._loader.close()

    # inputs

    def builtin_scanners(self) -> dict[str, str]:
        """Return the scanners that come with the program: key -> name."""
        from engine.io import builtin_scanners

        return builtin_scanners()

    def choose(self, role: str) -> None:
        """Ask the window to let the user choose a file."""
        self.choose_requested.emit(role)

    def ask_to_make(self, page: str) -> None:
        """Ask the window for a page on which a file is made."""
        self.making_requested.emit(page)

    def offer(self, role: str, path: Path) -> None:
        """Ask the window to open a file for a role, unless an image would be lost."""
        self.offered.emit(role, path)

    def clear(self, role: str) -> None:
        """Take one input out of the study; without its scan nothing of it is left."""
        if role == DATA:
            self._opening.cancel()
        has_scan = DATA in self._study.inputs
        if role == SCANNER and has_scan:
            self._opening.add(Request(tr("scanner of the scan"), role, lambda r: r.scanner(None)))
        else:
            self._study.set_input(role, None)

    def set_input(self, role: str, value: str) -> None:
        """Choose a file, or a scanner by name, for a role: it is taken for that, or refused."""
        path = Path(value)
        self._opening.add(Request(path.name, role, lambda r: r.role(role, value), path=path))

    def open_path(self, path: Path, role: str = "", batch: tuple[Path, ...] = ()) -> None:
        """Open a file as what it is, or for a role; `batch`: all that were dropped with it."""
        if role:
            self.set_input(role, str(path))
        else:
            work = partial(StudyReader.path, path=path)
            self._opening.add(Request(path.name, "", work, path=path, batch=batch))

    def open_study(
        self, study: Study, path: Path | None = None, done: Callable[[], object] | None = None
    ) -> None:
        """Take over all of a study or nothing of it; then call `done`."""
        name = (path or study.data).name
        self._opening.add(Request(name, DATA, lambda reader: reader.study(study, path), done))

    @property
    def serial(self) -> int:
        """A number that is raised by everything the user opens or clears."""
        return self._opening.serial

    def stop_reading(self) -> None:
        """End what can be stopped: the reading of files, and the making of a demo."""
        self._opening.stop()

    def keep(self, role: str, kept: bool) -> None:
        """Keep an input for every scan of this scanner, or not any longer."""
        found = self._study.inputs.get(role)
        owner = owner_of(role, self._study.inputs.scan, self._study.scanner)
        if found is None or owner is None:
            return
        try:
            if kept:
                self.kept.keep(owner, role, found.value, date.today())
            else:
                self.kept.drop(owner, role)
        except EngineError as e:
            self._session.raise_problem(
                Problem(tr("{name} cannot be saved for the scanner.", name=found.name), str(e))
            )
        self._study.inputs_changed.emit()

    def keep_measured(self, scanner: Scanner, role: str, path: Path) -> None:
        """Keep a file that was measured for every scan of a scanner, whatever scan is open."""
        try:
            owner = KeepingOwner.of_scanner(scanner)
            self.kept.keep(owner, role, str(path), date.today())
        except EngineError as e:
            self._session.raise_problem(
                Problem(tr("{name} cannot be saved for the scanner.", name=path.name), str(e))
            )
        self._study.inputs_changed.emit()

    def is_kept(self, role: str) -> bool | None:
        """Whether an input of the study is kept for its scanner; None where it cannot be."""
        found = self._study.inputs.get(role)
        owner = owner_of(role, self._study.inputs.scan, self._study.scanner)
        if found is None or owner is None:
            return None
        kept = self.kept.of(owner).get(role)
        return kept is not None and kept.value == found.value

    # saving

    def save_study(self, path: Path) -> None:
        """Write the study with its protocol, and beside it the regions of its scan."""

        def write() -> None:
            write_study(self._study.to_study(), path)
            self._session.opened_from = path
            save_beside(self._session, path)

        self._guarded(path, write)
        self._preferences.remember(path)

    def save_protocol(self, name: str) -> None:
        """Save the protocol under a name: a new one, or the next version of one's own."""
        try:
            saved = self._preferences.library.save(self._study.protocol, name)
        except EngineError as e:
            self._session.raise_problem(Problem(tr("{name!r} was not saved.", name=name), str(e)))
            return
        self._study.use_protocol(saved)
        self.protocols_changed.emit()
        self._session.add_log(
            "info", tr("Protocol saved: {version_words}", version_words=version_words(saved))
        )

    def _guarded(self, path: Path, action: Callable[[], object]) -> None:
        try:
            action()
        except EngineError as e:
            self._session.raise_problem(
                Problem(tr("{name} cannot be saved.", name=path.name), str(e))
            )
