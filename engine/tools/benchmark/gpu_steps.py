"""Steps of a GPU check, each a separate command with its own time limit.

A step that fails or takes too long ends, and the others still run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from engine.core.errors import SettingsError

CLI = "from engine.cli.main import main; raise SystemExit(main())"
QUICK = ("--events", "20000", "--sizes", "16,32", "--iterations", "2", "--repeats", "1")
FEW = ("--events", "200000", "--sizes", "32,128", "--repeats", "1")
"""Small enough for the CPU, which processes the same events so that images can be compared."""
QUICK_CONE = ("--quick", "--sizes", "16", "--views", "20", "--pixels", "16", "--repeats", "1")
QUICK_PEERS = ("--events", "2000", "--cone", "16x20", "--repeats", "1")
NO_TIME = "left out: no time left"
SELF_TEST = "self-test"


@dataclass(frozen=True)
class CheckStep:
    """One command with its time limit.

    Attributes
    ----------
    name : title, and name of its figures
    words : arguments of the command line
    limit_s : time limit [s]
    measures : True if it writes figures
    """

    name: str
    words: tuple[str, ...]
    limit_s: float
    measures: bool = True

    def figures(self, folder: Path) -> Path:
        """Return the file of its figures."""
        return folder / f"{self.name.replace(' ', '-')}.json"

    def command(self, folder: Path) -> tuple[str, ...]:
        """Return the command."""
        more = ("--json", str(self.figures(folder))) if self.measures else ()
        return (sys.executable, "-c", CLI, *self.words, *more)


@dataclass(frozen=True)
class StepEnd:
    """Outcome of a step.

    Attributes
    ----------
    name : name of the step
    seconds : duration
    fault : reason of a failure without names; empty on success
    output : complete output
    """

    name: str
    seconds: float
    fault: str
    output: str = field(default="", repr=False)


def run(step: CheckStep, folder: Path, deadline: float) -> StepEnd:
    """Run a step within its limit and before the deadline.

    Parameters
    ----------
    step
        step to run
    folder
        folder for its figures
    deadline
        end of all steps, by `time.monotonic`

    Returns
    -------
    end
        outcome; steps without time are left out
    """
    # One slow step must not take the time of all others
    left = min(step.limit_s, deadline - time.monotonic())
    if left <= 1:
        return StepEnd(step.name, 0.0, NO_TIME)
    start = time.monotonic()
    with subprocess.Popen(
        step.command(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # A group of its own, so that its children can be ended too
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            _end(process)
            output, _ = process.communicate()
            return StepEnd(step.name, left, f"ended after {left:.0f} s", output)
        # Ctrl+C: the step must not continue after the check
        except BaseException:
            _end(process)
            raise
    fault = f"exit code {process.returncode}" if process.returncode else ""
    return StepEnd(step.name, time.monotonic() - start, fault, output)


def _end(process: subprocess.Popen[str]) -> None:
    """End a step and its child processes."""
    if os.name == "posix":
        os.killpg(process.pid, 9)
    else:
        process.kill()


def steps(device: str, *, quick: bool) -> list[CheckStep]:
    """Return the steps for a device, the most important first.

    Parameters
    ----------
    device
        value of `--device`
    quick
        True for tiny problems, as a rehearsal
    """
    on, size = ("--device", device), QUICK if quick else ()
    budget = ("--budget", "20" if quick else "60")
    rays = (("bench", "listmode", "--parts"), (*on, *size))
    table3, table2 = _listmode(rays, "table3", 120.0), _listmode(rays, "table2", 100.0)
    dual_head, card = _dual_head(on, quick), _card(on, quick)
    if device == "cpu":
        return [
            _listmode(rays, "projector", 60.0), *_cone(on, quick), dual_head, table2, table3, *card,
            _live(on, quick),
        ]  # fmt: skip
    # Last, since the CPU part is slow and other steps matter more
    both = ("--parts", "table2,table3", "--device", "both", *(QUICK if quick else FEW))
    return [
        CheckStep(SELF_TEST, ("doctor", "--gpu"), 120.0, measures=False),
        *card,
        _live(on, quick),
        dual_head,
        table3,
        table2,
        CheckStep("peers", ("bench", "peers", *on, *(QUICK_PEERS if quick else ())), 120.0),
        _listmode(rays, "kernels", 130.0, budget),
        *_cone(on, quick),
        CheckStep("CPU and GPU", ("bench", "listmode", *both), 90.0),
    ]


def chosen(found: list[CheckStep], names: tuple[str, ...]) -> list[CheckStep]:
    """Return the steps with some names.

    Parameters
    ----------
    found
        result of `steps`
    names
        names of steps; empty for all

    Raises
    ------
    SettingsError
        for an unknown name
    """
    known = [step.name for step in found]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SettingsError(
            f"--steps: {unknown[0]!r} is not a step of this check; choose from {', '.join(known)}."
        )
    return [step for step in found if not names or step.name in names]


Words = tuple[str, ...]


def _listmode(words: tuple[Words, Words], part: str, limit_s: float, more: Words = ()) -> CheckStep:
    before, behind = words
    return CheckStep(part, (*before, part, *behind, *more), limit_s)


def _cone(on: Words, quick: bool) -> list[CheckStep]:
    """Return steps for CT: projectors, patches and slices, break-up, and tunable kernels."""
    size = QUICK_CONE if quick else ()
    parts: list[tuple[str, str, float, Words]] = [
        ("cone", "projectors", 60.0, ()),
        ("cone patches", "patches,slices", 90.0, ()),
        ("cone breakup", "breakup", 60.0, ()),
    ]
    # On a CPU there is no search, so the tuner is not needed
    if find_spec("kernel_tuner") is not None or "cpu" in on:
        parts.append(("cone kernels", "kernels", 110.0, ("--repeats", "2", "--budget", "20")))
    return [
        CheckStep(name, ("bench", "cone", "--parts", part, *on, "--no-peer", *more, *size), limit_s)
        for name, part, limit_s, more in parts
    ]


CARD_LIMITS_S = {
    "fdk": 90.0,
    "projectors": 60.0,
    "scatter": 60.0,
    "subsets": 40.0,
    "runs": 180.0,
}
"""Time limits of the parts of `isocenter bench gpu`."""


def _card(on: Words, quick: bool) -> list[CheckStep]:
    """Return a step for each part of the suite of a GPU, so that a fault costs one part."""
    size = ("--quick", "--repeats", "1") if quick else ()
    return [
        CheckStep(part, ("bench", "gpu", "--parts", part, *on, *size), limit_s)
        for part, limit_s in CARD_LIMITS_S.items()
    ]


def _live(on: Words, quick: bool) -> CheckStep:
    """Return the step of live slices, for the two detectors that a CPU can follow, too."""
    size = ("--quick", "--seconds", "2") if quick else ()
    return CheckStep("live", ("bench", "live", "--cases", "flexray,high-speed", *on, *size), 90.0)


def _dual_head(on: Words, quick: bool) -> CheckStep:
    """Return the step for dual-head PET; on a GPU the full system with a new matrix."""
    full = ("--subsets", "6", "--repeats", "3", "--parts", "projection,kernels,images")
    is_full = "cpu" not in on and not quick
    options = full if is_full else ("--system", "test", "--iterations", "2")
    return CheckStep("dual head", ("bench", "dual-head", *on, *options), 300.0)
