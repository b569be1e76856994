"""The slice that the protocol at hand would give, made anew whenever it changes.

One thread looks at a time. A change made meanwhile ends it, and the newest protocol comes next.
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
"""Rest after a change before a look begins: typing changes a number several times."""
NO_ROOM = tr("There is no preview, because the disk has no space for the projections.")


class SupersededError(Exception):
    """Another protocol is wanted by now."""


@dataclass(frozen=True, eq=False)
class PreviewRequest:
    """A scan and the protocol to look at it with."""

    scan: ProjectionsSummary
    protocol: CtProtocol

    def is_same(self, other: PreviewRequest | None) -> bool:
        """Whether a look for the other one would show the same."""
        return other is not None and self.scan is other.scan and self.protocol == other.protocol


class Previews(QObject):
    """Looks while someone watches and no run is at work.

    Attributes
    ----------
    look : the newest; None before the first, or where it failed
    fault : why there is none, one sentence
    """

    changed = Signal()

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__()
        self._session, self._commands = session, commands
        self._study, self._run = session.study, session.run
        self.look: PreviewSlice | None = None
        self.fault = ""
        self._watched = self._is_busy = False
        self._wish: PreviewRequest | None = None
        self._shown: PreviewRequest | None = None
        self._quick: tuple[ProjectionsSummary, SlicePreview] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._begin)
        for signal in (
            session.study.inputs_changed,
            session.study.protocol_changed,
            session.run.state_changed,
        ):
            signal.connect(self._follow)

    @property
    def is_current(self) -> bool:
        """Whether what is on show belongs to the protocol at hand."""
        return self._wish is not None and self._wish.is_same(self._shown)

    def watch(self, watched: bool) -> None:
        """Say whether someone looks."""
        self._watched = watched
        self._follow()

    def _follow(self) -> None:
        found = self._study.xray
        wish = PreviewRequest(*found) if found is not None else None
        if wish is None or self._wish is None or not wish.is_same(self._wish):
            self._wish = wish
            if wish is None or self._shown is None or wish.scan is not self._shown.scan:
                self._show(None, None, "")
            self.changed.emit()
        if not self._watched or self._run.state.is_active:
            self._timer.stop()
        elif wish is not None and not wish.is_same(self._shown):
            self._timer.start()

    def _begin(self) -> None:
        wish = self._wish
        if wish is None or self._is_busy or wish.is_same(self._shown):
            return
        self._is_busy = True
        device = self._session.device.named("cpu")
        threads = device.threads if device else None
        self._commands.run_task(
            lambda _: self._look(wish, threads),
            lambda found: self._took(wish, found),
            failed=tr("The preview failed."),
            on_failure=lambda text: self._took(wish, text),
            on_end=self._ended,
        )

    def _look(self, wish: PreviewRequest, threads: int | None) -> PreviewSlice | str | None:
        """Look, in a thread: the slice, why there is none, or None if another one is wanted."""
        from engine.core.backend import cpu
        from engine.modalities import SlicePreview

        if self._quick is None or self._quick[0] is not wish.scan:
            radiographs = wish.scan.radiographs
            if radiographs is None:
                return NO_ROOM
            self._quick = wish.scan, SlicePreview(radiographs.scan, on=cpu(threads))

        def check() -> None:
            wanted = self._wish
            if wanted is None or not wanted.is_same(wish) or self._run.state.is_active:
                raise SupersededError

        try:
            return self._quick[1].central_slice(wish.protocol, check)
        except SupersededError:
            return None
        except EngineError as e:
            return str(e)

    def _took(self, wish: PreviewRequest, found: PreviewSlice | str | None) -> None:
        if found is None or self._wish is None or not self._wish.is_same(wish):
            return
        look, fault = (None, found) if isinstance(found, str) else (found, "")
        self._show(wish, look, fault)
        if look is not None and look.axis is not None:
            self._study.note_axis(wish.scan, wish.protocol, look.axis)
        self.changed.emit()

    def _show(self, wish: PreviewRequest | None, look: PreviewSlice | None, fault: str) -> None:
        self._shown, self.look, self.fault = wish, look, fault

    def _ended(self) -> None:
        self._is_busy = False
        self._follow()
