"""Report of stored figures: one Markdown page, and a plot of each part."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.core.paths import made
from engine.io.safety.atomic_write import write_atomically
from engine.tools.benchmark import tables
from engine.tools.benchmark.figures import FORMATS, VERSION
from engine.tools.benchmark.plots import PLOTS, draw

PAGE = "report.md"
KINDS = ("png", "svg")
"""Formats of the plots."""
_REMEDY = "Use files written by `isocenter bench SUITE --json`."


def read(path: Path) -> Plain:
    """Read the figures of one run.

    Parameters
    ----------
    path
        file of `isocenter bench SUITE --json`

    Returns
    -------
    run
        figures with the name of the file

    Raises
    ------
    FileFormatError
        if the file has no figures of this version
    """
    try:
        figures = json.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise FileFormatError(f"{path}: the file cannot be read ({e.strerror}). {_REMEDY}") from e
    except ValueError as e:
        raise FileFormatError(f"{path.name}: the file is not valid JSON ({e}). {_REMEDY}") from e
    kind = figures.get("format") if isinstance(figures, dict) else None
    if kind not in FORMATS or figures.get("version") != VERSION:
        raise FileFormatError(
            f"{path.name}: the file does not contain benchmark results in format version "
            f"{VERSION}. {_REMEDY}"
        )
    return figures | {"file": path.name}


def part_of(path: Path, name: str) -> Plain:
    """Read one part of the figures of one run.

    Parameters
    ----------
    path
        file of `isocenter bench SUITE --json`
    name
        name of the part

    Raises
    ------
    FileFormatError
        if the file has no such part
    """
    run = read(path)
    part: Plain | None = run["parts"].get(name)
    if part is None:
        raise FileFormatError(
            f"{path.name}: the benchmark results do not contain the part {name!r}. {_REMEDY}"
        )
    return part


def page(runs: Sequence[Plain]) -> str:
    """Return the tables of all runs as Markdown.

    Parameters
    ----------
    runs
        figures of runs
    """
    return "\n".join(["# Benchmarks", "", *(_section(run) for run in runs)])


def files(folder: Path) -> tuple[Path, ...]:
    """Return all files that `write` may create in a folder."""
    names = (f"{part}.{kind}" for part in PLOTS for kind in KINDS)
    return (folder / PAGE, *(folder / name for name in names))


def write(runs: Sequence[Plain], folder: Path) -> list[Path]:
    """Write the page and its plots into a folder.

    Parameters
    ----------
    runs
        figures of runs
    folder
        folder, created if missing

    Returns
    -------
    written
        the page, then the plots

    Raises
    ------
    FileFormatError
        if a figure is missing or has another type
    """
    made(folder)
    written, links = [], []
    for part in PLOTS:
        # Runs of different suites can be in one report
        having = [run for run in runs if part in run["parts"]]
        for kind in KINDS if having else ():
            # Defaults bind the loop variables, which change before the call otherwise
            image = _checked(lambda h=having, p=part, k=kind: draw(p, h, k), having)
            write_atomically(image, folder / f"{part}.{kind}")
            written.append(folder / f"{part}.{kind}")
        if having:
            links.append(f"![{part}]({part}.png)")
    text = "\n".join([page(runs), *links, ""])
    # The page is written last, since it links to the plots
    write_atomically(text.encode(), folder / PAGE)
    return [folder / PAGE, *written]


def _section(run: Plain) -> str:
    return _checked(lambda: _tables(run), [run])


def _tables(run: Plain) -> str:
    devices = ", ".join(device["name"] for device in run["devices"].values())
    busy = run["busy_cores_before"]
    # Files of older versions may have no load
    number = "unknown" if busy is None else f"{busy:.1f}"
    load = f"cores used by other programs before: {number}"
    commit = run["environment"]["commit"]
    lines = [f"## {devices}, {run['date']}", "", f"Commit {commit}; {load}.", ""]
    for name, part in run["parts"].items():
        lines += [table.markdown() for table in tables.of(name, part)]
    return "\n".join(lines)


def _checked(make: Any, runs: Sequence[Plain]) -> Any:
    """Call `make`; a missing or wrong figure becomes an error about the file."""
    try:
        return make()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as e:
        names = ", ".join(run.get("file", "?") for run in runs)
        raise FileFormatError(
            f"{names}: a result is missing or has the wrong type ({type(e).__name__}: {e}). "
            f"{_REMEDY}"
        ) from e
