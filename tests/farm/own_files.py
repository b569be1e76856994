"""One tiny file of each of our formats, and its content in a form that can be compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from engine.data.components import Components
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.data.runs.events import Preview
from engine.data.runs.history import RunHistory
from engine.data.timing.live_time import LiveTimes
from engine.data.timing.triggers import Triggers
from engine.data.volume import Volume
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circular_cone
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.scanner import Scanner
from engine.geometry.tof import TofBins, TofSettings
from engine.io import (
    read_histogram,
    read_listmode,
    read_projections,
    read_volume,
    save,
    save_projections,
    write_histogram,
    write_listmode,
)
from engine.io.hdf5.normalisation import read_measured, write_components
from engine.io.hdf5.response import read_response, write_response
from engine.io.xray.pose import turned_parallel
from engine.jobs.checkpoint.images import Head, read_checkpoint, write_image
from engine.jobs.checkpoint.job import RECORD, Job
from engine.jobs.checkpoint.job_record import JobRecord
from engine.jobs.checkpoint.owner import Owner
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.parts import ResponseParts
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.listmode_pet.sensitivity_cache import keep, load
from tests.engine.geometry.panels import panels

GRID = ImageGrid((3, 4, 5), (2.0, 2.5, 4.0), (4.0, 2.5, 2.0))
PROVENANCE = {"axes": "LPI", "protocol": {"algorithm": {"kind": "osem", "iterations": 4}}}
N_EVENTS = 40
PLAN = {"scanner": "Tiny", "points": 256}


@dataclass(frozen=True)
class OwnFile:
    """A file in one of our formats, with its companions and its reader, which returns None if it
    refuses.
    """

    kind: str
    path: Path
    read: Callable[[Path], Any]

    @property
    def files(self) -> list[Path]:
        """Return the file and its companions; their folder contains nothing else."""
        return sorted(path for path in self.path.parent.rglob("*") if path.is_file())


def own_files(folder: Path) -> list[OwnFile]:
    """Write one file of each format."""
    makers: dict[str, Callable[[Path], tuple[Path, Callable[[Path], Any]]]] = {
        "volume": _volume,
        "NIfTI": partial(_nifti, name="a.nii"),
        "packed NIfTI": partial(_nifti, name="a.nii.gz"),
        "list mode": partial(_listmode, scanner=_ring()),
        "list mode with a crystal map": partial(_listmode, scanner=_crystal_map()),
        "histogram": _histogram,
        "normalisation": _normalisation,
        "response": _response,
        "response part": _response_part,
        "sensitivity": _sensitivity,
        "checkpoint": _checkpoint,
        "job": _job,
        "Data Exchange": partial(_projections, name="a.h5"),
        "NXtomo": partial(_projections, name="a.nxs"),
        "projections sidecar": partial(_projections, name="a.toml"),
    }
    made = []
    for kind, maker in makers.items():
        place = folder / kind.replace(" ", "-")
        place.mkdir()
        made.append(OwnFile(kind, *maker(place)))
    return made


def plain(value: Any) -> Any:
    """Return the content of a value in a comparable form, without its remarks."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes()
    if isinstance(value, Scanner):
        return value.fingerprint(), value.default_voxel_mm, value.default_fov_mm, value.describe()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value):
        fields = (field.name for field in dataclasses.fields(value))
        return {name: plain(getattr(value, name)) for name in fields if name != "notes"}
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _random() -> np.random.Generator:
    return np.random.default_rng(11)


def _image() -> Volume:
    values = _random().random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, "counts/mm", PROVENANCE)


def _volume(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    save(_image(), folder / "a.h5")
    return folder / "a.h5", read_volume


def _nifti(folder: Path, name: str) -> tuple[Path, Callable[[Path], Any]]:
    save(_image(), folder / name)
    return folder / name, read_volume


def _ring() -> RingScanner:
    tof = TofSettings(fwhm_ps=300, bin_ps=200, n_bins=5)
    settings = RingSettings(
        name="Tiny",
        n_rings=3,
        n_crystals_per_ring=16,
        radius_mm=40,
        ring_pitch_mm=5,
        max_ring_difference=2,
        n_tangential=8,
        tof=tof,
        fov_mm=(40, 15),
    )
    return RingScanner(settings)


def _crystal_map() -> CrystalMap:
    crystal = np.arange(48, dtype=np.int32)
    return CrystalMap(
        "Map",
        np.stack([crystal // 16, crystal % 16, 0 * crystal], -1),
        _ring().positions_mm,
        fov_radius_mm=25.0,
        voxel_mm=(2.0, 2.0, 2.5),
        fov_mm=(50.0, 15.0),
        tof=TofBins(300.0, 200.0, 5),
    )


def _listmode(folder: Path, scanner: Scanner) -> tuple[Path, Callable[[Path], Any]]:
    rng = _random()
    data = ListMode(
        scanner=scanner,
        crystals=rng.integers(0, scanner.n_crystals, (N_EVENTS, 2)).astype(np.int32),
        delayed=rng.random(N_EVENTS) < 0.1,
        tof_bins=rng.integers(0, 5, N_EVENTS).astype(np.int16),
        time_ms=np.sort(rng.integers(0, 1000, N_EVENTS)).astype(np.uint32),
        additive=rng.random(N_EVENTS).astype(np.float32),
        duration_s=1.5,
        mu_map=Volume(rng.random(GRID.shape).astype(np.float32), GRID, "1/mm"),
        efficiencies=rng.random(scanner.n_crystals).astype(np.float32),
        singles=rng.integers(0, 99, scanner.n_crystals).astype(np.float32),
        live_times=LiveTimes(np.array([0, 700]), np.array([0.75, 1.25])),
        triggers=(Triggers.at("ecg", np.array([100, 900, 1800])),),
        coincidence_window_ps=4500.0,
        info={"isotope": "F-18"},
    )
    write_listmode(data, folder / "a.h5")
    return folder / "a.h5", read_listmode


def _histogram(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    rng, scanner = _random(), panels(n_rows=2, n_columns=2)
    n = scanner.n_lors
    columns = [rng.poisson(3, n), rng.poisson(1, n), rng.random(n), rng.random(n)]
    efficiencies = rng.random(scanner.n_crystals).astype(np.float32)
    single = [column.astype(np.float32) for column in columns]
    data = Histogram(scanner, *single, efficiencies, duration_s=12.5, info={"isotope": "F-18"})
    write_histogram(data, folder / "a.h5")
    return folder / "a.h5", read_histogram


def _normalisation(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    rng, scanner = _random(), _ring()
    crystals, geometry = (
        rng.random(shape).astype(np.float32) for shape in (scanner.n_crystals, scanner.n_classes)
    )
    components = Components(crystals, geometry)
    write_components(components, scanner, folder / "a.h5", {"counts": 7}, errors=components)
    return folder / "a.h5", read_measured


def _response(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    scanner = panels(n_rows=2, n_columns=2, n_planes=3)
    write_response(build_analytic(scanner, AnalyticResponse(n_points=256)), folder / "a.h5")
    return folder / "a.h5", read_response


def _response_part(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    part = {"values": np.arange(8.0), "rows": np.arange(3)}
    ResponseParts(folder / "a.h5", PLAN).save(0, part)
    return folder / "a.h5", _read_part


def _read_part(path: Path) -> Any:
    return ResponseParts(path, PLAN).load(0)


def _sensitivity(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    keep(folder, "key", Sensitivity(_image().values, 1000, 100, 1.5))
    return folder / "key.npz", _read_sensitivity


def _read_sensitivity(path: Path) -> Any:
    return load(path.parent, "key", GRID)


def _checkpoint(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    preview = Preview(_image(), 1, 3, 1, 4, 0.5, history=RunHistory(seconds={"reconstruct": 1.5}))
    head = Head.of(preview, "digest", {"data": ("scan.l", "digest")})
    write_image(_image(), head, folder / "a.bin")
    return folder / "a.bin", _read_checkpoint


def _job(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    now = datetime(2026, 11, 22, tzinfo=UTC)
    record = JobRecord(
        status="paused",
        owner=Owner(host="here", pid=7, started_s=1.5),
        title="scan.l, Standard",
        created_utc=now,
        device="cpu",
        updates=12,
        output="/images/scan.nii.gz",
    )
    (folder / RECORD).write_text(record.to_text())
    return folder / RECORD, _read_job


def _read_job(path: Path) -> Any:
    return Job(path.parent).record


def _read_checkpoint(path: Path) -> Any:
    return read_checkpoint(path)


def _projections(folder: Path, name: str) -> tuple[Path, Callable[[Path], Any]]:
    rng, n = _random(), 6
    if name.endswith(".nxs"):
        geometry = turned_parallel(np.linspace(0, 2.5, n), pixel_mm=(0.5, 0.5), shape=(3, 4))
    else:
        geometry = circular_cone(
            np.linspace(0, 5, n),
            source_axis_mm=500,
            source_detector_mm=800,
            shape=(3, 4),
            pixel_mm=4,
        )
    data = Projections(
        values=rng.integers(100, 900, (n, 3, 4)).astype(np.float32),
        geometry=geometry,
        kind="counts",
        flats=rng.integers(900, 1000, (2, 3, 4)).astype(np.float32),
        darks=rng.integers(1, 9, (2, 3, 4)).astype(np.float32),
        calibrated=True,
        info={"sample": "nut"},
    )
    save_projections(data, folder / name)
    return folder / name, read_projections
