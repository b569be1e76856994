"""`isocenter verify-log`: check that the audit log is unchanged."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli.console import Console
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError
from engine.io.folder import is_file
from engine.io.safety.audit_check import check_log
from engine.io.safety.audit_log import log_file


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter verify-log`.

    Each line of the log is signed and has a digest of the one before, so a changed or removed line
    is found.
    """
    p = add_verb(verbs, "verify-log")
    p.add_argument(
        "log", nargs="?", type=Path, metavar="LOG", help="log file (default: that of this user)"
    )
    p.set_defaults(act=_verify)


def _verify(arguments: argparse.Namespace, console: Console) -> None:
    path = arguments.log or log_file()
    # Without a name a missing log is valid: nothing has been logged yet
    if arguments.log is not None and not is_file(path):
        raise DataError(f"{path}: no such file; check the path.")
    found = check_log(path)
    old = f" {found.n_without_key:,} of them without key." if found.n_without_key else ""
    console.line(f"{path}: {found.n_lines:,} lines, all unchanged.{old}")
