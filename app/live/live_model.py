"""The model of a running X-ray scan: slices, axis, roll and filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.live.following_model import FollowingModel
from app.live.live_request import LiveRequest, begin, live_settings
from app.state.services.context import AppContext
from app.ui.theme.formatting import sentence_case
from engine.core.errors import EngineError
from engine.geometry import Plane

if TYPE_CHECKING:
    from engine.core.settings import Settings
    from engine.data import Plain
    from engine.jobs import Loader
    from engine.live import LiveImages, LiveSession, LiveUpdate
    from engine.modalities import CtProtocol, Study


class LiveModel(FollowingModel["LiveRequest", "LiveSession", "LiveUpdate"]):
    """Model of a running X-ray scan."""

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(context, parent)
        self._begun = self.protocol(), datetime.now(UTC)

    @property
    def can_place(self) -> bool:
        """True if slices can be moved. This includes scans from a source that has ended."""
        return self._session is not None and self._timer.isActive()

    @property
    def has_scan(self) -> bool:
        request, update = self.request, self.update
        # In a sliding window old views are dropped, so there is no complete scan to save.
        is_growing = request is not None and request.mode == "growing"
        return is_growing and update is not None and update.images is not None

    def n_received(self, update: LiveUpdate) -> int:
        # The first images count as well, so that they also end the wait.
        return update.statistics.frames + (update.images is not None)

    def waiting_for(self, update: LiveUpdate) -> str:
        """Return the reason for waiting as a sentence."""
        if not update.state:
            return ""
        whole = f"{update.state.rstrip('.')}."
        return (
            sentence_case(whole)
            if update.state.startswith("wait")
            else tr("Waiting: {whole}", whole=whole)
        )

    def opener(self, request: LiveRequest) -> Callable[[Loader], LiveSession]:
        protocol = self.protocol()
        self._begun = protocol, datetime.now(UTC)
        return lambda loader: begin(request, protocol, loader)

    def ended(self) -> None:
        # Demos have an unknown axis offset; with all views it can be found.
        if self.request is not None and self.request.finds_axis:
            self.find_axis()

    def place(self, planes: Sequence[Plane]) -> None:
        """Move the slices.

        Parameters
        ----------
        planes
            new planes; the images follow with one of the next updates
        """
        if self._session is not None:
            self._session.place(planes)

    def set_axis(self, column: float) -> None:
        """Set the detector column of the rotation axis."""
        if self._session is not None:
            self._session.set_axis(column)

    def find_axis(self) -> None:
        """Find the axis in the stored views."""
        if self._session is not None:
            self._session.find_axis()

    def roll(self, degrees: float) -> None:
        """Set the rotation of the detector in its plane [°]."""
        if self._session is not None:
            self._session.roll(degrees)

    def use_filter(self, settings: Settings) -> None:
        """Apply other filter settings to all stored views.

        Parameters
        ----------
        settings
            settings of the row filter; other types are ignored
        """
        from engine.live import FilterSettings

        if self._session is not None and isinstance(settings, FilterSettings):
            self._session.filter(settings)

    def filter(self) -> Settings:
        """Return the row filter of the current protocol."""
        from engine.live import LiveSettings, choices_of

        return choices_of(self.protocol(), LiveSettings()).filter

    def provenance(self, images: LiveImages) -> Callable[[], Plain]:
        """Return a function that makes the provenance of images of this scan.

        It remains valid after the next scan has started.

        Parameters
        ----------
        images
            displayed slices

        Raises
        ------
        EngineError
            if there is no scan
        """
        # Captured now: digests are computed in a thread, when this model may follow another scan.
        session, request, (protocol, begun_utc) = self._session, self.request, self._begun
        if session is None or request is None:
            raise EngineError(tr("There is no scan."))

        def made() -> Plain:
            from engine.live import LiveOrigin, provenance_of

            origin = LiveOrigin(
                request.source,
                request.replay,
                request.geometry,
                protocol,
                live_settings(request),
                begun_utc,
            )
            return provenance_of(session, images, origin)

        return made

    def writer(self) -> Callable[[Path], object]:
        if self._session is None:
            raise EngineError(tr("There is no scan."))
        self.stop()
        scan = self._session.scan()

        def write(path: Path) -> None:
            from engine.io import save_projections

            save_projections(scan, path)

        return write

    def study_of(self, path: Path) -> Study:
        from engine.modalities import Study

        return Study(data=path, protocol=self.protocol())

    def protocol(self) -> CtProtocol:
        """Return the current CT protocol, or the default one for other modalities."""
        from engine.modalities import CtProtocol

        protocol = self._context.session.study.protocol
        return protocol if isinstance(protocol, CtProtocol) else CtProtocol()
