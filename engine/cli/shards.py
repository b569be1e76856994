"""Options of a run that is split over the workers of a cluster."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.core.errors import SettingsError, WorkersLostError

if TYPE_CHECKING:  # imported only when a run is split
    from engine.jobs.process.messages import Source

SCHEDULER = "tcp://HOST:PORT"
ADDRESS = re.compile(r"[a-z]+://\S+|[^\s:/]+:[0-9]{1,5}")
MAX_SHARDS = 1024


def add_shards(p: argparse.ArgumentParser) -> None:
    """Add the options --scheduler and --split.

    Parameters
    ----------
    p
        parser of a verb that reconstructs
    """
    p.add_argument(
        "--scheduler", type=address, metavar=SCHEDULER,
        help="split list mode or FDK over the workers of a Dask cluster (default: this machine)",
    )  # fmt: skip
    p.add_argument(
        "--split", type=n_shards, metavar="N",
        help="number of parts (default: threads of the workers); it does not change the result",
    )  # fmt: skip


def address(text: str) -> str:
    """Parse the address of a Dask scheduler.

    Parameters
    ----------
    text
        value of the option, such as tcp://10.0.0.1:8786; tcp:// can be omitted

    Raises
    ------
    argparse.ArgumentTypeError
        for other values, on which Dask could wait forever
    """
    if ADDRESS.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not valid; expected {SCHEDULER}")
    return text


def n_shards(text: str) -> int:
    """Parse the number of parts.

    Parameters
    ----------
    text
        value of the option, 1 to `MAX_SHARDS`

    Raises
    ------
    argparse.ArgumentTypeError
        for other values
    """
    if text.isdecimal() and 1 <= int(text) <= MAX_SHARDS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not valid; expected 1 to {MAX_SHARDS}")


def source_of(scheduler: str | None, split: int | None, *, or_whole: bool = False) -> Source:
    """Return the function that runs a study: on this machine, or on the workers of a cluster.

    Parameters
    ----------
    scheduler
        address of a Dask scheduler; None for this machine
    split
        number of parts; None for the number of worker threads
    or_whole
        True to run studies that cannot be split on this machine

    Raises
    ------
    SettingsError
        if `split` is given without a scheduler
    """
    if scheduler is not None:
        # Imported here, since Dask is optional
        from engine.jobs.shards import DividedRun

        return DividedRun(scheduler, split, or_whole=or_whole)
    if split is not None:
        raise SettingsError(
            f"--split {split} needs a Dask cluster. Add --scheduler {SCHEDULER}, or remove --split."
        )
    from engine.jobs.reconstruction import run

    return run


@contextmanager
def cluster_hint(name: str, scheduler: str | None) -> Iterator[None]:
    """Add to an error how to resume when workers are available again.

    Parameters
    ----------
    name
        ID or folder of the job
    scheduler
        address of the Dask scheduler
    """
    try:
        yield
    except WorkersLostError as e:
        command = f"`isocenter resume {name} --scheduler {scheduler}`"
        raise WorkersLostError(
            f"{e} Run {command} to resume the job. Without --scheduler it runs on this machine."
        ) from e
