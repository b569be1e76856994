"""Oblique slices, computed outside the window's thread: the common part of their readers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.session import Session
from app.state.services.commands import Commands
from engine.core.errors import EngineError
from engine.geometry import Plane

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    import numpy as np
    from numpy.typing import NDArray

    from engine.data import Plain
    from engine.geometry import ImageGrid


class SliceMaker(Protocol):
    """Source of slices: a scan or an image."""

    @property
    def grid(self) -> ImageGrid:
        """Grid of the volume."""

    @property
    def unit(self) -> str:
        """Unit of the values."""

    @property
    def messages(self) -> tuple[str, ...]:
        """Methods and settings of the slices, for the user."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Problems of the slices."""

    def first_planes(self) -> tuple[Plane, Plane, Plane]:
        """Return the central slices across z, y and x."""

    def provenance(self, data: Path, planes: Sequence[Plane]) -> Plain:
        """Return the origin of slices as JSON values.

        Parameters
        ----------
        data
            file of the scan
        planes
            positions of the slices
        """


@dataclass(frozen=True, eq=False)
class ComputedSlices:
    """Slices, and True if they are as fine as the volume."""

    values: list[NDArray[np.floating]]
    planes: tuple[Plane, ...]
    is_fine: bool


class SupersededError(Exception):
    """The result is no longer needed."""


class SliceReader(QObject):
    """Computes slices while a view shows them.

    Signals
    -------
    prepared : another source of slices, or none
    made : new slices
    state_changed : work has started, ended or failed

    Attributes
    ----------
    view : display settings of the volume and its overlay
    slices : source of slices; None before it exists, or if it failed
    newest : the latest slices; None before
    fault : reason why there are none, one sentence
    """

    image_forms = False
    """True if the source changes on its own, like the image of a running reconstruction."""
    prepared = Signal()
    made = Signal()
    state_changed = Signal()

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__()
        self._session, self._commands = session, commands
        self.view = session.view
        self.newest: ComputedSlices | None = None
        self.fault = ""
        self._planes: tuple[Plane, ...] = ()
        self._is_active = self._is_busy = False

    @property
    def slices(self) -> SliceMaker | None:
        """Source of slices; None before it exists."""
        return None

    @property
    def is_of_view(self) -> bool:
        """True if the slices belong to the displayed volume."""
        return True

    @property
    def is_working(self) -> bool:
        """True while requested slices are missing."""
        return self._is_busy

    @property
    def data(self) -> Path | None:
        """File of the scan."""
        found = self._session.study.inputs.get(DATA)
        return None if found is None else Path(found.value)

    def set_active(self, active: bool) -> None:
        """Start or stop the work.

        Parameters
        ----------
        active
            True while a view shows slices
        """
        # Slices cost seconds of CPU time, so nothing is computed for a hidden page.
        self._is_active = active
        self.refresh()

    def place(self, planes: tuple[Plane, ...]) -> None:
        """Request slices at other positions.

        Parameters
        ----------
        planes
            their positions
        """
        self._planes = planes
        self.refresh()

    def refresh(self) -> None:
        """Start the next piece of work, if there is one."""

    def begin(self, work: Callable[[], object], done: Callable[..., object]) -> None:
        """Run a function in a thread.

        Parameters
        ----------
        work
            the function; `SupersededError` ends it silently
        done
            called with its result, with a sentence if it failed, or with None if it is obsolete
        """
        # One thread at a time: two would compete for the cores and the memory of one scan.
        self._is_busy = True
        self.state_changed.emit()
        self._commands.run_task(
            lambda _: _result_or_fault(work),
            done,
            failed=tr("The slices could not be reconstructed."),
            on_failure=self.fail,
            on_end=self._finish_task,
        )

    def fail(self, text: str) -> None:
        """Store why there are no slices.

        Parameters
        ----------
        text
            sentence for the user
        """
        # Old slices would look as if they belonged to the new settings.
        self.fault, self.newest = text, None
        self.prepared.emit()

    def store_slices(self, found: ComputedSlices | str | None) -> None:
        """Store the result of a thread.

        Parameters
        ----------
        found
            slices; a sentence if they failed; None if they are obsolete
        """
        if isinstance(found, str):
            self.fail(found)
        # The source may be gone by now, because a run needs the memory or another scan is open.
        elif found is not None and self.slices is not None:
            self.newest = found
            self.made.emit()

    def _finish_task(self) -> None:
        self._is_busy = False
        self.state_changed.emit()
        # A request may have arrived while the thread was busy.
        self.refresh()


def _result_or_fault(work: Callable[[], object]) -> object:
    """Return the result, an error as text, or None if it is obsolete."""
    try:
        return work()
    except SupersededError:
        return None
    except EngineError as e:
        return str(e)
