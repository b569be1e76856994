"""Tables of dual-head PET."""

from __future__ import annotations

from engine.core.json_types import Plain
from engine.tools.benchmark.table import DEVICES, Table, seconds, who

Part = Plain


def times(part: Part) -> list[Table]:
    """Return the table of times in both directions, in the form of the paper's Tables 2 and 3."""
    devices = dict.fromkeys(who(row) for row in part["rows"])
    ours = {(who(row), row["case"]): row for row in part["rows"]}
    rows = []
    for name in devices:
        forward, back = (ours[name, case] for case in ("forward", "back"))
        rate = " and ".join(f"{r['products_per_s'] / 1e9:.3g}" for r in (forward, back))
        busy = seconds(forward["cpu_s"] + back["cpu_s"])
        memory = _size(max(forward["peak_bytes"], back["peak_bytes"]))
        if forward["device_bytes"] is not None:
            memory += f", card {_size(forward['device_bytes'])}"
        rows.append((name, *_four(forward, back), rate, f"{busy} s", memory))
    theirs = {(row["who"], row["case"]): row for row in part["published"]}
    for name in dict.fromkeys(row["who"] for row in part["published"]):
        cells = _four(theirs[name, "forward"], theirs[name, "back"])
        rows.append((f"paper: {name}", *cells, "-", "-", "-"))
    head = (
        "seconds", "forward, subset", "forward, iteration", "back, subset", "back, iteration",
        "G products/s", "processor time", "memory",
    )  # fmt: skip
    notes = (
        _setup_note(part),
        part["workload"],
        *_faster(part),
        f"Paper: {part['published_note']}.",
    )
    return [Table("Dual heads, Tables 2 and 3: OSEM with a stored response", head, rows, notes)]


def _four(forward: Plain, back: Plain) -> tuple[str, ...]:
    return tuple(
        f"{seconds(row[key])} s" for row in (forward, back) for key in ("subset_s", "iteration_s")
    )


def _setup_note(part: Part) -> str:
    n_rows, n_columns = part["crystals"]
    sampled, n = part["n_sampled"], part["n_subsets"]
    # The part "images" measures all subsets once
    if "repeats" not in part:
        measured = f"{n} subsets"
    elif sampled < n:
        measured = f"{sampled} of {n} subsets measured, iterations estimated from them"
    else:
        measured = f"all {n} subsets measured"
    return (
        f"{part['scanner']}: two panels of {n_rows} × {n_columns} crystals, {part['n_lines']:,} "
        f"lines, {' × '.join(map(str, part['voxels']))} voxels [z, y, x], {part['n_products']:.3g} "
        f"products per iteration and direction; {part['n_nonzero']:,} non-zeros stored in "
        f"{_size(part['response_bytes'])}. {measured[0].upper()}{measured[1:]}."
    )


def _faster(part: Part) -> tuple[str, ...]:
    by = {(row["device"], row["case"]): row["iteration_s"] for row in part["rows"]}
    # A ratio needs both devices
    if len({device for device, _ in by}) < 2:
        return ()
    ratios = [f"{by['cpu', case] / by['cuda', case]:.0f} × {case}" for case in ("forward", "back")]
    return (f"GPU against CPU: {', '.join(ratios)} (paper: 128 × forward, 35 × back).",)


def forms(part: Part) -> list[Table]:
    """Return the table of the benefit of symmetries on the CPU."""
    ours = {(row["form"], row["case"]): row for row in part["rows"]}
    names = list(dict.fromkeys(row["form"] for row in part["rows"]))
    rows = []
    for name in names:
        cells = []
        for case in ("forward", "back"):
            row, best = ours[name, case], ours[names[0], case]
            cells += [f"{seconds(row['iteration_s'])} s", f"{seconds(row['cpu_s'])} s"]
            cells.append(f"{row['cpu_s'] / best['cpu_s']:.1f}")
        size = part["unfolded_bytes"] if name == "no symmetry" else part["response_bytes"]
        rows.append((f"{name}, {who(ours[name, 'forward'])}", _size(size), *cells))
    seconds_of = ("processor time", "ratio")
    head = ("an iteration", "matrix", "forward", *seconds_of, "back", *seconds_of)
    notes = (_setup_note(part), f"{part['note']}.", "Ratios compare processor times.")
    return [Table("Dual heads: benefit of the symmetries on the CPU", head, rows, notes)]


def kernels(part: Part) -> list[Table]:
    """Return the table of the paper's and our algorithms on a GPU, its Table 1."""
    names = list(dict.fromkeys(row["form"] for row in part["rows"]))
    ours = {(row["form"], row["case"]): row for row in part["rows"]}
    theirs = {row["who"]: f"{seconds(row['iteration_s'])} s" for row in part["published"]}
    rows = []
    for name in names:
        both = [ours.get((name, case), {}) for case in ("forward", "back")]
        cells = [f"{seconds(r['iteration_s'])} s" if r.get("iteration_s") else "-" for r in both]
        differences = [f"{r['difference']:.0e}" if "difference" in r else "-" for r in both]
        rows.append((name, *cells, *differences, theirs.get(name, "-")))
    head = (
        "an iteration", "forward", "back", "difference, forward", "difference, back",
        "paper: forward, C2070",
    )  # fmt: skip
    notes = (
        _setup_note(part),
        f"{part['note']}; medians of {part['repeats']}.",
        "Difference: maximum from the default projector, relative to its peak.",
        *(f"{row['form']}: {row['fault']}" for row in part["rows"] if row["fault"]),
        f"Paper: {part['published_note']}.",
    )
    return [Table("Dual heads, Table 1: algorithms on a GPU", head, rows, notes)]


def images(part: Part) -> list[Table]:
    """Return the table of valley-to-peak ratios of the rods, and the difference between devices."""
    rods = list(dict.fromkeys(v["diameter_mm"] for v in part["rows"][0]["valleys"]))
    rows = []
    for row in part["rows"]:
        found = {(v["iteration"], v["diameter_mm"]): v["valley_to_peak"] for v in row["valleys"]}
        for iteration in dict.fromkeys(at for at, _ in found):
            cells = [f"{found[iteration, mm]:.2f}" for mm in rods]
            rows.append((who(row), str(iteration), *cells))
    head = ("device", "iterations", *(f"{mm:g} mm" for mm in rods))
    took = [
        f"{who(row)}: {seconds(row['seconds'])} s in total, "
        f"{seconds(row['first_iteration_s'])} s for all sensitivities and the first iteration"
        + (
            f", {seconds(row['iteration_s'])} s for each other iteration"
            if row["iteration_s"]
            else ""
        )
        for row in part["rows"]
    ]
    notes = (
        f"{part['workload']}, {part['n_prompts']:,.0f} counts; {part['scanner']}, OSEM of "
        f"{part['n_subsets']} subsets. Rods are resolved below {part['resolved_below']:g}.",
        *(f"{text}." for text in took),
        *(
            f"{DEVICES[pair['first']]} and {DEVICES[pair['second']]}: relative RMSE "
            f"{pair['rmse_relative']:.1g}."
            for pair in part["images"]
        ),
    )
    return [Table("Dual heads: valley-to-peak ratio of the Derenzo rods", head, rows, notes)]


def _size(n_bytes: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.3g} TiB"
