"""Plots of stored figures: ours filled, the paper's hollow, with logarithmic axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

from collections.abc import Callable, Sequence
from io import BytesIO
from itertools import cycle
from typing import Any

from engine.core.json_types import Plain
from engine.tools.benchmark.cone.plots import PLOTS as CONE_PLOTS
from engine.tools.benchmark.drawing import (
    COLOURS,
    FAINT,
    INK,
    MARKS,
    THEIR_MARKS,
    Run,
    finish,
    hollow,
    line,
    line_styles,
    of,
    series,
)
from engine.tools.benchmark.table import who

DPI = 150


def draw(part: str, runs: Sequence[Run], kind: str) -> bytes:
    """Draw the plot of one part of some runs.

    Parameters
    ----------
    part
        name of the part, a key of `PLOTS`
    runs
        runs with this part
    kind
        "png" or "svg"

    Returns
    -------
    image
        content of the file
    """
    # Imported here, since Matplotlib is slow to import
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    style: Any = {
        "font.size": 9,
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e4e7ea",
        "grid.linewidth": 0.7,
        # Fixed, so that the same figures give the same file
        "svg.hashsalt": part,
    }
    with rc_context(style):
        figure = Figure(figsize=(7.6, 4.6), layout="constrained")
        # Without pyplot, which would need a display
        FigureCanvasAgg(figure)
        PLOTS[part](figure.add_subplot(), runs)
        target = BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(target, format=kind, dpi=DPI, metadata=metadata)
    return target.getvalue()


def _table2(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot seconds against the edge of the image."""
    styles = line_styles()
    parts = [(run, run["parts"]["table2"]) for run in runs]
    for run, part in parts:
        for name, points in series(part["rows"], lambda row: f"{row['case']}, {who(row)}"):
            label = f"{name}, {part['n_events']:,} events{of(run, runs)}"
            line(axes, points, "size", label, next(styles))
    for (name, points), mark in zip(
        series(parts[0][1]["published"], lambda row: row["who"]), cycle(THEIR_MARKS)
    ):
        hollow(axes, points, "size", f"paper: {name}", mark)
    sizes = sorted({row["size"] for _, part in parts for row in part["rows"] + part["published"]})
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{size}³" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_yscale("log")
    axes.set_xlabel("Voxels")
    axes.set_ylabel("Seconds from end to end")
    iterations = parts[0][1]["rows"][0]["iterations"]
    finish(axes, f"MLEM of three line sources, {iterations} iterations")


def _table3(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot seconds of each case, one line per case."""
    styles = line_styles()
    parts = [(run, run["parts"]["table3"]) for run in runs]
    names = list(dict.fromkeys(row["case"] for _, part in parts for row in part["rows"]))
    place = {name: at for at, name in enumerate(reversed(names))}
    for run, part in parts:
        for name, rows in series(part["rows"], who):
            label = f"{name}, {part['n_events']:,} events{of(run, runs)}"
            colour, mark = next(styles)
            at = [place[row["case"]] for row in rows]
            axes.plot([row["seconds"] for row in rows], at, mark, color=colour, ms=7, label=label)
    # The paper's values are the same in all runs
    theirs = [row for row in parts[0][1]["published"] if row["case"] in place]
    for (name, rows), mark in zip(series(theirs, lambda row: row["who"]), cycle(THEIR_MARKS)):
        at = [place[row["case"]] for row in rows]
        values = [row["seconds"] for row in rows]
        axes.plot(values, at, mark, mfc="none", mec=FAINT, ms=7, label=f"paper: {name}")
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xscale("log")
    axes.set_xlabel("Seconds from end to end")
    x, y, z = parts[0][1]["shape_xyz"]
    iterations = parts[0][1]["rows"][0]["iterations"]
    finish(axes, f"A body on {x} × {y} × {z} voxels, {iterations} iterations")


def _projector(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot events per second of each case."""
    styles = line_styles()
    parts = [(run, run["parts"]["projector"]) for run in runs]
    names = list(dict.fromkeys(row["case"] for _, part in parts for row in part["rows"]))
    place = {name: at for at, name in enumerate(reversed(names))}
    for run, part in parts:
        for name, rows in series(part["rows"], who):
            colour, mark = next(styles)
            at = [place[row["case"]] for row in rows]
            speeds = [row["events_per_s"] / 1e6 for row in rows]
            axes.plot(speeds, at, mark, color=colour, ms=7, label=f"{name}{of(run, runs)}")
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xscale("log")
    axes.set_xlabel("M events/s")
    finish(axes, "Projector, 128³ voxels")


def _kernels(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot events per second of each variant, one column per mapping and order."""
    measured = [(run, r) for run in runs for r in run["parts"]["kernels"]["rows"]]
    columns = list(dict.fromkeys(_form(row) for _, row in measured))
    # A colour for the kind of sums, a mark for the size of the image
    colours = dict(zip(dict.fromkeys(_kind(row) for _, row in measured), COLOURS, strict=False))
    marks = dict(zip(sorted({row["size"] for _, row in measured}), cycle(MARKS), strict=False))
    for run in runs:
        rows = [row for row in run["parts"]["kernels"]["rows"] if row["events_per_s"]]
        groups = series(rows, lambda row: f"{row['size']}³, {_kind(row)}")
        for number, (name, points) in enumerate(groups):
            colour, mark = colours[_kind(points[0])], marks[points[0]["size"]]
            # Side by side within a column, so that marks do not overlap
            shift = 0.7 * ((number + 0.5) / len(groups) - 0.5)
            at = [columns.index(_form(row)) + shift for row in points]
            speeds = [row["events_per_s"] / 1e6 for row in points]
            label = f"{name}{of(run, runs)}"
            axes.plot(at, speeds, mark, color=colour, ms=4.5, alpha=0.8, label=label)
    axes.set_xticks(range(len(columns)), columns)
    axes.grid(visible=False, axis="x")
    axes.set_yscale("log")
    axes.set_ylabel("M events/s")
    axes.set_xlabel("Mapping and order; a mark for each size of block")
    finish(axes, "Fused update of sorted events")


def _cone(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot seconds of each case, ours and the peer's."""
    from matplotlib.ticker import LogLocator, NullLocator

    styles = line_styles()
    parts = [(run, run["parts"]["cone"]) for run in runs]
    names = list(dict.fromkeys(_of_size(row) for _, part in parts for row in part["rows"]))
    place = {name: at for at, name in enumerate(reversed(names))}
    for run, part in parts:
        for name, rows in series(part["rows"], lambda row: f"{row['by']}, {who(row)}"):
            colour, mark = next(styles)
            at = [place[_of_size(row)] for row in rows]
            values = [row["seconds"] for row in rows]
            axes.plot(values, at, mark, color=colour, ms=7, label=f"{name}{of(run, runs)}")
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("Seconds")
    first = parts[0][1]
    views, pixels = first["n_views"], first["pixels"]
    finish(axes, f"Cone beam, {views} views of {pixels} × {pixels} pixels")


PLOTS: dict[str, Callable[[Any, Sequence[Run]], None]] = {
    "projector": _projector,
    "table2": _table2,
    "table3": _table3,
    "kernels": _kernels,
    "cone": _cone,
    **CONE_PLOTS,
}


def _of_size(row: Plain) -> str:
    return f"{row['size']}³, {row['case']}"


def _kind(row: Plain) -> str:
    return f"{'385 ps' if row['tof'] else 'no timing'}, {row['sums']}"


def _form(row: Plain) -> str:
    return f"{row['mapping']}\n{row['order']}"
