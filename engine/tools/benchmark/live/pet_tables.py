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
        *("image", "events/s", "voxels", "minimum images/s", "largest delay [s]", "dropped", "MiB"),
        *("difference from a normal run, at the last event [%]", "at the end [%]"),
    )
    jumps = [
        (
            *(r["jump"], f"{r['planted_mm']:g}", f"{r['planted_deg']:g}"),
            *(_digits(r[name]) for name in ("said_after_s", "mm", "deg")),
        )
        for r in part["jumps"]
    ]
    found = (
        *("jump", "simulated [mm]", "simulated [°]"),
        *("reported after [s]", "reported [mm]", "reported [°]"),
    )
    # A note, not a table: it has one number only
    still = part["still"]
    note = (
        f"Object at rest for {still['seconds']:g} s with changing activity, "
        f"{still['events']:,} events: {still['false_alarms']} false alarms."
    )
    return [
        Table("Live PET images", head, images, (part["workload"],)),
        Table("Jumps of the object", found, jumps, (note,)),
    ]


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
