"""Shared by the suites of `isocenter bench`: number options and JSON output."""

from __future__ import annotations

import json
from pathlib import Path

from engine.core.json_types import Plain
from engine.io.safety.atomic_write import write_atomically


def count(text: str) -> int:
    """Parse an integer of at least 1.

    Parameters
    ----------
    text
        value of the option

    Raises
    ------
    ValueError
        for other values; argparse makes a message of it
    """
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


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
    """
    size, n_views, pixels = (count(number) for number in text.split("x"))
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
    write_atomically((json.dumps(figures, indent=2) + "\n").encode(), path)
