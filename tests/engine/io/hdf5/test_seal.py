"""Tests of seals: changed files are refused, and older files are recognised."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import EngineError, FileFormatError
from engine.corrections.attenuation import ATTENUATION_MAP
from engine.data.listmode import ListMode
from engine.data.runs.history import RunHistory
from engine.data.volume import Volume
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.grid import ImageGrid
from engine.io import inspect, read_listmode, read_projections, read_volume, save, write_listmode
from engine.io.safety.seal import seal_of
from engine.modalities.attaching import attach_inputs
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.run_context.context import RunContext
from tests.engine.io.hdf5.unsealed_files import unseal
from tests.farm.own_files import OwnFile, own_files


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, OwnFile]:
    return {own.kind: own for own in own_files(tmp_path_factory.mktemp("own"))}


def test_seal_covers_names_types_shapes_and_values() -> None:
    values = np.arange(6, dtype=np.float32)
    same = seal_of(image=values, unit="1/mm")
    assert same == seal_of(unit="1/mm", image=values.copy())
    others = (
        seal_of(image=values, unit="1/cm"),
        seal_of(picture=values, unit="1/mm"),
        seal_of(image=values.reshape(2, 3), unit="1/mm"),
        seal_of(image=values.view(np.int32), unit="1/mm"),
        seal_of(image=values[::-1], unit="1/mm"),
    )
    assert same not in others and len(set(others)) == len(others)


Edit = Callable[[h5py.File], object]
EDITS: dict[str, Edit] = {
    "voxel": lambda file: file["volume/voxel_mm"].write_direct(np.array([20.0, 2.5, 4.0])),
    "unit": lambda file: file["volume/values"].attrs.__setitem__("units", np.bytes_("1/cm")),
    "version": lambda file: file.attrs.__setitem__("version", 1),
    "no seal": lambda file: file.attrs.pop("seal"),
    "one more": lambda file: file.create_dataset("more", data=1),
    "one less": lambda file: file.pop("provenance"),
}


@pytest.mark.parametrize("name", list(EDITS))
def test_any_change_of_a_volume_is_refused(tmp_path: Path, phantom: Volume, name: str) -> None:
    save(phantom, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        EDITS[name](file)
    with pytest.raises(FileFormatError, match=r"^a\.h5: has changed since .* Copy the file again"):
        read_volume(tmp_path / "a.h5")


def test_older_volume_is_read_with_a_note(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5")
    assert read_volume(tmp_path / "a.h5").notes == ()
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        unseal(file)
    found = read_volume(tmp_path / "a.h5")
    np.testing.assert_array_equal(found.values, phantom.values)
    assert "a.h5: the file has no checksum (older version" in found.notes[0]
    assert inspect(tmp_path / "a.h5").notes == found.notes


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("voxel_mm", (-2.0, 2.0, 2.0), "voxel size is -2 × 2 × 2 mm, expected"),
        ("voxel_mm", (np.nan, 2.0, 2.0), "voxel size is nan"),
        ("voxel_mm", (2e7, 2.0, 2.0), "voxel size is 2e.07"),
        ("centre_mm", (0.0, np.inf, 0.0), "centre is at 0 × inf"),
        ("centre_mm", (0.0, 1e9, 0.0), "centre is at 0 × 1e.09"),
    ],
)
def test_invalid_older_volume_is_refused(
    tmp_path: Path, phantom: Volume, name: str, value: tuple[float, ...], sentence: str
) -> None:
    save(phantom, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        unseal(file)
        file[f"volume/{name}"][...] = value
    with pytest.raises(EngineError, match=sentence):
        read_volume(tmp_path / "a.h5")


def test_older_volume_with_an_unknown_unit_is_refused(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        unseal(file)
        file["volume/values"].attrs["units"] = np.bytes_("counts/mn")
    with pytest.raises(FileFormatError, match=r"unknown unit 'counts/mn', expected .*counts/mm"):
        read_volume(tmp_path / "a.h5")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("fov_radius_mm", -25.0, "'fov_radius_mm' is -25"),
        ("voxel_mm", (2.0, np.nan, 2.5), "'voxel_mm' is nan"),
        ("fov_mm", (50.0,), "values of 'fov_mm' is 1, expected 2"),
        ("tof", (300.0, 0.0, 5.0), "'tof' is 0"),
    ],
)
def test_crystal_map_of_an_older_scan_is_checked(
    tmp_path: Path, crystal_map: CrystalMap, name: str, value: object, sentence: str
) -> None:
    write_listmode(ListMode(crystal_map, np.array([[0, 8]], np.int32)), tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        unseal(file)
        file["scanner"].attrs[name] = value
    with pytest.raises(FileFormatError, match=sentence):
        read_listmode(tmp_path / "a.h5")


def test_crystals_of_an_older_scan_are_checked(tmp_path: Path, crystal_map: CrystalMap) -> None:
    write_listmode(ListMode(crystal_map, np.array([[0, 8]], np.int32)), tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        unseal(file)
        file["scanner/positions_mm"].attrs.pop("sha256", None)
        file["scanner/keys"][1] = file["scanner/keys"][0]
    with pytest.raises(FileFormatError, match="two crystals have the same key"):
        read_listmode(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["scanner/positions_mm"][3, 1] = 1e9
    with pytest.raises(FileFormatError, match="expected at most 5,000 mm"):
        read_listmode(tmp_path / "a.h5")


@pytest.mark.parametrize("kind", ["Data Exchange", "NXtomo"])
def test_changed_projections_are_refused_with_the_remedy(
    ours: dict[str, OwnFile], tmp_path: Path, kind: str
) -> None:
    path = tmp_path / ours[kind].path.name
    path.write_bytes(ours[kind].path.read_bytes())
    where = {"Data Exchange": "exchange/data", "NXtomo": "entry/instrument/detector/data"}[kind]
    with h5py.File(path, "r+") as file:
        file[where][0, 0, 0] += 1
    remedy = "has changed .* delete the attributes 'seal' and 'creator'"
    with pytest.raises(FileFormatError, match=remedy):
        read_projections(path)
    with h5py.File(path, "r+") as file:
        del file.attrs["seal"]
    with pytest.raises(FileFormatError, match="its checksum does not match"):
        read_projections(path)
    with h5py.File(path, "r+") as file:
        del file.attrs["creator"]
    notes = read_projections(path).notes
    assert any("has no checksum" in note for note in notes) == (kind == "Data Exchange")


def test_sidecar_can_be_edited_after_removing_its_seal(ours: dict[str, OwnFile]) -> None:
    path = ours["projections sidecar"].path
    text = path.read_text()
    raw = next(file for file in ours["projections sidecar"].files if file.name == "a.raw")
    assert read_projections(path).kind == "counts"
    path.write_text(text.replace('kind = "counts"', 'kind = "integrals"'))
    with pytest.raises(FileFormatError, match=r"checksum does not match.*delete the line `seal`"):
        read_projections(path)
    line = f'seal = "{tomllib.loads(text)["seal"]}"\n'
    path.write_text(text.replace(line, ""))
    assert read_projections(path).kind == "counts"
    raw.write_bytes(raw.read_bytes()[:-1] + b"\1")
    with pytest.raises(FileFormatError, match=r"a\.raw: has changed .* a\.toml differs"):
        read_projections(path)


def test_cached_sensitivity_is_checked_against_its_key(ours: dict[str, OwnFile]) -> None:
    own = ours["sensitivity"]
    assert own.read(own.path) is not None
    numbers = dict(np.load(own.path))
    numbers["numbers"][1] += 1
    np.savez(own.path, **numbers)
    assert own.read(own.path) is None


def test_note_on_a_mu_map_appears_with_its_scan(tmp_path: Path, scan: ListMode) -> None:
    values = np.full((3, 4, 5), 0.009, np.float32)
    grid = ImageGrid(values.shape, (8.0, 8.0, 5.0))
    save(Volume(values, grid, "1/mm"), tmp_path / "map.h5")
    with h5py.File(tmp_path / "map.h5", "r+") as file:
        unseal(file)
    study = Study(
        data=tmp_path / "scan.h5",
        inputs={ATTENUATION_MAP.key: tmp_path / "map.h5"},
        protocol=ListModeProtocol(),
    )
    context = RunContext.of(study, cpu(1), None, RunHistory())
    found = attach_inputs(context, (ATTENUATION_MAP,), scan)
    assert found.mu_map is not None
    assert "map.h5: the file has no checksum" in found.notes[-1]
