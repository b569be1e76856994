"""`isocenter protocols`: list the protocols of the program, the site and the user, or show one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_json, write_json, writes_json
from engine.cli.verbs import Verbs, add_verb
from engine.io import to_json
from engine.protocols.study.stored_protocol import ORIGINS, version_text


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter protocols`, which lists the names that `--protocol` accepts."""
    p = add_verb(verbs, "protocols")
    p.add_argument(
        "name", nargs="?", metavar="NAME",
        help="protocol to show: a name from the list, or a file (default: list all)",
    )  # fmt: skip
    add_json(p, "also write the settings of the protocol, or the list, as JSON")
    add_force(p)
    p.set_defaults(act=_protocols)


def _protocols(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.name is not None:
        _show(arguments, console)
        return
    _list(arguments, console)


def _show(arguments: argparse.Namespace, console: Console) -> None:
    from engine.modalities.studies import find_protocol

    protocol = find_protocol(arguments.name)
    values = protocol.model_dump(mode="json", exclude={"saved"})
    if arguments.json is not None:
        write_json(to_json(values, indent=2), arguments.json)
        if writes_json(arguments):
            return
    console.line(f"{arguments.name}: {protocol.name}")
    for key, value in _flat(values):
        console.line(f"  {key:36s} {'automatic' if value is None else json.dumps(value)}")
    console.line("Change a setting with --set KEY=VALUE; `isocenter settings KEY` explains it.")


def _flat(values: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted keys of nested values with their values."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _list(arguments: argparse.Namespace, console: Console) -> None:
    from engine.modalities import MODALITIES
    from engine.modalities.protocol_library import SavedProtocols
    from engine.modalities.studies import shipped_protocols

    shipped, library = shipped_protocols(), SavedProtocols.of_this_user()
    if arguments.json is not None:
        rows = [
            {"key": key, "name": each.name, "modality": each.modality}
            for key, each in shipped.items()
        ]
        write_json(to_json(rows, indent=2), arguments.json)
        if writes_json(arguments):
            return
    for modality in MODALITIES:
        # `capitalize` would change PET to Pet
        console.line(modality.title[:1].upper() + modality.title[1:])
        for key, protocol in shipped.items():
            if protocol.modality == modality.key:
                console.line(f"  {key:22s} {protocol.name}")
        for saved in library.saved(modality):
            if saved.path is not None:
                words = f"{version_text(saved.protocol)}, {ORIGINS[saved.source]}"
                console.line(f"  {saved.path.name:22s} {words}")
                # A saved protocol shows how it differs from its origin
                for change in saved.protocol.saved.changed if saved.protocol.saved else ():
                    console.line(f"  {'':22s} {change}")
    for fault in library.faults():
        console.note(fault)
