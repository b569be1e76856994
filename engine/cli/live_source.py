"""The options that name a source of a running scan, the same for every verb that has one."""

from __future__ import annotations

import argparse

from engine.errors import SettingsError
from engine.jobs.loader import for_command
from engine.jobs.loader.loader import Loader
from engine.live.opening import SourceOptions, open_source
from engine.live.source import FrameSource

SOURCE = (
    "tcp://HOST:PORT of a sender (tcp://*:PORT: senders connect here), pva://CHANNEL, a folder "
    "that fills with images, an HDF5 file that is being written, or with --replay a stored scan"
)


def add_source(p: argparse.ArgumentParser) -> None:
    """Add the source and what is to be known of it."""
    p.add_argument("source", metavar="SOURCE", help=SOURCE)
    p.add_argument(
        "--sub",
        dest="subscribe",
        action="store_true",
        help="the sender has a socket PUB, not PUSH",
    )
    p.add_argument(
        "--replay", action="store_true", help="play a stored scan as if it were measured now"
    )
    p.add_argument(
        "--rate",
        type=rate,
        metavar="N",
        help="frames in a second of --replay; as taken if left out",
    )
    p.set_defaults(reads_apart=True)


def source_of(arguments: argparse.Namespace) -> FrameSource:
    """Open the source that the options name; its files are read by another process."""
    if arguments.rate is not None and not arguments.replay:
        raise SettingsError("--rate is for --replay; other sources have a rate of their own.")
    loader = for_command()
    if isinstance(loader, Loader):
        loader.start()  # before there are threads
    options = SourceOptions(
        subscribe=arguments.subscribe, replay=arguments.replay, rate=arguments.rate, loader=loader
    )
    return open_source(str(arguments.source), options)


def rate(text: str) -> float:
    """Return frames in a second."""
    number = float(text)
    if not 0 < number <= 1e6:
        raise ValueError
    return number
