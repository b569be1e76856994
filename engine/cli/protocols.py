"""`isocenter protocols`: those that come with the program."""

from __future__ import annotations

import argparse

from engine.cli.console import Console, Verbs

TITLES = {"pet": "PET", "dual-head": "Dual-head PET", "ct": "X-ray CT"}


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = verbs.add_parser("protocols", help="list the protocols that come with the program")
    p.set_defaults(act=_list)


def _list(arguments: argparse.Namespace, console: Console) -> None:
    from engine.modalities.studies import shipped_protocols

    found = shipped_protocols()
    for modality, title in TITLES.items():
        console.line(title)
        for key, protocol in found.items():
            if protocol.modality == modality:
                console.line(f"  {key:22s} {protocol.name}")
