"""`isocenter protocols`: those that come with the program."""

from __future__ import annotations

import argparse

from engine.cli.console import Console
from engine.cli.verbs import Verbs, add_verb


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "protocols")
    p.set_defaults(act=_list)


def _list(arguments: argparse.Namespace, console: Console) -> None:
    from engine.modalities import MODALITIES
    from engine.modalities.studies import shipped_protocols

    found = shipped_protocols()
    for modality in MODALITIES:
        console.line(modality.title[:1].upper() + modality.title[1:])
        for key, protocol in found.items():
            if protocol.modality == modality.key:
                console.line(f"  {key:22s} {protocol.name}")
