"""`isocenter verify` and `isocenter key`: signatures, and the key that makes them."""

from __future__ import annotations

import argparse
from getpass import getpass
from pathlib import Path

from engine.cli.console import Console
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, EngineError, SettingsError
from engine.io.folder import exists
from engine.io.safety import audit_log
from engine.io.safety.signing_key import set_passphrase, signing_key
from engine.results import Results
from engine.results.reports.verification import Verified, verify_path


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter verify` and `isocenter key`."""
    p = add_verb(verbs, "verify")
    p.add_argument(
        "paths", nargs="+", metavar="RESULT|REPORT|LOG|FOLDER",
        help="result ID, result folder, report, audit log, or folder that contains some of them",
    )  # fmt: skip
    p.set_defaults(act=_verify)
    k = add_verb(verbs, "key")
    k.add_argument(
        "--passphrase", action="store_true",
        help="set the passphrase of the key; an empty one removes it",
    )  # fmt: skip
    k.set_defaults(act=_key)


def _verify(arguments: argparse.Namespace, console: Console) -> None:
    found: list[Verified] = []
    for name in arguments.paths:
        for each in verify_path(_path_of(name)):
            console.line(f"{each.state}: {each.name} {each.text}")
            found.append(each)
    unsound = [each for each in found if not each.is_sound]
    if not found:
        raise DataError("No file that can be signed was found; give a result, report or log.")
    if unsound:
        raise DataError(
            f"{len(unsound):,} of {len(found):,} signatures are not valid; compare these files "
            "with a backup, or add the key to trusted-keys.txt."
        )


def _path_of(name: str) -> Path:
    """Return the path of an argument; the name of a result means its folder."""
    path, results = Path(name), Results()
    if not exists(path):
        try:
            return results.open(name).folder
        except SettingsError:
            return path
        except EngineError:  # a damaged result is verified, too
            return results.folder / name
    return path


def _key(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.passphrase:
        first, second = getpass("New passphrase: "), getpass("New passphrase again: ")
        if first != second:
            raise SettingsError("The two passphrases differ; enter them again.")
        path = set_passphrase(first)
        audit_log.record("passphrase of the key changed", is_set=bool(first))
        console.line(f"{path}: {'locked with a passphrase' if first else 'without a passphrase'}.")
    console.line(f"Public key: {signing_key().public}")
