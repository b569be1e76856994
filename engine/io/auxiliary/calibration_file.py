"""Read and write calibrations to Bq/mL: a small JSON object with a digest of its content."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, fields
from pathlib import Path

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.calibration import Calibration, scanner_digest
from engine.geometry.scanner import Scanner
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import InputFile, open_input
from engine.io.text.json_text import from_json, to_json

FORMAT = "isocenter-calibration-1"
MARK = b"isocenter-calibration"
MAX_BYTES = 1_000_000
LARGEST_ERROR = 100.0
"""Largest standard error in percent; a worse calibration is refused."""


def is_calibration(file: InputFile) -> bool:
    """Return True if an open file is a calibration."""
    return file.head.lstrip()[:1] == b"{" and MARK in file.head


def write_calibration(calibration: Calibration, path: Path, measured: Plain) -> None:
    """Write a calibration file.

    Parameters
    ----------
    calibration
        factor, scanner and corrections
    path
        target; an existing file is replaced
    measured
        JSON values that describe the measurement, stored for the user
    """
    content = {"format": FORMAT, **asdict(calibration), "measured": measured}
    text = to_json({**content, "sha256": _digest(content)}, indent=2) + "\n"
    write_atomically(text.encode(), path)


def read_calibration(path: Path, scanner: Scanner | None = None) -> Calibration:
    """Read a calibration.

    Parameters
    ----------
    path
        file of `write_calibration`
    scanner
        scanner of the scan to calibrate; None skips the comparison

    Raises
    ------
    FileFormatError
        if the file is not a calibration, or was changed after the measurement
    GeometryError
        if it was measured on another scanner
    """
    with open_input(path) as file:
        if file.size > MAX_BYTES or not is_calibration(file):
            raise FileFormatError(
                f"{path.name}: not a calibration file; create one with `isocenter calibrate`."
            )
        text = file.text(MAX_BYTES)
    try:
        content = from_json(text)
        found = _calibration(content, path)
    except (ValueError, TypeError) as e:
        raise FileFormatError(
            f"{path.name}: damaged calibration; copy it again. Reason: {e}."
        ) from e
    # The digest of the geometry, not the name: the factor changes with every length in it.
    if scanner is not None and scanner_digest(scanner) != found.scanner_sha256:
        if scanner.name == found.scanner:
            raise GeometryError(
                f"{path.name}: the geometry of {scanner.name!r} has changed since this "
                "calibration; calibrate the scanner again."
            )
        raise GeometryError(
            f"{path.name}: the calibration was measured on {found.scanner!r}, but this scan is "
            f"from {scanner.name!r}; calibrate this scanner."
        )
    return found


def _calibration(content: Plain, path: Path) -> Calibration:
    if content.pop("sha256", "") != _digest(content):
        raise ValueError("the checksum does not match the content")
    if content.get("format") != FORMAT:
        raise ValueError(f"the format is {content.get('format')!r}, expected {FORMAT!r}")
    # Unknown keys are ignored, so that files of later versions can be read. The digest covers them.
    values = {f.name: content[f.name] for f in fields(Calibration) if f.name in content}
    values["corrections"] = tuple(str(kind) for kind in content.get("corrections", ()))
    found = Calibration(**values)
    # JSON gives any type, and a string or NaN would only fail deep inside a reconstruction.
    numbers = (found.positrons_per_ml, found.error_percent)
    if not all(isinstance(v, int | float) and math.isfinite(v) for v in numbers):
        raise ValueError(
            f"positrons_per_ml is {found.positrons_per_ml!r} and error_percent is "
            f"{found.error_percent!r}, expected two finite numbers"
        )
    if not (found.positrons_per_ml > 0 and 0 <= found.error_percent <= LARGEST_ERROR):
        raise ValueError(
            f"positrons_per_ml is {found.positrons_per_ml:g}, expected more than 0, and "
            f"error_percent is {found.error_percent:g}, expected 0 to {LARGEST_ERROR:g}"
        )
    return found


def _digest(content: Plain) -> str:
    return hashlib.sha256(to_json(content).encode()).hexdigest()
