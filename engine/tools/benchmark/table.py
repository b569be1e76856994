"""A table of text, and figures as its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.json_types import Plain

DEVICES = {"cpu": "CPU", "cuda": "GPU"}


@dataclass(frozen=True)
class Table:
    """A table; all cells are text.

    Attributes
    ----------
    title : title above the table
    head : title of each column
    rows : cells, as many per row as in `head`
    notes : notes below the table, one sentence each
    """

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """Return aligned Markdown."""
        lines = [self.head, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.head))]
        # Markdown needs at least three dashes
        ruler = tuple("-" * max(width, 3) for width in widths)
        text = [f"### {self.title}", ""]
        for line in (self.head, ruler, *self.rows):
            # Aligned, so that the page can be read as plain text, too
            cells = [c.ljust(max(w, 3)) for c, w in zip(line, widths, strict=True)]
            text.append(f"| {' | '.join(cells)} |")
        for note in self.notes:
            text += ["", note]
        return "\n".join([*text, ""])


def number(value: float, unit: str = "") -> str:
    """Return a value with its unit; events per second in millions.

    Parameters
    ----------
    value
        value in `unit`
    unit
        unit; empty for a ratio
    """
    if unit == "events/s":
        return f"{rate(value)} M events/s"
    return f"{value:.3g} {unit}".rstrip()


def rate(events_per_s: float | None) -> str:
    """Return millions of events per second with three digits; a dash for None."""
    return "-" if events_per_s is None else f"{events_per_s / 1e6:#.3g}".rstrip(".")


def seconds(value: float) -> str:
    """Return seconds with three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"


def who(row: Plain) -> str:
    """Return the device of a row, with its number of threads if it has one."""
    threads = row.get("threads")
    device = str(row["device"])
    name = DEVICES.get(device, device)
    if not threads:
        return name
    return f"{name}, 1 thread" if threads == 1 else f"{name}, {threads} threads"
