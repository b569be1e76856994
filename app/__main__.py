"""The program: no arguments or one file: the window; a verb: the command line."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

DEMO = "--demo"
YOUNGEST = 1_000_000
"""Objects before Python looks for garbage: imports make fewer, and none of theirs is garbage."""


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window or run a command; returns the exit code."""
    multiprocessing.freeze_support()
    arguments = list(sys.argv[1:] if argv is None else argv)
    demo = _demo(arguments)
    if demo and (arguments[0] == DEMO or has_display()):
        return _open_window(demo=demo)
    if not arguments:
        return _open_window()
    if len(arguments) == 1 and Path(arguments[0]).is_file():
        return _open_window(Path(arguments[0]))
    from engine.cli.main import main as command_line

    return command_line(arguments)


def run() -> NoReturn:
    """Do as the arguments say, and end the process."""
    gc.set_threshold(YOUNGEST)
    # our own threads share the work; those of BLAS wait for each other where others work beside
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main()
    from app.shell.shutdown import finish, leave

    if "PySide6.QtWidgets" in sys.modules:
        leave(code)
    finish(code)


def has_display() -> bool:
    """Whether a window can be shown; on Linux that takes a display server."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _demo(arguments: list[str]) -> str:
    """Return the key of the demo that is asked for without further options, "" if none is."""
    if arguments[:1] not in ([DEMO], ["demo"]) or len(arguments) > 2:
        return ""
    from engine.modalities import DEMOS

    key = arguments[1] if len(arguments) == 2 else next(iter(DEMOS))
    return key if key in DEMOS else ""


def _open_window(path: Path | None = None, demo: str = "") -> int:
    if not has_display():
        sys.stderr.write(
            "isocenter: no display is reachable, so no window can open; work without one: "
            "`isocenter demo`, `isocenter reconstruct DATA -o OUT`, `isocenter --help`.\n"
        )
        return 2
    from app.shell.qt_start import obstacle

    if fault := obstacle(os.environ):
        sys.stderr.write(f"isocenter: {fault}\n")
        return 2
    from app.language.translation import chosen_language, use_language

    use_language(chosen_language())
    from app.shell.application import run_window

    return run_window(path=path, demo=demo)


if __name__ == "__main__":
    run()
