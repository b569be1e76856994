"""Measure the window: start-up time, and delay of its event loop while an image forms.

`python -m app.shell.measured_window` prints the figures as one line of JSON.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.data import Plain

TICK_MS = 10
PATIENCE_S = 300.0
START_TIME = 19
"""Index of the start time after the command in /proc/self/stat (proc_pid_stat(5))."""
START_BAR_S, DELAY_BAR_MS = 2.0, 50.0


def measure(folder: Path | None = None) -> Plain:
    """Start a window, reconstruct the PET demo in it, and return the figures.

    Call it in a new process, because start-up is measured from the start of the process.

    Parameters
    ----------
    folder
        folder with the demo scan; None: the default one. It is simulated if missing
    """
    from app.shell.application import make_app, make_window

    app = make_app()
    with TemporaryDirectory() as home:
        from app.state.models.preferences import Preferences

        window = make_window(app, Preferences(Path(home)))
        window.show()
        app.processEvents()
        # Forces a complete painting; `show` alone only schedules it.
        window.grab()
        started_s = process_age_s()
        late_ms = _delays_while_running(app, window, folder)
        window.close()
    return _figures(started_s, late_ms, app.platformName())


def process_age_s() -> float:
    """Return how long this process has been running [s]."""
    stat = Path("/proc/self/stat")
    if stat.exists():  # the same clock for both times, which a change of the time does not affect
        # The command is in parentheses and can contain spaces, so fields are counted after it.
        started = int(stat.read_text().rpartition(")")[2].split()[START_TIME])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK")
    import psutil

    created_s: float = psutil.Process().create_time()
    return time.time() - created_s


def _delays_while_running(app: Any, window: Any, folder: Path | None) -> list[float]:
    from PySide6.QtCore import Qt, QTimer

    from engine.modalities import MODALITIES, demo_folder

    study = MODALITIES[0].demo.make(folder or demo_folder())
    late: list[float] = []
    last = time.perf_counter()

    def on_progress() -> None:
        nonlocal last
        now = time.perf_counter()
        late.append(1000 * (now - last) - TICK_MS)
        last = now

    window.commands.open_study(study)
    _wait_until(app, lambda: not window.session.obstacle() and not window.commands.is_busy)
    timer = QTimer()
    # The default type may be late by 5 % to join other timers.
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(on_progress)
    last = time.perf_counter()
    timer.start(TICK_MS)
    window.runner.start()
    _wait_until(app, lambda: not window.session.run.state.is_active)
    timer.stop()
    # The engine process must have ended before the window closes.
    _wait_until(app, lambda: window.runner.job is None)
    return late


def _wait_until(app: Any, ready: Callable[[], bool]) -> None:
    from PySide6.QtCore import QEventLoop

    end = time.monotonic() + PATIENCE_S
    while not ready():
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)
        if time.monotonic() > end:
            raise TimeoutError(
                f"the window was still busy after {PATIENCE_S:g} s; close other programs and "
                "measure again"
            )


def _figures(started_s: float, late_ms: list[float], platform: str) -> Plain:
    import numpy as np

    late = np.maximum(late_ms, 0)
    p50, p99 = (float(np.percentile(late, q)) for q in (50, 99))
    return {
        "start to first picture [s]": round(started_s, 3),
        "start bar [s]": START_BAR_S,
        "event loop delay, median [ms]": round(p50, 2),
        "event loop delay, 99th percentile [ms]": round(p99, 2),
        "event loop delay, longest [ms]": round(float(late.max()), 2),
        "delay bar [ms]": DELAY_BAR_MS,
        "ticks": len(late),
        "platform": platform,
        "meets both bars": started_s < START_BAR_S and p99 < DELAY_BAR_MS,
    }


if __name__ == "__main__":
    from app.shell.shutdown import leave
    from engine.core.printing import print_line

    print_line(json.dumps(measure()))
    leave(0)
