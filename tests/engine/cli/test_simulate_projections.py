"""Tests of `isocenter simulate projections`, and of the formats that it writes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cli.main import main
from engine.core.errors import GeometryError, UnknownFormatError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.io import read_projections, save, save_projections
from engine.simulate import Detector, shepp_logan, simulate_integrals, simulate_xray

SMALL = ["--views", "24", "--detector", "20", "12", "--pixel", "15"]


def simulated(path, *options):
    assert main(["simulate", "projections", "-o", str(path), *SMALL, *options]) == 0
    return read_projections(path)


@pytest.mark.parametrize("orbit", ["circle", "short", "helix", "fan", "parallel"])
def test_every_orbit_gives_a_scan(orbit, tmp_path):
    data = simulated(tmp_path / "scan.h5", "--orbit", orbit, "--flats", "3")
    assert data.shape == (24, 1 if orbit == "fan" else 12, 20)
    assert data.kind == "counts" and len(data.flats) == 3
    assert data.geometry.beam == ("parallel" if orbit == "parallel" else "cone")
    assert data.geometry.is_circular == (orbit != "helix")
    turned = np.ptp(np.unwrap(data.geometry.angles_rad)) * 24 / 23
    fan = 2 * np.arctan(150 / 1500)
    ranges = {"parallel": np.pi, "short": np.pi + fan, "helix": 4 * np.pi}
    assert turned == pytest.approx(ranges.get(orbit, 2 * np.pi))


def test_options_have_their_effect(tmp_path):
    centred = simulated(tmp_path / "a.h5", "--noiseless")
    assert centred.kind == "integrals" and centred.flats is None
    shifted = simulated(tmp_path / "b.h5", "--noiseless", "--untold-shift", "2")
    np.testing.assert_allclose(shifted.geometry.detector_mm, centred.geometry.detector_mm)
    np.testing.assert_allclose(shifted.values[..., :-2], centred.values[..., 2:], atol=1e-5)
    off_centre = simulated(tmp_path / "c.h5", "--noiseless", "--axis-column", "4.5", "--roll", "2")
    np.testing.assert_allclose(off_centre.geometry.axis_column, 4.5)
    assert off_centre.geometry.u_mm[0, 2] == pytest.approx(15 * np.sin(np.radians(2)))
    with_bad_pixels = simulated(tmp_path / "d.h5", "--dead", "0.05", "--hot", "0.1", "--seed", "7")
    assert (with_bad_pixels.values == 0).all(axis=0).sum() == 12
    assert (with_bad_pixels.values == 65535).all(axis=0).sum() == 24


def test_orbit_of_a_vector_file_is_used(tmp_path):
    message = simulated(tmp_path / "first.toml", "--noiseless", "--axis-column", "7")
    again = simulated(tmp_path / "again.h5", "--noiseless", "--orbit", str(tmp_path / "first.geom"))
    np.testing.assert_allclose(again.values, message.values, atol=1e-5)


@pytest.mark.parametrize(("unit", "value"), [("1/mm", 0.02), ("HU", 0.0)])
def test_volume_can_be_a_phantom(unit, value, tmp_path):
    outside = -1000.0 if unit == "HU" else 0.0
    values = np.full((40, 40, 40), outside, "f4")
    values[10:30, 10:30, 10:30] = value
    save(Volume(values, ImageGrid((40, 40, 40), (5.0, 5.0, 5.0)), unit), tmp_path / "cube.h5", {})
    data = simulated(
        tmp_path / "scan.h5", "--noiseless", "--orbit", "parallel", "--phantom",
        str(tmp_path / "cube.h5"),
    )  # fmt: skip
    assert data.values[0, 6, 10] == pytest.approx(100 * 0.02, rel=0.01)
    bad = Volume(values + 50, ImageGrid((40, 40, 40), (5.0, 5.0, 5.0)), "1/mm")
    save(bad, tmp_path / "bad.h5", {})
    options = ["-o", str(tmp_path / "x.h5"), "--phantom", str(tmp_path / "bad.h5")]
    assert main(["simulate", "projections", *options]) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "scan.tif"], "must end with .h5, .nxs, .toml"),
        (["-o", "scan.h5", "--phantom", "nose"], "expected one of head, tooth"),
        (["-o", "scan.h5", "--orbit", "square"], "expected one of circle, short"),
        (["-o", "scan.h5", "--views", "0"], "0 views of 128"),
        (["-o", "scan.h5", "--photons", "0"], "open beam has no counts"),
        (["-o", "scan.nxs", "--views", "4"], "NXtomo cannot store cone beams"),
    ],
)
def test_invalid_options_give_one_sentence(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "projections", *options]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def scan(beam="parallel"):
    """Return counts with flats before, between and after the views."""
    if beam == "parallel":
        angles = circle(10, first_rad=-np.pi / 2, range_rad=np.pi)
        orbit_geometry = parallel(angles, shape=(6, 20), pixel_mm=(9.0, 8.0)).flipped(rows=True)
    else:
        orbit_geometry = circular_cone(
            circle(10), source_axis_mm=900.0, source_detector_mm=1500.0, shape=(6, 20),
            pixel_mm=15.0, axis_column=8.0,
        )  # fmt: skip
    data = simulate_xray(
        shepp_logan(per_mm=0.02),
        orbit_geometry,
        seed=1,
        detector=Detector(dead_share=0.01),
        n_flats=5,
    )
    return replace(data, info={"flat_views": [0, 0, 4, 10, 10]})


@pytest.mark.parametrize("ending", [".h5", ".nxs", ".toml"])
def test_projections_are_read_back_as_written(ending, tmp_path):
    data = scan("parallel" if ending == ".nxs" else "cone")
    save_projections(data, tmp_path / f"scan{ending}")
    found = read_projections(tmp_path / f"scan{ending}")
    assert found.kind == data.kind and found.pixel_mm_known
    for name in ("values", "flats", "darks"):
        np.testing.assert_array_equal(getattr(found, name), getattr(data, name))
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        expected = getattr(data.geometry, name)
        np.testing.assert_allclose(getattr(found.geometry, name), expected, atol=1e-6)
    if ending != ".toml":  # the format does not store the times of flats
        assert found.info["flat_views"] == [0, 0, 4, 10, 10]


def test_contents_that_a_format_cannot_store_are_refused(tmp_path):
    data = scan()
    with pytest.raises(GeometryError, match="cannot store cone beams"):
        save_projections(scan("cone"), tmp_path / "a.nxs")
    off_centre = replace(data, geometry=data.geometry.shifted(columns=1.0))
    with pytest.raises(GeometryError, match="off-centre rotation axis"):
        save_projections(off_centre, tmp_path / "a.nxs")
    integrals = simulate_integrals(shepp_logan(per_mm=0.02), data.geometry)
    with pytest.raises(GeometryError, match="NXtomo can only store counts"):
        save_projections(integrals, tmp_path / "a.nxs")
    with pytest.raises(UnknownFormatError, match="use one of these suffixes"):
        save_projections(data, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
