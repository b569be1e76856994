"""A tiny valid file of every supported kind, and its reader."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import tifffile
import tomli_w

import engine
from engine.data.calibration import Calibration, scanner_digest
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.response import ResponseMatrix
from engine.data.sinogram import Sinogram
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import (
    read_components,
    read_efficiencies,
    read_frames,
    read_histogram,
    read_listmode,
    read_projections,
    read_scanner,
    read_sinogram,
    read_volume,
    save,
    save_projections,
    write_histogram,
    write_listmode,
)
from engine.io.auxiliary.calibration_file import read_calibration, write_calibration
from engine.io.auxiliary.provenance_file import sidecar_path
from engine.io.auxiliary.tracer_file import read_tracer
from engine.io.auxiliary.trigger_file import read_triggers
from engine.io.bin_files import read_bin_values
from engine.io.hdf5.response import read_response, write_response
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.modalities import read_study
from engine.modalities.dual_head_pet.response.importing import import_response
from engine.modalities.studies import read_protocol
from tests.engine.geometry.panels import panels
from tests.engine.io.castor import castor_files
from tests.engine.io.gate import gate_files
from tests.engine.io.hdf5.unsealed_files import unseal
from tests.engine.io.listmode import test_adac, test_safir
from tests.engine.io.petsird import petsird_files
from tests.engine.io.siemens import siemens_files, siemens_raw_files, test_siemens_mmr
from tests.engine.io.xray import elekta_files, esrf_files, obi_files, xray_files
from tests.engine.io.xray.test_xray_cil import write as cil
from tests.engine.io.xray.test_xray_htc import write as matlab
from tests.engine.io.xray.test_xray_rtk import write as rtk
from tests.engine.io.xray.test_xray_sidecar import write as sidecar
from tests.farm import volumes
from tests.farm.scanners import RING, ring_text, small_ring

TRIGGERS = "trigger time [s]\n" + "\n".join(f"{k * 0.9:g}" for k in range(1, 9))
Make = Callable[[Path], Path]
TRACER = """[tracer]
nuclide = "F-18"
dose_mbq = 370.0
dose_at = 2026-11-22T09:40:00+01:00
injected_at = 2026-11-22T10:00:00+01:00
"""


@dataclass(frozen=True)
class Kind:
    """One kind of input.

    Attributes
    ----------
    name : name in the report
    make : writes a valid file with its companions into a folder; returns the file to open
    read : opens the file
    """

    name: str
    make: Make
    read: Callable[[Path], object]


def _rng() -> np.random.Generator:
    return np.random.default_rng(11)


def _mmr(folder: Path, *, header: bool) -> Path:
    (folder / RING).write_text(ring_text())
    tags = (np.uint32(4) << np.uint32(29)) | np.arange(40, dtype=np.uint32)
    events = _rng().integers(0, 8 * 8, (40, 3)).astype(np.uint32) | np.uint32(1 << 30)
    words = np.column_stack([tags, events]).astype("<u4").ravel()
    text = test_siemens_mmr.header(len(words), 0.04) if header else None
    return test_siemens_mmr.write(folder, words, text)


def _raw(folder: Path, how: str) -> Path:
    header = _mmr(folder, header=True)
    words = (folder / "scan.l").read_bytes()
    return siemens_raw_files.WRITERS[how](folder, header.read_text(), words)


def _safir(folder: Path) -> Path:
    test_safir.write_map(folder / "crystal_map.txt")
    return test_safir.write(folder, test_safir.RECORDS)


def _adac(folder: Path) -> Path:
    return test_adac.write(folder, test_adac.HEADER + test_adac.EVENTS)


def _petsird(folder: Path) -> Path:
    ring = small_ring()
    crystals = _rng().integers(0, ring.n_crystals, (60, 2))
    events = petsird_files.events_of(crystals, None, 1)
    blocks = [petsird_files.event_block(k, k + 1, events[20 * k : 20 * k + 20]) for k in range(3)]
    return petsird_files.write(folder / "scan.petsird", petsird_files.ring_scanner(ring), blocks)


def _packed_petsird(folder: Path) -> Path:
    path = _petsird(folder)
    packed = path.with_suffix(".petsird.gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    path.unlink()
    return packed


def _timed(folder: Path) -> ListMode:
    """Write a scan with the file of its scanner in the same folder."""
    (folder / RING).write_text(ring_text())
    ring, rng = small_ring(), _rng()
    crystals = rng.integers(0, ring.n_crystals, (60, 2)).astype(np.int32)
    times = np.sort(rng.integers(0, 1000, 60)).astype(np.uint32)
    return ListMode(ring, crystals, time_ms=times, duration_s=1)


def _gate(folder: Path) -> Path:
    branches = gate_files.gate_9(_timed(folder), _rng())
    branches |= {f"sourcePos{axis}1": _rng().normal(0, 9, 60) for axis in "XYZ"}
    return gate_files.write(folder / "scan.root", {"Coincidences": branches})


def _castor(folder: Path) -> Path:
    castor_files.write_table(folder / "SMALL_RING.lut", small_ring())
    return castor_files.write_scan(folder / "scan.cdh", _timed(folder))


def _castor_histogram(folder: Path) -> Path:
    ring = small_ring()
    castor_files.write_table(folder / "SMALL_RING.lut", ring)
    lines = ring.lors(np.arange(ring.n_lors))
    counts = _rng().poisson(0.1, (len(lines), 2)).astype(np.float32)
    columns = {"randoms": _rng().random(len(lines)), "norm": np.ones(len(lines))}
    return castor_files.write_histogram(folder / "scan.cdh", lines, counts, columns, counts)


def _castor_normalisation(folder: Path) -> Path:
    ring = small_ring()
    lines = ring.lors(np.arange(ring.n_lors))
    values = _rng().uniform(1, 2, len(lines))
    return castor_files.write_normalisation(folder / "norm.cdh", lines, {"norm": values})


def _volume(folder: Path, name: str = "volume.h5") -> Path:
    grid = ImageGrid((5, 6, 7), (2.0, 2.5, 4.0))
    values = _rng().random(grid.shape).astype(np.float32) * 0.01
    save(Volume(values, grid, "1/mm"), folder / name)
    return folder / name


def _bare(folder: Path, name: str) -> Path:
    """Write a NIfTI file as other programs do, without a provenance file."""
    path = _volume(folder, name)
    sidecar_path(path).unlink()
    return path


def _listmode(folder: Path) -> Path:
    ring = small_ring()
    n = 60
    rng = _rng()
    scan = ListMode(
        scanner=ring,
        crystals=rng.integers(0, ring.n_crystals, (n, 2)).astype(np.int32),
        delayed=rng.random(n) < 0.1,
        time_ms=np.sort(rng.integers(0, 1000, n)).astype(np.uint32),
        additive=rng.random(n).astype(np.float32),
        duration_s=1.5,
        efficiencies=rng.random(ring.n_crystals).astype(np.float32),
        info={"isotope": "F-18"},
    )
    write_listmode(scan, folder / "scan.h5")
    return folder / "scan.h5"


def _histogram(folder: Path) -> Path:
    scanner = panels()
    prompts = _rng().poisson(3, scanner.n_lors).astype(np.float32)
    write_histogram(Histogram(scanner, prompts, duration_s=12.5), folder / "scan.h5")
    return folder / "scan.h5"


def _sinogram(folder: Path) -> Path:
    layout = SinogramLayout.of(small_ring())
    counts = _rng().poisson(0.5, layout.n_bins).astype(np.float32)
    write_sinogram(Sinogram(layout, counts), folder / "scan.hs")
    return folder / "scan.hs"


def _siemens_sinogram(folder: Path) -> Path:
    bins = replace(siemens_files.layout(), n_views=3, n_tangential=5)
    counts = _rng().poisson(0.5, (2, bins.n_bins))
    types = ("prompts", "randoms")
    return siemens_files.write(folder / "scan.s", bins, *counts, types=types, number="<i2")


def _siemens_raw_sinogram(folder: Path) -> Path:
    header, values = _siemens_sinogram(folder), folder / "scan.s"
    text, data = header.read_text(), values.read_bytes()
    header.unlink()
    values.unlink()
    return siemens_raw_files.write_ima(folder, text, data, kind="sinogram")


def _siemens_norm(folder: Path) -> Path:
    shapes = {"geometric effects": (127, 8), "crystal interference": (8, 9)}
    shapes |= {"crystal efficiencies": (64, 504), "axial effects": (837,)}
    tables = {name: np.ones(shape) for name, shape in shapes.items()}
    return siemens_files.write_norm(folder / "scan.n", tables, {})


@cache
def _matrix_of_panels() -> ResponseMatrix:
    from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
    from engine.modalities.dual_head_pet.response.building import build_analytic

    return build_analytic(panels(), AnalyticResponse(n_points=256))


def _response(folder: Path) -> Path:
    matrix = _matrix_of_panels()
    write_response(matrix, folder / "response.h5")
    return folder / "response.h5"


def _unsealed(folder: Path, make: Make) -> Path:
    path = make(folder)
    with h5py.File(path, "r+") as file:
        unseal(file)
    return path


def _stack_sidecar(folder: Path) -> Path:
    path = sidecar(folder, file="scan.tif", dtype=None, shape=None, flats=None, darks=None)
    for raw in folder.glob("*.raw"):
        raw.unlink()
    tifffile.imwrite(folder / "scan.tif", xray_files.counts(), compression="zlib")
    return path


def _array_sidecar(folder: Path) -> Path:
    path = sidecar(folder, file="scan.npz#counts", dtype=None, shape=None, flats=None, darks=None)
    for raw in folder.glob("*.raw"):
        raw.unlink()
    np.savez_compressed(folder / "scan.npz", counts=xray_files.counts())
    return path


def _vectors(folder: Path) -> Path:
    projections = read_projections(xray_files.dxchange(folder))
    save_projections(projections, folder / "scan.toml")
    for path in folder.iterdir():
        if path.suffix != ".geom":
            path.unlink()
    xray_files.write_tiffs(folder, "scan_", xray_files.counts())
    return folder / "scan.geom"


def _cil(folder: Path) -> Path:
    values = _rng().random((8, 5, 7), np.float32)
    path: Path = cil(folder / "scan.nxs", values, ("angle", "vertical", "horizontal"))
    return path


def _packed_dxchange(folder: Path) -> Path:
    path = xray_files.dxchange(folder)
    with h5py.File(path, "r+") as file:
        for name in ("data", "data_white"):
            values = file[f"exchange/{name}"][()]
            del file[f"exchange/{name}"]
            file.create_dataset(f"exchange/{name}", data=values, compression="gzip", shuffle=True)
    return path


def _text(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def _efficiencies_hdf5(folder: Path) -> Path:
    with h5py.File(folder / "efficiencies.h5", "w") as file:
        file["crystal_efficiencies"] = _rng().random(small_ring().n_crystals)
    return folder / "efficiencies.h5"


def _efficiencies_text(folder: Path) -> Path:
    lines = (f"{k} {value:.4f}" for k, value in enumerate(_rng().random(small_ring().n_crystals)))
    return _text(folder, "efficiencies.txt", "\n".join(lines))


def _study(folder: Path) -> Path:
    study = {"data": "scan.h5", "attenuation": "mu.nii.gz", "protocol": {"name": "Mine"}}
    return _text(folder, "study.toml", tomli_w.dumps(study))


def _protocol(folder: Path) -> Path:
    from engine.core.settings import to_toml

    return _text(folder, "protocol.toml", to_toml(engine.find_protocol("brain-fdg")))


def _matrix(folder: Path, *, dense: bool) -> Path:
    from scipy import sparse

    scanner = panels()
    values = _rng().random((scanner.n_lors, scanner.grid.n_voxels)) * (1e-3 / scanner.n_lors)
    values[values < 0.9e-3 / scanner.n_lors] = 0
    path = folder / ("matrix.npy" if dense else "matrix.npz")
    if dense:
        np.save(path, values.astype(np.float32)[:, :])
    else:
        sparse.save_npz(path, sparse.csr_matrix(values.astype(np.float32)))
    return path


def _mmr_scan(path: Path) -> object:
    return read_listmode(path, scanner=str(path.parent / RING))


def _with_panels(path: Path) -> object:
    return import_response(path, panels())


def _with_ring(path: Path) -> object:
    return read_efficiencies(path, small_ring())


def _lines_of_ring(path: Path) -> object:
    return read_components(path, small_ring())


def _calibration(folder: Path) -> Path:
    ring = small_ring()
    found = Calibration(2.5e6, 0.4, ring.name, scanner_digest(ring), ("attenuation",))
    write_calibration(found, folder / "calibration.json", {"activity_bq": 3.7e7})
    return folder / "calibration.json"


def _scanner(path: Path) -> object:
    return read_scanner(str(path))


def _meta(folder: Path, *, packed: bool) -> Path:
    return rtk(folder, more=packed)


OWN: tuple[tuple[str, Make, Any], ...] = (
    ("list mode", _listmode, read_listmode),
    ("histogram", _histogram, read_histogram),
    ("response", _response, read_response),
    ("volume", _volume, read_volume),
)
KINDS: tuple[Kind, ...] = (
    Kind("mmr-header", partial(_mmr, header=True), _mmr_scan),
    Kind("mmr-words", partial(_mmr, header=False), _mmr_scan),
    *(
        Kind(f"siemens-raw-{how}", partial(_raw, how=how), _mmr_scan)
        for how in siemens_raw_files.WRITERS
    ),
    Kind("safir", _safir, read_listmode),
    Kind("adac", _adac, read_listmode),
    Kind("sinogram", _sinogram, read_sinogram),
    Kind("siemens-sinogram", _siemens_sinogram, read_sinogram),
    Kind("siemens-raw-sinogram", _siemens_raw_sinogram, read_sinogram),
    Kind("siemens-norm", _siemens_norm, read_bin_values),
    Kind("petsird", _petsird, read_listmode),
    Kind("petsird-packed", _packed_petsird, read_listmode),
    Kind("gate", _gate, read_listmode),
    Kind("gate-emissions", _gate, read_volume),
    Kind("castor", _castor, read_listmode),
    Kind("castor-histogram", _castor_histogram, read_listmode),
    *(Kind(f"own-{name.replace(' ', '-')}", make, read) for name, make, read in OWN),
    *(
        Kind(f"unsealed-{name.replace(' ', '-')}", partial(_unsealed, make=make), read)
        for name, make, read in OWN
    ),
    Kind("own-frames", volumes.frames, read_frames),
    Kind("own-gates", volumes.gates, read_frames),
    Kind("nifti", partial(_bare, name="volume.nii"), read_volume),
    Kind("nifti-gz-alone", partial(_bare, name="volume.nii.gz"), read_volume),
    Kind("nifti-gz", partial(_volume, name="volume.nii.gz"), read_volume),
    *(Kind(name, make, read_volume) for name, make in volumes.VOLUMES),
    Kind("dicom", volumes.dicom, read_volume),
    Kind("dicom-frames", volumes.dynamic_dicom, read_frames),
    Kind("zeiss", volumes.zeiss, read_projections),
    Kind("varian", partial(volumes.varian_in_one_folder, settings=True), read_projections),
    Kind("varian-image", partial(volumes.varian_in_one_folder, settings=False), read_projections),
    Kind("ctsimu", partial(volumes.ctsimu_in_one_folder, metadata=False), read_projections),
    Kind("ctsimu-metadata", partial(volumes.ctsimu_in_one_folder, metadata=True), read_projections),
    Kind("elekta", elekta_files.elekta, read_projections),
    Kind("elekta-frame", elekta_files.elekta_frame, read_projections),
    Kind("esrf", esrf_files.esrf, read_projections),
    Kind("esrf-image", esrf_files.esrf_image, read_projections),
    Kind("obi", partial(obi_files.obi_in_one_folder, settings=True), read_projections),
    Kind("obi-image", partial(obi_files.obi_in_one_folder, settings=False), read_projections),
    Kind("sidecar-raw", sidecar, read_projections),
    Kind("sidecar-tiff", _stack_sidecar, read_projections),
    Kind("sidecar-array", _array_sidecar, read_projections),
    Kind("vectors", _vectors, read_projections),
    Kind("rtk", partial(_meta, packed=False), read_projections),
    Kind("rtk-packed", partial(_meta, packed=True), read_projections),
    Kind("nikon", xray_files.nikon, read_projections),
    Kind("bruker", xray_files.bruker, read_projections),
    Kind("flexray", xray_files.flexray, read_projections),
    Kind("matlab", matlab, read_projections),
    Kind("dxchange", xray_files.dxchange, read_projections),
    Kind("dxchange-packed", _packed_dxchange, read_projections),
    Kind("cil", _cil, read_projections),
    Kind("nxtomo", xray_files.nxtomo, read_projections),
    Kind("crystal-map", lambda folder: test_safir.write_map(folder / "map.txt"), _scanner),
    Kind("scanner", lambda folder: _text(folder, RING, ring_text()), _scanner),
    Kind("efficiencies-hdf5", _efficiencies_hdf5, _with_ring),
    Kind("efficiencies-text", _efficiencies_text, _with_ring),
    Kind("castor-normalisation", _castor_normalisation, _lines_of_ring),
    Kind("calibration", _calibration, read_calibration),
    Kind("tracer", lambda folder: _text(folder, "tracer.toml", TRACER), read_tracer),
    Kind("triggers", lambda folder: _text(folder, "beats.csv", TRIGGERS), read_triggers),
    Kind("study", _study, read_study),
    Kind("protocol", _protocol, read_protocol),
    Kind("matrix-dense", partial(_matrix, dense=True), _with_panels),
    Kind("matrix-sparse", partial(_matrix, dense=False), _with_panels),
)
