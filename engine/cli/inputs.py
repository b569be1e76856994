"""Options for the auxiliary files of a scan, one per role."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.data.input_role import InputRole


def add_inputs(p: argparse.ArgumentParser, roles: Iterable[InputRole], before: str = "") -> None:
    """Add an option for each role.

    Parameters
    ----------
    p
        parser of a verb that reconstructs
    roles
        roles of auxiliary files; their values are `input_KEY`
    before
        beginning of each help text, such as "PET: "
    """
    for role in roles:
        where = f"input_{role.key}"
        p.add_argument(
            f"--{role.key.replace('_', '-')}", dest=where, type=Path, metavar="FILE",
            help=f"{before}{role.text} (default: none)",
        )  # fmt: skip
        # Commands from before version 0.3 have underscores
        if "_" in role.key:
            p.add_argument(f"--{role.key}", dest=where, type=Path, help=argparse.SUPPRESS)
