"""Tables of cone-beam CT."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.tools.benchmark.table import Table, seconds, who


def cone(part: Plain) -> list[Table]:
    """Return tables of times, ratios to the peer, and errors of images and integrals."""
    tables = [_times(part), _images(part), _integrals(part)]
    # Without RTK there are no ratios
    return [tables[0], _ratios(part), *tables[1:]] if part["ratios"] else tables


def _times(part: Plain) -> Table:
    rows = [
        (
            f"{r['size']}³",
            r["case"],
            f"{r['by']}, {who(r)}",
            f"{seconds(r['seconds'])} s",
            f"{seconds(r['best_seconds'])} s",
            f"{seconds(r['cpu_s'])} s",
            f"{r['cores']:.1f}",
            *(_rate(r[key]) for key in ("gups", "mrays_per_s", "gsteps_per_s")),
        )
        for r in part["rows"]
    ]
    head = ("voxels", "case", "by", "median", "best", "processor time", "cores in use")
    rates = ("G updates/s", "M rays/s", "G steps/s")
    notes = (
        part["workload"],
        f"Rates are medians of {part['repeats']} wall-clock times. While other programs run, "
        "compare the processor times.",
        f"Peer: {part['peer']}.",
    )
    title = f"Cone beam, {part['n_views']} views of {part['pixels']} × {part['pixels']} pixels"
    return Table(title, (*head, *rates), rows, notes)


def _ratios(part: Plain) -> Table:
    rows = [
        (
            f"{r['size']}³",
            r["case"],
            r["by"],
            f"{r['seconds_ratio']:.1f}",
            f"{r['cpu_s_ratio']:.1f}",
        )
        for r in part["ratios"]
    ]
    head = ("voxels", "case", "peer", "wall-clock time", "processor time")
    return Table("Cone beam: time of the peer relative to ours", head, rows)


def _images(part: Plain) -> Table:
    rows = [
        (
            f"{r['size']}³",
            f"{r['first']} against {r['second']}",
            f"{r['first_mean_per_mm']:.5f} against {r['second_mean_per_mm']:.5f}",
            f"{r['mean_relative']:.1e}",
            f"{r['rmse_per_mm']:.1e}",
        )
        for r in part["images"]
    ]
    head = ("voxels", "FDK", "mean, r < 20 mm [1/mm]", "relative", "RMSE, r < 50 mm [1/mm]")
    return Table("Cone beam: the head in its two middle slices", head, rows)


def _integrals(part: Plain) -> Table:
    rows = [(f"{r['size']}³", r["by"], f"{r['error_relative']:.2%}") for r in part["integrals"]]
    head = ("voxels", "forward projection", "error of the integrals")
    return Table(
        "Cone beam: line integrals of the voxelised head, compared with exact ones", head, rows
    )


def kernels(part: Plain) -> list[Table]:
    """Return the table of GPU kernels, variant by variant."""
    rows = [
        (
            r["case"],
            r["form"],
            *(_seconds(r.get(key)) for key in ("first_seconds", "update_seconds", "seconds")),
            _rate(r.get("gups")),
            _rate(r.get("mrays_per_s")),
            f"{r['difference']:.0e}" if "difference" in r else "-",
        )
        for r in part["rows"]
    ]
    head = (
        "case", "form", "first call", "update", "kernel", "G updates/s", "M rays/s",
        "difference",
    )  # fmt: skip
    n_rows, n_columns = part["detector"]
    title = f"Kernels of cone beams: {part['size']}³ voxels, {part['n_views']} views"
    notes = (
        f"{part['workload']} {n_rows} × {n_columns} pixels; medians of {part['repeats']}.",
        "Difference: maximum in the middle slice from exact interpolation, relative to its peak.",
        *(f"{r['form']}: {r['fault']}" for r in part["rows"] if r["fault"]),
    )
    return [Table(title, head, rows, notes)]


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{seconds(value)} s"


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
