"""`isocenter bench`: speed on this machine, as ratios against stated bars."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from engine import backend
from engine.cli.console import Console
from engine.errors import ResourceError
from engine.io.publish import publish


def add_verbs(verbs: Any) -> None:
    """Add the verb of this file."""
    p = verbs.add_parser("bench", help="measure the speed of this machine")
    p.add_argument("suite", nargs="?", choices=("listmode", "window"), default="listmode")
    p.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    p.add_argument("--threads", type=int, metavar="N")
    p.add_argument("--events", type=int, default=1_000_000, metavar="N")
    p.add_argument("--json", type=Path, metavar="OUT", help="write the figures")
    p.set_defaults(act=_bench)


def _bench(arguments: argparse.Namespace, console: Console) -> None:
    figures = _window() if arguments.suite == "window" else _listmode(arguments, console)
    if arguments.suite == "window":
        for name, value in figures.items():
            console.line(f"  {name:42s} {value}")
    if arguments.json is not None:
        publish(json.dumps(figures, indent=2, sort_keys=True).encode(), arguments.json)


def _listmode(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    from engine.benchmark import listmode

    on = backend.named(arguments.device, arguments.threads)
    figures = listmode.run(on, n_events=arguments.events)
    console.line(listmode.table(figures))
    return figures


def _window() -> dict[str, Any]:
    """The window measures itself in a process of its own, so that its start-up is honest."""
    variables = dict(os.environ)
    if sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(variables):
        variables.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, "-m", "app.bench_window"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    try:
        figures: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError) as e:
        reason = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise ResourceError(f"the window could not be measured: {reason}.") from e
    return figures
