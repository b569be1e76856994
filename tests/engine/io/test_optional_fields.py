"""A scan with valid data is never called damaged, for any value of its optional fields.

A mutation changes or removes one field that the reader can do without. If the field is only
informative, the scan opens with any value. If the field changes the geometry, the scan may be
refused in a sentence that names the field and the remedy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.io import read_projections
from engine.io.xray.zeiss import read_streams
from tests.engine.io.xray import test_xray_cil, test_xray_htc, test_xray_zeiss
from tests.engine.io.xray.ctsimu_files import ctsimu, scenario
from tests.engine.io.xray.elekta_files import elekta, listed
from tests.engine.io.xray.esrf_files import esrf
from tests.engine.io.xray.obi_files import obi
from tests.engine.io.xray.varian_files import varian
from tests.engine.io.xray.xray_files import bruker, dxchange, flexray, nikon, nxtomo

DAMAGE = re.compile(r"damaged|truncated|cut off|cut or edited|copy (it|the file) again|corrupt")
REMEDY = re.compile(r"; (correct|give|use images from) ")
GEOMETRY = ("pixel_size_", "initial_angle", "DetectorOffsetX", "ObjectTilt", "exchange/data_dark")
"""Fields that change positions or values: a wrong one must be reported.

Data Exchange requires that dark images have the dimensions of the projections.
"""
N_MUTATIONS = 500
SEED = 41

Value = object
REMOVED = object()
VALUES: tuple[Value, ...] = (
    REMOVED,
    "b2017b74-c39d",
    "",
    "0.65 um",
    "1.5",
    b"\xff\xfe",
    np.nan,
    np.inf,
    -1.0,
    0,
    1e30,
    True,
    np.array([0.5, 0.5, 0.5]),
    np.array([[1.0, 2.0], [3.0, 4.0]]),
    np.empty(0),
    np.array(["a", "bc"], "S4"),
    np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
    1 + 2j,
    h5py.Empty("f8"),
    "vlen",
    "reference",
    "group",
)
"""Replacement values of a field; the last three only apply to HDF5."""
TEXTS = ("b2017b74-c39d", "", "0.65 um", "1,5", "nan", "inf", "-1", "0", "1e30", "[1 2]", "None")
"""Replacement values in text formats, in which a field can also be removed."""


def put(file: h5py.File, place: str, value: Value) -> None:
    """Replace a dataset by a value of any type."""
    if place in file:
        del file[place]
    if value is REMOVED:
        return
    if isinstance(value, str) and value == "vlen":
        item = file.create_dataset(place, (2,), h5py.vlen_dtype(np.float64))
        item[0] = [1.0, 2.0]
    elif isinstance(value, str) and value == "reference":
        file.create_dataset(place, data=file["/"].ref, dtype=h5py.ref_dtype)
    elif isinstance(value, str) and value == "group":
        file.create_group(place)
    else:
        file[place] = value


def put_attribute(file: h5py.File, place: str, value: Value) -> None:
    """Replace an attribute (named after @) by a value of any type."""
    dataset, _, name = place.partition("@")
    attributes = file[dataset].attrs
    if name in attributes:
        del attributes[name]
    if value is not REMOVED and not (isinstance(value, str) and value in ("vlen", "group")):
        attributes[name] = (
            file["/"].ref if isinstance(value, str) and value == "reference" else (value)
        )


def cil(folder: Path) -> Path:
    values = np.random.default_rng(SEED).random((8, 5, 7), np.float32)
    keys = np.zeros(8, int)
    labels = ("angle", "vertical", "horizontal")
    return Path(test_xray_cil.write(folder / "s.nxs", values, labels, keys=keys))


ENTRY = "entry1/tomo_entry"
HDF5: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "NXtomo": (
        nxtomo,
        (
            *(f"{ENTRY}/instrument/eye/{axis}_pixel_size" for axis in "xy"),
            *(f"{ENTRY}/instrument/eye/{name}" for name in ("distance", "image_key_control")),
            *(f"{ENTRY}/{name}" for name in ("definition", "title", "start_time")),
            *(f"{ENTRY}/sample/{name}" for name in ("name", "x_translation")),
            f"{ENTRY}/data/rotation_angle",
            f"{ENTRY}/instrument/eye/x_pixel_size@units",
            f"{ENTRY}/instrument/eye/data@units",
        ),
    ),
    "Data Exchange": (
        dxchange,
        (
            *("implements", "exchange/data_dark", "measurement/sample/name", "process/date"),
            "measurement/instrument/detection_system/objective/resolution",
            "measurement/instrument/detector/x_pixel_size",
            *("exchange/data@units", "exchange/data@description", "exchange/theta@long_name"),
        ),
    ),
    "CIL": (
        cil,
        (
            *("entry1/tomo_entry/data/data@scale", "entry1/tomo_entry/data/data@offset"),
            *(f"entry1/tomo_entry/data/data@pixel_size_{axis}" for axis in "hv"),
            "entry1/tomo_entry/data/data@panel_origin",
            "entry1/tomo_entry/config/angles@initial_angle",
            "entry1/tomo_entry/config/comment",
        ),
    ),
}
"""By format: the writer of a scan, and its optional datasets and attributes."""


@dataclass(frozen=True)
class Mutation:
    """A changed field: its format, its name, and the function that writes the scan."""

    format: str
    field: str
    value: str
    write: Callable[[Path], Path]


def _in_hdf5(format: str, field: str, value: Value) -> Mutation:
    make = HDF5[format][0]

    def write(folder: Path) -> Path:
        path = make(folder)
        with h5py.File(path, "a") as file:
            (put_attribute if "@" in field else put)(file, field, value)
        return path

    text = "removed" if value is REMOVED else f"{type(value).__name__} {value!r}"
    return Mutation(format, field, text, write)


TEXT_FORMATS: dict[str, tuple[Callable[..., Path], tuple[str, ...]]] = {
    "Nikon": (nikon, ("XraykV", "XrayuA", "Material", "DetectorOffsetX", "ObjectTilt")),
    "Bruker": (bruker, ("Source Voltage (kV)", "Source Current (uA)", "Exposure (ms)", "Filter")),
    "FleX-ray": (flexray, ("tube voltage", "tube power", "exposure time (ms)", "sample")),
    "ESRF": (esrf, ("Energy", "Count_time", "Optic_used", "SrCurrent")),
    "Varian": (varian, ("Bowtie", "Comment")),
    "Varian OBI": (obi, ("Comment", "DetectorPosVrt")),
}


def _in_text(format: str, field: str, value: str) -> Mutation:
    make = TEXT_FORMATS[format][0]
    return Mutation(format, field, repr(value), lambda folder: make(folder, **{field: value}))


def _in_elekta(field: str, value: str) -> Mutation:
    frames = [{**each, field: value} for each in listed()]
    return Mutation("Elekta", field, repr(value), lambda folder: elekta(folder, frames=frames))


def _in_ctsimu(section: str, field: str, value: object) -> Mutation:
    report = scenario(**{section: {field: json.loads(json.dumps(value))}})
    return Mutation("CTSimU", field, repr(value), lambda folder: ctsimu(folder, report))


def _in_matlab(field: str, value: object) -> Mutation:
    return Mutation(
        "HTC", field, repr(value), lambda folder: test_xray_htc.write(folder, **{field: value})
    )


def _mutations() -> list[Mutation]:
    found = [
        _in_hdf5(format, field, value)
        for format, (_, fields) in HDF5.items()
        for field in fields
        for value in VALUES
    ]
    found += [
        _in_text(format, field, value)
        for format, (_, fields) in TEXT_FORMATS.items()
        for field in fields
        for value in TEXTS
    ]
    found += [_in_elekta(field, value) for field in ("Exposed", "Comment") for value in TEXTS]
    found += [
        _in_ctsimu(section, field, value)
        for section, field in (("source", "voltage"), ("source", "current"), ("detector", "note"))
        for value in (None, "x", {"value": "x"}, {"value": None}, {"value": [1]}, [], True)
    ]
    found += [
        _in_matlab(field, value)
        for field in ("voltage", "current", "exposureTime", "measurers")
        for value in ("x", "", 5.0, np.zeros((2, 3)), np.empty(0), {"a": 1.0}, True)
    ]
    return found


MUTATIONS = _mutations()


def verdict(mutation: Mutation, folder: Path) -> str:
    """Return "opens", or the sentence of the refusal."""
    folder.mkdir()
    try:
        read_projections(mutation.write(folder))
    except EngineError as e:
        return str(e)
    return "opens"


def verdicts(mutations: list[Mutation], root: Path) -> dict[str, str]:
    return {
        f"{k} {each.format} {each.field} = {each.value}": verdict(each, root / str(k))
        for k, each in enumerate(mutations)
    }


def chosen(n: int) -> list[Mutation]:
    """Return some mutations of every format, selected by the seed."""
    rng = np.random.default_rng(SEED)
    return [MUTATIONS[k] for k in rng.permutation(len(MUTATIONS))[:n]]


def assert_open(found: dict[str, str]) -> None:
    damaged = {name: message for name, message in found.items() if DAMAGE.search(message)}
    assert not damaged
    refused = {name: message for name, message in found.items() if message != "opens"}
    strict = {
        name: message
        for name, message in refused.items()
        if not (any(field in name for field in GEOMETRY) and REMEDY.search(message))
    }
    assert not strict


@pytest.mark.slow
def test_scan_opens_with_any_value_of_any_optional_field(tmp_path: Path) -> None:
    assert len(MUTATIONS) >= N_MUTATIONS
    assert_open(verdicts(MUTATIONS, tmp_path))


def test_scan_opens_with_some_values_of_optional_fields(tmp_path: Path) -> None:
    some = chosen(60)
    assert {each.format for each in some} >= {*HDF5, "Nikon", "Bruker"}
    assert_open(verdicts(some, tmp_path))


ZEISS = (
    *("ImageInfo/Voltage", "ImageInfo/Current", "ImageInfo/MosiacRows", "ImageInfo/ReferenceFile"),
    *("Alignment/X-Shifts", "Alignment/Y-Shifts", "ReferenceData/Comment"),
)


@pytest.mark.parametrize("field", ZEISS)
@pytest.mark.parametrize("value", [None, b"", b"\0", b"abc", np.float32(np.nan).tobytes()])
def test_zeiss_scan_opens_without_its_optional_streams(field: str, value: bytes | None) -> None:
    streams = test_xray_zeiss.streams()
    streams.pop(field, None)
    if value is not None:
        streams[field] = value
    assert read_streams(streams.get, Path("scan.txrm")).n_views == test_xray_zeiss.N
