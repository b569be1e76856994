"""Tables of cone-beam kernels, patches, slices and live reconstruction."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.tools.benchmark.table import Table, who

SHOWN = 12
"""Number of blocks in the table, the fastest first; the plot has all."""

LIVE_FIGURES = (
    *(
        "frames_per_s",
        "dropped",
        "dropped_percent",
        "refresh_hz",
        "latency_ms_median",
        "latency_ms_p99",
    ),
    *("memory_mib", "difference"),
)
"""Columns of the table of live slices."""


def growth(part: Plain) -> list[Table]:
    """Return the table of nanoseconds per voxel update by size."""
    rows = [
        (
            f"{r['size']}³",
            f"{r['form']}, {who(r)}",
            *(_digits(r[key]) for key in ("first_ns", "update_ns", "work_ns")),
            "-" if r["work_ns"] is None else f"{1 / r['work_ns']:.3g}",
        )
        for r in part["rows"]
    ]
    head = ("N", "form", "first call [ns]", "update [ns]", "kernel [ns]", "G updates/s")
    notes = (
        f"{part['workload']}; medians of {part['repeats']}; for each update of a voxel.",
        *_faults(part["rows"]),
    )
    return [Table("Back projection by problem size", head, rows, notes)]


def breakup(part: Plain) -> list[Table]:
    """Return the table of the parts of a back projection."""
    rows = [
        (
            f"({r['key']}) {r['name']}",
            f"{' × '.join(map(str, reversed(r['volume'])))}, {r['n_views']}, "
            f"{' × '.join(map(str, r['detector']))}",
            *(_milliseconds(r["seconds"], step) for step in part["steps"]),
            "-" if r["gups"] is None else f"{r['gups']:.3g}",
        )
        for r in part["rows"]
    ]
    steps = (f"{name} [ms]" for name in part["steps"])
    head = ("problem", "voxels, views, pixels", *steps, "G updates/s")
    notes = (
        f"{part['workload']}; {part['device']}; medians of {part['samples'] - 1} runs after the "
        "first. The compile time is that of the first run.",
        "Kernels that ran before on this machine are loaded from the cache, not compiled. On a "
        "CPU, a copy changes the memory layout.",
        *(f"({r['key']}) {r['name']}: {r['fault']}" for r in part["rows"] if r["fault"]),
    )
    return [Table("Back projection in parts (Figure 6 of Graas et al.)", head, rows, notes)]


def _milliseconds(seconds: Plain | None, step: str) -> str:
    return "-" if seconds is None else f"{1e3 * seconds[step]:.3g}"


def search(part: Plain) -> list[Table]:
    """Return the table of the fastest variant of each path."""
    rows = [
        (
            v["path"],
            f"{v['texture']}, {v['projections']}",
            _block(v["block"]),
            str(v["voxels_per_thread"]),
            str(v["views_per_launch"]),
            _digits(r["gups"]),
        )
        for r in part["best"]
        for v in [r["variant"]]
    ]
    head = ("path", "read from", "block", "voxels of a thread", "views of a launch", "G updates/s")
    # Variants that do not fit a GPU are part of the result
    failed = sum(r["seconds"] is None for r in part["rows"])
    n_rows, n_columns = part["detector"]
    notes = (
        f"{part['workload']}; {part['size']}³ voxels, {part['n_views']} views of {n_rows} × "
        f"{n_columns} pixels; {len(part['rows'])} variants tested, {failed} failed.",
    )
    return [Table("Back projection, the fastest variants", head, rows, notes)]


def blocks(part: Plain) -> list[Table]:
    """Return the table of the fastest thread blocks for a slice."""
    # Blocks that failed have no time
    ran = sorted((r for r in part["rows"] if r["seconds"]), key=lambda row: row["seconds"])
    rows = [
        (_block(r["variant"]["block"]), f"{r['seconds'] * 1e6:.3g}", _digits(r["gups"]))
        for r in ran[:SHOWN]
    ]
    n_rows, n_columns = part["detector"]
    notes = (
        f"{part['workload']}; {part['size']}² pixels, {part['n_views']} views of {n_rows} × "
        f"{n_columns}; {len(part['rows'])} blocks tested, {part['n_left_out']} omitted to save "
        "time.",
    )
    return [Table("Blocks of threads for a slice", ("block", "µs", "G updates/s"), rows, notes)]


def patches(part: Plain) -> list[Table]:
    """Return the table of milliseconds per patch, one column per case."""
    # Cases in the order of the measurement, for stable columns
    cases = list(dict.fromkeys(r["case"] for r in part["rows"]))
    # One row per patch and device, one column per case
    found: dict[tuple[str, int, str], dict[str, str]] = {}
    for r in part["rows"]:
        cells = found.setdefault((r["kind"], r["size"], who(r)), {})
        cells[r["case"]] = f"{r['seconds'] * 1e3:#.3g}"
    rows = [
        (f"{size}{'²' if kind == '2D' else '³'}", device, *(cells.get(c, "-") for c in cases))
        for (kind, size, device), cells in found.items()
    ]
    notes = (
        f"{part['workload']}; {part['n_views']} views; medians.",
        f"Paper, {part['published_card']}: about {part['published_seconds'] * 1e3:g} ms with a "
        "graph, for up to 250² pixels and 1000 views.",
    )
    head = ("patch", "device", *(f"{case} [ms]" for case in cases))
    return [Table("Patches, one after another", head, rows, notes)]


def slices(part: Plain) -> list[Table]:
    """Return the table of seconds for three slices, next to the paper's."""
    rows = [
        (
            r["setup"],
            f"{r['detector'][0]} × {r['detector'][1]}",
            f"3 × {r['size']}²",
            str(r["n_views"]),
            f"{r['case']}, {who(r)}",
            "-" if r["seconds"] is None else f"{r['seconds'] * 1e3:#.3g} ms",
            _digits(r["gups"]),
            *(_theirs(part, by, r["setup"]) for by in part["published"]),
        )
        for r in part["rows"]
    ]
    theirs = (f"paper: {by}, {part['published_card']}" for by in part["published"])
    head = ("setup", "detector", "slices", "views", "case", "median", "G updates/s", *theirs)
    notes = (f"{part['workload']}; the paper's setups are whole.", *_faults(part["rows"]))
    return [Table("Three slices from one scan", head, rows, notes)]


def live(part: Plain) -> list[Table]:
    """Return the table of live slices of each detector, next to the paper's seconds."""
    rows = [
        (
            r["setup"],
            f"{r['detector'][0]} × {r['detector'][1]}",
            f"3 × {r['size']}², {r['n_views']} views",
            f"{r['offered_per_s']:,.5g}",
            *("-" if r[name] is None else f"{r[name]:,.3g}" for name in LIVE_FIGURES),
            *(_theirs(part, by, r["setup"]) for by in part["published"]),
        )
        for r in part["rows"]
    ]
    theirs = (f"paper: {by}, {part['published_card']}" for by in part["published"])
    mine = (
        *(
            "received/s",
            "dropped",
            "[%]",
            "images/s",
            "latency, median [ms]",
            "99th percentile [ms]",
            "MiB",
        ),
        "difference from stored scan",
    )
    head = ("setup", "detector", "slices", "frames/s", *mine, *theirs)
    return [Table("Live slices", head, rows, (part["workload"], *_faults(part["rows"])))]


def live_folder(part: Plain) -> list[Table]:
    """Return the table of delays in a growing folder."""
    figures = (
        *("most_behind", "percent_behind_by_more", "latency_ms_median", "latency_ms_p99"),
        *("latency_ms_most", "missed"),
    )
    rows = [
        (
            f"{r['n_there'] + r['n_new']:,}",
            f"{r['images_per_s']:.4g}",
            *(f"{r[name]:.3g}" for name in figures),
        )
        for r in part["rows"]
    ]
    mine = (
        *("most behind", "more than 1 behind [% of time]"),
        *("latency, median [ms]", "99th percentile [ms]", "maximum [ms]", "missed"),
    )
    head = ("images at the end", "images/s", *mine)
    return [Table("Growing folder", head, rows, (part["workload"],))]


def live_memory(part: Plain) -> list[Table]:
    """Return the table of memory over many frames."""
    names = ("warm_mib", "most_mib", "end_mib", "growth_mib")
    rows = [
        (f"{r['frames']:,}", f"{r['dropped']:,}", *(f"{r[name]:,.1f}" for name in names))
        for r in part["rows"]
    ]
    mine = ("warm [MiB]", "maximum [MiB]", "at the end [MiB]", "growth [MiB]")
    head = ("frames", "not used in slices", *mine)
    return [Table("Memory over many frames", head, rows, (part["workload"],))]


def live_recording(part: Plain) -> list[Table]:
    """Return the table of streams with and without a recording."""
    rows = [
        (
            f"{r['shape'][0]} × {r['shape'][1]}",
            f"{r['frames']:,}",
            f"{r['off_mb_per_s']:,.0f}",
            f"{r['on_mb_per_s']:,.0f}",
            f"{100 * r['share']:.1f}",
        )
        for r in part["rows"]
    ]
    head = ("detector", "frames", "without [MB/s]", "with a recording [MB/s]", "share [%]")
    return [Table("Streams with a recording", head, rows, (part["workload"],))]


def _theirs(part: Plain, by: str, setup: str) -> str:
    value = part["published"][by].get(setup)
    return "-" if value is None else f"{value * 1e3:g} ms"


def _faults(rows: list[Plain]) -> tuple[str, ...]:
    return tuple(
        # The same error of several rows appears once
        dict.fromkeys(f"{r.get('form', r.get('setup'))}: {r['fault']}" for r in rows if r["fault"])
    )


def _block(block: list[int]) -> str:
    return f"{block[0]} × {block[1]}"


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
