"""What the user can do with a study: open, choose, clear, save. `runner` reconstructs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.control.reading import read_input
from app.control.threads import Task
from app.models.inputs import DATA, SCANNER, Input
from app.models.messages import Problem
from app.models.named_protocols import user_protocol_path
from app.models.preferences import Preferences
from app.models.session import Session
from engine.data import Volume
from engine.errors import EngineError
from engine.geometry import Scanner
from engine.modalities import (
    Recognised,
    Study,
    all_roles,
    modality_of,
    purpose_of,
    read_protocol,
    read_study,
    write_protocol,
    write_study,
)


@dataclass(frozen=True, eq=False)
class Read:
    """One reading of an input: the file or name, and the scanner it was read for."""

    value: str
    scanner: str | None
    geometry: Scanner | None


class Commands(QObject):
    """Changes the session, slow parts in threads of their own."""

    choose_requested = Signal(str)
    busy_changed = Signal(str)

    def __init__(self, session: Session, preferences: Preferences) -> None:
        super().__init__()
        self._session, self._preferences = session, preferences
        self._study, self._run = session.study, session.run
        self._tasks: list[Task] = []
        self._reads: dict[str, Read] = {}
        self._is_shut = False

    # threads

    def run_task(
        self,
        work: Callable[[Task], Any],
        done: Callable[[Any], object],
        *,
        busy: str = "",
        failed: str = "",
        on_progress: Callable[[int, int], object] | None = None,
        on_failure: Callable[[str], object] | None = None,
        on_end: Callable[[], object] | None = None,
    ) -> None:
        """Call `work` in a thread, then `done` with its result here.

        `busy` says meanwhile what is going on; `failed` is the title if it raises. `on_progress`,
        `on_failure` and `on_end`, which comes last and always, are called here too. No task is
        returned: whoever connects to a thread that runs already may come after its last signal.
        """
        if self._is_shut:
            return
        task = Task(work, self)
        self._tasks.append(task)
        task.done.connect(done)
        task.failed.connect(lambda text: self._session.raise_problem(Problem(failed, text)))
        if on_progress:
            task.progressed.connect(on_progress)
        if on_failure:
            task.failed.connect(on_failure)
        task.finished.connect(lambda: self._forget(task))
        if on_end:
            task.finished.connect(on_end)
        if busy:
            self.busy_changed.emit(busy)
        task.start()

    @property
    def is_busy(self) -> bool:
        """Whether a thread is at work."""
        return bool(self._tasks)

    def wait(self) -> None:
        """Ask all threads to end, wait for them and start no more; before the window closes."""
        self._is_shut = True
        for task in self._tasks:
            task.requestInterruption()
        for task in self._tasks:
            task.wait()

    def _forget(self, task: Task) -> None:
        self._tasks.remove(task)
        task.deleteLater()
        if not self._tasks:
            self.busy_changed.emit("")

    # inputs

    def builtin_scanners(self) -> dict[str, str]:
        """Return the scanners that come with the program: key -> name."""
        from engine.io import builtin_scanners

        return builtin_scanners()

    def choose(self, role: str) -> None:
        """Ask the window to let the user choose a file."""
        self.choose_requested.emit(role)

    def clear(self, role: str) -> None:
        """Take one input out of the study."""
        self._reads.pop(role, None)
        self._study.set_input(role, None)
        if role == SCANNER:
            self._read_again(DATA, *self._auxiliary)

    def set_input(self, role: str, value: str) -> None:
        """Choose a file, or a scanner by name, and read it."""
        if self._run.state.is_active:
            self._refuse_while_running()
            return
        if role not in self._study.roles:
            self._refuse_foreign(role, value)
            return
        self._study.await_input(role, value)
        inputs = self._study.inputs
        if role not in (DATA, SCANNER) and DATA in inputs.pending:
            return  # read once the scan has told its scanner
        read = self._reads[role] = Read(value, self._scanner_value(), inputs.scanner)
        self.run_task(
            lambda _: read_input(role, read.value, read.scanner, read.geometry),
            lambda found: self._took(role, read, found),
            busy=f"Reading {Path(value).name}",
        )

    def _refuse_foreign(self, role: str, value: str) -> None:
        title = self._study.modality.title
        text = f"The study is of {title}, to which no {name_of(role)} belongs."
        if DATA not in self._study.inputs:
            text = f"No scan is open; open the scan that this {name_of(role)} belongs to first."
        self._session.raise_problem(Problem(f"{Path(value).name} cannot be used.", text))

    @property
    def _auxiliary(self) -> tuple[str, ...]:
        """Inputs that are read for a scanner."""
        return tuple(role.key for role in self._study.modality.inputs)

    def _scanner_value(self) -> str | None:
        chosen = self._study.inputs.get(SCANNER)
        return chosen.value if chosen else None

    def _took(self, role: str, read: Read, found: Input) -> None:
        study = self._study
        if self._reads.get(role) is not read:
            return  # meanwhile another one was chosen
        del self._reads[role]
        if found.fault:
            self._refuse(role, found)
            return
        study.set_input(role, found)
        if role == SCANNER:
            self._read_again(DATA, *self._auxiliary)
        elif role == DATA:
            self._preferences.remember(Path(found.value))
            self._read_again(*self._auxiliary)

    def _refuse(self, role: str, found: Input) -> None:
        """Tell the fault; what was there before stays."""
        before = self._study.inputs.get(role)
        stays = before is not None and before.value != found.value
        self._study.set_input(role, before if stays else found)
        safe = f"{before.name} stays open." if stays and before else ""
        self._session.raise_problem(Problem(f"{found.name} cannot be used.", found.fault, safe))

    def _read_again(self, *roles: str) -> None:
        for role in roles:
            found, read = self._study.inputs.get(role), self._reads.get(role)
            is_current = read is not None and read.scanner == self._scanner_value()
            if found is not None and not (role == DATA and is_current):
                self.set_input(role, found.value)

    # opening

    def open_path(self, path: Path) -> None:
        """Open any file: scan, study, protocol, scanner, μ-map, efficiencies or volume."""
        if self._run.state.is_active:
            self._refuse_while_running()
            return
        self.run_task(
            lambda _: purpose_of(path),
            lambda found: self._open_as(found, path),
            busy=f"Looking at {path.name}",
            failed=f"{path.name} cannot be opened.",
        )

    def _open_as(self, found: Recognised, path: Path) -> None:
        match found.purpose:
            case "scan":
                self.set_input(DATA, str(path))
            case "scanner":
                self.set_input(SCANNER, str(path))
            case "input" if found.role is not None:
                self.set_input(found.role.key, str(path))
            case "volume":
                self._open_volume(path)
            case "study":
                self._guarded(path, lambda: self.open_study(read_study(path), path))
            case _:
                self._guarded(path, lambda: self._study.use_protocol(read_protocol(path)))

    def open_study(self, study: Study, path: Path | None = None) -> None:
        """Take over all of a study."""
        self._reads.clear()
        self._study.clear_inputs()
        self._study.use_protocol(study.protocol)
        if path is not None:
            self._preferences.remember(path)
        given = {SCANNER: study.scanner, DATA: study.data, **study.inputs}  # the scanner first
        for role, value in given.items():
            if value is not None:
                self.set_input(role, str(value))

    def _open_volume(self, path: Path) -> None:
        from engine.io import read_volume

        self.run_task(
            lambda _: read_volume(path),
            lambda volume: self._took_volume(volume, path),
            busy=f"Reading {path.name}",
            failed=f"{path.name} cannot be opened.",
        )

    def _took_volume(self, volume: Volume, path: Path) -> None:
        roles = self._study.modality.inputs if DATA in self._study.inputs else ()
        role = next((role for role in roles if role.takes_volume(volume)), None)
        if role is not None:
            self.set_input(role.key, str(path))
        else:
            from engine.privacy import pseudonym_of

            alias = path.name if self._preferences.identify else pseudonym_of(path, "volume")
            self._session.show_file(volume, path.name, alias)

    def _guarded(self, path: Path, action: Callable[[], object]) -> None:
        try:
            action()
        except EngineError as e:
            self._session.raise_problem(Problem(f"{path.name} cannot be opened.", str(e)))

    def _refuse_while_running(self) -> None:
        self._session.add_log(
            "warning", "A reconstruction is running; finish or abort it before changing the study."
        )

    # saving

    def save_study(self, path: Path) -> None:
        """Write the study with its protocol."""
        self._guarded(path, lambda: write_study(self._study.to_study(), path))
        self._preferences.remember(path)

    def save_protocol(self, name: str) -> None:
        """Write the protocol under a name into the user's own protocols."""
        protocol = self._study.protocol
        path = user_protocol_path(self._preferences.folder, name, modality_of(protocol))

        def write() -> None:
            named = type(protocol).model_validate(protocol.model_dump() | {"name": name})
            write_protocol(named, path)
            self._study.use_protocol(named)
            self._session.add_log("info", f"Protocol saved: {path}")

        self._guarded(path, write)


def name_of(role: str) -> str:
    """Return what an input is called within a sentence."""
    titles = {each.key: each.title for each in all_roles()}
    title = titles.get(role, role)
    return f"{title[:1].lower()}{title[1:]}"
