"""Tests of values in interactive Python: texts, tables, comparison, other libraries."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from types import ModuleType, SimpleNamespace

import nibabel
import numpy as np
import pytest

import engine
from engine.core.backend import cpu
from engine.core.errors import ResourceError
from engine.data import volume_exports
from engine.data.sinogram import Sinogram
from engine.geometry.sinogram_layout import SinogramLayout
from engine.geometry.tof import TofBins
from engine.io.volumes.nifti import nifti_bytes
from tests.engine.geometry.panels import panels
from tests.engine.operators.small_operators import KINDS, cone

GRID = engine.ImageGrid((3, 4, 5), (1.0, 2.0, 3.0), (10.0, 20.0, 30.0))


def volume(**others: object) -> engine.Volume:
    values = np.arange(60, dtype=np.float32).reshape(GRID.shape)
    return replace(engine.Volume(values, GRID, "kBq/mL"), **others)


def ring(name: str = "Ring", radius_mm: float = 20.0) -> engine.RingScanner:
    return engine.RingScanner(
        engine.RingSettings(
            name=name,
            n_rings=2,
            n_crystals_per_ring=16,
            radius_mm=radius_mm,
            ring_pitch_mm=2,
            max_ring_difference=1,
            n_tangential=9,
            fov_mm=(20, 4),
        )
    )


def crystal_map(shift_mm: float = 0.0) -> engine.CrystalMap:
    angles = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    positions = 50 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) + shift_mm
    keys = np.stack([0 * angles, np.arange(8), 0 * angles], axis=1).astype(np.int32)
    return engine.CrystalMap(
        "Eight", keys, positions, fov_radius_mm=40, voxel_mm=(2, 2, 2), fov_mm=(60, 10)
    )


def listmode() -> engine.ListMode:
    return engine.ListMode(ring(), crystals=np.array([[1, 9], [2, 10]], np.int32), mu_map=volume())


def sinogram() -> Sinogram:
    layout = SinogramLayout.of(ring())
    return Sinogram(layout, np.ones(layout.n_bins, np.float32))


def histogram() -> engine.Histogram:
    two = panels(n_rows=4, n_columns=3)
    return engine.Histogram(two, prompts=np.ones(two.n_lors, np.float32))


def projections() -> engine.Projections:
    geometry = cone(cpu(1)).geometry
    values = np.zeros((geometry.n_views, *geometry.shape), np.float32)
    values[0, 0, 0] = np.nan
    return engine.Projections(values, geometry, kind="integrals")


VALUES = {
    "volume": volume,
    "list mode": listmode,
    "sinogram": sinogram,
    "histogram": histogram,
    "projections": projections,
    "geometry": lambda: projections().geometry,
    "ring": ring,
    "crystal map": crystal_map,
    "panels": lambda: panels(n_rows=4, n_columns=3),
}
ALTERED = {
    "volume": lambda: replace(volume(), values=volume().values + 1),
    "list mode": lambda: replace(listmode(), mu_map=volume(unit="1/mm")),
    "sinogram": lambda: replace(sinogram(), prompts=2 * sinogram().prompts),
    "histogram": lambda: replace(histogram(), duration_s=2.0),
    "projections": lambda: replace(projections(), kind="counts"),
    "geometry": lambda: projections().geometry.select(slice(1, None)),
    "ring": lambda: ring(radius_mm=21.0),
    "crystal map": lambda: crystal_map(0.5),
    "panels": lambda: panels(n_rows=4, n_columns=2),
}


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        assert tag == "img"

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("kind", VALUES)
def test_equal_values_compare_equal_and_altered_ones_differ(kind: str) -> None:
    value, again, altered = VALUES[kind](), VALUES[kind](), ALTERED[kind]()
    assert (value == again) is True and (value != again) is False
    assert hash(value) == hash(again)
    assert (value == altered) is False and (altered == value) is False
    assert (value == 3) is False and (value == "volume") is False


@pytest.mark.parametrize("kind", VALUES)
def test_values_survive_pickling(kind: str) -> None:
    value = VALUES[kind]()
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("kind", VALUES)
def test_texts_are_short_and_tables_complete(kind: str) -> None:
    value = VALUES[kind]()
    assert repr(value).startswith(f"<{type(value).__name__} ")
    assert len(repr(value)) < 120 and "\n" not in repr(value)
    tags = Tags(value._repr_html_())
    assert tags.open == []
    assert type(value).__name__ in tags.texts
    assert set(value.facts().values()) <= set(tags.texts)


def test_volume_text_states_shape_and_unit() -> None:
    assert repr(volume()) == "<Volume 1 × 2 × 3 mm, 5 × 4 × 3, kBq/mL>"
    assert repr(projections()) == (
        "<Projections 12 views, integrals, cone beam, 12 positions, 10 × 9 pixels>"
    )


def test_names_from_files_are_escaped() -> None:
    assert repr(ring(name="a\x1b]0;b")).startswith("<RingScanner a<U+001B>]0;b")
    html = ring(name="<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html
    assert "<script>alert(1)</script>" in Tags(html).texts


@pytest.mark.parametrize("kind", KINDS)
def test_operators_with_the_same_definition_are_equal(kind: str) -> None:
    A, B = (KINDS[kind](cpu(1)) for _ in range(2))
    assert (A == A) is True
    # Slabs can have results in files, so each one equals only itself.
    assert (A == B) is (kind != "slabs")
    assert kind == "slabs" or hash(A) == hash(B)
    assert (A == 2 * A) is False and (2 * A == 3 * A) is False
    assert Tags(A._repr_html_()).open == []


def test_operators_differ_by_device_and_geometry() -> None:
    A = cone(cpu(1))
    assert cone(cpu(2)) != A
    assert cone(cpu(1), adjoint="voxel") != A
    assert A.with_geometry(A.geometry.moved(shift_mm=(0, 0, 1))) != A
    assert (np.ones(3) == A) is False


def test_different_bin_width_makes_a_different_scanner() -> None:
    one, other = ring(), ring()
    other.tof = TofBins(fwhm_ps=200, bin_ps=50, n_bins=9)
    assert one != other


def test_affine_gives_voxel_centres() -> None:
    found = volume().affine @ [4, 3, 2, 1]
    np.testing.assert_array_equal(found[:3], [GRID.centres_mm(axis)[-1] for axis in range(3)])


@pytest.mark.parametrize("axes", ["LPS", "LPI", "RPI", "xyz"])
def test_nibabel_image_has_the_affine_of_the_file(axes: str) -> None:
    given = volume(info={"axes": axes})
    image, written = given.to_nibabel(), nibabel.Nifti1Image.from_bytes(nifti_bytes(given))
    np.testing.assert_array_equal(image.affine, written.affine)
    np.testing.assert_array_equal(image.get_fdata(), written.get_fdata())
    np.testing.assert_allclose(image.affine[:2], -given.affine[:2])


def test_numpy_array_shares_the_values() -> None:
    given = volume()
    assert np.asarray(given) is given.values
    assert np.array(given) is not given.values
    assert np.asarray(given, np.float64).dtype == np.float64
    assert float(np.max(given)) == 59.0
    with pytest.raises(ValueError, match="without copy"):
        np.array(given, np.float64, copy=False) if np.__version__ >= "2" else given.__array__(
            np.float64, False
        )


def test_xarray_has_coordinates_in_mm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stub of the library records the arguments."""
    calls = SimpleNamespace()

    def data_array(values, coords, dims, attrs):
        calls.values, calls.coords, calls.dims, calls.attrs = values, coords, dims, attrs
        return calls

    module = ModuleType("xarray")
    module.DataArray = data_array  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xarray", module)
    found = volume().to_xarray()
    assert found.dims == ("z", "y", "x")
    np.testing.assert_array_equal(found.coords["x"][1], GRID.centres_mm(0))
    assert found.attrs == {"units": "kBq/mL", "axes": "LPS"}


def test_missing_xarray_gives_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ResourceError, match="xarray is not installed"):
        volume().to_xarray()


def test_real_xarray_accepts_the_values() -> None:
    xarray = pytest.importorskip("xarray")
    found = volume().to_xarray()
    assert isinstance(found, xarray.DataArray)
    assert float(found.sel(x=GRID.centres_mm(0)[1], y=GRID.centres_mm(1)[0]).max()) == 41.0


def test_notebook_shows_the_middle_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    from io import BytesIO

    from PIL import Image

    image = Image.open(BytesIO(volume_exports.png(volume())))
    # 5 × 4 voxels of 1 × 2 mm: pixels are square, so the image is higher than wide.
    assert image.size == (160, 256)
    assert image.getextrema() == (0, 255)

    shown: list[object] = []
    shell = SimpleNamespace(config={"IPKernelApp": {}})
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    display.display = shown.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    given = volume()
    given.show()
    assert shown == [given]


def test_script_shows_the_window_with_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    commands: list[list[str]] = []
    monkeypatch.setattr(volume_exports, "start", commands.append)
    given = volume()
    given.show()
    ((python, _, program, file, folder),) = commands
    assert python == sys.executable
    np.testing.assert_array_equal(engine.read(file).values, given.values)

    # The program removes the folder, also if the window fails.
    stand_in = program.replace("from app.__main__ import main", "main = lambda words: 3")
    done = subprocess.run([python, "-c", stand_in, file, folder], check=False)
    assert done.returncode == 3
    assert not volume_exports.Path(folder).exists()
