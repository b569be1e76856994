"""Entry point: without arguments or with one file the window, with a command the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from engine.core.garbage import collect_seldom

DEMO = "--demo"


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window or run a command; return the exit code.

    Parameters
    ----------
    argv
        arguments without the program name; None: those of the process
    """
    # Frozen executables start worker processes by running themselves again.
    if getattr(sys, "frozen", False):
        from multiprocessing import freeze_support

        freeze_support()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if demo := _demo(arguments):
        return _open_window(demo=demo)
    if not arguments:
        return _open_window()
    # A desktop passes the file that was double-clicked.
    if len(arguments) == 1 and Path(arguments[0]).is_file():
        return _open_window(Path(arguments[0]))
    # Imported late: the window must not wait for the command line, nor the reverse.
    from engine.cli.main import main as command_line

    return command_line(arguments)


def run() -> NoReturn:
    """Run with the arguments of the process, and end the process."""
    collect_seldom()
    # A run limits BLAS itself (`one_blas_thread`). Here also for all other commands and the window:
    # BLAS then starts no threads at all.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Pydantic would search all installed packages for plugins, which takes a tenth of a second.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    code = main()
    from app.shell.shutdown import finish, leave

    if "PySide6.QtWidgets" in sys.modules:
        leave(code)
    finish(code)


def has_display() -> bool:
    """Return True if a window can be shown; on Linux this needs a display server."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _demo(arguments: list[str]) -> str:
    """Return the key of a demo for the window; empty for a command, or with further options."""
    chosen = arguments[1:]
    has_options = len(chosen) > 1 or any(each.startswith("-") for each in chosen)
    if arguments[:1] not in ([DEMO], ["demo"]) or has_options:
        return ""
    # `isocenter demo` without a display runs on the command line; `--demo` always means the window.
    if has_display():
        from engine.jobs import process_context

        # The server of processes takes as long to start as the imports that follow here.
        process_context()
    elif arguments[0] != DEMO:
        return ""
    from engine.modalities import DEMOS

    key = chosen[0] if chosen else next(iter(DEMOS))
    return key if key in DEMOS else ""


def _open_window(path: Path | None = None, demo: str = "") -> int:
    if not has_display():
        _print_fault(
            "no display is reachable, so no window can open; work without one: "
            "`isocenter demo`, `isocenter reconstruct DATA -o OUT`, `isocenter --help`."
        )
        return 2
    # Qt would abort the process without a useful message, so this is checked before Qt is imported.
    from app.shell.qt_start import obstacle

    if fault := obstacle(os.environ):
        _print_fault(fault)
        return 2
    from engine.jobs import DemoSimulation
    from engine.modalities import DEMOS

    # Loading the window takes a second.
    begun = DemoSimulation(DEMOS[demo]) if demo else None
    from app.language.translation import chosen_language, use_language

    use_language(chosen_language())
    from app.shell.application import run_window

    return run_window(path=path, demo=demo, begun=begun)


def _print_fault(fault: str) -> None:
    from engine.core.printing import print_line

    print_line(f"isocenter: {fault}", sys.stderr)


if __name__ == "__main__":
    run()
