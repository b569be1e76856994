"""Plots of the cone-beam kernels in the form of Figures 2, 4 and 5 of their paper.

Graas et al., "ASTRA KernelKit".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.json_types import Plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

from collections.abc import Callable, Sequence
from typing import Any

from engine.tools.benchmark.drawing import FAINT, INK, Run, finish, line_styles, of, series
from engine.tools.benchmark.table import who


def _growth(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot nanoseconds per update against N: hollow with new textures, filled without."""
    images = line_styles()
    sizes: set[int] = set()
    for run in runs:
        # Variants that exceeded the memory have no value
        rows = [row for row in run["parts"]["cone_growth"]["rows"] if row["work_ns"] is not None]
        sizes |= {row["size"] for row in rows}
        for name, points in series(rows, lambda row: f"{row['form']}, {who(row)}"):
            colour, mark = next(images)
            at = [row["size"] for row in points]
            thin: Plain = {"ls": ":", "mfc": "none", "lw": 1}
            thick: Plain = {"ls": "-", "lw": 1.6}
            for key, label, style in (
                ("first_ns", None, thin),
                ("update_ns", f"{name}{of(run, runs)}", thick),
            ):
                values = [row[key] for row in points]
                axes.plot(at, values, mark, color=colour, ms=5, label=label, **style)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(sizes), [str(size) for size in sorted(sizes)])
    # Minor ticks of a logarithmic axis would overlap the sizes
    axes.set_xticks([], minor=True)
    axes.set_yscale("log")
    axes.set_xlabel("N: N³ voxels, N views of N × N pixels")
    axes.set_ylabel("ns for each update of a voxel")
    finish(axes, "Back projection; hollow: a first call, with new textures", theirs=False)


def _blocks(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot microseconds of each thread block."""
    part = runs[-1]["parts"]["cone_blocks"]
    rows = [row for row in part["rows"] if row["seconds"]]
    at = [row["variant"]["block"] for row in rows]
    times = [row["seconds"] * 1e6 for row in rows]
    x, y = ([block[axis] for block in at] for axis in (0, 1))
    points = axes.scatter(x, y, c=times, s=160, marker="s", cmap="viridis_r", edgecolor="none")
    best = at[times.index(min(times))]
    axes.plot(*best, "o", mfc="none", mec=INK, ms=16, mew=1.5)
    axes.figure.colorbar(points, ax=axes, label="µs")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for axis, values in ((axes.xaxis, x), (axes.yaxis, y)):
        ticks = sorted(set(values))
        axis.set_ticks(ticks, [str(on_progress) for on_progress in ticks])
    axes.tick_params(axis="x", labelrotation=60)
    axes.set_xlabel("threads across")
    axes.set_ylabel("threads down")
    axes.set_title(
        f"A slice of {part['size']}², {part['n_views']} views; circle: {best[0]} × {best[1]}",
        loc="left", fontweight="bold", fontsize=10,
    )  # fmt: skip


def _patches(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot milliseconds per patch against its edge."""
    images = line_styles()
    for run in runs:
        rows = run["parts"]["cone_patches"]["rows"]
        for name, points in series(rows, lambda r: f"{r['kind']}, {r['case']}, {who(r)}"):
            colour, mark = next(images)
            at, values = [r["size"] for r in points], [r["seconds"] * 1e3 for r in points]
            label = f"{name}{of(run, runs)}"
            axes.plot(at, values, mark, ls="-", color=colour, ms=5, lw=1.6, label=label)
    part = runs[0]["parts"]["cone_patches"]
    # The paper states one time for all sizes up to 250²
    axes.axhline(part["published_seconds"] * 1e3, color=FAINT, ls=":", lw=1)
    axes.set_yscale("log")
    axes.set_xlabel(f"N: pixels of an edge; dotted: the paper's graph, {part['published_card']}")
    axes.set_ylabel("ms for each patch")
    finish(axes, f"Patches from new projections, {part['n_views']} views", theirs=False)


def _slices(axes: Axes, runs: Sequence[Run]) -> None:
    """Plot milliseconds for three slices, one line per scanner."""
    images = line_styles()
    parts = [(run, run["parts"]["cone_slices"]) for run in runs]
    names = list(dict.fromkeys(row["setup"] for _, part in parts for row in part["rows"]))
    # Reversed, so that the first scanner is at the top
    place = {name: at for at, name in enumerate(reversed(names))}
    for run, part in parts:
        rows = [row for row in part["rows"] if row["seconds"]]
        for name, points in series(rows, lambda row: f"{row['case']}, {who(row)}"):
            colour, mark = next(images)
            at = [place[row["setup"]] for row in points]
            values = [row["seconds"] * 1e3 for row in points]
            axes.plot(values, at, mark, color=colour, ms=7, label=f"{name}{of(run, runs)}")
    for (by, times), mark in zip(parts[0][1]["published"].items(), "os", strict=False):
        known = [name for name in names if name in times]
        values, at = [times[name] * 1e3 for name in known], [place[name] for name in known]
        label = f"paper: {by}, {parts[0][1]['published_card']}"
        axes.plot(values, at, mark, mfc="none", mec=FAINT, ms=7, label=label)
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xscale("log")
    axes.set_xlabel("ms for three slices")
    finish(axes, "Three slices from one scan", theirs=False)


PLOTS: dict[str, Callable[[Any, Sequence[Run]], None]] = {
    "cone_growth": _growth,
    "cone_blocks": _blocks,
    "cone_patches": _patches,
    "cone_slices": _slices,
}
