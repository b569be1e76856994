"""`isocenter live send`: send a stored scan over ZeroMQ like a detector."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TypeVar

from engine.cli.console import Console
from engine.cli.live.source import is_list_mode, rate
from engine.cli.verbs import Verbs
from engine.core.errors import SettingsError
from engine.data.formatting import counted
from engine.io import read_listmode, read_projections
from engine.jobs.loader import Loader, for_command
from engine.live.core.stream_keys import checked_key, stream_key
from engine.live.core.zeromq import ClientKeys, check_network, is_address
from engine.live.ct.playing import n_frames
from engine.live.ct.sending import Sending, send
from engine.live.pet.event_sending import send_events

T = TypeVar("T")


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter live send`, which tests receivers without a detector."""
    p = verbs.add_parser("send", help="send a stored scan over ZeroMQ like a detector")
    p.add_argument("scan", type=Path, metavar="SCAN", help="X-ray or list-mode scan")
    p.add_argument(
        "--to", required=True, metavar="ADDRESS",
        help="tcp://*:PORT to wait for receivers, or tcp://HOST:PORT to connect to one",
    )  # fmt: skip
    p.add_argument(
        "--network", action="store_true",
        help="accept receivers on other computers at tcp://*:PORT (default: only on this computer)",
    )  # fmt: skip
    p.add_argument(
        "--receiver-key", metavar="KEY",
        help="encrypt for the receiver with this public key, and prove the own key to it "
        "(default: no encryption)",
    )  # fmt: skip
    p.add_argument(
        "--rate",
        type=rate,
        metavar="N",
        help="frames, or seconds of list mode, per second (default: as fast as received)",
    )
    p.add_argument(
        "--pub", dest="to_all", action="store_true",
        help="send to all subscribers (PUB), which can lose frames (default: one receiver, PUSH)",
    )  # fmt: skip
    p.add_argument(
        "--plain", action="store_true",
        help="send frames only, for receivers of other programs: no angles, geometry or end",
    )  # fmt: skip
    p.set_defaults(act=_send, reads_apart=True)


def _send(arguments: argparse.Namespace, console: Console) -> None:
    # Tested first, since reading a large scan takes a while
    if not is_address(arguments.to):
        raise SettingsError(f"--to {arguments.to}: expected tcp://host:port or tcp://*:port.")
    check_network(arguments.to, arguments.network)
    _keys(arguments)
    # X-ray frames and events have different messages; the file decides
    if is_list_mode(arguments.scan):
        _send_events(arguments, console)
        return
    scan = _read(read_projections, arguments.scan)
    rows, columns = scan.geometry.shape
    console.log(
        f"Sending {counted(n_frames(scan), 'frame')} of {columns} × {rows} pixels to {arguments.to}"
    )
    how = Sending(
        arguments.to,
        arguments.rate,
        arguments.to_all,
        arguments.plain,
        arguments.network,
        _keys(arguments),
    )
    begun = monotonic()
    sent = send(scan, how, stop=Event(), on_event=console.log)
    console.line(f"{counted(sent, 'projection')} sent in {monotonic() - begun:.1f} s")


def _keys(arguments: argparse.Namespace) -> ClientKeys | None:
    if arguments.receiver_key is None:
        return None
    receiver, own = checked_key(arguments.receiver_key), stream_key()
    return ClientKeys(receiver, own.public, own.secret)


def _send_events(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.plain:
        # The plain form is that of detectors, and there is none for list mode
        raise SettingsError("--plain is for X-ray scans. Remove it for list mode.")
    scan = _read(read_listmode, arguments.scan)
    console.log(
        f"Sending {counted(scan.n_events, 'event')} of {scan.scanner.name}, "
        f"{scan.duration_s:g} s, to {arguments.to}"
    )
    begun = monotonic()
    sent = send_events(
        scan, arguments.to, rate=arguments.rate, to_all=arguments.to_all,
        network=arguments.network, keys=_keys(arguments), stop=Event(),
        on_event=console.log,
    )  # fmt: skip
    console.line(f"{counted(sent, 'event')} sent in {monotonic() - begun:.1f} s")


def _read(read: Callable[[Path], T], path: Path) -> T:
    """Read a scan in a separate process."""
    # The reader ends before threads of ZeroMQ start
    loader = for_command()
    try:
        return loader.call(read, path, about=path)
    finally:
        if isinstance(loader, Loader):
            loader.close()
