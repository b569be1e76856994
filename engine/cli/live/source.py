"""The options that name a source of a running scan, the same for every verb that has one."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.core.errors import EngineError, SettingsError
from engine.io import LISTMODE_READERS
from engine.io.folder import is_file
from engine.io.safety.open_input import open_input
from engine.jobs.loader import Loader, for_command
from engine.jobs.loader.loader import Calls
from engine.live.core.source import FrameSource
from engine.live.ct.opening import SourceOptions, open_source
from engine.live.pet.event_batch import EventSource
from engine.live.pet.opening import open_events

SOURCE = (
    "tcp://HOST:PORT of a sender (tcp://*:PORT: senders connect here), pva://CHANNEL, a folder "
    "that fills with images, an HDF5 or list-mode file that is being written, or with --replay a "
    "stored scan"
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
        help="frames, or seconds of list mode, in a second of --replay; as taken if left out",
    )
    p.add_argument(
        "--pet", action="store_true",
        help="of an address: events of list-mode PET come; a file says so itself",
    )  # fmt: skip
    p.add_argument("--scanner", metavar="S", help="of list mode that does not name its scanner")
    p.set_defaults(reads_apart=True)


def source_of(arguments: argparse.Namespace) -> FrameSource:
    """Open the source that the options name; its files are read by another process."""
    if arguments.rate is not None and not arguments.replay:
        raise SettingsError("--rate is for --replay; other sources have a rate of their own.")
    loader = _kept_loader(arguments)
    options = SourceOptions(
        subscribe=arguments.subscribe, replay=arguments.replay, rate=arguments.rate, loader=loader
    )
    return open_source(str(arguments.source), options)


def _kept_loader(arguments: argparse.Namespace) -> Calls:
    """Return what reads files until the command ends, which then ends it."""
    loader = for_command()
    if isinstance(loader, Loader):
        loader.start()  # before there are threads
        arguments.ends_with_command = loader.close
    return loader


def has_events(arguments: argparse.Namespace) -> bool:
    """Whether the source gives events of list mode, not frames."""
    if not hasattr(arguments, "of_events"):
        arguments.of_events = arguments.pet or is_list_mode(Path(arguments.source))
    return bool(arguments.of_events)


def is_list_mode(path: Path) -> bool:
    """Whether a file is stored list mode; another process looks at it."""
    if not is_file(path):
        return False
    loader = for_command()
    try:
        return loader.call(_accepts, path, about=path)
    except EngineError:
        return False  # said where it is opened
    finally:
        if isinstance(loader, Loader):
            loader.close()


def _accepts(path: Path) -> bool:
    with open_input(path) as file:
        return LISTMODE_READERS.accepting(file) is not None


def event_source_of(arguments: argparse.Namespace) -> EventSource:
    """Open the source of events that the options name."""
    name = str(arguments.source)
    replay, rate = arguments.replay, arguments.rate
    if rate is not None and not replay:
        raise SettingsError("--rate is for --replay of a stored scan.")
    loader = _kept_loader(arguments) if replay else None
    options = SourceOptions(arguments.subscribe, replay, rate, loader)
    return open_events(name, options, arguments.scanner)


def rate(text: str) -> float:
    """Return frames in a second."""
    number = float(text)
    if not 0 < number <= 1e6:
        raise ValueError
    return number
