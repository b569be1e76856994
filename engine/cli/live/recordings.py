"""`isocenter live recordings`: list, convert or discard recordings of interrupted scans."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine.cli.console import Console
from engine.cli.live.source import stored_geometry
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.live.conversion import convert_recording
from engine.live.recording.recording_list import (
    Unfinished,
    described,
    remove_recording,
    unfinished_recordings,
)
from engine.live.recording.records import SUFFIX


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter live recordings`."""
    p = verbs.add_parser("recordings", help="list, convert or discard interrupted recordings")
    p.add_argument(
        "action", nargs="?", choices=("list", "convert", "discard"), default="list",
        help="what to do with the recording (default: %(default)s)",
    )  # fmt: skip
    p.add_argument(
        "recording",
        nargs="?",
        metavar="RECORDING",
        help="with convert or discard: its number in the list, or its file (default: none)",
    )
    p.add_argument(
        "-o", "--output", type=Path, action=Output, metavar="OUT.h5",
        help="with convert: file of the scan (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--geometry", type=Path, metavar="SCAN",
        help="with convert: stored scan with the same geometry, if the source sent none "
        "(default: none)",
    )  # fmt: skip
    p.add_argument("--json", action="store_true", help="print each recording as a JSON line")
    add_force(p)
    p.set_defaults(act=_recordings, reads_apart=True)


def _recordings(arguments: argparse.Namespace, console: Console) -> None:
    _refuse_useless(arguments)
    if arguments.action == "list":
        _list(console, as_json=arguments.json)
        return
    found = _chosen_recording(arguments.recording)
    if arguments.action == "discard":
        remove_recording(found.path)
        console.line(f"Discarded: {found.path}")
        return
    if arguments.output is None:
        raise SettingsError("convert needs -o OUT.h5. Give the name of the scan file.")
    if found.is_running:
        raise SettingsError(
            f"{found.path.name}: this scan is still being recorded. Wait until the recording ends."
        )
    geometry = stored_geometry(arguments.geometry)
    for note in convert_recording(found.path, arguments.output, geometry):
        console.note(note)
    console.line(f"Scan: {arguments.output} ({found.text})")
    console.line("The recording is still on the disk. Discard it once you have checked the scan.")


def _refuse_useless(arguments: argparse.Namespace) -> None:
    """Refuse what an action would ignore: a list that looks like a conversion misleads."""
    given = {
        "RECORDING": arguments.recording is not None and arguments.action == "list",
        "-o": arguments.output is not None and arguments.action != "convert",
        "--geometry": arguments.geometry is not None and arguments.action != "convert",
        "--json": arguments.json and arguments.action != "list",
    }
    useless = [word for word, is_given in given.items() if is_given]
    if useless:
        raise SettingsError(
            f"live recordings {arguments.action}: {', '.join(useless)} has no effect. Remove it, "
            "or choose another action."
        )


def _list(console: Console, *, as_json: bool) -> None:
    found = unfinished_recordings()
    for number, each in enumerate(found, start=1):
        if as_json:
            console.line(json.dumps(_values(each)))
            continue
        state = ", in progress" if each.is_running else ""
        saved = f", saved as {each.saved}" if each.saved else ""
        console.line(f"{number}  {each.begun_utc}  {each.source}  {each.text}{state}{saved}")
        console.line(f"   {each.path}")
    if not found and not as_json:
        console.line("There are no unfinished recordings.")


def _values(each: Unfinished) -> Plain:
    return {
        "path": str(each.path),
        "kind": each.kind,
        "count": each.count,
        "source": each.source,
        "begun_utc": each.begun_utc,
        "in_progress": each.is_running,
        "saved": each.saved,
    }


def _chosen_recording(name: str | None) -> Unfinished:
    if name is None:
        raise SettingsError(
            "No recording was given. Give the number of a recording from `isocenter live "
            "recordings`, or its file."
        )
    if not name.isdecimal():
        # Another file must never be discarded, not even an empty one
        if not name.endswith(SUFFIX):
            raise SettingsError(
                f"{name}: not a recording. Expected a file that ends with {SUFFIX}, or a number."
            )
        return described(Path(name).absolute())
    found = unfinished_recordings()
    if not 1 <= int(name) <= len(found):
        raise SettingsError(
            f"There is no recording {name}. Give a number from 1 to {len(found)} from the list of "
            "`isocenter live recordings`."
        )
    return found[int(name) - 1]
