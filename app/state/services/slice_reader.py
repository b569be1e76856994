"""Slices of any orientation, made off the window's thread: what all that makes them has."""

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
    """What slices are made of: a scan, or an image."""

    @property
    def grid(self) -> ImageGrid:
        """Grid of the volume."""

    @property
    def unit(self) -> str:
        """Unit of the values."""

    @property
    def messages(self) -> tuple[str, ...]:
        """What they are made with, in plain words."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with them."""

    def first_planes(self) -> tuple[Plane, Plane, Plane]:
        """Return slices across z, y and x through the middle."""

    def provenance(self, data: Path, planes: Sequence[Plane]) -> Plain:
        """Return what slices are made of, as plain values."""


@dataclass(frozen=True, eq=False)
class MadeSlices:
    """Slices, and whether they are as fine as the volume."""

    values: list[NDArray[np.floating]]
    planes: tuple[Plane, ...]
    is_fine: bool


class UnwantedError(Exception):
    """Something else is wanted by now."""


class SliceReader(QObject):
    """Makes slices while someone looks.

    Signals
    -------
    prepared : there is another source of slices, or none
    made : there are other slices
    state_changed : it begins or ends to work, or has failed

    Attributes
    ----------
    view : what the volume on show is seen with, and the one over it
    slices : what makes slices; None before, or where it failed
    newest : slices; None before
    fault : why there are none, one sentence
    """

    image_forms = False
    """Whether what is shown changes while somebody looks, as an image that forms."""
    prepared = Signal()
    made = Signal()
    state_changed = Signal()

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__()
        self._session, self._commands = session, commands
        self.view = session.view
        self.newest: MadeSlices | None = None
        self.fault = ""
        self._planes: tuple[Plane, ...] = ()
        self._is_active = self._is_busy = False

    @property
    def slices(self) -> SliceMaker | None:
        """What makes slices; None before."""
        return None

    @property
    def is_of_view(self) -> bool:
        """Whether slices are of the volume on show."""
        return True

    @property
    def is_working(self) -> bool:
        """Whether slices that are wanted are still to come."""
        return self._is_busy

    @property
    def data(self) -> Path | None:
        """The file of the scan."""
        found = self._session.study.inputs.get(DATA)
        return None if found is None else Path(found.value)

    def set_active(self, active: bool) -> None:
        """Work only while somebody looks."""
        self._is_active = active
        self.look()

    def place(self, planes: tuple[Plane, ...]) -> None:
        """Want slices elsewhere."""
        self._planes = planes
        self.look()

    def look(self) -> None:
        """Begin what is to be done, if anything is."""

    def begin(self, work: Callable[[], object], done: Callable[..., object]) -> None:
        """Do work in a thread; `done` is called with what it returns, a sentence if it failed."""
        self._is_busy = True
        self.state_changed.emit()
        self._commands.run_task(
            lambda _: _answer(work),
            done,
            failed=tr("The slices could not be reconstructed."),
            on_failure=self.fail,
            on_end=self._ended,
        )

    def fail(self, text: str) -> None:
        """Say why there are no slices."""
        self.fault, self.newest = text, None
        self.prepared.emit()

    def took_slices(self, found: MadeSlices | str | None) -> None:
        """Take up what was made."""
        if isinstance(found, str):
            self.fail(found)
        elif found is not None and self.slices is not None:
            self.newest = found
            self.made.emit()

    def _ended(self) -> None:
        self._is_busy = False
        self.state_changed.emit()
        self.look()


def _answer(work: Callable[[], object]) -> object:
    """Return what was made, why it cannot be, or None where it is not wanted any more."""
    try:
        return work()
    except UnwantedError:
        return None
    except EngineError as e:
        return str(e)
