"""Tables of live PET: images and motions."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.tools.benchmark.table import Table


def live_pet(part: Plain) -> list[Table]:
    """Return the tables of images, jumps and the scan without motion.

    Parameters
    ----------
    part
        result of `pet.run`
    """
    images = [
        (
            r["case"],
            f"{r['events_per_s']:,.0f}",
            " × ".join(map(str, r["grid"])),
            *(_digits(r[name]) for name in ("refresh_hz", "behind_s", "dropped", "memory_mib")),
            *(_digits(r[name]) for name in ("away_percent", "away_at_the_end_percent")),
        )
        for r in part["rows"]
    ]
    head = (
        *("image", "events/s", "voxels", "images/s, least", "behind, most [s]", "dropped", "MiB"),
        *("away from ordinary, at the last event [%]", "in the end [%]"),
    )
    jumps = [
        (
            *(r["jump"], f"{r['planted_mm']:g}", f"{r['planted_deg']:g}"),
            *(_digits(r[name]) for name in ("said_after_s", "mm", "deg")),
        )
        for r in part["jumps"]
    ]
    said = ("jump", "planted [mm]", "planted [°]", "said after [s]", "as [mm]", "as [°]")
    # A note, not a table: it has one number only
    still = part["still"]
    note = (
        f"Still for {still['seconds']:g} s with changing activity, "
        f"{still['events']:,} events: {still['false_alarms']} false alarms."
    )
    return [
        Table("Live PET images", head, images, (part["workload"],)),
        Table("Jumps of the object", said, jumps, (note,)),
    ]


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
