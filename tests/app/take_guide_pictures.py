"""Take the pictures that the guide shows: the real window, with the demos.

python -m tests.app.take_guide_pictures [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from app.export.export_dialog import ExportDialog
from app.models.preferences import Preferences
from app.models.run_record import RunState
from app.shell.application import make_app, make_window
from engine.modalities.demo import Demo
from engine.modalities.demos import demo_folder
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.xray_ct.demo import CtDemo
from tests.app.take_screenshots import Photographer

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "user" / "pictures"
SIZE = (1280, 800)
THEME = "light"
COLOURS = 128
"""Enough for a window with one grey image; keeps a picture near 100 kB."""
PICTURES = (
    "empty",
    "pet-loaded",
    "pet-corrections",
    "pet-finished",
    "export",
    "ct-loaded",
    "ct-preview",
    "ct-geometry",
    "ct-finished",
    "dual-head-loaded",
    "dual-head-finished",
)


def load(shots: Photographer, demo: Demo) -> None:
    """Open a demo and wait until it can be started."""
    window = shots.window
    window.commands.open_study(demo.make(demo_folder()))
    shots.wait(
        lambda: window.session.study.modality.key == demo.key and not window.session.obstacle()
    )
    shots.wait(lambda: not window.commands.is_busy)
    show_step(shots, 0)


def show_step(shots: Photographer, number: int) -> None:
    """Open one step on the left, close the others."""
    for k, step in enumerate(shots.window.steps):
        step.set_open(k == number)


def finish(shots: Photographer) -> None:
    """Run to the end."""
    shots.window.runner.start()
    shots.wait(lambda: shots.window.session.run.state is RunState.FINISHED)


def drive(shots: Photographer) -> None:
    """Go through the first scans that the guide tells of."""
    window = shots.window
    shots.wait(lambda: not window.commands.is_busy)
    shots.shoot("empty")
    load(shots, PetDemo())
    shots.shoot("pet-loaded")
    finish(shots)
    show_step(shots, 1)
    shots.shoot("pet-corrections")
    show_step(shots, 2)
    shots.shoot("pet-finished")
    images = window.session.run.record.images.items
    dialog = ExportDialog(window, images, len(images) - 1, shots.folder)
    dialog.show()
    shots.shoot("export", dialog)
    dialog.close()
    load(shots, CtDemo())
    shots.shoot("ct-loaded")
    show_step(shots, 1)
    shots.wait(lambda: window.context.previews.is_current and not window.commands.is_busy)
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


def keep(taken: Path, folder: Path) -> None:
    """Write the pictures with few colours, under the names that the pages use."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        with Image.open(taken / f"{name}-{THEME}.png") as image:
            few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            few.save(folder / f"{name}.png", optimize=True)


def main(folder: Path) -> None:
    """Take all pictures into a folder."""
    app = make_app()
    preferences = Preferences()
    preferences.theme = THEME
    window = make_window(app, preferences)
    window.resize(*SIZE)
    window.show()
    with tempfile.TemporaryDirectory() as taken:
        shots = Photographer(app, window, Path(taken), THEME)
        drive(shots)
        keep(Path(taken), folder)
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
