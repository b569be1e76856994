"""The options of a run whose updates are shared out over the workers of a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.core.errors import SettingsError, WorkersGoneError

if TYPE_CHECKING:  # what shares a run out is not needed to describe it
    from engine.jobs.process.messages import Source

SCHEDULER = "tcp://HOST:PORT"
MOST_SHARDS = 1024


def add_shards(p: argparse.ArgumentParser) -> None:
    """Add the options --scheduler and --split."""
    p.add_argument(
        "--scheduler", metavar=SCHEDULER,
        help="share list mode or FDK out over the workers of a Dask cluster",
    )  # fmt: skip
    p.add_argument(
        "--split", type=n_shards, metavar="N",
        help="in N parts (as many as the workers have threads); the same bits for any number",
    )  # fmt: skip


def n_shards(text: str) -> int:
    """Read a number of parts."""
    if text.isdecimal() and 1 <= int(text) <= MOST_SHARDS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not 1 to {MOST_SHARDS}")


def source_of(scheduler: str | None, split: int | None, *, or_whole: bool = False) -> Source:
    """Return what runs a study: this machine, or the workers of a cluster.

    or_whole : whether this machine takes studies that cannot be shared out
    """
    if scheduler is not None:
        from engine.jobs.shards import DividedRun

        return DividedRun(scheduler, split, or_whole=or_whole)
    if split is not None:
        raise SettingsError(
            f"--split {split}: there is nobody to share with; name a Dask cluster with --scheduler "
            f"{SCHEDULER}, or leave --split out."
        )
    from engine.jobs.reconstruction import run

    return run


@contextmanager
def way_on(name: str, scheduler: str | None) -> Iterator[None]:
    """Say how to go on once there are workers again."""
    try:
        yield
    except WorkersGoneError as e:
        command = f"`isocenter resume {name} --scheduler {scheduler}`"
        raise WorkersGoneError(f"{e} {command} does that, here without the option.") from e
