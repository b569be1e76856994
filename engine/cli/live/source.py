"""Options for the source of a live scan, shared by the live verbs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, SettingsError
from engine.io import LISTMODE_READERS
from engine.io.folder import is_file
from engine.io.safety.open_input import open_input
from engine.jobs.loader import Loader, for_command
from engine.jobs.loader.loader import Calls
from engine.live.core.source import FrameSource
from engine.live.core.zeromq import is_address
from engine.live.ct.opening import SourceOptions, open_source
from engine.live.pet.event_batch import EventSource
from engine.live.pet.opening import open_events

if TYPE_CHECKING:
    from engine.geometry.xray import XrayGeometry

MIN_RATE, MAX_RATE = 1e-3, 1e6
"""Frames, or seconds of list mode, per second."""
SOURCE = (
    "tcp://HOST:PORT of a sender (tcp://*:PORT to wait for senders), pva://CHANNEL, a folder that "
    "receives images, an HDF5 or list-mode file that is being written, or a stored scan (--replay)"
)


def add_source(p: argparse.ArgumentParser) -> None:
    """Add the source and its options.

    Parameters
    ----------
    p
        parser of a live verb, whose files are then read in a separate process
    """
    p.add_argument("source", metavar="SOURCE", help=SOURCE)
    p.add_argument(
        "--sub",
        dest="subscribe",
        action="store_true",
        help="the sender uses a PUB socket, not PUSH",
    )
    p.add_argument(
        "--network", action="store_true",
        help="accept senders on other computers at tcp://*:PORT (default: only on this computer)",
    )  # fmt: skip
    p.add_argument(
        "--sender-key", action="append", default=[], metavar="KEY", dest="sender_keys",
        help="accept only senders with this public key, or with a key of this file (repeatable)",
    )  # fmt: skip
    p.add_argument(
        "--sender", default="", metavar="WHO",
        help="accept only the sender with this token, key or address",
    )  # fmt: skip
    p.add_argument("--replay", action="store_true", help="replay a stored scan")
    p.add_argument(
        "--rate",
        type=rate,
        metavar="N",
        help="with --replay: frames, or seconds of list mode, per second (default: as fast as "
        "processed)",
    )
    p.add_argument(
        "--pet", action="store_true",
        help="for an address: expect list-mode PET; files are recognised",
    )  # fmt: skip
    p.add_argument(
        "--scanner",
        metavar="S",
        help="scanner of list mode that does not name it (default: that of the source)",
    )
    p.set_defaults(reads_apart=True)


def add_geometry(p: argparse.ArgumentParser, default: str) -> None:
    """Add the option `--geometry`.

    Parameters
    ----------
    p
        parser of a live verb
    default
        clause for the help: the behaviour without the option
    """
    p.add_argument(
        "--geometry",
        type=Path,
        metavar="SCAN",
        help=f"stored scan with the same geometry (default: {default})",
    )


def stored_geometry(path: Path | None) -> XrayGeometry | None:
    """Return the geometry of a stored scan, which another process reads; None without a scan.

    Parameters
    ----------
    path
        value of `--geometry`

    Raises
    ------
    EngineError
        if the file cannot be read
    """
    if path is None:
        return None
    from engine.live.ct.protocol_choices import geometry_of

    loader = for_command()
    try:
        return geometry_of(path, loader)
    finally:
        if isinstance(loader, Loader):
            loader.close()


def source_of(
    arguments: argparse.Namespace, frame_shape: tuple[int, int] | None = None
) -> FrameSource:
    """Open the source of frames.

    Parameters
    ----------
    arguments
        parsed options of `add_source`
    frame_shape
        (n_rows, n_columns) of the frames; None if not known

    Raises
    ------
    SettingsError
        if the source is not an address, file or folder, or does not use an option
    """
    if arguments.rate is not None and not arguments.replay:
        raise SettingsError("--rate needs --replay. Other sources set their own rate.")
    _refuse_of_addresses(arguments)
    refuse_given(
        arguments,
        {"--scanner": arguments.scanner is not None},
        "X-ray scans contain their geometry. Remove it, or add --pet for list mode.",
    )
    loader = _file_loader(arguments)
    options = SourceOptions(
        subscribe=arguments.subscribe,
        replay=arguments.replay,
        rate=arguments.rate,
        loader=loader,
        network=arguments.network,
        sender_keys=tuple(arguments.sender_keys),
        sender=arguments.sender,
        frame_shape=frame_shape,
    )
    return open_source(str(arguments.source), options)


def _file_loader(arguments: argparse.Namespace) -> Calls:
    """Return the file-reading process. It ends with the command."""
    loader = for_command()
    if isinstance(loader, Loader):
        loader.start()  # before any thread starts
        # The source reads its files through this process until the command ends
        arguments.ends_with_command = loader.close
    return loader


def has_events(arguments: argparse.Namespace) -> bool:
    """Return True if the source sends list-mode events instead of frames.

    Parameters
    ----------
    arguments
        parsed options of `add_source`; the answer is stored in them
    """
    # Stored, since each test opens the file in another process
    if not hasattr(arguments, "of_events"):
        arguments.of_events = arguments.pet or is_list_mode(Path(arguments.source))
    return bool(arguments.of_events)


def is_list_mode(path: Path) -> bool:
    """Return True if a file is stored list mode.

    Parameters
    ----------
    path
        any path, also an address of ZeroMQ

    Returns
    -------
    is_list_mode
        False for anything that is not a file, or that cannot be opened
    """
    if not is_file(path):
        return False
    # A damaged HDF5 file can crash the library, so another process opens it
    loader = for_command()
    try:
        return loader.call(_accepts, path, about=path)
    except EngineError:
        return False  # reported when the source is opened
    finally:
        if isinstance(loader, Loader):
            loader.close()


def _accepts(path: Path) -> bool:
    with open_input(path) as file:
        return any(reader.accepts(file) for reader in LISTMODE_READERS)


def event_source_of(arguments: argparse.Namespace) -> EventSource:
    """Open the source of list-mode events.

    Parameters
    ----------
    arguments
        parsed options of `add_source`

    Raises
    ------
    SettingsError
        if the source is not an address or file, or does not use an option
    """
    _refuse_of_addresses(arguments)
    name = str(arguments.source)
    replay, rate = arguments.replay, arguments.rate
    if rate is not None and not replay:
        raise SettingsError("--rate needs --replay with a stored scan.")
    # Only a replay reads a stored file; other sources parse the bytes themselves
    loader = _file_loader(arguments) if replay else None
    options = SourceOptions(
        subscribe=arguments.subscribe,
        replay=replay,
        rate=rate,
        loader=loader,
        network=arguments.network,
        sender_keys=tuple(arguments.sender_keys),
        sender=arguments.sender,
    )
    return open_events(name, options, arguments.scanner)


def refuse_given(arguments: argparse.Namespace, options: dict[str, bool], why: str) -> None:
    """Refuse options that a source does not use, because they would silently have no effect.

    Parameters
    ----------
    arguments
        parsed options of a live verb
    options
        options, with True for those that are given
    why
        sentence that says for which sources they are

    Raises
    ------
    SettingsError
        with all such options
    """
    given = [option for option, is_given in options.items() if is_given]
    if given:
        raise SettingsError(
            f"{arguments.source}: this source does not use {', '.join(given)}. {why}"
        )


def _refuse_of_addresses(arguments: argparse.Namespace) -> None:
    """Refuse options of the network for files and folders."""
    if is_address(str(arguments.source)):
        return
    options = {"--sub": arguments.subscribe}
    refuse_given(arguments, options, "It is for addresses such as tcp://HOST:PORT. Remove it.")


def network_note(arguments: argparse.Namespace) -> str:
    """Return the end of each line of figures while other computers can connect; else ""."""
    return "; listens on all networks" if arguments.network else ""


def rate(text: str) -> float:
    """Parse a rate per second.

    Parameters
    ----------
    text
        value of the option

    Raises
    ------
    argparse.ArgumentTypeError
        if the rate is not from `MIN_RATE` to `MAX_RATE`
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not MIN_RATE <= number <= MAX_RATE:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not valid; expected a number from {MIN_RATE:g} to {MAX_RATE:,.0f}"
        )
    return number
