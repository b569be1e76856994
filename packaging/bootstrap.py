"""Set up Isocenter in this clone, then open it with a demo scan (`run`) or test it (`test`).

    python3 packaging/bootstrap.py run
    python3 packaging/bootstrap.py test [--newest] [pytest options]
    python3 packaging/bootstrap.py set-up               only install what the tests need

The versions come from the lock in packaging/lock if it fits this machine. `--newest` installs the
newest versions that pyproject.toml allows.

Needs only Python 3.11 or newer. Writes to `.venv` in the clone and to caches only.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  an older Python may read this file
    sys.exit(
        f"Isocenter needs Python 3.11 or newer, and this is {sys.version.split()[0]}; "
        "install a newer one (python.org, or your system's packages) and call this file with it."
    )

import argparse
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import qt_libraries
import software_card
from environment import Environment
from machine import SetupError, extra_for, gpus, has_display, say

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = "engine.modalities.warm_up"
"""Module that compiles the kernels of the CPU."""


def main(arguments: list[str]) -> int:
    """Run one of the commands; return its exit code."""
    parser = argparse.ArgumentParser(prog="bootstrap.py", description="Set up Isocenter.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run", help="set up, then reconstruct the demo scan")
    commands.add_parser("test", help="set up, then run the tests; options go to pytest")
    commands.add_parser("set-up", help="set up for the tests, but compile and run nothing")
    for command in commands.choices.values():
        command.add_argument("--newest", action="store_true", help="ignore the lock")
    chosen, options = parser.parse_known_args(arguments)
    if chosen.command != "test" and options:
        parser.error(f"{chosen.command} takes no options, got {' '.join(options)}")
    try:
        if chosen.command == "run":
            return run(ROOT, newest=chosen.newest)
        python = prepared_for_tests(ROOT, newest=chosen.newest)
        return test(ROOT, python, options) if chosen.command == "test" else 0
    except SetupError as e:
        print(f"Set-up stopped: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("Interrupted; the same command continues where this one stopped.")
        return 130


def run(root: Path, *, newest: bool = False) -> int:
    """Set up, then show the demo scan in the window, or reconstruct it without a display.

    The kernels of the demo are compiled while pip installs further libraries and the demo scan is
    simulated.
    """
    compiling = EarlyKernels(root)
    try:
        python = prepared(
            root,
            extras=(),
            newest=newest,
            wait_for_bytecode=False,
            once_it_compiles=compiling.start,
        )
    except BaseException:
        compiling.stop()
        raise
    shown = has_display(sys.platform, os.environ)
    if shown and not qt_libraries.ensure(python, on_display=True):
        say("The display does not answer; going on without a window.")
        shown = False
    if shown:
        say("Opening the window on the demo scan")
        return subprocess.call([str(python), "-m", "app", "--demo"], cwd=root)
    say("No display here: reconstructing the demo scan without a window")
    return subprocess.call([str(python), "-m", "app", "demo", "--headless"], cwd=root)


def prepared_for_tests(root: Path, *, newest: bool) -> Path:
    """Set up everything that the tests need; return the Python that runs them."""
    python = prepared(root, extras=("test",), newest=newest)
    qt_libraries.ensure(python, on_display=False)
    software_card.install(root, python)
    return python


def test(root: Path, python: Path, options: list[str]) -> int:
    """Compile the kernels, then run the tests on three workers; they need no display."""
    warm_up(root, python)
    say("Running the tests")
    # one more than the cores of a small machine: many tests wait for other processes
    command = [str(python), "-m", "pytest", "-n", "3", "--dist", "worksteal", *options]
    code = subprocess.call(command, cwd=root)
    missing = qt_libraries.missing_for_windows(root, python)
    if missing:
        say(
            f"The tests need no display. To open the window on X this system lacks {missing}: "
            "`python3 packaging/bootstrap.py run` installs what is missing."
        )
    return code


def prepared(
    root: Path,
    extras: tuple[str, ...],
    *,
    newest: bool,
    wait_for_bytecode: bool = True,
    once_it_compiles: Callable[[], object] = lambda: None,
) -> Path:
    """Make the environment, install the project with `extras` and return its Python."""
    environment = Environment(root)
    environment.make()
    # pip first waits for the package index
    with environment.compiling_own():
        environment.install(
            (*extras, *gpu_extras(root)),
            newest=newest,
            wait_for_bytecode=wait_for_bytecode,
            once_it_compiles=once_it_compiles,
        )
    return environment.python


class EarlyKernels:
    """Two processes that compile the kernels of the demo, starting at opposite ends of the list."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start both processes.

        The demo reports errors: it compiles the kernels that failed here again.
        """
        quiet = subprocess.DEVNULL
        python = Environment(self.root).python
        for end in ("--backwards", "--forwards")[: os.cpu_count()]:
            command = [str(python), "-m", WARM_UP, end, "pet"]
            self.processes.append(
                subprocess.Popen(command, cwd=self.root, stdin=quiet, stdout=quiet, stderr=quiet)
            )

    def stop(self) -> None:
        """Stop the processes that still run."""
        for process in self.processes:
            process.kill()
            process.wait()


def gpu_extras(root: Path) -> tuple[str, ...]:
    """Return the extra for this machine's GPU, if this version has kernels for one."""
    found = gpus()
    if found is None:
        return ()
    if not any((root / "engine" / "kernels").glob("*.cu")):
        say("There is an NVIDIA GPU; this version computes on the CPU and leaves CuPy out.")
        return ()
    extra = extra_for(found)
    if extra is None:
        say(
            "The NVIDIA driver or card is too old for the GPU kernels (CUDA 12 or newer, Maxwell "
            "or newer); using the CPU."
        )
    return (extra,) if extra else ()


def warm_up(root: Path, python: Path) -> None:
    """Compile all CPU kernels once. Otherwise the tests would wait for them."""
    say("Preparing the kernels")
    if subprocess.call([str(python), "-m", WARM_UP], cwd=root):
        say("Preparing the kernels failed; they will be compiled when first used.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
