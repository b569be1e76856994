"""Test and measure Isocenter on a machine with a GPU, without a network or a window.

    python3 packaging/gpu_check.py --out gpu-check [--wheels .whl]

Runs the tests that need a card, then `isocenter bench` part by part, each within its own time; what
fails does not stop the rest. Everything measured is kept as JSON in the folder --out.
Exit code 0: all passed; 1: something failed or missed its bar.
`--device cpu --quick` rehearses the same on a machine without a card.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLI = "from engine.cli.main import main; raise SystemExit(main())"
PYTEST_INI = """[pytest]
addopts = -q --import-mode=importlib --strict-markers
timeout = 120
markers =
    gpu: needs a CUDA device
    slow: takes more than a few seconds
filterwarnings = error
"""
"""The project's own settings name plugins of the window, which need not be here."""
QUICK = ("--events", "20000", "--sizes", "16,32", "--iterations", "2", "--repeats", "1")
FEW = ("--events", "200000", "--sizes", "32,128", "--repeats", "1")
"""The CPU does the same events as the GPU, so that their images can be compared."""
QUICK_CONE = ("--quick", "--sizes", "16", "--views", "20", "--pixels", "16", "--repeats", "1")
RESERVE_S = 20.0
"""Kept for the report."""
LAST_LINES = 12
"""Of a failed step's output."""


@dataclass(frozen=True)
class Step:
    """One command with the time it may take.

    Attributes
    ----------
    name : shown, and the name of its log
    command : what runs
    limit_s : after which it is ended [s]
    figures : file that it measures into; None: it measures nothing
    """

    name: str
    command: tuple[str, ...]
    limit_s: float
    figures: Path | None = None


@dataclass(frozen=True)
class Line:
    """A line of the table: what was looked at, what came out, and whether that is good."""

    what: str
    got: str
    wanted: str
    passed: bool


@dataclass(frozen=True)
class Done:
    """How a step ended."""

    name: str
    seconds: float
    fault: str
    output: str = field(repr=False)

    def line(self) -> Line:
        """Return its line of the table."""
        return Line(
            self.name, self.fault or f"done in {self.seconds:.0f} s", "done", not self.fault
        )


def run(step: Step, environ: dict[str, str], deadline: float) -> Done:
    """Run a step within its limit and before the deadline; a step without time left is left out."""
    left = min(step.limit_s, deadline - time.monotonic())
    if left <= 1:
        return Done(step.name, 0.0, "left out: no time left", "")
    start = time.monotonic()
    with subprocess.Popen(
        step.command,
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            _end(process)
            output, _ = process.communicate()
            return Done(step.name, left, f"ended after {left:.0f} s", output)
    fault = f"exit code {process.returncode}" if process.returncode else ""
    return Done(step.name, time.monotonic() - start, fault, output)


def _end(process: subprocess.Popen[str]) -> None:
    """End a step with the workers it started."""
    if os.name == "posix":
        os.killpg(process.pid, 9)
    else:
        process.kill()


def steps(device: str, quick: bool, work: Path, out: Path) -> list[Step]:
    """Return what to do, the most important first."""
    python = sys.executable
    ini, xml = work / "pytest.ini", work / "tests.xml"
    ini.write_text(PYTEST_INI)
    pytest = (python, "-m", "pytest", "-c", str(ini), "--rootdir", str(ROOT))
    plugins = ("-p", "no:cacheprovider", "-n", "4", f"--junitxml={xml}")
    chosen = ("-m", "gpu", "tests/engine") if device == "cuda" else ("tests/engine/benchmark",)
    found = [
        Step("kernels of the CPU", (python, "-m", "engine.modalities.warm_up"), 120),
        Step("pytest", (*pytest, *plugins, *chosen), 200),
    ]
    on = ("--device", device)
    parts = (
        ("kernels", "table3", "table2") if device == "cuda" else ("projector", "table2", "table3")
    )
    limits = {"kernels": 130.0, "table3": 120.0, "table2": 100.0, "projector": 60.0}
    size = QUICK if quick else ()
    for part in parts:
        options = ["--parts", part, *on, *size]
        if part == "kernels":
            options += ["--budget", "20" if quick else "60"]
            options += ["--keep-tuning", str(out / "tuning.json")]
        figures = out / f"{part}.json"
        command = _cli("bench", "listmode", *options, "--json", str(figures))
        found.append(Step(part, command, limits[part], figures))
    at = len(found) - len(parts) + 1
    found[at:at] = [*_cone(on, quick, out), _dual_head(on, quick, out)]
    if device == "cuda":
        both = ["--parts", "table2,table3", "--device", "both", *(QUICK if quick else FEW)]
        figures = out / "cpu-and-gpu.json"
        command = _cli("bench", "listmode", *both, "--json", str(figures))
        found.append(Step("CPU and GPU", command, 90, figures))
    return found


def _cone(on: tuple[str, ...], quick: bool, out: Path) -> list[Step]:
    """Projectors of CT, the kernels behind them, and patches and slices."""
    parts = {
        "cone": ("projectors", 60.0, ()),
        "cone kernels": ("kernels", 110.0, ("--repeats", "2", "--budget", "20")),
        "cone patches": ("patches,slices", 90.0, ()),
    }
    found = []
    for name, (part, limit_s, more) in parts.items():
        figures = out / f"{name.replace(' ', '-')}.json"
        options = ["--parts", part, *on, "--no-peer", *more, *(QUICK_CONE if quick else ())]
        if part == "kernels" and "cuda" in on:
            options += ["--keep-tuning", str(out / "tuning-cone.json")]
        command = _cli("bench", "cone", *options, "--json", str(figures))
        found.append(Step(name, command, limit_s, figures))
    return found


def _dual_head(on: tuple[str, ...], quick: bool, out: Path) -> Step:
    """Dual-head PET; on a card the whole system, whose matrix is built first."""
    full = ("--subsets", "6", "--repeats", "3", "--parts", "projection,kernels,images")
    options = full if "cuda" in on and not quick else ("--system", "test", "--iterations", "2")
    figures = out / "dual-head.json"
    command = _cli("bench", "dual-head", *on, *options, "--json", str(figures))
    return Step("dual head", command, 200, figures)


def _cli(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-c", CLI, *arguments)


def install(wheels: Path, work: Path) -> tuple[Step, Path]:
    """Return the step that unpacks wheels, and the folder they go to."""
    target = work / "site"
    pip = (sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps")
    options = ("--no-compile", "--no-cache-dir", "--disable-pip-version-check", "--target")
    files = [str(wheel) for wheel in sorted(wheels.glob("*.whl"))]
    return Step("wheels", (*pip, *options, str(target), *files), 60), target


def outcome_line(xml: Path, device: str) -> Line:
    """Count what pytest wrote; on a machine with a card, tests that are skipped are a miss."""
    try:
        suite = ElementTree.parse(xml).getroot().find("testsuite")
    except (OSError, ElementTree.ParseError):
        suite = None
    if suite is None:
        return Line("tests", "no result", "all pass", False)
    n = {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
    ran, bad = n["tests"] - n["skipped"], n["failures"] + n["errors"]
    got = f"{ran - bad} passed, {bad} failed, {n['skipped']} skipped"
    good = bad == 0 and ran > 0 and (device == "cpu" or n["skipped"] == 0)
    return Line("tests", got, "all pass", good)


def bar_lines(paths: Sequence[Path]) -> list[Line]:
    """Return a line for each bar of stored figures."""
    lines = []
    for path in paths:
        parts = json.loads(path.read_text(encoding="utf-8"))["parts"]
        for part, measured in parts.items():
            for bar in measured["bars"]:
                unit = f" {bar['unit']}".rstrip()
                wanted = f"{bar['way']} {_short(bar['bar'])}{unit}"
                got = f"{_short(bar['value'])}{unit}"
                lines.append(Line(f"{part}: {bar['name']}", got, wanted, bool(bar["passed"])))
    return lines


def _short(value: float) -> str:
    return f"{value / 1e6:.3g} M" if value >= 1e5 else f"{value:.3g}"


def table(lines: Sequence[Line]) -> str:
    """Return the lines under each other, the verdict first."""
    widths = [max(len(getattr(line, key)) for line in lines) for key in ("what", "got")]
    return "\n".join(
        f"{'pass' if line.passed else 'MISS'}  {line.what:{widths[0]}}  {line.got:{widths[1]}}  "
        f"({line.wanted})"
        for line in lines
    )


def surroundings(work: Path, site: Path | None) -> dict[str, str]:
    """Return the variables of every step: our code and the wheels, and a home of its own."""
    paths = [str(path) for path in (site, ROOT) if path is not None]
    known = os.environ.get("PYTHONPATH")
    home = {"ISOCENTER_HOME": str(work / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    return (
        os.environ | home | {"PYTHONPATH": os.pathsep.join([*paths, *([known] if known else [])])}
    )


def options() -> argparse.Namespace:
    """Read the command line."""
    p = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    p.add_argument("--out", type=Path, default=Path("gpu-check"), help="folder for the JSON")
    p.add_argument("--wheels", type=Path, help="folder of wheels that this machine lacks")
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    p.add_argument("--quick", action="store_true", help="tiny work; bars are shown, not judged")
    p.add_argument("--minutes", type=float, default=8.5, help="for everything together")
    return p.parse_args()


def main() -> int:
    """Run all steps and print the table."""
    asked = options()
    deadline = time.monotonic() + 60 * asked.minutes - RESERVE_S
    out = asked.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="isocenter-") as folder:
        work = Path(folder)
        todo, site = steps(asked.device, asked.quick, work, out), None
        if asked.wheels is not None:
            unpack, site = install(asked.wheels, work)
            todo.insert(0, unpack)
        environ = surroundings(work, site)
        lines = []
        for step in todo:
            print(f"{step.name} ...", flush=True)
            if step.figures is not None:  # of an earlier check
                step.figures.unlink(missing_ok=True)
            done = run(step, environ, deadline)
            (out / f"{step.name.replace(' ', '-')}.log").write_text(done.output)
            if done.fault:
                print("\n".join(done.output.splitlines()[-LAST_LINES:]), flush=True)
            lines.append(done.line())
        lines.append(outcome_line(work / "tests.xml", asked.device))
        figures = [step.figures for step in todo if step.figures and step.figures.is_file()]
        bars = bar_lines(figures)
        if figures:
            command = _cli("bench", "report", *map(str, figures), "-o", str(out))
            report = Step("report", command, RESERVE_S)
            lines.append(run(report, environ, deadline + RESERVE_S).line())
    judged = [*lines, *(() if asked.quick else bars)]
    print(f"\n{table([*lines, *bars])}\n")
    return 0 if all(line.passed for line in judged) else 1


if __name__ == "__main__":
    raise SystemExit(main())
