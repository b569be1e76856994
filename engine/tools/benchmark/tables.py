"""Stored figures as tables for text and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.core.json_types import Plain
from engine.tools.benchmark.card import tables as card_tables
from engine.tools.benchmark.cone import kernel_tables
from engine.tools.benchmark.cone import tables as cone_tables
from engine.tools.benchmark.dual_head import tables as dual_head_tables
from engine.tools.benchmark.live import pet_tables
from engine.tools.benchmark.peers import tables as peer_tables
from engine.tools.benchmark.table import DEVICES, Table, number, rate, seconds, who

Part = Plain


def of(name: str, part: Part) -> list[Table]:
    """Return the tables of one part, its limits last.

    Parameters
    ----------
    name
        key of `TABLES`
    part
        stored figures
    """
    # An unknown part raises KeyError, which the report turns into an error about the file
    tables = TABLES[name](part)
    return [*tables, bars(name, part["bars"])] if part["bars"] else tables


def bars(name: str, rows: Sequence[Plain]) -> Table:
    """Return a table of figures with their limits.

    Parameters
    ----------
    name
        name of the part
    rows
        rows from `Bar.as_row`
    """
    cells = [
        (
            row["name"],
            number(row["value"], row["unit"]),
            f"{row['way']} {number(row['bar'], row['unit'])}",
            "pass" if row["passed"] else "MISS",
        )
        for row in rows
    ]
    return Table(f"Bars of {name}", ("figure", "measured", "bar", ""), cells)


def _projector(part: Part) -> list[Table]:
    rows = [
        (
            r["case"],
            who(r),
            rate(r["events_per_s"]),
            rate(r["best_events_per_s"]),
            f"{r['cores']:.1f}",
        )
        for r in part["rows"]
    ]
    head = ("projector", "device", "M events/s, median", "best", "CPU cores in use")
    notes = (part["workload"] + f"; medians of {part['repeats']}.", f"Peer: {part['peer']}.")
    return [Table("Projector", head, rows, notes)]


def _table2(part: Part) -> list[Table]:
    sizes = sorted({row["size"] for row in part["rows"]})
    ours: dict[tuple[str, str], dict[int, Plain]] = {}
    for row in part["rows"]:
        ours.setdefault((row["case"], who(row)), {})[row["size"]] = row
    rows = [
        (f"{case}, {device}", *_time_and_rate(cells, sizes))
        for (case, device), cells in ours.items()
    ]
    # Below ours, since the paper's times are not comparable with them
    theirs: dict[str, dict[int, float]] = {}
    for row in part["published"]:
        theirs.setdefault(row["who"], {})[row["size"]] = row["seconds"]
    rows += [
        (f"paper: {name}", *(f"{seconds(cells[s])} s" if s in cells else "-" for s in sizes))
        for name, cells in theirs.items()
    ]
    iterations = part["rows"][0]["iterations"]
    head = ("seconds, M events/s of the iterations", *(f"{s}³" for s in sizes))
    title = f"Table 2: MLEM, {iterations} iterations, {part['n_events']:,} events"
    notes = (f"{part['workload']}; {_repeats(part)}.", f"Paper: {part['published_note']}.")
    return [Table(title, head, rows, notes), _images("Table 2", "size", part["images"])]


def _repeats(part: Part) -> str:
    fewest, most = (f(row["repeats"] for row in part["rows"]) for f in (min, max))
    return (
        f"medians of {most} runs"
        if fewest == most
        else f"medians of {most} runs, of slow cases {fewest}"
    )


def _time_and_rate(cells: dict[int, Plain], sizes: Sequence[int]) -> tuple[str, ...]:
    return tuple(
        f"{seconds(cells[s]['seconds'])} s, {rate(cells[s]['events_per_s'])}" if s in cells else "-"
        for s in sizes
    )


def _table3(part: Part) -> list[Table]:
    names = list(dict.fromkeys(row["case"] for row in part["rows"]))
    # A dictionary keeps the order of the devices, without duplicates
    columns = dict.fromkeys(who(row) for row in part["rows"])
    ours = {(row["case"], who(row)): row for row in part["rows"]}
    paper = list(dict.fromkeys(row["who"] for row in part["published"]))
    theirs = {
        (row["case"], row["who"]): f"{seconds(row['seconds'])} s" for row in part["published"]
    }
    rows = []
    for name in names:
        cells = [ours[name, device] for device in columns]
        figures = [f"{seconds(c['seconds'])} s, {rate(c['events_per_s'])}" for c in cells]
        rows.append((name, *figures, *(theirs.get((name, who), "-") for who in paper)))
    x, y, z = part["shape_xyz"]
    iterations = part["rows"][0]["iterations"]
    title = f"Table 3: {x} × {y} × {z}, {iterations} iterations, {part['n_events']:,} events"
    head = (
        "case",
        *(f"{device}: s, M events/s" for device in columns),
        *(f"paper: {w}" for w in paper),
    )
    ratios = ", ".join(
        f"{DEVICES.get(d, d)} {ratio:.2f}" for d, ratio in part["osem_with_all_to_osem"].items()
    )
    notes = (
        f"{part['workload']}; {_repeats(part)}.",
        f"Time of OSEM with all extensions relative to plain OSEM: {ratios} "
        "(paper: V100 1.95, RTX 2080 Ti 1.68).",
        f"Sensitivity: {part['sensitivity']}; with and without attenuation, computed in "
        f"{seconds(part['sensitivity_s'])} s, not part of the times above.",
        f"Paper: {part['published_note']}.",
    )
    tables = [Table(title, head, rows, notes)]
    return [*tables, _images("Table 3", "case", part["images"])] if part["images"] else tables


def _images(title: str, key: str, pairs: Sequence[Plain]) -> Table:
    rows = [
        (
            str(pair[key]),
            f"{pair['first']} against {pair['second']}",
            f"{pair['rmse_counts_per_mm']:.2g}",
            f"{pair['rmse_relative']:.1g}",
        )
        for pair in pairs
    ]
    head = (key, "images", "RMSE [counts/mm]", "relative to the image")
    return Table(f"{title}: the same events, two images", head, rows)


def _kernels(part: Part) -> list[Table]:
    rows = [
        (
            f"{r['size']}³",
            r["timing"],
            r["sums"],
            f"{r['mapping']}, {r['order']}, {r['block']}",
            rate(r["events_per_s"]),
        )
        for r in part["best"]
    ]
    head = ("image", "time weights", "sums", "mapping, order, block", "M events/s")
    sizes = ", ".join(f"{n:,} at {size}³" for size, n in part["n_events"].items())
    failed = sum(row["events_per_s"] is None for row in part["rows"])
    notes = (
        f"{part['workload']}; {sizes}; medians of {part['repeats']}.",
        f"{len(part['rows'])} variants tested, {failed} failed, "
        f"{part['n_left_out']} omitted to save time.",
    )
    return [Table("Fused update, the fastest variants", head, rows, notes)]


TABLES: dict[str, Callable[[Part], list[Table]]] = {
    "projector": _projector,
    "table2": _table2,
    "table3": _table3,
    "kernels": _kernels,
    "cone": cone_tables.cone,
    "cone_kernels": cone_tables.kernels,
    "cone_growth": kernel_tables.growth,
    "cone_search": kernel_tables.search,
    "cone_blocks": kernel_tables.blocks,
    "cone_patches": kernel_tables.patches,
    "cone_breakup": kernel_tables.breakup,
    "cone_slices": kernel_tables.slices,
    "live": kernel_tables.live,
    "live_folder": kernel_tables.live_folder,
    "live_memory": kernel_tables.live_memory,
    "live_recording": kernel_tables.live_recording,
    "live_pet": pet_tables.live_pet,
    "card_fdk": card_tables.of("FDK"),
    "card_projectors": card_tables.of("Projectors of X-rays"),
    "card_scatter": card_tables.of("Scatter"),
    "card_subsets": card_tables.of("Small subsets of list mode"),
    "card_runs": card_tables.of("Whole runs"),
    "peers": peer_tables.peers,
    "dual_head": dual_head_tables.times,
    "dual_head_forms": dual_head_tables.forms,
    "dual_head_kernels": dual_head_tables.kernels,
    "dual_head_images": dual_head_tables.images,
}
