"""`isocenter bench`: measure speed on this machine, and report stored measurements."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from engine.cli.console import Console
from engine.cli.device import add_device, device_of
from engine.cli.machine import bench_peers
from engine.cli.machine.bench_options import add_keep_tuning, add_parts, keep, work_of
from engine.cli.outputs import Output, add_force, add_json, add_threads, count
from engine.cli.simulate.response import resume_hint
from engine.cli.verbs import Verbs, add_verb
from engine.core import backend
from engine.core.backend import Backend
from engine.core.errors import ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.io.safety.atomic_write import write_atomically

BOTH = "both"
CONE_PARTS = "projectors, kernels, patches, slices, breakup"
KERNELS_HELP = (
    "cube edge, views and detector edge for the GPU kernels (default: 512 voxels, 720 views, "
    "768 × 1024 pixels)"
)


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter bench` with its suites.

    Suites import their modules when they run, so that the list of options appears at once.
    """
    p = add_verb(verbs, "bench")
    suites = p.add_subparsers(dest="suite", metavar="SUITE", required=True)
    _add_listmode(suites.add_parser("listmode", help="list-mode PET"))
    _add_cone(suites.add_parser("cone", help="cone-beam CT"))
    _add_dual_head(
        suites.add_parser("dual-head", help="dual-head PET: OSEM with a stored response")
    )
    _add_live(suites.add_parser("live", help="slices during a scan"))
    _add_gpu(suites.add_parser("gpu", help="X-ray projectors, scatter, small subsets, whole runs"))
    _add_kernels(suites.add_parser("kernels", help="operation counts of the GPU kernels"))
    bench_peers.add_options(
        suites.add_parser("peers", help="comparison with other programs, if installed")
    )
    window = suites.add_parser("window", help="start-up time and frame rate of the window")
    add_json(window, "write the measurements")
    window.set_defaults(act=_window)
    report = suites.add_parser("report", help="tables and pictures of stored measurements")
    report.add_argument(
        "figures", nargs="+", type=Path, metavar="FILE.json", help="stored measurements"
    )
    report.add_argument(
        "-o", "--out", type=Path, action=Output, written=_report_files, metavar="DIR",
        help="write a page with pictures to this folder (default: none)",
    )  # fmt: skip
    report.set_defaults(act=_report)
    # Each suite can write a file of measurements
    for p in suites.choices.values():
        add_force(p)


def _add_listmode(p: argparse.ArgumentParser) -> None:
    add_parts(p, "projector, table2, table3, kernels", "all that the device has")
    add_device(p, BOTH)
    add_threads(p)
    p.add_argument("--events", type=count, metavar="N", help="events (default: per part)")
    p.add_argument("--sizes", metavar="32,128", help="edges in voxels (default: per part)")
    p.add_argument(
        "--iterations",
        type=count,
        metavar="N",
        help="iterations (default: per part)",
    )
    p.add_argument("--repeats", type=count, metavar="N", help="repetitions (default: 3)")
    p.add_argument(
        "--budget",
        type=float,
        default=90.0,
        metavar="S",
        help="time for kernels [s] (default: %(default)g)",
    )
    add_json(p, "write the measurements")
    add_keep_tuning(p)
    p.set_defaults(act=_listmode)


def _add_cone(p: argparse.ArgumentParser) -> None:
    add_parts(p, CONE_PARTS, "projectors; on a GPU also kernels")
    add_device(p)
    add_threads(p)
    p.add_argument("--sizes", default="128,256", metavar="128,256", help="cube edges in voxels")
    p.add_argument("--views", type=count, default=360, metavar="N", help="number of views")
    p.add_argument("--pixels", type=count, default=256, metavar="N", help="detector edge in pixels")
    p.add_argument("--kernels", type=work_of, metavar="512x720x1024", help=KERNELS_HELP)
    p.add_argument("--repeats", type=count, default=3, metavar="N", help="repetitions of each case")
    p.add_argument("--no-peer", action="store_true", help="skip RTK, even if it is installed")
    p.add_argument(
        "--budget",
        type=float,
        default=60.0,
        metavar="S",
        help="time for kernels [s] (default: %(default)g)",
    )
    p.add_argument(
        "--quick", action="store_true", help="tiny sizes for all parts except projectors"
    )
    add_json(p, "write the measurements")
    add_keep_tuning(p)
    p.set_defaults(act=_cone)


def _add_dual_head(p: argparse.ArgumentParser) -> None:
    add_parts(p, "projection, forms, kernels, images", "those that take minutes")
    p.add_argument(
        "--system", choices=("full", "demo", "test"), default="full",
        help="size of the scanner (default: %(default)s)",
    )  # fmt: skip
    p.add_argument(
        "--response", type=Path, metavar="FILE.h5", help="stored response (default: compute one)"
    )
    add_device(p, BOTH)
    add_threads(p)
    p.add_argument(
        "--subsets", type=count, metavar="N", help="measured subsets (default: all; full system: 2)"
    )
    p.add_argument(
        "--of", type=count, metavar="N", help="subsets per iteration (default: that of the system)"
    )
    p.add_argument("--repeats", type=count, default=1, metavar="N", help="repetitions of each case")
    p.add_argument("--iterations", type=count, default=24, metavar="N", help="iterations of images")
    p.add_argument(
        "--counts", type=float, metavar="N", help="counts of images (default: 3.1 per line)"
    )
    add_json(p, "write the measurements")
    p.set_defaults(act=_dual_head)


def _add_live(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--cases", metavar="A,B",
        help="cases: flexray, high-speed, tomobank, folder, memory, pet, recording (default: all)",
    )  # fmt: skip
    add_device(p, default="cpu")
    add_threads(p)
    p.add_argument(
        "--seconds",
        type=float,
        default=6.0,
        metavar="S",
        help="measured time per case, after warm-up",
    )
    p.add_argument("--quick", action="store_true", help="tiny detectors, a quarter of their frames")
    add_json(p, "write the measurements")
    p.set_defaults(act=_live)


def _add_gpu(p: argparse.ArgumentParser) -> None:
    add_parts(p, "fdk, projectors, scatter, subsets, runs", "all")
    add_device(p, default="cuda")
    add_threads(p)
    p.add_argument("--repeats", type=count, default=5, metavar="N", help="repetitions of each case")
    p.add_argument("--quick", action="store_true", help="tiny sizes")
    add_json(p, "write the measurements")
    p.set_defaults(act=_gpu)


def _add_kernels(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--counted", action="store_true", required=True,
        help="instructions and memory accesses per unit of work, and calculated limits of GPUs",
    )  # fmt: skip
    p.add_argument(
        "-o",
        "--out",
        type=Path,
        action=Output,
        metavar="PAGE.md",
        help="write the page (default: none)",
    )
    p.set_defaults(act=_kernels)


def _kernels(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import counted
    from engine.tools.benchmark.cone import whole_fdk

    page = whole_fdk.page(counted.recorded())
    if arguments.out is not None:
        write_atomically(page.encode(), arguments.out)
    console.page(page)


def _gpu(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.card import parts as card_parts

    found = card_parts.run(
        device_of(arguments.device, arguments.threads, console),
        parts=arguments.parts.split(",") if arguments.parts else card_parts.PARTS,
        sizes=card_parts.TINY if arguments.quick else card_parts.CardSizes(),
        repeats=arguments.repeats,
        log=console.log,
    )
    if arguments.json is not None:
        keep(found, arguments.json)
    console.page(report.page([found]))


def _live(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.live import suite

    on = device_of(arguments.device, arguments.threads, console)
    cases = arguments.cases.split(",") if arguments.cases else ()
    found = suite.collect(on, cases, arguments.seconds, console.log, quick=arguments.quick)
    if arguments.json is not None:
        keep(found, arguments.json)
    console.page(report.page([found]))


def _listmode(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import kernels, listmode, report

    devices = _devices(arguments.device, arguments.threads, console)
    parts = arguments.parts.split(",") if arguments.parts else listmode.parts_of(devices)
    # Only the part "kernels" tries variants, so only it can write the best ones
    if arguments.keep_tuning is not None and "kernels" not in parts:
        raise SettingsError(
            "--keep-tuning saves the result of the part `kernels`, but this run does not measure "
            "it. Remove --keep-tuning, or add `kernels` to --parts and measure on a GPU."
        )
    work = listmode.ListModeWork(
        events=arguments.events,
        sizes=_sizes(arguments.sizes) if arguments.sizes else None,
        iterations=arguments.iterations,
        repeats=arguments.repeats,
        budget_s=arguments.budget,
    )
    figures = listmode.run(devices, parts=parts, work=work, log=console.log)
    if arguments.json is not None:
        keep(figures, arguments.json)
    if arguments.keep_tuning is not None:
        keep(kernels.tuning(figures["parts"]["kernels"], devices[-1]), arguments.keep_tuning)
    console.page(report.page([figures]))


def _cone(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.cone import parts as cone_parts
    from engine.tools.benchmark.cone import variants
    from engine.tools.tuning.card_search import fastest_of_paths, record_of_card
    from engine.tools.tuning.choices import why_no_search

    on = device_of(arguments.device, arguments.threads, console)
    parts = arguments.parts.split(",") if arguments.parts else cone_parts.parts_of(on)
    if arguments.keep_tuning is not None and not (on.is_cuda and "kernels" in parts):
        raise SettingsError(
            "--keep-tuning saves the result of the part `kernels`, but this run does not measure "
            "it. Remove --keep-tuning, or add `kernels` to --parts and measure on a GPU."
        )
    # Kernel Tuner is optional; without it the search would fail after minutes of other parts
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
    figures = cone_parts.run(on, parts=parts, work=work, log=console.log)
    if arguments.json is not None:
        keep(figures, arguments.json)
    if arguments.keep_tuning is not None:
        keep(record_of_card(figures["parts"]["cone_search"], on), arguments.keep_tuning)
    console.page(report.page([figures]))


def _dual_head(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.dual_head import panels
    from engine.tools.benchmark.dual_head import parts as dual_head_parts

    devices, system = _devices(arguments.device, arguments.threads, console), arguments.system
    of = arguments.of or panels.SUBSETS[system]
    # The full system has 72 subsets; a sample of them gives the time of an iteration
    sampled = arguments.subsets or (min(panels.SAMPLED, of) if system == "full" else of)
    # Computing the response of the full system takes long, and continues after an interrupt
    with resume_hint():
        response = panels.response_of(
            system, arguments.response, threads=devices[0].threads, log=console.log
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
        log=console.log,
    )
    if arguments.json is not None:
        keep(figures, arguments.json)
    console.page(report.page([figures]))


def _window(arguments: argparse.Namespace, console: Console) -> None:
    figures = _window_figures()
    for name, value in figures.items():
        console.line(f"  {name:42s} {value}")
    if arguments.json is not None:
        keep(figures, arguments.json)


def _report(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report

    runs = [report.read(path) for path in arguments.figures]
    console.page(report.page(runs))
    if arguments.out is not None:
        for path in report.write(runs, arguments.out):
            console.line(f"Written: {path}")


def _report_files(folder: Path, _: argparse.Namespace) -> tuple[Path, ...]:
    from engine.tools.benchmark import report

    return report.files(folder)


def _devices(name: str, threads: int | None, console: Console) -> list[Backend]:
    """Return the devices to measure, the CPU first."""
    # The CPU first: its results are the reference for the GPU
    if name == BOTH:
        return [backend.cpu(threads), device_of("cuda", None, console)]
    return [device_of(name, threads, console)]


def _sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(size) for size in text.split(","))
    except ValueError:
        sizes = (0,)
    if not all(4 <= size <= 1024 for size in sizes):
        raise SettingsError(
            f"--sizes {text!r}: expected edge lengths from 4 to 1024 voxels, such as 32,128."
        )
    return sizes


def _window_figures() -> Plain:
    """Measure the window in a new process, so that the start-up time is complete."""
    variables = dict(os.environ)
    # Qt needs a platform without display; the frame rate is then that of the software renderer
    if sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(variables):
        variables.setdefault("QT_QPA_PLATFORM", "offscreen")
    # A process of its own: this one has already imported half of the program
    command = [sys.executable, "-m", "app.shell.measured_window"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    try:
        # The figures are the last line: libraries may print before them
        figures: Plain = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError) as e:
        lines = done.stderr.strip().splitlines()
        if not lines:
            raise ResourceError(
                "The speed of the window could not be measured: its process printed nothing."
            ) from e
        raise ResourceError(f"The speed of the window could not be measured ({lines[-1]}).") from e
    return figures
