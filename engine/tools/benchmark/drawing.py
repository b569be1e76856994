"""Common parts of all plots: colours, series, lines and the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle

from engine.core.json_types import Plain

Run = Plain
INK, FAINT = "#22282f", "#8a939c"
COLOURS = ("#0b6e99", "#d1495b", "#3a7d44", "#8a5fbf", "#c77d0a", "#2f4858")
MARKS, THEIR_MARKS = "osD^vP", "osD^v"
THEIRS = (
    "Hollow: the paper.\nOther machines, an unknown\nnumber of events; not\ncomparable with ours."
)


def series(rows: Sequence[Plain], name_of: Callable[[Plain], str]) -> list[tuple[str, list[Plain]]]:
    """Group rows by name, in the order of the first appearance.

    Parameters
    ----------
    rows
        rows of a part
    name_of
        returns the name of a row's series
    """
    found: dict[str, list[Plain]] = {}
    for row in rows:
        found.setdefault(name_of(row), []).append(row)
    return list(found.items())


def line_styles() -> Iterator[tuple[str, str]]:
    """Yield colours and marks in endless repetition."""
    return zip(cycle(COLOURS), cycle(MARKS), strict=False)


def of(run: Run, runs: Sequence[Run]) -> str:
    """Return the names of the devices if there are several runs; else an empty text."""
    # A single run needs no distinction in the legend
    if len(runs) == 1:
        return ""
    return f" ({', '.join(device['name'] for device in run['devices'].values())})"


def line(axes: Axes, rows: Sequence[Plain], key: str, label: str, style: tuple[str, str]) -> None:
    """Draw seconds against a key.

    Parameters
    ----------
    axes
        axes of the plot
    rows
        rows of one series
    key
        name of the value on the x axis
    label
        name in the legend
    style
        colour and mark
    """
    colour, mark = style
    at, values = [row[key] for row in rows], [row["seconds"] for row in rows]
    axes.plot(at, values, mark, ls="-", color=colour, ms=6, lw=1.6, label=label)


def hollow(axes: Axes, rows: Sequence[Plain], key: str, label: str, mark: str) -> None:
    """Draw the paper's seconds against a key, with hollow marks."""
    at, values = [row[key] for row in rows], [row["seconds"] for row in rows]
    axes.plot(at, values, mark, ls=":", color=FAINT, mfc="none", ms=6, lw=1, label=label)


def finish(axes: Axes, title: str, *, theirs: bool = True) -> None:
    """Add title and legend.

    Parameters
    ----------
    axes
        axes of the plot
    title
        title
    theirs
        True to explain hollow marks in the legend
    """
    axes.set_title(title, loc="left", fontweight="bold", fontsize=10)
    has_hollow = any(drawn.get_markerfacecolor() == "none" for drawn in axes.lines)
    legend = axes.legend(
        # Outside of the axes, since long names would cover the data
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        borderaxespad=0,
        title=THEIRS if theirs and has_hollow else None,
    )
    legend.set_alignment("left")
    legend.get_title().set(fontsize=7.5, color=INK)
