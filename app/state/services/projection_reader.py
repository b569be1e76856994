"""Read the projection and sinogram for the views, outside the window's thread."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.views.scan.detector_state import DetectorFrame, DetectorState
from engine.core.errors import EngineError
from engine.core.settings import Settings
from engine.modalities import Part, ProjectionsSummary, RadiographStore

Steps = tuple[Settings, ...]
NO_SPACE = tr("There is not enough disk space for the projections; see the notes in the card Scan.")


@dataclass(frozen=True)
class ProjectionRequest:
    """The projection and sinogram to show; `steps` is empty for measured values."""

    view: int
    row: int
    steps: Steps


@dataclass(frozen=True)
class Found:
    """Data for a request; a part that is displayed already is None."""

    radiographs: RadiographStore
    request: ProjectionRequest
    projection: Part | None = None
    sinogram: Part | None = None
    fault: str = ""


class ProjectionReader(QObject):
    """Serves the newest request; older ones in between are dropped."""

    def __init__(self, session: Session, commands: Commands, state: DetectorState) -> None:
        super().__init__()
        self._session, self._commands, self._state = session, commands, state
        self._study = session.study
        self._scan: ProjectionsSummary | None = None
        self._shown: ProjectionRequest | None = None
        self._failed: ProjectionRequest | None = None
        self._active = self._prepared = self._busy = False
        state.place_changed.connect(self._read_slice)
        session.study.protocol_changed.connect(self._read_slice)
        session.study.inputs_changed.connect(self._follow_scan)

    def set_active(self, active: bool) -> None:
        """Start or stop reading.

        Parameters
        ----------
        active
            True while a view shows projections
        """
        self._active = active
        self._read_slice()

    def set_prepared(self, prepared: bool) -> None:
        """Choose the values to show.

        Parameters
        ----------
        prepared
            True for values after the preparation steps, False for measured values
        """
        self._prepared = prepared
        self._read_slice()

    def _follow_scan(self) -> None:
        found = self._study.xray
        scan = found.scan if found is not None else None
        # `inputs_changed` also comes for auxiliary files, which leave the projections as they are.
        if scan is self._scan:
            return
        self._scan, self._shown, self._failed = scan, None, None
        frame = None
        if scan is not None:
            empty_scan = scan.empty_scan
            frame = DetectorFrame.of(empty_scan.geometry, pixel_mm_known=empty_scan.pixel_mm_known)
        self._state.open(frame)
        if scan is not None and scan.radiographs is None:
            self._state.show_fault(NO_SPACE)

    def _read_slice(self) -> None:
        radiographs = self._scan.radiographs if self._scan else None
        if radiographs is None or not self._active or self._busy:
            return
        request, shown = self._request(), self._shown
        # A request that failed is not repeated until something changes.
        if request in (shown, self._failed):
            return
        self._busy = True
        self._commands.run_task(
            lambda _: _read(radiographs, request, shown),
            self._show,
            failed=tr("The projections cannot be shown."),
            on_failure=lambda text: self._show(Found(radiographs, request, fault=text)),
            on_end=self._finish_task,
        )

    def _request(self) -> ProjectionRequest:
        steps = self._study.steps() if self._prepared else ()
        return ProjectionRequest(self._state.view, self._state.row, steps)

    def _finish_task(self) -> None:
        self._busy = False
        self._read_slice()

    def _show(self, found: Found) -> None:
        # Another scan was opened while the thread was reading.
        if self._scan is None or found.radiographs is not self._scan.radiographs:
            return
        if found.fault:
            self._shown, self._failed = None, found.request
            self._state.show_fault(found.fault)
            return
        self._shown, self._failed = found.request, None
        if found.projection is not None:
            self._state.show_projection(found.request.view, found.projection)
        if found.sinogram is not None:
            self._state.show_sinogram(found.request.row, found.sinogram)


def _read(
    radiographs: RadiographStore, request: ProjectionRequest, shown: ProjectionRequest | None
) -> Found:
    same_steps = shown is not None and shown.steps == request.steps
    projection = sinogram = None
    try:
        # Each part is read only if it changed: a sinogram touches every projection of the file.
        if shown is None or not same_steps or shown.view != request.view:
            projection = radiographs.projection(request.view, request.steps)
        if shown is None or not same_steps or shown.row != request.row:
            sinogram = radiographs.sinogram(request.row, request.steps)
    except EngineError as e:
        return Found(radiographs, request, fault=str(e))
    return Found(radiographs, request, projection, sinogram)
