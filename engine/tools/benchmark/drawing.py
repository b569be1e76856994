"""What pictures of figures share: colours, series, lines and the legend."""

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
    """Rows by name, in the order in which names first appear."""
    found: dict[str, list[Plain]] = {}
    for row in rows:
        found.setdefault(name_of(row), []).append(row)
    return list(found.items())


def looks() -> Iterator[tuple[str, str]]:
    """Colours and marks, again and again."""
    return zip(cycle(COLOURS), cycle(MARKS), strict=False)


def of(run: Run, runs: Sequence[Run]) -> str:
    """Name the devices where there are several runs to tell apart."""
    if len(runs) == 1:
        return ""
    return f" ({', '.join(device['name'] for device in run['devices'].values())})"


def line(axes: Axes, rows: Sequence[Plain], key: str, label: str, style: tuple[str, str]) -> None:
    """Draw seconds over a key."""
    colour, mark = style
    at, values = [row[key] for row in rows], [row["seconds"] for row in rows]
    axes.plot(at, values, mark, ls="-", color=colour, ms=6, lw=1.6, label=label)


def hollow(axes: Axes, rows: Sequence[Plain], key: str, label: str, mark: str) -> None:
    """Draw the paper's seconds over a key."""
    at, values = [row[key] for row in rows], [row["seconds"] for row in rows]
    axes.plot(at, values, mark, ls=":", color=FAINT, mfc="none", ms=6, lw=1, label=label)


def finish(axes: Axes, title: str, *, theirs: bool = True) -> None:
    """Add the title and the legend; `theirs` : which says what hollow marks are."""
    axes.set_title(title, loc="left", fontweight="bold", fontsize=10)
    has_hollow = any(drawn.get_markerfacecolor() == "none" for drawn in axes.lines)
    legend = axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        borderaxespad=0,
        title=THEIRS if theirs and has_hollow else None,
    )
    legend.set_alignment("left")
    legend.get_title().set(fontsize=7.5, color=INK)
