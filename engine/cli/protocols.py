"""`isocenter protocols`: list the protocols of the program, the site and the user."""

from __future__ import annotations

import argparse

from engine.cli.console import Console
from engine.cli.verbs import Verbs, add_verb
from engine.protocols.study.stored_protocol import ORIGINS, version_words


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter protocols`, which lists the names that `--protocol` accepts."""
    p = add_verb(verbs, "protocols")
    p.set_defaults(act=_list)


def _list(arguments: argparse.Namespace, console: Console) -> None:
    from engine.modalities import MODALITIES
    from engine.modalities.protocol_library import SavedProtocols
    from engine.modalities.studies import shipped_protocols

    shipped, library = shipped_protocols(), SavedProtocols.of_this_user()
    for modality in MODALITIES:
        # `capitalize` would change PET to Pet
        console.line(modality.title[:1].upper() + modality.title[1:])
        for key, protocol in shipped.items():
            if protocol.modality == modality.key:
                console.line(f"  {key:22s} {protocol.name}")
        for saved in library.saved(modality):
            if saved.path is not None:
                words = f"{version_words(saved.protocol)}, {ORIGINS[saved.source]}"
                console.line(f"  {saved.path.name:22s} {words}")
                # A saved protocol shows how it differs from its origin
                for change in saved.protocol.saved.changed if saved.protocol.saved else ():
                    console.line(f"  {'':22s} {change}")
    for fault in library.faults():
        console.line(f"note: {fault}")
