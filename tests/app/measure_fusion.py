"""Measure the processor time that the window needs for two large overlaid volumes.

    python -m tests.app.measure_fusion [--edge 512] [--askew] [--slab 20] [--sheet axial]

The real window is on an offscreen screen of 1920 x 1080. It displays one volume and opens another
from a file on top of it. The program prints the longest time that the opening blocks the event loop
(CPU time of its thread). It also prints medians and 95th percentiles for a wheel notch, a step of a
window drag of the lower and of the upper volume, and a cursor move, each until all is painted.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.app.take_screenshots import HOME, PLATFORM, platform_of

log = logging.getLogger(__name__)
SCREEN = "1920x1080"
N_TIMES, N_WARM = 40, 3
TICK_MS = 2
PATIENCE_S = 300


def volume_of(edge: int, seed: int, unit: str):
    """Return smooth noise and a ball, in voxels of 0.6 mm."""
    from engine.data.volume import Volume
    from engine.geometry.grid import ImageGrid

    rng = np.random.default_rng(seed)
    values = rng.random((edge, edge, edge), np.float32)
    third = slice(edge // 3, 2 * edge // 3)
    values[third, third, third] += 3
    return Volume(values, ImageGrid(values.shape, (0.6, 0.6, 0.6), (0.0, 0.1 * seed, 0.0)), unit)


def main() -> None:
    """Measure and print the times."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--edge", type=int, default=512, help="voxels along each axis")
    parser.add_argument("--askew", action="store_true", help="rotate the upper volume")
    parser.add_argument(
        "--slab",
        type=float,
        default=0.0,
        metavar="MM",
        help="maximum over a slab of this thickness",
    )
    parser.add_argument(
        "--sheet",
        default="",
        metavar="PLANE",
        help="show this plane in a light box of 3 x 4 slices",
    )
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {PLATFORM: platform_of(SCREEN), HOME: folder}
        _measure(Path(folder), options)
    from app.shell.shutdown import leave

    leave(0)


def _measure(folder: Path, arguments: argparse.Namespace) -> None:
    from app.shell.application import make_app, make_window
    from app.state.models.preferences import Preferences
    from engine.io import save

    edge, slab_mm = arguments.edge, arguments.slab
    app = make_app()
    window = make_window(app, Preferences(folder / "settings"))
    window.resize(window.screen().availableSize())
    window.show()
    save(volume_of(edge, 2, "HU"), folder / "upper.nii", {})
    window.session.show_file(volume_of(edge, 1, "kBq/mL"), "lower")
    _settle(app, lambda: not window.commands.is_busy)
    volumes = window.context.volumes
    before = time.perf_counter()
    blocked_s = _longest(app, lambda: volumes.open_file(folder / "upper.nii", "overlay"), window)
    log.info(f"opening a file of {edge}^3: event loop blocked {1e3 * blocked_s:.0f} ms at most")
    log.info(f"   in {time.perf_counter() - before:.1f} s in all")
    if arguments.askew:
        _turn(window)
    if slab_mm:
        from app.views.slices.slab import Slab

        window.session.view.set_slab(Slab("highest", slab_mm))
    if arguments.sheet:
        from app.views.layout import ViewLayout

        window.centre.views.set_layout(ViewLayout("sheet", arguments.sheet, spacing=1))
    for name, act in _acts(window, slab_mm).items():
        times = sorted(1e3 * each for each in _timed(app, act))
        p50, p95 = times[len(times) // 2], times[round(0.95 * (len(times) - 1))]
        log.info(f"{name:<28} median {p50:6.1f} ms, 95 % {p95:6.1f} ms of processor time")
    window.dialogs.confirm = lambda *words: True
    window.close()


def _turn(window) -> None:
    from engine.geometry.rigid_motion import RigidMotion

    volumes = window.session.volumes
    motion = RigidMotion((2.0, 1.0, -3.0), (5.0, -4.0, 9.0))
    volumes.add(replace(volumes.overlay, motion=motion))


def _acts(window, slab_mm: float) -> dict[str, Callable[[int], None]]:
    views, state = window.centre.views, window.session.view
    lower, upper = state.window, state.fusion.window

    def window_drag(target, ends):
        return lambda k: target.set_window(ends[0], ends[1] * (1 + 0.01 * (k % 20)))

    found = {f"wheel, {view.plane}": lambda k, view=view: view.step(1) for view in views.slices}
    found["window of the lower"] = window_drag(state, lower)
    found["window of the upper"] = window_drag(state.fusion, upper)
    if views.light_box is not None:
        found["wheel, light-box"] = lambda k: views.light_box.page(1)
    found["opacity"] = lambda k: state.fusion.set_opacity(0.3 + 0.01 * (k % 20))
    found["cursor in a plane"] = lambda k: state.set_cursor((0.6 * (k % 40), 5.0, 5.0))
    if slab_mm:
        found["thickness"] = lambda k: state.set_slab(replace(state.slab, thickness_mm=5 + 2 * k))
    return found


def _timed(app, act: Callable[[int], None]) -> list[float]:
    found = []
    for k in range(N_WARM + N_TIMES):
        before = time.process_time()
        act(k)
        app.processEvents()
        found.append(time.process_time() - before)
    return found[N_WARM:]


def _longest(app, act: Callable[[], None], window) -> float:
    """Return the longest time an action blocks the event loop [s of thread CPU time]."""
    longest, before = 0.0, time.thread_time()
    act()
    first = True
    while first or window.commands.is_busy:
        first = False
        app.processEvents()
        longest, before = max(longest, time.thread_time() - before), time.thread_time()
        time.sleep(TICK_MS / 1000)
    for _ in range(20):
        app.processEvents()
        longest, before = max(longest, time.thread_time() - before), time.thread_time()
    return longest


def _settle(app, ready: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    for _ in range(20):
        while not ready() and time.monotonic() < end:
            app.processEvents()
            time.sleep(TICK_MS / 1000)
        app.processEvents()


if __name__ == "__main__":
    main()
