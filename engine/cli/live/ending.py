"""End a live scan in order when the system asks: logout, closed terminal, stopped container."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.core.printing import leave_terminal
from engine.live.recording.recorder import LiveRecorder

if TYPE_CHECKING:
    from engine.live.ct.session import LiveSession
    from engine.live.pet.session import LivePetSession

NAMES = ("SIGTERM", "SIGHUP")


class Ending:
    """Makes the first signal act like Ctrl+C while the scan runs.

    Attributes
    ----------
    is_following : False once the outputs are saved, which no signal interrupts
    is_by_system : True after a signal
    """

    def __init__(self) -> None:
        self.is_following, self.is_by_system = True, False

    def handle(self, number: int, _: object) -> None:
        """Handle a signal."""
        if number == getattr(signal, "SIGHUP", None):
            leave_terminal()
        if self.is_following:
            self.is_following, self.is_by_system = False, True
            raise KeyboardInterrupt

    def recording_after(self, session: LiveSession | LivePetSession, saved: Path) -> None:
        """Delete the recording of a saved scan; one that the system has ended stays."""
        if self.is_by_system:
            # The user may not know that the scan was interrupted; the next start shows it
            session.interrupted_scan_saved(saved)
        else:
            session.scan_saved()


@contextmanager
def ending_in_order() -> Iterator[Ending]:
    """Handle SIGTERM and SIGHUP in the block."""
    ending = Ending()
    # Only the main thread may set handlers
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in NAMES if is_main and hasattr(signal, name)]
    before = {number: signal.signal(number, ending.handle) for number in numbers}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def recorder_of(
    kind: str, source: str, scan: Path | None, *, is_replay: bool
) -> LiveRecorder | None:
    """Return a recorder of a scan that is measured now.

    Parameters
    ----------
    kind
        "frames" or "events"
    source
        name of the source
    scan
        path of `--scan`; None: the scan is not recorded
    is_replay
        True for a stored scan, which is on the disk already

    Raises
    ------
    EngineError
        if no process can be started
    """
    if scan is None or is_replay:
        return None
    try:
        return LiveRecorder(kind, source, scan)
    except OSError as e:
        raise EngineError(
            f"{scan}: the scan cannot be recorded ({e.strerror or e}). Choose another path for "
            "--scan."
        ) from e
