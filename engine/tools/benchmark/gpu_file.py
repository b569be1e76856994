"""The file of a GPU check: measurements without names of people, files or machines.

Users of a GPU may send it. `table` compares the received files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.core.backend.devices import DeviceInfo
from engine.core.backend.generations import generation
from engine.core.backend.selftest_results import stored_result, tested_of
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.safety.atomic_write import write_atomically
from engine.protocols.run_context.environment import program_version
from engine.tools.benchmark.gpu_steps import SELF_TEST, StepEnd

FORMAT = "isocenter-gpu-check-1"
MAX_BYTES = 1 << 24
_REMEDY = "Use files written by `isocenter gpu-check`."
_FACTS = ("isocenter", "python", "system", "processor", "commit")
"""Environment that is stored with measurements."""
_DEVICE = (
    *("name", "threads", "compute_capability", "n_multiprocessors", "memory_bytes"),
    *("peak_bytes_per_s", "driver", "arrays"),
)
"""Properties of devices that are stored with measurements; not the number of one GPU."""
_FOLDERS = re.compile(r"(?<![\w:/\\])(?:[A-Za-z]:)?[/\\](?:[^/\\\s]+[/\\])+")
"""Folders at the start of a path in a sentence."""


def record(device: DeviceInfo, ends: Sequence[StepEnd], figures: dict[str, Plain]) -> Plain:
    """Return the content of the file.

    Parameters
    ----------
    device
        checked GPU
    ends
        outcome of each step
    figures
        measurements of the steps, by name

    Returns
    -------
    kept
        JSON values without names
    """
    return {
        "format": FORMAT,
        "program": program_version(),
        "date": datetime.now(UTC).date().isoformat(),
        "card": _card(device),
        "steps": [
            {"name": end.name, "seconds": round(end.seconds, 1), "fault": end.fault} for end in ends
        ],
        "figures": {name: _anonymous(figure) for name, figure in figures.items()},
    }


def _card(device: DeviceInfo) -> Plain:
    """Return the GPU without its serial number, and the faults of its self-test."""
    card = device.card
    if card is None:
        return {"name": device.label, "memory_bytes": device.memory_bytes}
    # A self-test is valid for one driver and one compiler
    of, verdict = asdict(tested_of(card)), stored_result(card)
    return {
        "name": card.name,
        "generation": generation(card.compute_capability),
        "memory_bytes": card.memory_bytes,
        "driver": of["driver"],
        "cupy": of["cupy"],
        "nvrtc": of["nvrtc"],
        "faults": list(verdict.faults) if verdict is not None else [],
    }


def _anonymous(figure: Plain) -> Plain:
    """Return figures without properties of the machine that could identify somebody."""
    # A list of the allowed properties: new ones are then excluded
    record: Plain = _without_folders(figure)
    where = record.get("environment", {})
    record["environment"] = {name: where[name] for name in _FACTS if name in where}
    record["devices"] = {
        key: {name: device[name] for name in _DEVICE if name in device}
        for key, device in record.get("devices", {}).items()
    }
    record.pop("file", None)
    return record


def _without_folders(value: Any) -> Any:
    """Return JSON values in which paths, such as those of libraries, are file names only."""
    if isinstance(value, dict):
        return {key: _without_folders(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_folders(each) for each in value]
    # The home folder first, since it can contain spaces
    return (
        _FOLDERS.sub("", value.replace(str(Path.home()), "")) if isinstance(value, str) else value
    )


def write(record: Plain, path: Path) -> None:
    """Write the file atomically.

    Parameters
    ----------
    record
        content from `record`
    path
        output file
    """
    write_atomically((json.dumps(record, indent=1) + "\n").encode(), path)


def read(path: Path) -> Plain:
    """Read a received file.

    Parameters
    ----------
    path
        file of `isocenter gpu-check`

    Returns
    -------
    kept
        its content, complete enough for `table`

    Raises
    ------
    FileFormatError
        if the file is too large, not JSON, or incomplete
    """
    try:
        # The file can come from anyone
        if path.stat().st_size > MAX_BYTES:
            raise FileFormatError(
                f"{path.name}: the file has {path.stat().st_size:,} bytes, but a GPU check file "
                f"has at most {MAX_BYTES:,}. {_REMEDY}"
            )
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise FileFormatError(f"{path}: the file cannot be read ({e.strerror}). {_REMEDY}") from e
    except (ValueError, RecursionError) as e:
        raise FileFormatError(f"{path.name}: the file is not valid JSON ({e}). {_REMEDY}") from e
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise FileFormatError(f"{path.name}: the file does not contain a GPU check. {_REMEDY}")
    try:
        # Using it is the simplest complete test
        table([record])
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise FileFormatError(
            f"{path.name}: the GPU check in this file is incomplete or invalid ({e}). {_REMEDY}"
        ) from e
    return record


def lines(record: Plain) -> list[str]:
    """Return one check as text, one line per step and limit.

    Parameters
    ----------
    record
        content of one file
    """
    rows = [*_rows(record)]
    widths = [max((len(row[i]) for row in rows), default=0) for i in (1, 2)]
    return [
        f"{ok}  {what:{widths[0]}}  {got:{widths[1]}}  {wanted}".rstrip()
        for ok, what, got, wanted in rows
    ]


def passed(record: Plain) -> bool:
    """Return True if all steps succeeded and all limits were reached.

    Parameters
    ----------
    record
        content of one file
    """
    return all(row[0] == "pass" for row in _rows(record))


def table(received: Sequence[Plain]) -> str:
    """Return received checks as a Markdown table with one column per GPU.

    Parameters
    ----------
    received
        contents of several files
    """
    # Checks of other versions may have other rows
    columns = [{what: (got, ok) for ok, what, got, _ in _rows(record)} for record in received]
    heads = [f"{record['card']['name']}, {record['date']}" for record in received]
    rows = [f"| | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for name in ("generation", "driver", "cupy"):
        facts = " | ".join(str(record["card"].get(name, "")) for record in received)
        rows.append(f"| {name} | {facts} |")
    # All rows of all files, in the order of the first
    for what in dict.fromkeys(what for column in columns for what in column):
        cells = (_cell(column.get(what)) for column in columns)
        rows.append(f"| {what} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(found: tuple[str, str] | None) -> str:
    if found is None:
        return ""
    got, ok = found
    return got if ok == "pass" else f"**{got}**"


def _rows(record: Plain) -> Iterator[tuple[str, str, str, str]]:
    """Yield verdict, name, result and limit of each row."""
    for step in record["steps"]:
        fault = str(step["fault"])
        # The fault of the self-test says more than the exit code of its step
        if step["name"] == SELF_TEST and record["card"].get("faults"):
            fault = str(record["card"]["faults"][0])
        # A step without limits shows at least that it has run
        got = fault or f"done in {step['seconds']:.0f} s"
        yield "MISS" if fault else "pass", str(step["name"]), got, ""
    for figure in record["figures"].values():
        for part, measured in figure["parts"].items():
            for bar in measured.get("bars", ()):
                unit = f" {bar['unit']}".rstrip()
                wanted = f"({bar['way']} {_short(bar['bar'])}{unit})"
                verdict = "pass" if bar["passed"] else "MISS"
                yield verdict, f"{part}: {bar['name']}", f"{_short(bar['value'])}{unit}", wanted


def _short(value: float) -> str:
    return f"{value / 1e6:.3g} M" if value >= 1e5 else f"{value:.3g}"
