"""`isocenter bench peers`: our work and that of other programs, in turn, in one process."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine import backend
from engine.cli.bench_options import count, keep, work_of
from engine.cli.console import Console
from engine.cli.outputs import Output
from engine.errors import ResourceError


def add_options(p: argparse.ArgumentParser) -> None:
    """Add what can be said of the suite."""
    p.add_argument("--threads", type=count, metavar="N", help="of the CPU")
    p.add_argument("--events", type=count, default=1_000_000, metavar="N", help="of list mode")
    p.add_argument(
        "--cone", type=_cone_size, default=(256, 60), metavar="256x60",
        help="edge of cube and detector, and views, of cone beams",
    )  # fmt: skip
    p.add_argument(
        "--slices", type=work_of, default=(16, 512, 360), metavar="16x512x360",
        help="slices of parallel beams: their number, edge and views",
    )  # fmt: skip
    p.add_argument("--repeats", type=count, default=3, metavar="N", help="runs of each case")
    p.add_argument("--json", type=Path, action=Output, metavar="OUT", help="write the figures")
    p.add_argument(
        "--against", type=Path, metavar="FILE.json",
        help="of an earlier run; fail if a ratio fell by more than a third",
    )  # fmt: skip
    p.set_defaults(act=_peers)


def _peers(arguments: argparse.Namespace, console: Console) -> None:
    from engine.benchmark import peers, report

    earlier = report.part_of(arguments.against, "peers") if arguments.against else None
    on = backend.cpu(arguments.threads)
    work = peers.PeerWork(arguments.events, arguments.cone, arguments.slices, arguments.repeats)
    found = peers.run(on, work, console.line)
    if arguments.json is not None:
        keep(found, arguments.json)
    console.line(report.page([found]))
    if earlier is not None:
        fallen = peers.fallen(found["parts"]["peers"]["rows"], earlier["rows"])
        if fallen:
            raise ResourceError(f"slower than in {arguments.against.name}: {'; '.join(fallen)}.")


def _cone_size(text: str) -> tuple[int, int]:
    size, n_views = (count(number) for number in text.split("x"))
    return size, n_views
