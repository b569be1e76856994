"""Screenshots of error maps: errors in slices, two lesions in two scans, curves with bars."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import engine
from app.state.models.images.error_images import RELATIVE, SPREAD
from app.state.models.images.open_volume import OpenVolume
from app.state.models.images.volume_origin import Origin
from engine.analysis.regions import SphereRegion
from engine.core.backend import cpu
from engine.data import FrameVolume, Volume
from engine.data.listmode import ListMode
from engine.io import read_frames, read_scanner, read_volume, save_frames, write_listmode
from engine.simulate import simulate_listmode
from engine.simulate.phantom import ShapePhantom
from engine.simulate.phantoms import WATER_PER_MM
from engine.simulate.shapes import Cylinder, sphere
from tests.app.gallery.photographer import Act, Photographer

SCANNER = "demo-ring"
LEFT_MM, RIGHT_MM = (-26.0, 0.0, 4.0), (26.0, 0.0, 4.0)
LESION_MM = 26.0
BASELINE, FOLLOW_UP, DYNAMIC = "baseline.h5", "follow-up.h5", "dynamic.h5"
N_PROMPTS = 250_000
KBQ_PER_COUNT = 4000.0
DURATION_S, MEAN_LIFE_S = 600.0, 350.0
SETTINGS = {
    "name": "Errors",
    "grid": {"voxel_mm": [4, 4, 4], "length_mm": 120},
    "algorithm": {"kind": "osem", "iterations": 3, "subsets": 8},
    "corrections": {"resolution": {"use": "off"}},
    "finishing": [{"kind": "gaussian", "fwhm_mm": 7.0}],
    "error_replicates": 20,
}


def lesions(left: float, right: float) -> ShapePhantom:
    """Return a cylinder of activity 1 with two lesions; the arguments are added to it."""
    body = Cylinder((0.0, 0.0, 4.0), (52.0, 52.0, 50.0), activity=1.0, mu_per_mm=WATER_PER_MM)
    spots = (sphere(at, LESION_MM, a) for at, a in ((LEFT_MM, left), (RIGHT_MM, right)))
    return ShapePhantom("two lesions", (body, *spots))


def scan_of(phantom: ShapePhantom, seed: int) -> ListMode:
    """Return a scan with decaying activity and events in time order."""
    data = simulate_listmode(phantom, read_scanner(SCANNER), n_prompts=N_PROMPTS, seed=seed)
    rng = np.random.default_rng(seed)
    decayed = 1 - np.exp(-DURATION_S / MEAN_LIFE_S)
    times = 1000 * np.sort(-MEAN_LIFE_S * np.log(1 - decayed * rng.random(data.n_events)))
    return replace(data, time_ms=times.astype(np.uint32), duration_s=DURATION_S)


def image_folder(folder: Path) -> Path:
    """Return the folder with the images, which are created once."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, left, seed in ((BASELINE, 3.0, 1), (FOLLOW_UP, 1.6, 2)):
        if not (folder / name).exists():
            _reconstruct(scan_of(lesions(left, 3.0), seed), folder / name, {})
    if not (folder / DYNAMIC).exists():
        _reconstruct(scan_of(lesions(3.0, 3.0), 3), folder / DYNAMIC, {"frames": "8x75"})
    return folder


def _reconstruct(scan: ListMode, path: Path, more: dict[str, object]) -> None:
    data = path.with_suffix(".scan.h5")
    write_listmode(scan, data)
    protocol = engine.ListModeProtocol.model_validate(SETTINGS | more)
    *_, last = engine.run(engine.Study(data=data, protocol=protocol), on=cpu(2))
    if last.frames:
        save_frames(last.volume, last.frames, path, {})
    else:
        engine.save(last.volume, path)


def calibrated(volume: Volume, duration_s: float = DURATION_S) -> Volume:
    """Return an image in kBq/mL for the patient of these pictures; the calibration is invented.

    Each frame has only its own counts. The mean of the frames is the image of the scan.
    """
    factor = KBQ_PER_COUNT * DURATION_S / duration_s
    values = volume.values * np.float32(factor)
    error = None if volume.error is None else volume.error.scaled(values, factor)
    return replace(volume, values=values, error=error, unit="kBq/mL", patient="1")


def _show(shots: Photographer, volume: Volume, name: str, frames: list[FrameVolume]) -> None:
    session = shots.window.session
    session.show_file(volume, name, frames=frames)
    session.view.set_cursor(LEFT_MM)
    shots.settle()


def errors(shots: Photographer) -> None:
    """Image, error and relative error of one scan; then a second scan of the same patient."""
    folder = image_folder(shots.folder.parent / "error-images")
    window = shots.window
    session, commands = window.session, window.context.volumes
    baseline, later = (calibrated(read_volume(folder / name)) for name in (BASELINE, FOLLOW_UP))
    _show(shots, baseline, BASELINE, [])
    shots.shoot("error-image")
    for key, name in ((SPREAD, "error-map"), (RELATIVE, "error-relative")):
        commands.show_error(key)
        shots.wait(lambda key=key: session.volumes.shown_error == key and shots.is_calm())
        shots.shoot(name)
    commands.show_error(SPREAD)
    session.view.fusion.set_opacity(0.5)
    shots.shoot("error-overlay")
    commands.show_error("")
    shots.show_tab("Regions")
    for at, name in ((LEFT_MM, "Lesion A"), (RIGHT_MM, "Lesion B")):
        session.regions.add(SphereRegion(centre_mm=at, diameter_mm=20.0), name)
    session.regions.choose("Lesion A")
    tab = window.tabs.currentWidget()
    live = tab.live
    shots.wait(lambda: len(live.found.measured) == 2 and shots.is_calm())
    shots.shoot("error-regions")
    origin = Origin.of(later)
    session.volumes.add(OpenVolume("file:later", FOLLOW_UP, "file", later, origin))
    session.volumes.set_overlay("file:later")
    commands.set_mode("significance")
    shots.wait(lambda: session.view.fusion.mode == "significance" and shots.is_calm())
    shots.wait(lambda: live.found.second and shots.is_calm())
    shots.shoot("error-compared")
    tab.list.setCurrentItem(tab.list.topLevelItem(1))
    shots.wait(lambda: tab.verdict.isVisible() and shots.is_calm())
    shots.shoot("error-compared-other")


def curves(shots: Photographer) -> None:
    """Frames with error maps: the curve of a sphere, and the means of regions."""
    folder = image_folder(shots.folder.parent / "error-images")
    frames = [
        FrameVolume(each.frame, calibrated(each.volume, each.frame.duration_s))
        for each in read_frames(folder / DYNAMIC)
    ]
    _show(shots, calibrated(read_volume(folder / DYNAMIC)), DYNAMIC, frames)
    shots.show_tab("Measure")
    shots.wait(shots.is_calm)
    shots.shoot("error-curve")
    session = shots.window.session
    shots.show_tab("Regions")
    for at, name in ((LEFT_MM, "Lesion A"), (RIGHT_MM, "Lesion B")):
        session.regions.add(SphereRegion(centre_mm=at, diameter_mm=20.0), name)
    live = shots.window.tabs.currentWidget().live
    full = lambda: all(len(points) == len(frames) for points in live.found.curves.values())  # noqa: E731
    shots.wait(lambda: len(live.found.measured) == 2 and full() and shots.is_calm())
    shots.shoot("error-region-curves")


ERRORS = (
    Act(
        (
            *("error-image", "error-map", "error-relative", "error-overlay", "error-regions"),
            *("error-compared", "error-compared-other"),
        ),
        errors,
    ),
    Act(("error-curve", "error-region-curves"), curves),
)
