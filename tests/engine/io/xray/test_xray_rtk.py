"""Tests of RTK's geometry XML and MetaImage projections."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.errors import EngineError, FileFormatError
from engine.geometry.orbits import circular_cone
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.io import read_projections
from engine.io.safety.open_input import open_input
from engine.io.xray.rtk import ROOT, read_parameters
from tests.engine.io.xray.xray_files import COLUMNS, ROWS, STEP, N, counts

HEAD = f'<?xml version="1.0"?>\n<!DOCTYPE RTKGEOMETRY>\n<{ROOT} version="3">\n'
COMMON = {"SourceToIsocenterDistance": 1000.0, "SourceToDetectorDistance": 1500.0}
ORIGIN = (-(COLUMNS - 1) / 2 * 2.0, -(ROWS - 1) / 2 * 3.0)
"""Header fields of a centred image."""


def xml(common: dict[str, float], views: list[dict[str, float]]) -> str:
    def tags(values: dict[str, float]) -> str:
        return "".join(f"<{k}>{v!r}</{k}>" for k, v in values.items())

    each = "".join(f"<Projection>{tags(v)}<Matrix>1 0 0 0</Matrix></Projection>\n" for v in views)
    return f"{HEAD}{tags(common)}{each}</{ROOT}>\n"


def write(
    folder: Path,
    common: dict[str, float] = COMMON,
    *,
    views: list[dict[str, float]] | None = None,
    more: bool = False,
    **fields: Any,
) -> Path:
    """Write a geometry and its projections; `more` can compress them."""
    turns = [{"GantryAngle": k * STEP} for k in range(N)] if views is None else views
    path = folder / "geometry.xml"
    path.write_text(xml(common, turns))
    values = (counts().astype("<f4") - 1000) / 50
    head = {
        "ObjectType": "Image",
        "NDims": 3,
        "BinaryData": True,
        "BinaryDataByteOrderMSB": False,
        "CompressedData": more,
        "Offset": f"{ORIGIN[0]} {ORIGIN[1]} 0",
        "ElementSpacing": "2 3 1",
        "DimSize": f"{COLUMNS} {ROWS} {N}",
        "ElementType": "MET_FLOAT",
        "ElementDataFile": "LOCAL",
        **fields,
    }
    text = "".join(f"{k} = {v}\n" for k, v in head.items())
    data = zlib.compress(values.tobytes()) if more else values.tobytes()
    (folder / "projections.mha").write_bytes(text.encode() + data)
    return path


@pytest.mark.parametrize("compressed", [False, True])
def test_values_and_kind_are_read(tmp_path: Path, compressed: bool) -> None:
    data = read_projections(write(tmp_path, more=compressed))
    assert np.allclose(data.values, (counts() - 1000.0) / 50)
    assert data.kind == "integrals"
    assert "the values look like" in data.notes[0]


def test_centred_circle_is_ours_turned_backwards_from_minus_y(tmp_path: Path) -> None:
    """IEC's y is our z, and its z is our −y. The source turns from z to x, so from −y to +x."""
    geometry = read_projections(write(tmp_path)).geometry
    expected = circular_cone(
        np.deg2rad(np.arange(N) * STEP - 90),
        source_axis_mm=1000,
        source_detector_mm=1500,
        shape=(ROWS, COLUMNS),
        pixel_mm=(2.0, 3.0),
    )
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        assert np.allclose(getattr(geometry, name), getattr(expected, name), atol=1e-9), name


def test_parameters_of_a_view_override_common_ones(tmp_path: Path) -> None:
    views = [{"GantryAngle": k * STEP} for k in range(N)]
    views[3]["SourceToIsocenterDistance"] = 900.0
    with open_input(write(tmp_path, views=views)) as file:
        found = read_parameters(file)
    assert found["SourceToIsocenterDistance"].tolist() == [1000, 1000, 1000, 900] + [1000] * 8


def test_offsets_and_tilts_preserve_distances(tmp_path: Path) -> None:
    """RTK's angles turn source and detector together. Its offsets shift them in their planes."""
    common = {
        **COMMON,
        "SourceOffsetX": 3.0,
        "SourceOffsetY": -4.0,
        "ProjectionOffsetX": 5.0,
        "ProjectionOffsetY": 12.0,
        "InPlaneAngle": 2.0,
        "OutOfPlaneAngle": 5.0,
    }
    geometry = read_projections(write(tmp_path, common)).geometry
    assert np.allclose(np.linalg.norm(geometry.source_mm, axis=1), np.hypot(1000, 5))
    assert np.allclose(np.linalg.norm(geometry.detector_mm, axis=1), np.hypot(500, 13))
    assert np.allclose(geometry.source_detector_mm, 1500)
    height = np.sin(np.deg2rad(5)) * 1000  # the out-of-plane angle moves the source along the axis
    shifted = read_projections(write(tmp_path, {**COMMON, "OutOfPlaneAngle": 5.0})).geometry
    assert np.allclose(np.abs(shifted.source_mm[:, 2]), height)


def test_every_parameter_has_its_effect(tmp_path: Path) -> None:
    common = {
        **COMMON,
        "SourceOffsetX": 3.0,
        "SourceOffsetY": -4.0,
        "ProjectionOffsetX": 5.0,
        "ProjectionOffsetY": 12.0,
        "InPlaneAngle": 2.0,
        "OutOfPlaneAngle": 5.0,
    }
    expected = from_rtk(
        RtkParameters(
            gantry_rad=np.deg2rad(STEP * np.arange(N)),
            out_of_plane_rad=np.full(N, np.deg2rad(5)),
            in_plane_rad=np.full(N, np.deg2rad(2)),
            source_isocentre_mm=np.full(N, 1000.0),
            source_detector_mm=np.full(N, 1500.0),
            source_offset_mm=np.tile((3.0, -4.0), (N, 1)),
            projection_offset_mm=np.tile((5.0, 12.0), (N, 1)),
        ),
        shape=(ROWS, COLUMNS),
        pixel_mm=(2.0, 3.0),
    )
    found = read_projections(write(tmp_path, common)).geometry
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        assert np.allclose(getattr(found, name), getattr(expected, name), atol=1e-9), name


def test_offsets_of_the_detector_follow_its_axes(tmp_path: Path) -> None:
    plain = read_projections(write(tmp_path)).geometry
    moved = read_projections(write(tmp_path, {**COMMON, "ProjectionOffsetX": 4.0})).geometry
    assert np.allclose(moved.detector_mm - plain.detector_mm, 2 * plain.u_mm)


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE a [<!ENTITY b "c">]><{ROOT}><Projection/></{ROOT}>',
        f'<!DOCTYPE a SYSTEM "file:///etc/passwd"><{ROOT}><Projection/></{ROOT}>',
        f"<{ROOT}>&b;<Projection/></{ROOT}>",
        f"<{ROOT}><Projection>",
        f"<{ROOT}></{ROOT}>",
        f"<{ROOT}><Projection><GantryAngle>x</GantryAngle></Projection></{ROOT}>",
        f"<{ROOT}><Projection><GantryAngle>nan</GantryAngle></Projection></{ROOT}>",
        f"<a><{ROOT}/></a>",
        f"<{ROOT}>" + "<a>" * 50 + "</a>" * 50 + f"</{ROOT}>",
    ],
)
def test_unsafe_or_damaged_xml_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path)
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"geometry.xml: .*with RTK\.") as refusal:
        read_projections(path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"ElementDataFile": "/etc/passwd"}, "only files in the same folder"),
        ({"DimSize": "5 3 13"}, "truncated after 720 bytes of values, expected 780"),
        ({"DimSize": "5 3"}, "expected 3 numbers"),
        ({"DimSize": "5 3 11"}, "projections is 11, but the number of angles is 12"),
        ({"ElementType": "MET_LONG"}, "export one number per voxel"),
        ({"DimSize": "50000 50000 50000"}, "GiB of memory"),
    ],
)
def test_wrong_image_gives_one_sentence(tmp_path: Path, fields: dict[str, Any], match: str) -> None:
    with pytest.raises(EngineError, match=match):
        read_projections(write(tmp_path, **fields))


def test_missing_or_second_image_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path)
    image = tmp_path / "projections.mha"
    (tmp_path / "other.mha").write_bytes(image.read_bytes())
    with pytest.raises(FileFormatError, match=r"2 \.mha images"):
        read_projections(path)
    image.unlink()
    (tmp_path / "other.mha").unlink()
    with pytest.raises(FileFormatError, match=r"0 \.mha images"):
        read_projections(path)


def test_source_beyond_the_detector_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="the isocentre must be between the source"):
        read_projections(write(tmp_path, {**COMMON, "SourceToDetectorDistance": 500.0}))
