"""User actions on a study: open, choose, clear, save. `runner` reconstructs it."""

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
from app.state.models.scanner_inputs import InputOwner, RememberedInputs, owner_of
from app.state.models.session import Session
from app.state.services.opening import Opening
from app.state.services.opening_request import Request
from app.state.services.reading import StudyReader
from app.state.services.scan_regions import save_next_to
from app.state.services.tasks import Tasks
from app.state.services.threads import Task
from engine.core.errors import EngineError
from engine.data import Plain
from engine.geometry import Scanner
from engine.modalities import Study, version_text, write_study

if TYPE_CHECKING:  # the loader is not needed to open the window
    from engine.jobs import Loader


class Commands(Tasks):
    """Actions that change the session. Slow parts run in threads.

    Signals
    -------
    choose_requested : role that the user wants to choose a file for
    offered : a role and the file that the user dropped on it
    import_requested : a file or folder without a description of its data
    item_requested : a folder, and the scans and images in it to choose from
    protocols_changed : the saved protocols have changed
    making_requested : page on which the user wants to measure or create a file

    Parameters
    ----------
    session, preferences : state that is changed and stored
    loader : process that reads foreign files; by default an own one that ends with the window
    """

    choose_requested = Signal(str)
    offered = Signal(str, object)
    import_requested = Signal(object)
    item_requested = Signal(object, object)
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
        self.remembered = RememberedInputs(preferences.folder)
        self._opening = Opening(session, preferences, self.remembered, self, self.loader)
        self._opening.import_requested.connect(self.import_requested)
        self._opening.item_requested.connect(self.item_requested)
        session.study.library = lambda: preferences.library
        self.protocols_changed.connect(session.study.follow_library)
        if self.remembered.fault:
            session.add_log("warning", self.remembered.fault)

    def loader(self) -> Loader:
        """Return the process that reads foreign files. Worker threads call this."""
        # Two threads may ask at once, and a second process would never be closed.
        with self._making_loader:
            if self._loader is None:
                from engine.jobs import Loader

                self._loader = Loader()
            return self._loader

    def start_loader(self) -> None:
        """Start the reading process early, so that the first file does not wait for it."""

        def start(_: Task) -> None:
            # Its import takes as long as the start of the process.
            from engine.jobs import ForeignFiles  # noqa: F401

            self.loader().start()

        self.run_task(
            start,
            lambda _: None,
            failed=tr("The process that reads files could not be started."),
        )

    def wait(self) -> None:
        # Threads first: they may still read through the process.
        super().wait()
        if self._loader is not None and self._owns_loader:
            self._loader.close()

    # Inputs

    def builtin_scanners(self) -> dict[str, str]:
        """Return the built-in scanners: key -> name."""
        from engine.io import builtin_scanners

        return builtin_scanners()

    def choose(self, role: str) -> None:
        """Request a file dialog.

        Parameters
        ----------
        role
            input role to choose a file for
        """
        self.choose_requested.emit(role)

    def ask_to_make(self, page: str) -> None:
        """Request a page on which a file is created.

        Parameters
        ----------
        page
            key of the page
        """
        self.making_requested.emit(page)

    def offer(self, role: str, path: Path) -> None:
        """Request to open a file for a role, unless an unsaved image would be lost.

        Parameters
        ----------
        role
            input role; "" lets the file decide
        path
            the file
        """
        self.offered.emit(role, path)

    def clear(self, role: str) -> None:
        """Remove one input. Removing the scan clears the study.

        Parameters
        ----------
        role
            input role; without its chosen scanner a scan is read again
        """
        # A file that is still being read would otherwise open after the scan was cleared.
        if role == DATA:
            self._opening.cancel()
        has_scan = DATA in self._study.inputs
        # The events depend on the geometry, so the scan must be read again without the choice.
        if role == SCANNER and has_scan:
            name = self._study.inputs[DATA].name
            self._opening.add(Request(name, role, lambda r: r.scanner(None)))
        else:
            self._study.set_input(role, None)

    def set_input(self, role: str, value: str) -> None:
        """Choose an input for a role. It is read first, and refused if it does not fit.

        Parameters
        ----------
        role
            input role
        value
            path of the file, or name of a scanner
        """
        path = Path(value)
        self._opening.add(Request(path.name, role, lambda r: r.role(role, value), path=path))

    def open_path(self, path: Path, role: str = "") -> None:
        """Open a file.

        Parameters
        ----------
        path
            the file or folder
        role
            input role; "" lets the content decide
        """
        if role:
            self.set_input(role, str(path))
        else:
            work = partial(StudyReader.path, path=path)
            self._opening.add(Request(path.name, "", work, path=path))

    def open_study(
        self, study: Study, path: Path | None = None, done: Callable[[], object] | None = None
    ) -> None:
        """Open a complete study; if one of its files is refused, nothing changes.

        A warning is shown if its files are not those that it was saved with.

        Parameters
        ----------
        study
            the study
        path
            file of the study; None if it has none
        done
            called after the study has been opened
        """
        name = (path or study.data).name
        self._opening.add(Request(name, DATA, lambda reader: reader.study(study, path), done))

    def restore(self, study: Study, done: Callable[[], object]) -> None:
        """Open a study that never ran; it is refused if its files are not the same any more.

        Parameters
        ----------
        study
            the study, with the fingerprints of its files
        done
            called after the study has been opened
        """
        self._opening.add(
            Request(
                study.data.name,
                DATA,
                lambda reader: reader.study(study, may_differ=False),
                done,
                refused=tr("The changed settings of {title} were not restored.", title=study.title),
                safe=tr("The settings are still stored."),
            )
        )

    def open_result(self, study: Study, inputs: Plain) -> None:
        """Open the study of a result; it is refused if its files are others by now.

        Parameters
        ----------
        study
            study of the result
        inputs
            description of the files of its image by role
        """
        self._opening.add(
            Request(
                study.data.name,
                DATA,
                lambda reader: reader.result(study, inputs),
                refused=tr("The settings could not be applied."),
                safe=tr("The result is still stored."),
            )
        )

    def open_job(self, study: Study, folder: Path, done: Callable[[], object]) -> None:
        """Open the study of an interrupted job; it is refused if its files are others by now.

        Parameters
        ----------
        study
            study of the job
        folder
            folder of the job
        done
            called after the study has been opened
        """
        self._opening.add(
            Request(
                study.data.name,
                DATA,
                lambda reader: reader.job(study, folder),
                done,
                refused=tr("The job cannot be resumed."),
                safe=tr("The job is still stored."),
            )
        )

    @property
    def serial(self) -> int:
        """A number that increases whenever the user opens or clears something."""
        return self._opening.serial

    def stop_reading(self) -> None:
        """Stop work that can be stopped: reading of files, and the simulation of a demo."""
        self._opening.stop()

    def keep(self, role: str, remembered: bool) -> None:
        """Save an input for all scans of this scanner, or remove it from the saved ones.

        Parameters
        ----------
        role
            input role
        remembered
            True to save it
        """
        found = self._study.inputs.get(role)
        owner = owner_of(role, self._study.inputs.scan, self._study.scanner)
        if found is None or owner is None:
            return
        self._change_remembered(owner, role, found.name, found.value if remembered else "")

    def keep_measured(self, scanner: Scanner, role: str, path: Path) -> None:
        """Save a measured file for all scans of a scanner, whichever scan is open.

        Parameters
        ----------
        scanner
            the scanner that was measured
        role
            input role
        path
            the file
        """
        self._change_remembered(InputOwner.of_scanner(scanner), role, path.name, str(path))

    def _change_remembered(self, owner: InputOwner, role: str, name: str, value: str) -> None:
        """Save an input for its owner; an empty value removes it from the saved ones."""
        try:
            if value:
                self.remembered.keep(owner, role, value, date.today())
            else:
                self.remembered.drop(owner, role)
        except EngineError as e:
            text = tr("{name} cannot be saved for the scanner.", name=name)
            self._session.raise_problem(Problem(text, str(e)))
        self._study.inputs_changed.emit()

    def is_remembered(self, role: str) -> bool | None:
        """Return True if an input is saved for its scanner.

        Parameters
        ----------
        role
            input role

        Returns
        -------
        None if it cannot be saved for a scanner
        """
        found = self._study.inputs.get(role)
        owner = owner_of(role, self._study.inputs.scan, self._study.scanner)
        if found is None or owner is None:
            return None
        remembered = self.remembered.of(owner).get(role)
        return remembered is not None and remembered.value == found.value

    # Saving

    def save_study(self, path: Path) -> None:
        """Write the study, and next to it the regions of its scan.

        Parameters
        ----------
        path
            the new TOML file; a failure is shown to the user
        """

        def write() -> None:
            study = self._study.to_study()
            write_study(study, path)
            self._study.note_stored(study)
            self._session.opened_from = path
            save_next_to(self._session, path)

        self._guarded(path, write)
        # Remembered even after a failure of the regions: the study itself has been written.
        self._preferences.remember(path)

    def save_protocol(self, name: str) -> None:
        """Save the protocol as a new one, or as the next version of an own one.

        Parameters
        ----------
        name
            its name; a failure is shown to the user
        """
        try:
            saved = self._preferences.library.save(self._study.protocol, name)
        except EngineError as e:
            self._session.raise_problem(Problem(tr("{name!r} was not saved.", name=name), str(e)))
            return
        # The saved version is now the reference, so the protocol no longer counts as changed.
        self._study.use_protocol(saved)
        self.protocols_changed.emit()
        self._session.add_log(
            "info", tr("Protocol saved: {version_text}", version_text=version_text(saved))
        )

    def _guarded(self, path: Path, action: Callable[[], object]) -> None:
        try:
            action()
        except EngineError as e:
            self._session.raise_problem(
                Problem(tr("{name} cannot be saved.", name=path.name), str(e))
            )
