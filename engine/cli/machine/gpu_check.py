"""`isocenter gpu-check`: test and benchmark a GPU, and write the results to one file."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.device import add_device
from engine.cli.outputs import Output, add_force
from engine.cli.parser import excludes
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import ResourceError, SettingsError
from engine.io.safety.atomic_write import refuse_impossible

if TYPE_CHECKING:
    from engine.core.backend.devices import DeviceInfo
    from engine.core.json_types import Plain
    from engine.tools.benchmark.gpu_steps import CheckStep

RESERVE_S = 20.0
"""Time reserved for writing the results, in seconds."""
LAST_LINES = 12
"""Number of output lines shown for a failed step."""


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter gpu-check`.

    One file has everything that a maintainer without this GPU needs to judge it.
    """
    p = add_verb(verbs, "gpu-check")
    p.add_argument(
        "-o", "--output", type=Path, action=Output, metavar="FILE.json",
        help="write the results, without names of people, files or machines (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--table",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="compare files of several GPUs (default: none)",
    )
    add_device(p, default="cuda")
    p.add_argument(
        "--minutes", type=float, default=14.5, metavar="M", help="time limit (default: %(default)g)"
    )
    p.add_argument(
        "--steps",
        metavar="A,B",
        help="only these steps, such as fdk,projectors,live (default: all)",
    )
    p.add_argument(
        "--quick",
        action="store_true",
        help="tiny problems; speed limits are shown, but not checked",
    )
    add_force(p)
    excludes(p, "--table", "--steps", "--minutes", "--quick", "--device")
    p.set_defaults(act=_act)


def _act(arguments: argparse.Namespace, console: Console) -> None:
    if (arguments.table is None) == (arguments.output is None):
        raise SettingsError("Give -o FILE.json to measure, or --table FILE to compare.")
    if arguments.table is not None:
        from engine.tools.benchmark import gpu_file

        console.page(gpu_file.table([gpu_file.read(path) for path in arguments.table]))
        return
    _check(arguments, console)


def _check(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import gpu_file, gpu_steps

    # Before a measurement of a quarter of an hour
    refuse_impossible(arguments.output)
    device = _device(arguments.device)
    names = tuple(arguments.steps.split(",")) if arguments.steps else ()
    steps = gpu_steps.chosen(gpu_steps.steps(device.key, quick=arguments.quick), names)
    console.log(f"Checking {device.label}, {arguments.minutes:g} minutes at most")
    measured = _measured(device, steps, arguments, console)
    # Written even after failures: the file then shows which step failed
    gpu_file.write(measured, arguments.output)
    console.line("")
    for line in gpu_file.lines(measured):
        console.line(line)
    console.line(f"Written: {arguments.output}")
    faults = [step["name"] for step in measured["steps"] if step["fault"]]
    # Tiny problems measure overhead, so their speeds are not judged
    if faults or not (arguments.quick or gpu_file.passed(measured)):
        raise ResourceError(
            f"Some checks failed ({', '.join(faults)})."
            if faults
            else "Some checks failed. They are marked MISS above."
        )


def _device(name: str) -> DeviceInfo:
    from engine.core.backend.devices import choose, find_devices

    device = choose(find_devices(), name)
    if (
        device.obstacle and "self-test" not in device.obstacle
    ):  # a failed self-test must be recorded, too
        raise ResourceError(f"device {name!r}: {device.obstacle}")
    return device


def _measured(
    device: DeviceInfo, steps: list[CheckStep], arguments: argparse.Namespace, console: Console
) -> Plain:
    from engine.tools.benchmark import gpu_file, gpu_steps

    # Results must be on disk when the time is over: a rented GPU ends then
    deadline = time.monotonic() + 60 * arguments.minutes - RESERVE_S
    ends, figures = [], {}
    with tempfile.TemporaryDirectory(prefix="isocenter-") as name:
        folder = Path(name)
        for step in steps:
            console.log(f"{step.name} ...")
            end = gpu_steps.run(step, folder, deadline)
            # The whole output is in the file; the terminal shows its end only
            if end.fault:
                for line in end.output.splitlines()[-LAST_LINES:]:
                    console.log(f"  {line}")
            ends.append(end)
            # A step that failed may have written no figures
            if step.measures and step.figures(folder).is_file():
                figures[step.name] = json.loads(step.figures(folder).read_text(encoding="utf-8"))
    return gpu_file.record(device, ends, figures)
