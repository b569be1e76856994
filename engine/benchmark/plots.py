"""Pictures of stored figures: ours filled, the paper's hollow, times and rates on log axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import cycle
from typing import Any

from engine.benchmark.table import who

Run = dict[str, Any]
INK, FAINT = "#22282f", "#8a939c"
COLOURS = ("#0b6e99", "#d1495b", "#3a7d44", "#8a5fbf", "#c77d0a", "#2f4858")
MARKS, THEIR_MARKS = "osD^vP", "osD^v"
DPI = 150
THEIRS = (
    "Hollow: the paper.\nOther machines, an unknown\nnumber of events; not\ncomparable with ours."
)


def draw(part: str, runs: Sequence[Run], kind: str) -> bytes:
    """Return the picture of a part of some runs, "png" or "svg"."""
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
        "svg.hashsalt": part,
    }
    with rc_context(style):
        figure = Figure(figsize=(7.6, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        PLOTS[part](figure.add_subplot(), runs)
        target = BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(target, format=kind, dpi=DPI, metadata=metadata)
    return target.getvalue()


def _table2(axes: Any, runs: Sequence[Run]) -> None:
    """Seconds over the edge of the image."""
    looks = _looks()
    parts = [(run, run["parts"]["table2"]) for run in runs]
    for run, part in parts:
        for name, points in _series(part["rows"], lambda row: f"{row['case']}, {who(row)}"):
            label = f"{name}, {part['n_events']:,} events{_of(run, runs)}"
            _line(axes, points, "size", label, next(looks))
    for (name, points), mark in zip(
        _series(parts[0][1]["published"], lambda row: row["who"]), cycle(THEIR_MARKS)
    ):
        _hollow(axes, points, "size", f"paper: {name}", mark)
    sizes = sorted({row["size"] for _, part in parts for row in part["rows"] + part["published"]})
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{size}³" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_yscale("log")
    axes.set_xlabel("Voxels")
    axes.set_ylabel("Seconds from end to end")
    iterations = parts[0][1]["rows"][0]["iterations"]
    _finish(axes, f"MLEM of three line sources, {iterations} iterations")


def _table3(axes: Any, runs: Sequence[Run]) -> None:
    """Seconds of each case, one line of the picture for each."""
    looks = _looks()
    parts = [(run, run["parts"]["table3"]) for run in runs]
    names = list(dict.fromkeys(row["case"] for _, part in parts for row in part["rows"]))
    place = {name: at for at, name in enumerate(reversed(names))}
    for run, part in parts:
        for name, rows in _series(part["rows"], who):
            label = f"{name}, {part['n_events']:,} events{_of(run, runs)}"
            colour, mark = next(looks)
            at = [place[row["case"]] for row in rows]
            axes.plot([row["seconds"] for row in rows], at, mark, color=colour, ms=7, label=label)
    theirs = [row for row in parts[0][1]["published"] if row["case"] in place]
    for (name, rows), mark in zip(_series(theirs, lambda row: row["who"]), cycle(THEIR_MARKS)):
        at = [place[row["case"]] for row in rows]
        values = [row["seconds"] for row in rows]
        axes.plot(values, at, mark, mfc="none", mec=FAINT, ms=7, label=f"paper: {name}")
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xscale("log")
    axes.set_xlabel("Seconds from end to end")
    x, y, z = parts[0][1]["shape_xyz"]
    iterations = parts[0][1]["rows"][0]["iterations"]
    _finish(axes, f"A body on {x} × {y} × {z} voxels, {iterations} iterations")


def _projector(axes: Any, runs: Sequence[Run]) -> None:
    """Events per second of each case."""
    looks = _looks()
    parts = [(run, run["parts"]["projector"]) for run in runs]
    names = list(dict.fromkeys(row["case"] for _, part in parts for row in part["rows"]))
    place = {name: at for at, name in enumerate(reversed(names))}
    for run, part in parts:
        for name, rows in _series(part["rows"], who):
            colour, mark = next(looks)
            at = [place[row["case"]] for row in rows]
            speeds = [row["events_per_s"] / 1e6 for row in rows]
            axes.plot(speeds, at, mark, color=colour, ms=7, label=f"{name}{_of(run, runs)}")
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xscale("log")
    axes.set_xlabel("M events/s")
    _finish(axes, "Projector, 128³ voxels")


def _kernels(axes: Any, runs: Sequence[Run]) -> None:
    """Events per second of each form: a column for each mapping and order."""
    measured = [(run, r) for run in runs for r in run["parts"]["kernels"]["rows"]]
    columns = list(dict.fromkeys(_form(row) for _, row in measured))
    colours = dict(zip(dict.fromkeys(_kind(row) for _, row in measured), COLOURS, strict=False))
    marks = dict(zip(sorted({row["size"] for _, row in measured}), cycle(MARKS), strict=False))
    for run in runs:
        rows = [row for row in run["parts"]["kernels"]["rows"] if row["events_per_s"]]
        groups = _series(rows, lambda row: f"{row['size']}³, {_kind(row)}")
        for number, (name, points) in enumerate(groups):
            colour, mark = colours[_kind(points[0])], marks[points[0]["size"]]
            beside = 0.7 * ((number + 0.5) / len(groups) - 0.5)
            at = [columns.index(_form(row)) + beside for row in points]
            speeds = [row["events_per_s"] / 1e6 for row in points]
            label = f"{name}{_of(run, runs)}"
            axes.plot(at, speeds, mark, color=colour, ms=4.5, alpha=0.8, label=label)
    axes.set_xticks(range(len(columns)), columns)
    axes.grid(visible=False, axis="x")
    axes.set_yscale("log")
    axes.set_ylabel("M events/s")
    axes.set_xlabel("Mapping and order; a mark for each size of block")
    _finish(axes, "Fused update of sorted events")


def _cone(axes: Any, runs: Sequence[Run]) -> None:
    """Seconds of each case, ours and the peer's."""
    from matplotlib.ticker import LogLocator, NullLocator

    looks = _looks()
    parts = [(run, run["parts"]["cone"]) for run in runs]
    names = list(dict.fromkeys(_of_size(row) for _, part in parts for row in part["rows"]))
    place = {name: at for at, name in enumerate(reversed(names))}
    for run, part in parts:
        for name, rows in _series(part["rows"], lambda row: f"{row['by']}, {who(row)}"):
            colour, mark = next(looks)
            at = [place[_of_size(row)] for row in rows]
            values = [row["seconds"] for row in rows]
            axes.plot(values, at, mark, color=colour, ms=7, label=f"{name}{_of(run, runs)}")
    axes.set_yticks(list(place.values()), list(place))
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("Seconds")
    first = parts[0][1]
    views, pixels = first["n_views"], first["pixels"]
    _finish(axes, f"Cone beam, {views} views of {pixels} × {pixels} pixels")


PLOTS: dict[str, Callable[[Any, Sequence[Run]], None]] = {
    "projector": _projector,
    "table2": _table2,
    "table3": _table3,
    "kernels": _kernels,
    "cone": _cone,
}


def _of_size(row: dict[str, Any]) -> str:
    return f"{row['size']}³, {row['case']}"


def _kind(row: dict[str, Any]) -> str:
    return f"{'385 ps' if row['tof'] else 'no timing'}, {row['sums']}"


def _form(row: dict[str, Any]) -> str:
    return f"{row['mapping']}\n{row['order']}"


def _series(
    rows: Sequence[dict[str, Any]], name_of: Callable[[dict[str, Any]], str]
) -> list[tuple[str, list[dict[str, Any]]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(name_of(row), []).append(row)
    return list(found.items())


def _looks() -> Iterator[tuple[str, str]]:
    return zip(cycle(COLOURS), cycle(MARKS), strict=False)


def _of(run: Run, runs: Sequence[Run]) -> str:
    """Name the devices where there are several runs to tell apart."""
    if len(runs) == 1:
        return ""
    return f" ({', '.join(device['name'] for device in run['devices'].values())})"


def _line(
    axes: Any, rows: Sequence[dict[str, Any]], key: str, label: str, look: tuple[str, str]
) -> None:
    colour, mark = look
    at, values = [row[key] for row in rows], [row["seconds"] for row in rows]
    axes.plot(at, values, mark, ls="-", color=colour, ms=6, lw=1.6, label=label)


def _hollow(axes: Any, rows: Sequence[dict[str, Any]], key: str, label: str, mark: str) -> None:
    at, values = [row[key] for row in rows], [row["seconds"] for row in rows]
    axes.plot(at, values, mark, ls=":", color=FAINT, mfc="none", ms=6, lw=1, label=label)


def _finish(axes: Any, title: str) -> None:
    axes.set_title(title, loc="left", fontweight="bold", fontsize=10)
    hollow = any(line.get_markerfacecolor() == "none" for line in axes.lines)
    legend = axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        borderaxespad=0,
        title=THEIRS if hollow else None,
    )
    legend.set_alignment("left")
    legend.get_title().set(fontsize=7.5, color=INK)
