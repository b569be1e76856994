"""`isocenter live send`: any scan that can be read, sent as if it were measured."""

from __future__ import annotations

import argparse
from pathlib import Path
from threading import Event
from time import monotonic

from engine.cli.console import Console, Verbs
from engine.cli.live_source import rate
from engine.errors import SettingsError
from engine.io import read_projections
from engine.jobs.loader import Loader, for_command
from engine.live.playing import n_frames
from engine.live.sending import Sending, send
from engine.live.zeromq import is_address


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = verbs.add_parser("send", help="send a stored scan over ZeroMQ as if it were measured")
    p.add_argument("scan", type=Path, metavar="SCAN", help="any X-ray scan that can be read")
    p.add_argument(
        "--to", required=True, metavar="ADDRESS",
        help="tcp://*:PORT: receivers connect here; tcp://HOST:PORT: one that waits there",
    )  # fmt: skip
    p.add_argument(
        "--rate", type=rate, metavar="N", help="frames in a second; as fast as taken if left out"
    )
    p.add_argument(
        "--pub", dest="to_all", action="store_true",
        help="to all who subscribe (PUB), who may lose frames; else to one receiver (PUSH)",
    )  # fmt: skip
    p.add_argument(
        "--plain", action="store_true",
        help="only what receivers of other programs know: no angles, geometry or end",
    )  # fmt: skip
    p.set_defaults(act=_send, reads_apart=True)


def _send(arguments: argparse.Namespace, console: Console) -> None:
    if not is_address(arguments.to):
        raise SettingsError(f"--to {arguments.to}: want tcp://host:port or tcp://*:port.")
    loader = for_command()
    scan = loader.call(read_projections, arguments.scan, about=arguments.scan)
    if isinstance(loader, Loader):
        loader.close()
    rows, columns = scan.geometry.shape
    console.line(
        f"Sending {n_frames(scan):,} frames of {columns} × {rows} pixels to {arguments.to}"
    )
    how = Sending(arguments.to, arguments.rate, arguments.to_all, arguments.plain)
    begun = monotonic()
    sent = send(scan, how, stop=Event(), on_event=console.line)
    console.line(f"{sent:,} projections were sent in {monotonic() - begun:.1f} s")
