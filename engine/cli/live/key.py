"""`isocenter live key`: make and show the key of live streams."""

from __future__ import annotations

import argparse
import json

from engine.cli.console import Console
from engine.cli.verbs import Verbs
from engine.core.paths import config_dir
from engine.live.core.stream_keys import ALLOWED, FOLDER, PAIR, stream_key


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter live key`."""
    p = verbs.add_parser("key", help="show the public key of live streams; made at first use")
    p.add_argument("--json", action="store_true", help="print a JSON line")
    p.set_defaults(act=_key)


def _key(arguments: argparse.Namespace, console: Console) -> None:
    public, folder = stream_key().public, config_dir() / FOLDER
    if arguments.json:
        console.line(json.dumps({"public": public, "file": str(folder / PAIR)}))
        return
    console.line(f"Public key of this user: {public}")
    console.line(f"The pair is in {folder / PAIR}. Give only the public key to others.")
    console.line(f"Senders that --network accepts can be listed in {folder / ALLOWED}.")
