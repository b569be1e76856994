"""Take the pictures of the guide: the real window with the demos.

python -m tests.app.take_guide_pictures [FOLDER]
xvfb-run python -m tests.app.take_guide_pictures [FOLDER]                 # includes the 3D view
ISOCENTER_LANGUAGE=de python -m tests.app.take_guide_pictures [FOLDER]    # only the German picture
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QSize

from app.language.translation import VARIABLE
from app.live.connect_card import EVENTS, FRAMES
from app.output.export.export_dialog import ExportDialog
from app.output.report.report_dialog import ReportDialog
from app.run.tuning.tuning_dialog import TuningDialog
from app.shell.application import make_app
from app.shell.shutdown import leave
from app.views.layout import ViewLayout
from app.workspace.steps.import_dialog import ImportDialog
from app.workspace.steps.protocols_dialog import ProtocolsDialog
from engine.core.json_types import Plain
from engine.geometry.orbits import circle, circular_cone
from engine.modalities.demo import Demo
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.xray_ct.demo import CtDemo
from engine.results.reports import Site
from engine.simulate import Detector, simulate_xray
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder
from tests.app.gallery.calibrating import (
    calibrate_cylinder,
    enter_tracer,
    measure_normalisation,
)
from tests.app.gallery.fusing import fuse
from tests.app.gallery.photographer import Act, Photographer
from tests.app.gallery.queueing import show_queue
from tests.app.gallery.regions import draw_regions
from tests.app.gallery.studies import show_studies
from tests.app.gallery.viewer_tools import annotate, show_rendering, straighten
from tests.app.take_screenshots import HOME, PLATFORM, platform_of

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "user" / "pictures"
SIZE = QSize(1280, 800)
THEME = "light"
COLOURS = 96
"""Enough colours for a window with one grey image; a picture has about 100 kB."""
FEWER_COLOURS = 64
NOISY = ("import", "live", "ct-preview", "ct-finished", "normalise", "live-pet")
"""Pictures with much noise, which cannot be compressed well."""
WITH_OPENGL = ("three-dimensions",)
"""Pictures that need OpenGL, which the offscreen platform offers only with an X display."""
GERMAN = ("german",)
"""Pictures of the window in German."""
COLOURED = (*GERMAN, "fusion", "slab", "light-box", "annotations")
"""Pictures that need more than `COLOURS` colours."""
PACKED: Plain = {"lossless": True, "quality": 100, "method": 6}
"""Lossless WebP: two thirds of the size of a PNG."""
PACKED_COLOURED: Plain = {"quality": 90, "method": 6}
"""Lossy: with many colours, lossless files are twice as large."""
PEOPLE = ("R. Technician", "P. Physicist")
SITE_PROTOCOL = "Whole body, site"
TURN_RAD = 0.35
HALF_S = 30.0
"""Half the duration of the list-mode demo."""
RODS = (
    (0.0, 0.0, 34.0, 25.0, 30.0, 0.02),
    (-14.0, 6.0, 7.0, 5.0, 16.0, 0.03),
    (12.0, 9.0, 4.0, 6.0, 24.0, -0.02),
    (10.0, -9.0, 8.0, 4.0, 9.0, 0.015),
)
"""Rods: centre (x, y), half axes and half height [mm], and added attenuation [1/mm]."""
PICTURES = (
    "empty",
    "pet-loaded",
    "pet-corrections",
    "pet-finished",
    "regions",
    "export",
    "tuning",
    "import",
    "ct-loaded",
    "ct-preview",
    "ct-geometry",
    "ct-finished",
    "dual-head-loaded",
    "dual-head-finished",
    "live",
    "live-pet",
    "normalise",
    "tracer",
    "calibrate",
    "queue",
    "studies",
    "worklist",
    "fusion",
    "protocols",
    "report",
    "technician",
    "slab",
    "light-box",
    "annotations",
    "curve",
)


def load(shots: Photographer, demo: Demo) -> None:
    """Open a demo and wait until it can start."""
    shots.open(shots.make(demo))


def finish(shots: Photographer) -> None:
    """Wait for the end of the run."""
    shots.start()
    shots.finish()


def tune(shots: Photographer) -> None:
    """Tune the kernel of the open scan."""
    dialog = TuningDialog(shots.window, shots.window.context)
    dialog.show()
    dialog.act.click()
    shots.wait(lambda: not dialog.job.is_busy and shots.is_calm())
    shots.shoot("tuning", dialog)
    dialog.close()


def importing(shots: Photographer) -> None:
    """Open raw values of unknown size, and answer all questions."""
    rods = tuple(Cylinder((x, y, 0), (a, b, h), mu_per_mm=mu) for x, y, a, b, h, mu in RODS)
    scan = simulate_xray(
        ShapePhantom("rods", rods),
        circular_cone(
            circle(180), source_axis_mm=300.0, source_detector_mm=450.0, shape=(64, 160),
            pixel_mm=0.9,
        ),
        seed=3,
        detector=Detector(photons=20_000.0),
    )  # fmt: skip
    folder = Path(tempfile.gettempdir()) / "rods"
    folder.mkdir(exist_ok=True)
    (folder / "rods.raw").write_bytes(scan.values[:, ::-1].astype("<u2").tobytes())
    dialog = ImportDialog(shots.window, shots.window.context, folder / "rods.raw")
    dialog.model.answers = {"beam": "300,450", "pixel": "0.9"}
    dialog.open()
    shots.wait(lambda: dialog.model.is_complete and shots.is_calm())
    shots.shoot("import", dialog)
    dialog.close()


def guide(shots: Photographer) -> None:
    """Show the steps of the guide's first scans."""
    window = shots.window
    shots.shoot("empty")
    load(shots, PetDemo())
    shots.shoot("pet-loaded")
    finish(shots)
    shots.show_step(1)
    shots.shoot("pet-corrections")
    window.pages.show("judge")
    shots.shoot("pet-finished")
    sign_off(shots)
    draw_regions(shots, "regions")
    images = window.session.run.record.images.items
    folder = Path(tempfile.gettempdir()) / "scans"
    folder.mkdir(exist_ok=True)
    shots.shoot_dialog("export", ExportDialog(window, images, len(images) - 1, folder))
    tune(shots)
    importing(shots)
    load(shots, CtDemo())
    shots.shoot("ct-loaded")
    shots.show_step(1)
    shots.wait(lambda: window.context.previews.is_current and shots.is_calm())
    shots.shoot("ct-preview")
    window.centre.show_page(2)
    shots.shoot("ct-geometry")
    window.centre.show_page(0)
    finish(shots)
    shots.shoot("ct-finished")
    load(shots, DualHeadDemo(n_points=1 << 13))
    shots.shoot("dual-head-loaded")
    finish(shots)
    shots.shoot("dual-head-finished")
    live(shots)
    measure_scanner(shots)
    show_queue(shots, "queue", "queue-failed")
    show_studies(shots, "studies", "worklist")
    fuse(shots)
    shots.show_step(None)
    shots.shoot("fusion")
    if os.environ.get("DISPLAY"):
        show_rendering(shots)
        shots.shoot("three-dimensions")
        shots.window.centre.views.show_rendering(False)
        # The next pictures need smaller slices than the layout of the rendering.
        shots.window.centre.views.set_layout(ViewLayout())
    layouts_and_fusion(shots)


def layouts_and_fusion(shots: Photographer) -> None:
    """Show two volumes in other layouts and modes."""
    views, state = shots.window.centre.views, shots.window.session.view
    state.toggle_slab()
    state.set_slab(replace(state.slab, thickness_mm=20.0))
    shots.shoot("slab")
    state.toggle_slab()
    views.set_layout(ViewLayout("sheet", "axial", 3, 4))
    shots.shoot("light-box")
    annotate(shots)
    shots.shoot("annotations")
    straighten(shots)
    along = shots.window.tabs.currentWidget().annotations.curve_window
    shots.shoot("curve", along)
    along.close()


def sign_off(shots: Photographer) -> None:
    """Show the protocols with an approved one, the technician mode, and a report."""
    window = shots.window
    library, study = window.context.preferences.library, window.session.study
    library.save(study.protocol, SITE_PROTOCOL)
    saved = library.find(study.protocol.model_copy(update={"name": SITE_PROTOCOL}))
    approved = library.lock(saved, on=True)
    window.commands.protocols_changed.emit()
    shots.shoot_dialog("protocols", ProtocolsDialog(window, window.context))
    shots.shoot_dialog("report", ReportDialog(window, window.context))
    before = study.base
    study.use_protocol(approved)
    window.technician.enter()
    shots.shoot("technician")
    window.technician.leave()
    study.use_protocol(before)


def measure_scanner(shots: Photographer) -> None:
    """Measure a normalisation, enter tracer and dose, calibrate."""
    measure_normalisation(shots, "normalise")
    enter_tracer(shots, "tracer")
    calibrate_cylinder(shots, "calibrate")


def live(shots: Photographer) -> None:
    """Play the live demo until its axis is found, and turn a plane."""
    window = shots.window
    window.live.show_demo(FRAMES)
    model = window.live.commands.page.slices_model
    shots.wait(lambda: model.update is not None and model.update.images is not None)
    column = model.update.images.axis_column
    shots.wait(lambda: model.update.images.axis_column != column and shots.is_calm())
    views = window.live.commands.page.slices.views
    views.scene.turn((1.0, 0.0, 0.0), TURN_RAD)
    shots.wait(lambda: tuple(model.update.images.planes) == views.placement.planes)
    shots.wait(lambda: not views.scene.is_behind)
    shots.shoot("live")
    model.is_saved = True
    window.live.show_demo(EVENTS)
    pet = window.live.commands.page.pet_model
    shots.wait(lambda: pet.has_scan and pet.update.statistics.image_until_s > HALF_S)
    shots.shoot("live-pet")
    pet.is_saved = True
    pet.stop()
    window.live.leave()


def german(shots: Photographer) -> None:
    """Fuse PET and CT in German."""
    fuse(shots)
    shots.show_step(0)
    shots.shoot("german")


def save_pictures(home: Path, folder: Path, names: tuple[str, ...]) -> None:
    """Write the pictures with few colours, with the names that the guide uses."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.environ.get("DISPLAY"):
        names += WITH_OPENGL
    for name in names:
        with Image.open(home / f"{name}-{THEME}.png") as image:
            _save(image.convert("RGB"), folder / f"{name}.webp")


def _save(image: Image.Image, path: Path) -> None:
    if path.stem in COLOURED:
        image.save(path, **PACKED_COLOURED)
        return
    n_colours = FEWER_COLOURS if path.stem in NOISY else COLOURS
    few = image.quantize(n_colours, dither=Image.Dither.NONE)
    few.convert("RGB").save(path, **PACKED)


def main(folder: Path) -> None:
    """Take all pictures into a folder."""
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {HOME: home, PLATFORM: platform_of("1920x1080")}
        pictures = Path(home) / "pictures"
        pictures.mkdir()
        shots = Photographer(make_app(), pictures, (THEME,), size=SIZE)
        site = Site(people=PEOPLE, worklist="ris.clinic:104", worklist_called="RIS")
        site.write(pictures / "settings" / guide.__name__)
        in_german = os.environ.get(VARIABLE) == "de"
        act = Act(GERMAN, german) if in_german else Act(PICTURES, guide)
        shots.play(act)
        save_pictures(pictures, folder, act.pictures)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    leave(0)
