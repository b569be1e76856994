"""What the user can do with a study: open, choose, clear, save. Running is in `app.runner`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.inputs import Input, Role
from app.job import Task
from app.messages import Problem
from app.opening import Purpose, is_attenuation, purpose_of
from app.preferences import Preferences
from app.protocols import user_protocol_path
from app.reading import read_input
from app.session import Session
from engine.data.volume import Volume
from engine.errors import EngineError
from engine.protocol import Protocol, read_protocol
from engine.study import Study, read_study, write_study

ORDER: tuple[Role, ...] = ("scanner", "data", "attenuation", "normalisation")
NEEDS_SCANNER: tuple[Role, ...] = ("attenuation", "normalisation")


class Commands(QObject):
    """Changes the session, slow parts in threads of their own."""

    choose_requested = Signal(str)
    busy_changed = Signal(str)

    def __init__(self, session: Session, preferences: Preferences) -> None:
        super().__init__()
        self._session, self._preferences = session, preferences
        self._tasks: list[Task] = []

    # threads

    def run_task(
        self,
        work: Callable[[Task], Any],
        done: Callable[[Any], object],
        *,
        busy: str = "",
        failed: str = "",
    ) -> Task:
        """Call `work` in a thread, then `done` with its result here.

        `busy` says meanwhile what is going on; `failed` is the title if it raises.
        """
        task = Task(work, self)
        self._tasks.append(task)
        task.done.connect(done)
        task.failed.connect(lambda text: self._session.raise_problem(Problem(failed, text)))
        task.finished.connect(lambda: self._forget(task))
        if busy:
            self.busy_changed.emit(busy)
        task.start()
        return task

    @property
    def is_busy(self) -> bool:
        """Whether a thread is at work."""
        return bool(self._tasks)

    def wait(self) -> None:
        """Wait for all threads; before the window closes."""
        for task in list(self._tasks):
            task.wait()

    def _forget(self, task: Task) -> None:
        self._tasks.remove(task)
        task.deleteLater()
        if not self._tasks:
            self.busy_changed.emit("")

    # inputs

    def builtin_scanners(self) -> dict[str, str]:
        """Return the scanners that come with the program: key -> name."""
        from engine.io.scanners import builtin_scanners

        return builtin_scanners()

    def choose(self, role: str) -> None:
        """Ask the window to let the user choose a file."""
        self.choose_requested.emit(role)

    def clear(self, role: Role) -> None:
        """Take one input out of the study."""
        self._session.set_input(role, None)
        if role == "scanner":
            self._read_again("data", *NEEDS_SCANNER)

    def set_input(self, role: Role, value: str) -> None:
        """Choose a file, or a scanner by name, and read it."""
        if self._session.state.is_active:
            self._refuse_while_running()
            return
        self._session.set_input(role, Input(value))
        data = self._session.inputs.get("data")
        if role in NEEDS_SCANNER and data is not None and data.is_reading:
            return  # read once the scan has told its scanner
        chosen = self._session.inputs.get("scanner")
        scanner = chosen.value if chosen else None
        geometry = self._session.scanner

        def read(_: Task) -> Input:
            return read_input(role, value, scanner, geometry)

        name = Path(value).name
        self.run_task(read, lambda found: self._took(role, found), busy=f"Reading {name}")

    def _took(self, role: Role, found: Input) -> None:
        current = self._session.inputs.get(role)
        if current is None or current.value != found.value:
            return  # meanwhile another one was chosen
        self._session.set_input(role, found)
        if found.fault:
            self._session.raise_problem(
                Problem(f"{found.name} cannot be used.", found.fault, "Nothing else has changed.")
            )
        elif role == "scanner":
            self._read_again("data", *NEEDS_SCANNER)
        elif role == "data":
            self._preferences.remember(Path(found.value))
            self._read_again(*NEEDS_SCANNER)

    def _read_again(self, *roles: Role) -> None:
        for role in roles:
            found = self._session.inputs.get(role)
            if found is not None and (role != "data" or not found.is_reading):
                self.set_input(role, found.value)

    # opening

    def open_path(self, path: Path) -> None:
        """Open any file: scan, study, protocol, scanner, μ-map, efficiencies or volume."""
        if self._session.state.is_active:
            self._refuse_while_running()
            return
        self.run_task(
            lambda _: purpose_of(path),
            lambda purpose: self._open_as(purpose, path),
            busy=f"Looking at {path.name}",
            failed=f"{path.name} cannot be opened.",
        )

    def _open_as(self, purpose: Purpose, path: Path) -> None:
        if purpose in ORDER:
            self.set_input(purpose, str(path))
        elif purpose == "volume":
            self._open_volume(path)
        elif purpose == "study":
            self._guarded(path, lambda: self.open_study(read_study(path), path))
        else:
            self._guarded(path, lambda: self._session.use_protocol(read_protocol(path)))

    def open_study(self, study: Study, path: Path | None = None) -> None:
        """Take over all of a study."""
        self._session.clear_inputs()
        self._session.use_protocol(study.protocol)
        if path is not None:
            self._preferences.remember(path)
        for role in ORDER:
            value = getattr(study, role)
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
        peak = float(volume.values.max(initial=0.0))
        if is_attenuation(volume.unit, peak) and "data" in self._session.inputs:
            self.set_input("attenuation", str(path))
        else:
            self._session.show_file(volume, path.name)

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
        self._guarded(path, lambda: write_study(self._session.study(), path))
        self._preferences.remember(path)

    def save_protocol(self, name: str) -> None:
        """Write the protocol under a name into the user's own protocols."""
        from engine.io.publish import publish
        from engine.settings import to_toml

        path = user_protocol_path(self._preferences.folder, name)

        def write() -> None:
            named = Protocol.model_validate(self._session.protocol.model_dump() | {"name": name})
            path.parent.mkdir(parents=True, exist_ok=True)
            publish(to_toml(named).encode(), path)
            self._session.use_protocol(named)
            self._session.add_log("info", f"Protocol saved: {path}")

        self._guarded(path, write)
