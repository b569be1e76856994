"""`isocenter uninstall`: remove caches, and name the data of the user that stay."""

from __future__ import annotations

import argparse
import shutil

from engine.cli.console import Console
from engine.cli.machine.storage import MIB, confirm, sum_of
from engine.cli.verbs import Verbs, add_verb
from engine.core.paths import (
    PROGRAM,
    config_dir,
    is_removed_by_pip,
    jobs_dir,
    queue_dir,
    remove_command,
    results_dir,
    state_dir,
    windows_dir,
)
from engine.jobs.caches import KERNELS, StoredItem
from engine.jobs.storage import CACHES, choose_stored, remove_stored, stored

CACHE_NEXT_TO_SOURCES = PROGRAM / "engine" / "kernels" / "__pycache__"
"""Folder among the files of the installer, in which earlier versions stored kernels."""


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter uninstall`."""
    p = add_verb(verbs, "uninstall")
    p.add_argument("--yes", action="store_true", help="remove without asking")
    p.set_defaults(act=_uninstall)


def _uninstall(arguments: argparse.Namespace, console: Console) -> None:
    selected = [*choose_stored(stored(), [CACHES]), *_left_by_older_versions()]
    if selected:
        confirm(selected, is_confirmed=arguments.yes)
        for item in selected:
            if item.path.parent == CACHE_NEXT_TO_SOURCES:
                shutil.rmtree(item.path, ignore_errors=True)
            else:
                remove_stored(item)
        console.line(f"Caches removed: {sum_of(selected)}")
    _name_user_data(console)
    command = remove_command()
    if command:
        console.line(f"To remove the program, run {command}.")
    else:
        console.line("To remove the program, delete the project folder.")


def _left_by_older_versions() -> list[StoredItem]:
    """Return kernels among the files of the installer, which would not remove them."""
    if not is_removed_by_pip():
        return []
    folders = sorted(CACHE_NEXT_TO_SOURCES.glob(f"{KERNELS}-*"))
    return [StoredItem.of(KERNELS, f"Compiled {path.name}", path) for path in folders]


def _name_user_data(console: Console) -> None:
    """Print the folders of the user that stay, with their sizes."""
    remaining = {
        "results": results_dir(),
        "jobs": jobs_dir(),
        "queue": queue_dir(),
        "work of windows": windows_dir(),
        "settings and keys": config_dir(),
        "state": state_dir(),
    }
    for name, folder in remaining.items():
        if folder.is_dir():
            size = StoredItem.of(name, name, folder).n_bytes / MIB
            console.line(f"Kept: {name:18} {size:8,.1f} MiB  {folder}")
    console.line("Delete these folders by hand if you no longer need your data.")
