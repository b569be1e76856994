"""`isocenter bench peers`: compare with other programs, alternating, in one process."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli.console import Console
from engine.cli.device import add_device, device_of
from engine.cli.machine.bench_options import keep, work_of
from engine.cli.outputs import add_json, add_threads, count
from engine.core.errors import ResourceError
from engine.core.json_types import Plain


def add_options(p: argparse.ArgumentParser) -> None:
    """Add the options of the suite.

    Parameters
    ----------
    p
        parser of `isocenter bench peers`
    """
    add_device(p, default="cpu")
    add_threads(p)
    p.add_argument(
        "--events", type=count, metavar="N",
        help="list-mode events (default: one million; on a GPU 1 and 16 million)",
    )  # fmt: skip
    p.add_argument(
        "--cone", type=_cone_size, metavar="256x60",
        help="cone beams: cube and detector edge, and views (default: 256x60; on a GPU: 256x360)",
    )  # fmt: skip
    p.add_argument(
        "--slices", type=work_of, default=(16, 512, 360), metavar="16x512x360",
        help="parallel beams, on the CPU: number of slices, edge and views",
    )  # fmt: skip
    p.add_argument(
        "--repeats",
        type=count,
        metavar="N",
        help="repetitions of each case (default: 3; on a GPU 9)",
    )
    add_json(p, "write the measurements")
    p.add_argument(
        "--against", type=Path, metavar="FILE.json",
        help="earlier measurements; fail if a ratio to the same build fell by more than a "
        "third (default: none)",
    )  # fmt: skip
    p.set_defaults(act=_peers)


def _peers(arguments: argparse.Namespace, console: Console) -> None:
    from engine.tools.benchmark import report
    from engine.tools.benchmark.peers import on_card, suite

    # Read before the measurement, so that a wrong file costs no time
    earlier = report.part_of(arguments.against, "peers") if arguments.against else None
    on = device_of(arguments.device, arguments.threads, console)
    names = ("events", "cone", "repeats")
    # Options that are not given keep the defaults of the suite, which differ by device
    asked: Plain = {name: vars(arguments)[name] for name in names if vars(arguments)[name]}
    if on.is_cuda:
        if "events" in asked:
            asked["events"] = (asked["events"],)
        found = on_card.run(on, on_card.CardWork(**asked), console.log)
    else:
        work = suite.PeerWork(**asked, slices=arguments.slices)
        found = suite.run(on, work, console.log)
    if arguments.json is not None:
        keep(found, arguments.json)
    console.page(report.page([found]))
    if earlier is not None:
        # Only ratios are compared: the speed of the machine cancels out
        regressions = suite.regressions(found["parts"]["peers"]["rows"], earlier["rows"])
        if regressions:
            raise ResourceError(
                f"The speed has dropped since {arguments.against.name}. Ratios (now / before): "
                f"{'; '.join(regressions)}."
            )


def _cone_size(text: str) -> tuple[int, int]:
    numbers = text.split("x")
    if len(numbers) != 2:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not valid; expected two whole numbers such as 256x60"
        )
    size, n_views = map(count, numbers)
    return size, n_views
