"""Preview slice of the current protocol, updated after each change.

One thread works at a time. A change in the meantime stops it, and the newest protocol is next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.state.models.session import Session
from app.state.services.commands import Commands
from engine.core.errors import EngineError
from engine.modalities import CtProtocol, ProjectionsSummary

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import PreviewSlice, SlicePreview

WAIT_MS = 120
"""Delay before a preview starts [ms]: typing changes a number several times."""
NO_SPACE = tr(
    "The preview cannot be shown because there is not enough disk space for the projections."
)


class SupersededError(Exception):
    """Another protocol has been requested."""


@dataclass(frozen=True, eq=False)
class PreviewRequest:
    """A scan and the protocol for its preview."""

    scan: ProjectionsSummary
    protocol: CtProtocol

    def is_same(self, other: PreviewRequest | None) -> bool:
        """Return True if both requests give the same preview.

        Parameters
        ----------
        other
            the other request; None is never the same
        """
        return other is not None and self.scan is other.scan and self.protocol == other.protocol


class Previews(QObject):
    """Computes previews while a panel shows them and no run is active.

    Attributes
    ----------
    preview : the newest preview; None before the first, or if it failed
    fault : reason why there is none, one sentence
    """

    changed = Signal()

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__()
        self._session, self._commands = session, commands
        self._study, self._run = session.study, session.run
        self.preview: PreviewSlice | None = None
        self.fault = ""
        self._watched = self._is_busy = False
        self._request: PreviewRequest | None = None
        self._shown: PreviewRequest | None = None
        self._quick: tuple[ProjectionsSummary, SlicePreview] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._start_next)
        for signal in (
            session.study.inputs_changed,
            session.study.protocol_changed,
            session.run.state_changed,
        ):
            signal.connect(self._follow)

    @property
    def is_current(self) -> bool:
        """True if the displayed preview belongs to the current protocol."""
        return self._request is not None and self._request.is_same(self._shown)

    def watch(self, watched: bool) -> None:
        """Start or stop previews.

        Parameters
        ----------
        watched
            True while a panel shows them
        """
        self._watched = watched
        self._follow()

    def _follow(self) -> None:
        found = self._study.xray
        request = PreviewRequest(*found) if found is not None else None
        if request is None or self._request is None or not request.is_same(self._request):
            self._request = request
            if request is None or self._shown is None or request.scan is not self._shown.scan:
                self._show(None, None, "")
            self.changed.emit()
        if not self._watched or self._run.state.is_active:
            self._timer.stop()
        elif request is not None and not request.is_same(self._shown):
            self._timer.start()

    def _start_next(self) -> None:
        request = self._request
        if request is None or self._is_busy or request.is_same(self._shown):
            return
        self._is_busy = True
        # One slice is fast on the CPU, and the GPU stays free for runs.
        device = self._session.device.named("cpu")
        threads = device.threads if device else None
        self._commands.run_task(
            lambda _: self._read_slice(request, threads),
            lambda found: self._use_preview(request, found),
            failed=tr("The preview failed."),
            on_failure=lambda text: self._use_preview(request, text),
            on_end=self._finish_task,
        )

    def _read_slice(
        self, request: PreviewRequest, threads: int | None
    ) -> PreviewSlice | str | None:
        """Return a preview, the reason why it failed, or None if it is obsolete; in a thread."""
        from engine.core.backend import cpu
        from engine.modalities import SlicePreview

        # With the prepared scan in memory, only the changed part is computed again.
        if self._quick is None or self._quick[0] is not request.scan:
            radiographs = request.scan.radiographs
            if radiographs is None:
                return NO_SPACE
            self._quick = request.scan, SlicePreview(radiographs.scan, on=cpu(threads))

        def check() -> None:
            wanted = self._request
            if wanted is None or not wanted.is_same(request) or self._run.state.is_active:
                raise SupersededError

        try:
            return self._quick[1].central_slice(request.protocol, check)
        except SupersededError:
            return None
        except EngineError as e:
            return str(e)

    def _use_preview(self, request: PreviewRequest, found: PreviewSlice | str | None) -> None:
        # The protocol may have changed between the end of the thread and this call.
        if found is None or self._request is None or not self._request.is_same(request):
            return
        preview, fault = (None, found) if isinstance(found, str) else (found, "")
        self._show(request, preview, fault)
        if preview is not None and preview.axis is not None:
            # The rotation axis of the preview is the one that the run would find.
            self._study.note_axis(request.scan, request.protocol, preview.axis)
        self.changed.emit()

    def _show(
        self, request: PreviewRequest | None, preview: PreviewSlice | None, fault: str
    ) -> None:
        self._shown, self.preview, self.fault = request, preview, fault

    def _finish_task(self) -> None:
        # The thread ends before the next one starts: both would use the same prepared scan.
        self._is_busy = False
        self._follow()
