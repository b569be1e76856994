"""Functions that write every kind of persistent file, each with two versions of content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage

from app.state.services.key_images import png_of
from engine import find_protocol
from engine.analysis.quality.quality_report import QualityReport
from engine.analysis.quality.time_curves import TimeCurve
from engine.analysis.regions import (
    DicomImage,
    Region,
    RegionSet,
    SphereRegion,
    measure,
    write_labels,
    write_measurement_report,
    write_regions,
    write_segmentation,
    write_structure_set,
)
from engine.cli.inspect import write_reports
from engine.cli.machine.bench_options import keep as keep_figures
from engine.cli.machine.tune import write_trials
from engine.cli.measure.curve import write_curve
from engine.cli.measure.quality import _write as write_report
from engine.cli.measure.regions import write_table
from engine.cli.studies import write_list
from engine.core.json_types import Plain
from engine.data.calibration import Calibration
from engine.data.components import Components
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.data.runs.events import Preview
from engine.data.runs.history import RunHistory
from engine.data.sinogram import Sinogram
from engine.data.storage import volume_file
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.timing.tracer import Tracer
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circular_cone
from engine.geometry.point_spread import PointSpread
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import (
    Report,
    save,
    save_frames,
    save_projections,
    write_atomically,
    write_film,
    write_histogram,
    write_listmode,
)
from engine.io.auxiliary.calibration_file import write_calibration
from engine.io.auxiliary.point_spread import write_point_spread
from engine.io.auxiliary.tracer_file import write_tracer
from engine.io.dicom.enhanced import write_enhanced
from engine.io.hdf5.normalisation import write_components
from engine.io.hdf5.response import write_response
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.io.raster.contact_sheet import contact_sheet
from engine.io.siemens.extract import extract
from engine.io.xray.pose import turned_parallel
from engine.jobs.checkpoint.images import Head, write_image
from engine.jobs.checkpoint.job import Job
from engine.jobs.checkpoint.slabs import FinishedSlabs
from engine.jobs.queue import StudyQueue
from engine.jobs.study_index import ImagingOrder, KnownStudy
from engine.jobs.window_work import WindowWork, WindowWorkFile
from engine.live.recording import recording_list
from engine.modalities.demo import save_efficiencies
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.parts import ResponseParts
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.listmode_pet.sensitivity_cache import keep as keep_sensitivity
from engine.modalities.studies import Study, write_protocol, write_study
from engine.raw_import import Draft, write_draft
from engine.results import NewResult, Result, Results
from engine.results.reports import ReportSubject, Site, report_of, sign
from engine.results.reports import write_report as write_result_report
from engine.results.reports.key_images import KeyImage, write_key_images
from engine.results.thumbnail import thumbnail
from engine.tools.benchmark import gpu_file, report
from engine.tools.diagnostics.bundle import SupportBundle
from engine.tools.tuning.storing import write_record
from tests.engine.geometry.panels import panels
from tests.engine.io.siemens import siemens_raw_files
from tests.farm.scanners import small_ring

GRID = ImageGrid((3, 4, 5), (2.0, 2.5, 4.0))
N_EVENTS = 200

QUEUE = ("engine/jobs/queue/entry_files.py", "engine/jobs/queue/settings.py")
Write = Callable[[Path, int], None]


@dataclass(frozen=True)
class Writer:
    """A function that writes one kind of file.

    Attributes
    ----------
    name : name for the report
    write : writes its file with content 0 or 1 into a folder
    modules : modules of the program that it tests
    is_quiet : True if the program continues after a failure, which only costs time
    """

    name: str
    write: Write
    modules: tuple[str, ...]
    is_quiet: bool = False


def _random(version: int) -> np.random.Generator:
    return np.random.default_rng(version)


def _image(version: int) -> Volume:
    values = _random(version).random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, "counts/mm", {"version": version})


def _volume(name: str) -> Write:
    return lambda folder, version: save(_image(version), folder / name)


def _film(folder: Path, version: int) -> None:
    frames = [np.full((4, 5, 3), 40 * version + k, np.uint8) for k in range(3)]
    write_film(frames, folder / "film.gif", frame_ms=80)


def _frames(folder: Path, version: int) -> None:
    frames = [FrameVolume(TimeFrame(k, k + 1), _image(version + k)) for k in range(2)]
    save_frames(_image(version), frames, folder / "a.h5", {"version": version})


def _dicom(folder: Path, version: int) -> None:
    """Use a new folder each time: no file is ever replaced."""
    number = len(list(folder.glob("*.dicom")))
    save(_image(version), folder / f"{number}.dicom")


def _bids(folder: Path, version: int) -> None:
    """Use a new folder each time: no file is ever replaced."""
    number = len(list(folder.glob("*.bids")))
    save(_image(version), folder / f"{number}.bids")


def _enhanced(folder: Path, version: int) -> None:
    info: Plain = {"version": version, "ended_utc": "2026-11-23T04:09:56+00:00"}
    write_enhanced(replace(_image(version), unit="HU"), folder / "a.dcm", info)


def _raw_data(folder: Path, version: int) -> None:
    """Write from a file of each version in another folder, which is created once."""
    source = folder.parent / f"{version}.IMA"
    if not source.exists():
        text = f"!INTERFILE:=\nversion:={version}\nname of data file:=a\n"
        data = _random(version).bytes(400)
        source.write_bytes(siemens_raw_files.dicom(text, data, kind="norm"))
    extract(source, folder / "a.n.hdr")


def _zarr(folder: Path, version: int) -> None:
    """Use a new folder each time: no file is ever replaced."""
    number = len(list(folder.glob("*.zarr")))
    save(_image(version), folder / f"{number}.ome.zarr")


def _listmode(folder: Path, version: int) -> None:
    rng, ring = _random(version), small_ring()
    crystals = rng.integers(0, ring.n_crystals, (N_EVENTS, 2)).astype(np.int32)
    times = np.sort(rng.integers(0, 1000, N_EVENTS)).astype(np.uint32)
    write_listmode(ListMode(scanner=ring, crystals=crystals, time_ms=times), folder / "a.h5")


def _histogram(folder: Path, version: int) -> None:
    scanner = panels(n_rows=2, n_columns=2)
    counts = _random(version).poisson(3, scanner.n_lors).astype(np.float32)
    write_histogram(Histogram(scanner, counts), folder / "a.h5")


def _sinogram(folder: Path, version: int) -> None:
    layout = SinogramLayout.of(small_ring())
    counts = _random(version).poisson(3, layout.n_bins).astype(np.float32)
    write_sinogram(Sinogram(layout, counts), folder / "a.hs")


def _response(folder: Path, version: int) -> None:
    matrix = build_analytic(
        panels(n_rows=2, n_columns=2, n_planes=3), AnalyticResponse(n_points=256)
    )
    write_response(replace(matrix, info={"version": version}), folder / "a.h5")


def _projections(name: str) -> Write:
    def write(folder: Path, version: int) -> None:
        angles, rng = np.linspace(0, 2.5, 6), _random(version)
        if name.endswith(".nxs"):
            geometry = turned_parallel(angles, pixel_mm=(0.5, 0.5), shape=(3, 4))
        else:
            geometry = circular_cone(
                angles + version / 10,
                source_axis_mm=500,
                source_detector_mm=800,
                shape=(3, 4),
                pixel_mm=4,
            )
        images = (rng.integers(100, 900, (n, 3, 4)).astype(np.float32) for n in (6, 2, 2))
        values, flats, darks = images
        save_projections(
            Projections(values, geometry, "counts", flats=flats, darks=darks), folder / name
        )

    return write


def _import(folder: Path, version: int) -> None:
    """Use a new name each time: no file is ever replaced."""
    angles = {"first": float(version), "step": 2.0}
    table: Plain = {
        "format": "isocenter-projections",
        "version": 2,
        "files": "scan_",
        "kind": "counts",
        "geometry": {"kind": "parallel", "angles": angles},
    }
    number = len(list(folder.glob("*.toml")))
    write_draft(Draft(folder / f"{number}.toml", table, (180, 3, 4), (), ()))


def _checkpoint(folder: Path, version: int) -> None:
    preview = Preview(_image(version), 1, 3, 1, 4, 0.5, history=RunHistory())
    write_image(_image(version), Head.of(preview, "digest", {}), folder / "a.bin")


def _slabs(folder: Path, version: int) -> None:
    """Record finished slabs of a volume in a file; the test checks this record."""
    file = folder / volume_file.NAME
    if not file.exists():
        volume_file.made(file, GRID.shape)
    preview = Preview(_image(0), 1, 3, 1, 4, 0.5, history=RunHistory())
    head = Head.of(preview, f"digest {version}", {})
    FinishedSlabs(folder).add(Volume(volume_file.opened(file, GRID.shape), GRID, "1/mm"), head, 2)


def _study(folder: Path, version: int) -> Study:
    scan = folder.parent / "scan.l"
    if not scan.exists():
        scan.write_bytes(b"events")
    protocol = find_protocol("brain-fdg").model_copy(update={"name": f"Mine {version}"})
    return Study(data=scan, protocol=protocol)


def _job(folder: Path, version: int) -> None:
    study = _study(folder, version)
    job = Job(folder) if (folder / "job.json").exists() else Job.create(study, folder)
    job.mark("paused" if version else "aborted", f"version {version}")


def _queued(folder: Path, version: int) -> None:
    """Add a study to the queue, with the settings of the queue."""
    queue = StudyQueue(folder)
    entry = next(iter(queue.entries()), None) or queue.add(_study(folder, 0))
    queue.change(entry.id, lambda now: now.model_copy(update={"text": f"version {version}"}))
    queue.change_settings(at_once=1 + version)


def _result(folder: Path, version: int) -> None:
    study, made = _study(folder, version), {"version": version}
    Results.at(folder).keep(NewResult(study, _image(version), made, job="run"))


def _ball(version: int) -> tuple[Region, DicomImage]:
    image = Volume(np.zeros((4, 4, 4), np.float32), ImageGrid((4, 4, 4), (4.0, 4.0, 4.0)), "1/mm")
    ball = Region(name=f"Ball {version}", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=12))
    return ball, DicomImage.of(image, {})


def _segmentation(folder: Path, version: int) -> None:
    ball, image = _ball(version)
    write_segmentation((ball,), image, folder / "a.dcm")


def _structure_set(folder: Path, version: int) -> None:
    ball, image = _ball(version)
    write_structure_set((ball,), image, folder / "a.dcm")


def _measurement_report(folder: Path, version: int) -> None:
    ball, image = _ball(version)
    write_measurement_report((ball,), image, folder / "a.sr.dcm")


@cache
def _window_file(folder: Path) -> WindowWorkFile:
    """Return the same file for each version, as in a window."""
    return WindowWorkFile(folder)


def _window_work(folder: Path, version: int) -> None:
    _window_file(folder).write(WindowWork(unsorted=(Path(f"scan-{version}.l"),)))


def _known(version: int) -> KnownStudy:
    when = datetime(2026, 11, 26, tzinfo=UTC)
    return KnownStudy(f"{version}", "scan.l", "Standard", "waiting", "waiting", when)


def _normalisation(folder: Path, version: int) -> None:
    ring = small_ring()
    found = Components(geometry=np.full(ring.n_classes, version + 1, np.float32))
    write_components(found, ring, folder / "a.h5", {"version": version}, errors=found)


def _calibration(folder: Path, version: int) -> None:
    write_calibration(Calibration(1.0 + version, 0.5, "Tiny", "0"), folder / "a.json", {})


def _tracer(folder: Path, version: int) -> None:
    write_tracer(Tracer(nuclide="F-18", dose_mbq=100.0 + version), folder / "a.toml")


def _point_spread(folder: Path, version: int) -> None:
    radius = np.arange(0.0, 50.0, 10.0)
    widths = 4.0 + version + radius / 100
    write_point_spread(PointSpread(radius, widths, widths, 4.5), folder / "a.txt")


def _recording(folder: Path, version: int) -> None:
    """Add an entry to a list of recordings in the folder of the trial."""
    state, recording_list.state_dir = recording_list.state_dir, lambda: folder
    try:
        recording_list.enter(folder / "a.rec", saved=f"{version}.h5")
    finally:
        recording_list.state_dir = state


def _card(folder: Path, version: int) -> None:
    gpu_file.write({"version": version}, folder / "a.json")


def _response_part(folder: Path, version: int) -> None:
    ResponseParts(folder / "a.h5", {"points": 256}).save(0, {"values": np.arange(8.0) + version})


def _sensitivity(folder: Path, version: int) -> None:
    keep_sensitivity(folder, "key", Sensitivity(_image(version).values, 1000, 100, 1.5))


def _rendering(folder: Path, version: int) -> None:
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(version)
    write_atomically(png_of(image), folder / "a.png")


def _sheet(folder: Path, version: int) -> None:
    images = [image.values[0] for image in (_image(version), _image(version + 2))]
    sheet = contact_sheet(images, ["a", "b"], marked=0, footer=str(version))
    write_atomically(sheet, folder / "a.png")


def _stored_inputs(folder: Path, version: int) -> None:
    from app.state.models.scanner_inputs import InputOwner, RememberedInputs

    owner = InputOwner("key", "Tiny")
    RememberedInputs(folder).keep(owner, "scanner", f"ring-{version}", date(2026, 11, 22))


def _quality(folder: Path, version: int) -> None:
    write_report(_report(version), _image(version), folder / "a.json")


def _quality_panel(folder: Path, version: int) -> None:
    from app.analysis.measure.quality_panel import written

    written(_report(version), _image(version), folder / "a.json")


def _report(version: int) -> QualityReport:
    return QualityReport("uniform", f"Phantom {version}", "counts/mm", "in the middle", ())


def _table(folder: Path, version: int) -> None:
    from app.analysis.measure.line_profile_panel import write_text

    write_text(f"mm,counts\n0,{version}\n", folder / "a.csv")


def _reports(folder: Path, version: int) -> None:
    write_reports([(folder, Report("unknown", f"{version}"))], folder / "a.json")


def _curve(folder: Path, version: int) -> None:
    curve = TimeCurve((TimeFrame(0, 1),), (float(version),), (0.5,), "Bq/mL", 1.0)
    write_curve(curve, folder / "a.csv")


def _region(size_mm: float) -> Region:
    return Region(name="A", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=size_mm))


def _regions(folder: Path, version: int) -> None:
    write_regions(RegionSet(regions=(_region(version + 1),)), folder / "a.toml")


def _labels(folder: Path, version: int) -> None:
    write_labels([_region(6 + 4 * version)], _image(0), folder / "a.nii")


def _window_table(folder: Path, version: int) -> None:
    from app.analysis.regions.region_files import table_at

    table_at([_region(9)], [("", _image(version))], folder / "a.csv")


def _region_table(folder: Path, version: int) -> None:
    write_table((measure(_region(9), _image(version)),), folder / "a.csv")


def _stored_result(folder: Path) -> Result:
    results = Results.at(folder)
    found = results.newest_first()
    return found[0] if found else results.keep(NewResult(_study(folder, 0), _image(0), {}))


def _signature(folder: Path, version: int) -> None:
    sign(_stored_result(folder), f"version {version}", "acceptable")


def _key_images(folder: Path, version: int) -> None:
    picture = contact_sheet([_image(version).values[0]], ["a"], marked=0, footer=str(version))
    write_key_images(_stored_result(folder), (KeyImage(picture, f"version {version}"),))


def _result_report(folder: Path, version: int) -> None:
    subject = ReportSubject(_stored_result(folder), _image(0), {}, Site(name=f"{version}"))
    write_result_report(report_of(subject), subject, folder / "a.html")


def _benchmark(folder: Path, version: int) -> None:
    known = {"devices": {}, "busy_cores_before": 0.0, "environment": {"commit": "none"}}
    run = {"parts": {}, "date": str(version), **known}
    report.write([run], folder)


WRITERS: tuple[Writer, ...] = (
    Writer("NIfTI", _volume("a.nii"), ("engine/io/auxiliary/provenance_file.py",)),
    Writer("packed NIfTI", _volume("a.nii.gz"), ("engine/io/auxiliary/provenance_file.py",)),
    Writer("volume", _volume("a.h5"), ("engine/io/hdf5/volume.py",)),
    Writer("frames of time", _frames, ("engine/io/volumes/frame_series.py",)),
    Writer("MetaImage", _volume("a.mha"), ("engine/io/volumes/metaimage_volume.py",)),
    Writer("NRRD", _volume("a.nrrd"), ("engine/io/volumes/nrrd_volume.py",)),
    Writer("Interfile image", _volume("a.hv"), ("engine/io/interfile/image_writer.py",)),
    Writer("OME-TIFF", _volume("a.ome.tif"), ("engine/io/tiff/volume.py",)),
    Writer("film", _volume("a.gif"), ("engine/io/raster/cine.py",)),
    Writer("film of the window", _film, ("engine/io/raster/film.py",)),
    Writer("TIFF stack", _volume("a.tif"), ("engine/io/tiff/volume.py",)),
    Writer("DICOM series", _dicom, ("engine/io/dicom/series.py",)),
    Writer("BIDS dataset", _bids, ("engine/io/bids/dataset.py",)),
    Writer("OME-Zarr", _zarr, ("engine/io/volumes/ome_zarr.py",)),
    Writer("picture", _volume("a.png"), ("engine/io/raster/png.py",)),
    Writer("DICOM picture", _volume("a.capture.dcm"), ("engine/io/dicom/capture.py",)),
    Writer("Enhanced CT", _enhanced, ("engine/io/dicom/enhanced.py",)),
    Writer("raw data taken out", _raw_data, ("engine/io/siemens/extract.py",)),
    Writer("list mode", _listmode, ("engine/io/hdf5/listmode.py",)),
    Writer("histogram", _histogram, ("engine/io/hdf5/histogram.py",)),
    Writer("sinogram", _sinogram, ("engine/io/interfile/sinogram_writer.py",)),
    Writer("response", _response, ("engine/io/hdf5/response.py",)),
    Writer("Data Exchange", _projections("a.h5"), ("engine/io/xray/hdf5/dxchange.py",)),
    Writer("NXtomo", _projections("a.nxs"), ("engine/io/xray/hdf5/nxtomo_writer.py",)),
    Writer("projections sidecar", _projections("a.toml"), ("engine/io/xray/saving.py",)),
    Writer("imported sidecar", _import, ("engine/raw_import/writing.py",)),
    Writer(
        "efficiencies",
        lambda folder, version: save_efficiencies(np.arange(9.0) + version, folder / "a.h5"),
        ("engine/modalities/demo.py",),
    ),
    Writer("normalisation", _normalisation, ("engine/io/hdf5/normalisation.py",)),
    Writer("calibration", _calibration, ("engine/io/auxiliary/calibration_file.py",)),
    Writer("tracer", _tracer, ("engine/io/auxiliary/tracer_file.py",)),
    Writer("checkpoint", _checkpoint, ("engine/jobs/checkpoint/images.py",)),
    Writer("slabs of a volume", _slabs, ("engine/jobs/checkpoint/slabs.py",)),
    Writer("queued study", _queued, QUEUE),
    Writer("job", _job, ("engine/jobs/checkpoint/job.py",)),
    Writer("result", _result, ("engine/results/store.py",)),
    Writer(
        "study",
        lambda folder, version: write_study(_study(folder, version), folder / "a.toml"),
        ("engine/protocols/study/study.py",),
    ),
    Writer(
        "protocol",
        lambda folder, version: write_protocol(_study(folder, version).protocol, folder / "a.toml"),
        ("engine/modalities/studies.py",),
    ),
    Writer("measured widths", _point_spread, ("engine/io/auxiliary/point_spread.py",)),
    Writer("entry of a recording", _recording, ("engine/live/recording/recording_list.py",)),
    Writer("response part", _response_part, ("engine/modalities/dual_head_pet/response/parts.py",)),
    Writer(
        "sensitivity",
        _sensitivity,
        ("engine/modalities/listmode_pet/sensitivity_cache.py",),
        is_quiet=True,
    ),
    Writer("3D view", _rendering, ("app/viewing/viewer_tools/rendering_bar.py",)),
    Writer("contact sheet", _sheet, ("engine/cli/candidates.py",)),
    Writer(
        "thumbnail",
        lambda folder, version: write_atomically(thumbnail(_image(version)), folder / "a.png"),
        ("engine/results/store.py",),
    ),
    Writer(
        "support bundle",
        lambda folder, version: SupportBundle({"log.txt": f"{version}"}).write(folder / "a.zip"),
        ("engine/tools/diagnostics/bundle.py",),
    ),
    Writer(
        "figures",
        lambda folder, version: keep_figures({"version": version}, folder / "a.json"),
        ("engine/cli/machine/bench.py", "engine/cli/outputs.py"),
    ),
    Writer(
        "tuned form",
        lambda folder, version: write_record({"form": f"{version}"}, folder / "a.json"),
        ("engine/tools/tuning/storing.py",),
    ),
    Writer(
        "trials of forms",
        lambda folder, version: write_trials({"kernels": [version]}, folder / "a.json"),
        ("engine/cli/outputs.py",),
    ),
    Writer("curve", _curve, ("engine/cli/measure/curve.py",)),
    Writer("reports of inspect", _reports, ("engine/cli/outputs.py",)),
    Writer("regions", _regions, ("engine/analysis/regions/region_file.py",)),
    Writer("labels of regions", _labels, ("engine/analysis/regions/labels.py",)),
    Writer("segmentation", _segmentation, ("engine/analysis/regions/segmentation.py",)),
    Writer("structure set", _structure_set, ("engine/analysis/regions/structure_set.py",)),
    Writer(
        "measurement report",
        _measurement_report,
        ("engine/analysis/regions/measurement_report.py",),
    ),
    Writer("table of regions", _region_table, ("engine/cli/measure/regions.py",)),
    Writer(
        "table of regions of the window", _window_table, ("app/analysis/regions/region_files.py",)
    ),
    Writer(
        "site",
        lambda folder, v: Site(name=f"{v}").write(folder),
        ("engine/results/reports/site.py",),
    ),
    Writer(
        "order",
        lambda folder, v: ImagingOrder(patient_id=f"{v}").write(folder / "order.json"),
        ("engine/io/dicom/order.py",),
    ),
    Writer(
        "list of studies",
        lambda folder, v: write_list([_known(v)], folder / "list.json"),
        ("engine/cli/outputs.py",),
    ),
    Writer("signature", _signature, ("engine/results/reports/signature.py",)),
    Writer("key images", _key_images, ("engine/results/reports/key_images.py",)),
    Writer("unfinished work", _window_work, ("engine/jobs/window_work.py",)),
    Writer("report", _result_report, ("engine/results/reports/writing.py",)),
    Writer("figures of a card", _card, ("engine/tools/benchmark/gpu_file.py",)),
    Writer("benchmark page", _benchmark, ("engine/tools/benchmark/report.py",)),
    Writer("quality report", _quality, ("engine/cli/measure/quality.py",)),
    Writer(
        "quality report of the window", _quality_panel, ("app/analysis/measure/quality_panel.py",)
    ),
    Writer("kept inputs", _stored_inputs, ("app/state/models/scanner_inputs.py",)),
    Writer(
        "table", _table, ("app/analysis/measure/line_profile_panel.py", "app/run/profile_panel.py")
    ),
)
