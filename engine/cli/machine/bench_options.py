"""Shared by the suites of `isocenter bench`: number options and JSON output."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine.cli.outputs import Output, count, write_json
from engine.core.json_types import Plain


def add_parts(p: argparse.ArgumentParser, parts: str, default: str) -> None:
    """Add `--parts`.

    Parameters
    ----------
    p
        parser of a suite
    parts
        names of its parts
    default
        parts that are measured without the option
    """
    p.add_argument("--parts", metavar="A,B", help=f"parts: {parts} (default: {default})")


def add_keep_tuning(p: argparse.ArgumentParser) -> None:
    """Add `--keep-tuning`.

    Parameters
    ----------
    p
        parser of a suite that searches for the best variants
    """
    p.add_argument(
        "--keep-tuning", type=Path, action=Output, metavar="OUT",
        help="write the best variants (default: none)",
    )  # fmt: skip


def work_of(text: str) -> tuple[int, int, int]:
    """Parse the size of a cone-beam problem.

    Parameters
    ----------
    text
        cube edge, number of views and detector edge, such as "512x720x1024"

    Returns
    -------
    size
        edge [voxels], number of views, edge [pixels]

    Raises
    ------
    argparse.ArgumentTypeError
        for other values
    """
    numbers = text.split("x")
    if len(numbers) != 3:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not valid; expected three whole numbers such as 512x720x1024"
        )
    size, n_views, pixels = map(count, numbers)
    return size, n_views, pixels


def keep(figures: Plain, path: Path) -> None:
    """Write measurements as JSON, atomically.

    Parameters
    ----------
    figures
        measurements of a suite
    path
        file for `isocenter bench report`
    """
    write_json(json.dumps(figures, indent=2) + "\n", path)
