"""Shared by the suites of `isocenter bench`: number options and JSON output."""

from __future__ import annotations

import json
from pathlib import Path

from engine.cli.outputs import write_json
from engine.cli.threads import count
from engine.core.json_types import Plain


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
    write_json(json.dumps(figures, indent=2) + "\n", path)
