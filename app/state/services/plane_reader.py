"""Oblique slices of a stored CT scan, computed outside the window's thread.

The scan is prepared once per protocol. Each request first gives coarse slices if fine ones are
slow. Fine slices follow if no other request comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.language.translation import tr
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.slice_reader import ComputedSlices, SliceReader, SupersededError
from engine.geometry import Plane
from engine.modalities import CtProtocol, ProjectionsSummary

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.geometry import ImageGrid
    from engine.modalities import PlaneSlices

PREPARE_MS = 300
"""Delay between a change of the protocol and a new preparation of the scan [ms]."""
SETTLE_MS = 200
"""Delay between the last request and fine slices [ms]."""
NO_SPACE = tr(
    "The slices cannot be shown because there is not enough disk space for the projections."
)


@dataclass(frozen=True, eq=False)
class SliceSource:
    """A scan, a protocol, and the object that reconstructs slices with them."""

    scan: ProjectionsSummary
    protocol: CtProtocol
    slices: PlaneSlices


class PlaneReader(SliceReader):
    """Computes slices of the open scan while a view shows them and no run is active.

    Attributes
    ----------
    source : reconstructs slices; None before it exists, or if it failed
    """

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__(session, commands)
        self._study, self._run = session.study, session.run
        self.source: SliceSource | None = None
        self._failed: tuple[ProjectionsSummary, CtProtocol] | None = None
        self._grid: ImageGrid | None = None
        self._settle = QTimer(self, singleShot=True, interval=PREPARE_MS)
        self._settle.timeout.connect(self.refresh)
        self._rest = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._rest.timeout.connect(self.refresh)
        for signal in (
            session.study.inputs_changed,
            session.study.protocol_changed,
            session.run.state_changed,
        ):
            signal.connect(self._follow)

    @property
    def slices(self) -> PlaneSlices | None:
        return None if self.source is None else self.source.slices

    @property
    def is_of_view(self) -> bool:
        """True if the displayed volume is the run's image on the grid of these slices."""
        volume, slices = self.view.volume, self.slices
        is_here = volume is not None and slices is not None and volume.grid == slices.grid
        return is_here and self._session.volumes.shows_image

    @property
    def is_working(self) -> bool:
        return super().is_working and not self._has_failed

    def set_active(self, active: bool) -> None:
        if active:
            self._failed = None  # there may be enough disk space now
        super().set_active(active)

    def _follow(self) -> None:
        source, found = self.source, self._study.xray
        is_other = found is None or source is None or source.scan is not found[0]
        if self._run.state.is_active or (source is not None and is_other):
            self._free_memory()
        self._settle.start()

    def _free_memory(self) -> None:
        """Free the memory for a run or for another scan."""
        if self.source is not None or self.newest is not None:
            self.source = self.newest = None
            self.prepared.emit()

    @property
    def _has_failed(self) -> bool:
        found = self._study.xray
        return found is not None and self._failed == (found[0], found[1])

    def refresh(self) -> None:
        found = self._study.xray
        if not self._is_active or self._is_busy or found is None or self._run.state.is_active:
            return
        scan, protocol = found
        source = self.source
        if self._has_failed:
            return
        if source is None or source.scan is not scan or source.protocol != protocol:
            if not self._settle.isActive():
                self.source = None  # two of them may not fit in memory
                # Preparation filters all projections, so it waits until the user stops editing.
                self.begin(lambda: self._prepare_source(scan, protocol), self._use_source)
        elif self._planes and (self.newest is None or self.newest.planes != self._planes):
            # Coarse slices follow a drag; the timer starts fine ones only after the drag rests.
            self.begin(lambda: _coarse_slices(source, self._planes), self.store_slices)
            self._rest.start()
        elif self.newest is not None and not self.newest.is_fine and not self._rest.isActive():
            self.begin(lambda: self._fine_slices(source, self._planes), self.store_slices)

    def _prepare_source(self, scan: ProjectionsSummary, protocol: CtProtocol) -> SliceSource | str:
        from engine.core.backend import cpu
        from engine.modalities import PlaneSlices

        # The engine calls this between chunks; the exception ends obsolete work early.
        def check() -> None:
            found = self._study.xray
            is_other = found is None or found[0] is not scan or found[1] != protocol
            if is_other or self._run.state.is_active or not self._is_active:
                raise SupersededError

        if scan.radiographs is None:
            return NO_SPACE
        # On the CPU, so that the memory of the GPU stays free for runs.
        device = self._session.device.named("cpu")
        on = cpu(device.threads if device else None)
        made = PlaneSlices(scan.radiographs.scan, protocol, on=on, check=check)
        return SliceSource(scan, protocol, made)

    def _fine_slices(self, source: SliceSource, planes: tuple[Plane, ...]) -> ComputedSlices:
        def check() -> None:
            if self._planes != planes or not self._is_active or self._run.state.is_active:
                raise SupersededError

        return ComputedSlices(source.slices.values(planes, check), planes, is_fine=True)

    def _use_source(self, found: SliceSource | str | None) -> None:
        current = self._study.xray
        if isinstance(found, str):
            self.fail(found)
        elif self._run.state.is_active:
            return  # the run needs the memory
        elif found is not None and current is not None and found.scan is current[0]:
            self.source, self.newest, self.fault = found, None, ""
            # Planes of another grid may be outside this one.
            if self._grid != found.slices.grid:
                self._grid, self._planes = found.slices.grid, ()
            self.prepared.emit()

    def fail(self, text: str) -> None:
        found = self._study.xray
        # Remembered, so that the same scan and protocol are not tried again and again.
        self._failed = None if found is None else (found[0], found[1])
        self.source = None
        super().fail(text)


def _coarse_slices(source: SliceSource, planes: tuple[Plane, ...]) -> ComputedSlices:
    values, is_fine = source.slices.rough_values(planes)
    return ComputedSlices(values, planes, is_fine)
