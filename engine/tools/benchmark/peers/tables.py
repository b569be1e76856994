"""Tables of the comparison with other programs."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.tools.benchmark.table import Table, seconds

AGREEMENT = ("its mean over ours", "corr.")
LIMITS = {
    "triad_gb_per_s": ("Memory, triad", "GB/s"),
    "multiply_add_gflop_per_s": ("Multiply-add, float32", "Gflop/s"),
    "random_adds_m_per_s": ("Random adds, float32", "M/s"),
}


def peers(part: Plain) -> list[Table]:
    """Return tables of cases, and of the limits of the machine or the agreement of results.

    Parameters
    ----------
    part
        result of `suite.measure` or `on_card.measure`
    """
    return [_on_card(part)] if "clock" in part else [_works(part), _limits(part)]


def _works(part: Plain) -> Table:
    rows = [
        (
            row["work"],
            f"{seconds(row['ours_cpu_s'])} s",
            f"{row['peer']}{_build_text(row)}",
            "-" if row["peer_cpu_s"] is None else f"{seconds(row['peer_cpu_s'])} s",
            "-" if row["ratio"] is None else f"{row['ratio']:.2f}",
            *_agreement(row),
        )
        for row in part["rows"]
    ]
    head = (
        *("work", "ours, processor time", "peer", "peer, processor time", "peer over ours"),
        *AGREEMENT,
    )
    threads = part["threads"]
    medians = f"{threads} threads; medians of {part['repeats']}."
    return Table("Other programs", head, rows, (part["workload"], medians, *_faults(part)))


def _build_text(row: Plain) -> str:
    # Builds differ in speed, so the table names them
    if row["build"]:
        return f" ({row['build']})"
    return ", not measured" if row.get("why_not") else ", not installed"


def _faults(part: Plain) -> list[str]:
    """Return why peers were not measured, each reason once; early files have no reasons."""
    return list(dict.fromkeys(row["why_not"] for row in part["rows"] if row.get("why_not")))


def _limits(part: Plain) -> Table:
    rows = [
        (LIMITS[name][0], *(f"{value:.3g} {LIMITS[name][1]}" for value in values))
        for name, values in part["limits"].items()
    ]
    head = ("per second of processor time", "before", "after")
    return Table("Limits of this machine", head, rows)


def _on_card(part: Plain) -> Table:
    head = ("work", "ours", "peer", "the peer's", "peer over ours", *AGREEMENT)
    clock = f"Time: {part['clock']}; medians of {part['repeats']}."
    notes = (part["workload"], clock, *_faults(part))
    return Table("Other programs", head, [_card_row(row) for row in part["rows"]], notes)


def _card_row(row: Plain) -> tuple[str, ...]:
    ours = f"{1e3 * row['ours_s']:.3g} ms"
    if row["ratio"] is None:
        return (row["work"], ours, f"{row['peer']}, not measured", "-", "-", "-", "-")
    return (
        row["work"],
        ours,
        f"{row['peer']} ({row['build']})",
        f"{1e3 * row['peer_s']:.3g} ms",
        f"{row['ratio']:.2f}",
        *_agreement(row),
    )


def _agreement(row: Plain) -> tuple[str, str]:
    """Return the ratio of means and the correlation; early files have neither in some rows."""
    agreement = row.get("agreement")
    if agreement is None:
        return "-", "-"
    mean = agreement["mean_peer"] / agreement["mean_ours"]
    return f"{mean:.5g}", f"{agreement['correlation']:.5f}"
