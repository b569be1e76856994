"""`isocenter bench`: speed on this machine, against stated bars, and reports of what was kept."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from engine.cli.console import Console
from engine.cli.machine import bench_peers
from engine.cli.machine.bench_options import count, keep, work_of
from engine.cli.machine.device import add_device, device_of
from engine.cli.outputs import Output, add_force
from engine.cli.simulate.response import parts_kept
from engine.cli.verbs import Verbs, add_verb
from engine.core import backend
from engine.core.backend import Backend
from engine.core.errors import ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.io.safety.atomic_write import write_atomically

BOTH = "both"
KERNELS_HELP = "edge of the cube, views and edge of the detector for the kernels of a GPU"


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "bench")
    suites = p.add_subparsers(dest="suite", metavar="SUITE", required=True)
    _add_listmode(suites.add_parser("listmode", help="reconstruction from list mode"))
    _add_cone(suites.add_parser("cone", help="projection and reconstruction of cone-beam CT"))
    _add_dual_head(suites.add_parser("dual-head", help="OSEM with a stored response"))
    _add_live(suites.add_parser("live", help="slices of detectors that do not wait"))
    _add_kernels(suites.add_parser("kernels", help="what the kernels of a GPU take, counted"))
    bench_peers.add_options(
        suites.add_parser("peers", help="other programs beside us, where installed")
    )
    window = suites.add_parser("window", help="start and smoothness of the window")
    window.add_argument("--json", type=Path, action=Output, metavar="OUT", help="write the figures")
    window.set_defaults(act=_window)
    report = suites.add_parser("report", help="tables and pictures of stored figures")
    report.add_argument("figures", nargs="+", type=Path, metavar="FILE.json")
    report.add_argument(
        "-o", "--out", type=Path, action=Output, written=_report_files, metavar="DIR",
        help="write a page and pictures",
    )  # fmt: skip
    report.set_defaults(act=_report)
    for p in suites.choices.values():
        add_force(p)


def _add_listmode(p: argparse.ArgumentParser) -> None:
    p.add_argument("--parts", metavar="A,B", help="of projector, table2, table3, kernels")
    add_device(p, BOTH)
    p.add_argument("--threads", type=count, metavar="N", help="of the CPU")
    p.add_argument("--events", type=count, metavar="N", help="of each part")
    p.add_argument("--sizes", metavar="32,128", help="edges of the cubes of table2 and kernels")
    p.add_argument("--iterations", type=count, metavar="N", help="of table2 and table3")
    p.add_argument("--repeats", type=count, metavar="N", help="runs, of which the median counts")
    p.add_argument("--budget", type=float, default=90.0, metavar="S", help="of kernels [s]")
    p.add_argument("--json", type=Path, action=Output, metavar="OUT", help="write the figures")
    p.add_argument(
        "--keep-tuning", type=Path, action=Output, metavar="OUT", help="the best kernels"
    )
    p.set_defaults(act=_listmode)


def _add_cone(p: argparse.ArgumentParser) -> None:
    p.add_argument("--parts", metavar="A,B", help="of projectors, kernels, patches, slices")
    add_device(p)
    p.add_argument("--threads", type=count, metavar="N", help="of the CPU")
    p.add_argument("--sizes", default="128,256", metavar="128,256", help="edges of the cubes")
    p.add_argument("--views", type=count, default=360, metavar="N")
    p.add_argument("--pixels", type=count, default=256, metavar="N", help="edge of the detector")
    p.add_argument("--kernels", type=work_of, metavar="512x720x1024", help=KERNELS_HELP)
    p.add_argument("--repeats", type=count, default=3, metavar="N", help="runs of each case")
    p.add_argument("--no-peer", action="store_true", help="leave RTK out where it is installed")
    p.add_argument("--budget", type=float, default=60.0, metavar="S", help="of kernels [s]")
    p.add_argument("--quick", action="store_true", help="rehearse all parts but projectors")
    p.add_argument("--json", type=Path, action=Output, metavar="OUT", help="write the figures")
    p.add_argument(
        "--keep-tuning", type=Path, action=Output, metavar="OUT", help="the best kernels"
    )
    p.set_defaults(act=_cone)


def _add_dual_head(p: argparse.ArgumentParser) -> None:
    p.add_argument("--parts", metavar="A,B", help="of projection, forms, kernels, images")
    p.add_argument("--system", choices=("full", "demo", "test"), default="full")
    p.add_argument("--response", type=Path, metavar="FILE.h5", help="its matrix, or one is built")
    add_device(p, BOTH)
    p.add_argument("--threads", type=count, metavar="N", help="of the CPU")
    p.add_argument("--subsets", type=count, metavar="N", help="measured; 2 of the full system")
    p.add_argument("--of", type=count, metavar="N", help="subsets in an iteration; 72 if full")
    p.add_argument("--repeats", type=count, default=1, metavar="N", help="runs of each case")
    p.add_argument("--iterations", type=count, default=24, metavar="N", help="of images")
    p.add_argument("--counts", type=float, metavar="N", help="of images")
    p.add_argument("--json", type=Path, action=Output, metavar="OUT", help="write the figures")
    p.set_defaults(act=_dual_head)


def _add_live(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--cases", metavar="A,B", help="of flexray, high-speed, tomobank, folder, memory, pet"
    )
    add_device(p, default="cpu")
    p.add_argument("--threads", type=count, metavar="N", help="of the CPU")
    p.add_argument("--seconds", type=float, default=6.0, metavar="S", help="of each case, warm")
    p.add_argument("--json", type=Path, action=Output, metavar="OUT", help="write the figures")
    p.set_defaults(act=_live)


def _add_kernels(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--counted", action="store_true", required=True,
        help="issue slots and memory lines for a unit of work, and calculated limits of cards",
    )  # fmt: skip
    p.add_argument("-o", "--out", type=Path, action=Output, metavar="PAGE.md", help="write them")
    p.set_defaults(act=_kernels)


def _kernels(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import counted
    from engine.tools.benchmark.cone import whole_fdk

    page = whole_fdk.page(counted.recorded())
    if arguments.out is not None:
        write_atomically(page.encode(), arguments.out)
    console.line(page)


def _live(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.live import suite

    on = device_of(arguments.device, arguments.threads, console)
    cases = arguments.cases.split(",") if arguments.cases else ()
    found = suite.collect(on, cases, arguments.seconds, console.line)
    if arguments.json is not None:
        keep(found, arguments.json)
    console.line(report.page([found]))


def _listmode(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import kernels, listmode, report

    devices = _devices(arguments.device, arguments.threads, console)
    parts = arguments.parts.split(",") if arguments.parts else listmode.parts_of(devices)
    if arguments.keep_tuning is not None and "kernels" not in parts:
        raise SettingsError("--keep-tuning needs the part kernels, which needs a GPU.")
    work = listmode.ListModeWork(
        events=arguments.events,
        sizes=_sizes(arguments.sizes) if arguments.sizes else None,
        iterations=arguments.iterations,
        repeats=arguments.repeats,
        budget_s=arguments.budget,
    )
    figures = listmode.run(devices, parts=parts, work=work, say=console.line)
    if arguments.json is not None:
        keep(figures, arguments.json)
    if arguments.keep_tuning is not None:
        keep(kernels.tuning(figures["parts"]["kernels"], devices[-1]), arguments.keep_tuning)
    console.line(report.page([figures]))


def _cone(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.cone import parts as cone_parts
    from engine.tools.benchmark.cone import variants
    from engine.tools.tuning.card_search import fastest_of_paths, record_of_card
    from engine.tools.tuning.choices import why_no_search

    on = device_of(arguments.device, arguments.threads, console)
    parts = arguments.parts.split(",") if arguments.parts else cone_parts.parts_of(on)
    if arguments.keep_tuning is not None and not (on.is_cuda and "kernels" in parts):
        raise SettingsError("--keep-tuning needs the part kernels, and a GPU.")
    if on.is_cuda and "kernels" in parts and (obstacle := why_no_search()):
        raise ResourceError(obstacle)
    others = cone_parts.TINY if arguments.quick else cone_parts.Sizes()
    if arguments.kernels:
        others = replace(others, kernels=variants.of_size(*arguments.kernels))
    work = cone_parts.PartsWork(
        sizes=_sizes(arguments.sizes),
        n_views=arguments.views,
        pixels=arguments.pixels,
        repeats=arguments.repeats,
        with_peer=not arguments.no_peer,
        budget_s=arguments.budget,
        others=others,
        search=lambda on, searched, budget_s: fastest_of_paths(on, searched, budget_s=budget_s),
    )
    figures = cone_parts.run(on, parts=parts, work=work, say=console.line)
    if arguments.json is not None:
        keep(figures, arguments.json)
    if arguments.keep_tuning is not None:
        keep(record_of_card(figures["parts"]["cone_search"], on), arguments.keep_tuning)
    console.line(report.page([figures]))


def _dual_head(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.dual_head import panels
    from engine.tools.benchmark.dual_head import parts as dual_head_parts

    devices, system = _devices(arguments.device, arguments.threads, console), arguments.system
    of = arguments.of or panels.SUBSETS[system]
    sampled = arguments.subsets or (min(panels.SAMPLED, of) if system == "full" else of)
    with parts_kept():
        response = panels.response_of(
            system, arguments.response, threads=devices[0].threads, say=console.line
        )
    figures = dual_head_parts.run(
        devices,
        panels.PanelWork(response, of, sampled),
        parts=arguments.parts.split(",")
        if arguments.parts
        else dual_head_parts.parts_of(devices, system),
        repeats=arguments.repeats,
        iterations=arguments.iterations,
        n_counts=arguments.counts,
        say=console.line,
    )
    if arguments.json is not None:
        keep(figures, arguments.json)
    console.line(report.page([figures]))


def _window(arguments: argparse.Namespace, console: Console) -> None:
    figures = _window_figures()
    for name, value in figures.items():
        console.line(f"  {name:42s} {value}")
    if arguments.json is not None:
        keep(figures, arguments.json)


def _report(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report

    runs = [report.read(path) for path in arguments.figures]
    console.line(report.page(runs))
    if arguments.out is not None:
        for path in report.write(runs, arguments.out):
            console.line(f"wrote {path}")


def _report_files(folder: Path, _: argparse.Namespace) -> tuple[Path, ...]:
    from engine.tools.benchmark import report

    return report.files(folder)


def _devices(name: str, threads: int | None, console: Console) -> list[Backend]:
    """Return the devices to measure, the CPU first."""
    if name == BOTH:
        return [backend.cpu(threads), device_of("cuda", None, console)]
    return [device_of(name, threads, console)]


def _sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(size) for size in text.split(","))
    except ValueError:
        sizes = (0,)
    if not all(4 <= size <= 1024 for size in sizes):
        raise SettingsError(f"--sizes: {text!r}, want edges from 4 to 1024 voxels, as 32,128.")
    return sizes


def _window_figures() -> Plain:
    """The window measures itself in a process of its own, so that its start-up is honest."""
    variables = dict(os.environ)
    if sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(variables):
        variables.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, "-m", "app.shell.measured_window"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    try:
        figures: Plain = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError) as e:
        reason = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise ResourceError(f"the window could not be measured: {reason}.") from e
    return figures
