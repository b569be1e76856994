"""Tiny scans of CTSimU scenarios, written to the specification of the format."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import tifffile

from engine.core.json_types import Plain
from tests.engine.io.xray.xray_files import COLUMNS, DARKS, FLATS, ROWS, N, counts

SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, PITCH_MM = 300.0, 400.0, 1.3


def vector(values: tuple[float, float, float], unit: str | None = None) -> Plain:
    reported = {} if unit is None else {"unit": unit}
    return {axis: {"value": value} | reported for axis, value in zip("xyz", values, strict=True)}


def part(x_mm: float, u: tuple[float, float, float], w: tuple[float, float, float]) -> Plain:
    return {
        "center": vector((x_mm, 0, 0), "mm"),
        "vector_u": vector(u),
        "vector_w": vector(w),
        "deviations": [],
    }


SCENARIO: Plain = {
    "file": {
        "name": "Tiny",
        "file_type": "CTSimU Scenario",
        "file_format_version": {"major": 1, "minor": 2},
    },
    "geometry": {
        "detector": part(SOURCE_DETECTOR_MM, (0, -1, 0), (1, 0, 0)),
        "source": {"type": "cone", **part(0, (0, -1, 0), (1, 0, 0))},
        "stage": part(SOURCE_AXIS_MM, (1, 0, 0), (0, 0, 1)),
    },
    "detector": {
        "columns": {"value": COLUMNS, "unit": "px"},
        "rows": {"value": ROWS, "unit": "px"},
        "pixel_pitch": {axis: {"value": PITCH_MM, "unit": "mm"} for axis in "uv"},
        "integration_time": {"value": 0.5, "unit": "s"},
        "gray_value": {"imax": {"value": 5000}, "imin": {"value": 100}},
    },
    "source": {"voltage": {"value": 130, "unit": "kV"}, "current": {"value": 0.12, "unit": "mA"}},
    "samples": [{"name": "Tetrahedron"}],
    "acquisition": {
        "start_angle": {"value": 0, "unit": "deg"},
        "stop_angle": {"value": 360, "unit": "deg"},
        "direction": "CCW",
        "number_of_projections": N,
        "include_final_angle": False,
        "pixel_binning": {"u": 1, "v": 1},
    },
}
METADATA: Plain = {
    "file": {"name": "tiny"},
    "output": {
        "projections": {
            "filename": "tiny_%04d.tif",
            "datatype": "uint16",
            "byteorder": "little",
            "headersize": None,
            "number": N,
            "dimensions": {"x": {"value": COLUMNS}, "y": {"value": ROWS}},
            "dark_field": {"number": 2, "filename": "tiny_dark.tif"},
            "flat_field": {"number": 2, "filename": "tiny_flat_%02d.tif"},
        },
        "acquisitionGeometry": {"path_to_CTSimU_JSON": "../tiny.json"},
    },
}


def scenario(**sections: Plain) -> Plain:
    """Return the scenario with changed sections."""
    content = deepcopy(SCENARIO)
    for name, changes in sections.items():
        content[name] |= changes
    return content


def write_images(folder: Path) -> None:
    """Write projections, two flats and a TIFF of two darks."""
    for k, image in enumerate(counts()):
        tifffile.imwrite(folder / f"tiny_{k:04}.tif", image)
    for k, image in enumerate(FLATS):
        tifffile.imwrite(folder / f"tiny_flat_{k:02}.tif", image)
    tifffile.imwrite(folder / "tiny_dark.tif", DARKS)


def ctsimu(folder: Path, content: Plain | None = None, *, metadata: bool = True) -> Path:
    """Write a scenario, and its images into `projections`."""
    inside = folder / "projections"
    inside.mkdir()
    write_images(inside)
    (folder / "tiny.json").write_text(json.dumps(SCENARIO if content is None else content))
    if metadata:
        (inside / "tiny_metadata.json").write_text(json.dumps(METADATA))
    return folder / "tiny.json"


def ctsimu_in_one_folder(folder: Path, *, metadata: bool) -> Path:
    """Write all files into one folder; with metadata, the metadata file is opened."""
    write_images(folder)
    (folder / "tiny.json").write_text(json.dumps(SCENARIO))
    if not metadata:
        return folder / "tiny.json"
    (folder / "tiny_metadata.json").write_text(json.dumps(METADATA))
    return folder / "tiny_metadata.json"
