"""Tables of the parts of a GPU's benchmark."""

from __future__ import annotations

from collections.abc import Callable

from engine.core.json_types import Plain
from engine.tools.benchmark.table import Table, number, who


def of(title: str) -> Callable[[Plain], list[Table]]:
    """Return a function that makes the table of a part.

    Parameters
    ----------
    title
        title of the table
    """

    def table(part: Plain) -> list[Table]:
        rows = [(row["case"], who(row), _value(row)) for row in part["rows"]]
        faults = (f"{row['case']}: {row['fault']}" for row in part["rows"] if row.get("fault"))
        notes = (f"{part['workload']}; medians of {part['repeats']}.", *faults)
        return [Table(title, ("case", "device", "measured"), rows, notes)]

    return table


def _value(row: Plain) -> str:
    return "-" if row.get("fault") else number(row["value"], row["unit"])
