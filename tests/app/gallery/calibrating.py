"""Screenshots of the dialogs for scanner measurements, and for tracer and dose."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np

from app.analysis.calibrate.calibrate_dialog import CalibrateDialog
from app.analysis.calibrate.normalise_dialog import NormaliseDialog
from app.state.models.normalising_model import MeasuringPhase
from app.ui.forms.forms import Form
from app.workspace.steps.tracer_dialog import TracerDialog
from engine.data import Tracer
from engine.data.timing.datetime_setting import Moment
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode, write_tracer
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.simulate import simulate_listmode, uniform_cylinder
from engine.tools.normalisation_scan import Counted, Stepped
from tests.app.gallery.photographer import Act, Photographer
from tests.app.gallery.systems import PET

RING = RingScanner(RingSettings(
    name="Small ring", n_rings=16, n_crystals_per_ring=128, radius_mm=120, ring_pitch_mm=4,
    max_ring_difference=15, n_tangential=64, fov_mm=(140, 64), voxel_mm=(4, 4, 4),
    block_rings=8, block_places=8,
))  # fmt: skip
DIAMETER_MM, N_PROMPTS = 100.0, 1_500_000
DEAD = slice(300, 308)
STARTED = "2026-11-22 11:00"


def cylinder_scan(folder: Path) -> Path:
    """Return a scan of a cylinder in a ring with unequal crystals, written at the first call."""
    path = folder / "cylinder.h5"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    efficiencies = np.random.default_rng(5).uniform(0.85, 1.0, RING.n_crystals)
    at_edge = np.isin(np.arange(RING.n_crystals) % RING.settings.block_places, (0, 7))
    efficiencies[at_edge] *= 0.9
    efficiencies[DEAD] = 0
    data = simulate_listmode(
        uniform_cylinder(diameter_mm=DIAMETER_MM, length_mm=100.0), RING, n_prompts=N_PROMPTS,
        seed=3, efficiencies=efficiencies.astype(np.float32),
    )  # fmt: skip
    write_listmode(data, path)
    return path


def enter(form: Form, **values: object) -> None:
    """Fill fields one by one, like a user."""
    for name, value in values.items():
        editor = form._rows[name].editor
        editor.show_value(value)
        editor.edited.emit()


def normalising(shots: Photographer) -> None:
    """Show a normalisation: empty, incomplete, counting, paused, in steps, and finished."""
    dialog = open_page(shots)
    shots.shoot("dialog-normalise", dialog)
    dialog.form.scans.take((cylinder_scan(shots.demos),))
    dialog.act.click()
    shots.shoot("dialog-normalise-fault", dialog)
    enter_diameter(dialog)
    dialog.act.click()
    dialog.pause.click()
    shots.wait(lambda: dialog.model.is_paused)
    shots.shoot("dialog-normalise-rests", dialog)
    dialog.model.is_paused = dialog.model._pause_requested = False
    dialog.model.take(Counted(700_000, N_PROMPTS, 5.5e5, 0.047))
    for number in range(1, 9):  # longer steps, as for a large scanner
        dialog.model.take(Stepped(number, 90.0 * 0.4**number))
    shots.shoot("dialog-normalise-busy", dialog)
    dialog.model.request_pause(True)
    dialog.pause.click()
    finish_page(shots, dialog, "dialog-normalise-done")


def measure_normalisation(shots: Photographer, name: str) -> None:
    """Complete the measurement, and photograph its result."""
    dialog = open_page(shots)
    dialog.form.scans.take((cylinder_scan(shots.demos),))
    enter_diameter(dialog)
    dialog.act.click()
    finish_page(shots, dialog, name)


def open_page(shots: Photographer) -> NormaliseDialog:
    """Open the normalisation dialog."""
    shots.window.dialogs.normalise()
    dialog = shots.window.dialogs._normalising
    assert dialog is not None
    return dialog


def enter_diameter(dialog: NormaliseDialog) -> None:
    """Enter the diameter of the source."""
    source = dialog.form.form._rows["source"].editor
    enter(cast(Form, source._forms[0]), diameter_mm=DIAMETER_MM)


def finish_page(shots: Photographer, dialog: NormaliseDialog, name: str) -> None:
    """Wait for a normalisation, photograph it, and close."""
    shots.wait(lambda: dialog.model.phase is MeasuringPhase.DONE and not dialog.job.is_busy)
    shots.shoot(name, dialog)
    dialog.close()


def tracer_and_dose(shots: Photographer) -> None:
    """Show the tracer dialog: empty, complete, with an invalid time."""
    window = shots.window
    shots.open(shots.make(PET))
    dialog = TracerDialog(window, window.context)
    dialog.show()
    shots.shoot("dialog-tracer", dialog)
    fill_in(dialog)
    shots.shoot("dialog-tracer-filled", dialog)
    line = dialog.form._rows["dose_at"].editor._line
    line.setText("20261122")
    line.editingFinished.emit()
    shots.shoot("dialog-tracer-fault", dialog)
    dialog.close()


def enter_tracer(shots: Photographer, name: str) -> None:
    """Enter the values that SUV by body weight needs for the PET demo."""
    shots.open(shots.make(PET))
    dialog = TracerDialog(shots.window, shots.window.context)
    dialog.show()
    fill_in(dialog)
    shots.shoot(name, dialog)
    dialog.close()


def fill_in(dialog: TracerDialog) -> None:
    """Enter tracer, dose, times and weight."""
    enter(
        dialog.form, nuclide="F-18", radiopharmaceutical="FDG",
        scan_start=_moment(STARTED), dose_mbq=370.0, injected_at=_moment("2026-11-22 10:00"),
        weight_kg=70.0,
    )  # fmt: skip


def calibrating(shots: Photographer) -> None:
    """Show a calibration: no image, a field missing, measured."""
    window = shots.window
    empty = CalibrateDialog(window, window.context)
    empty.show()
    shots.shoot("dialog-calibrate-empty", empty)
    empty.close()
    calibrate_cylinder(shots, "dialog-calibrate", fault="dialog-calibrate-fault")


def calibrate_cylinder(shots: Photographer, name: str, fault: str = "") -> None:
    """Reconstruct a cylinder, and measure the calibration factor."""
    window = shots.window
    scan = cylinder_scan(shots.demos)
    tracer = scan.with_name("cylinder-tracer.toml")
    write_tracer(Tracer(nuclide="F-18", scan_start=_moment(STARTED)), tracer)
    algorithm = {"kind": "osem", "iterations": 2, "subsets": 8}
    protocol = ListModeProtocol.model_validate({"name": "Cylinder", "algorithm": algorithm})
    shots.open(Study(data=scan, tracer=tracer, protocol=protocol))
    shots.start()
    shots.finish()
    dialog = CalibrateDialog(window, window.context)
    dialog.show()
    if fault:
        dialog.act.click()
        shots.shoot(fault, dialog)
    enter(dialog.form, activity_mbq=37.0, diameter_mm=DIAMETER_MM, length_mm=100.0)
    dialog.act.click()
    shots.wait(lambda: dialog.measured is not None and shots.is_calm())
    shots.shoot(name, dialog)
    dialog.close()


def _moment(text: str) -> Moment:
    from datetime import datetime

    return datetime.fromisoformat(text)


CALIBRATING = (
    Act(
        tuple(f"dialog-normalise{end}" for end in ("", "-fault", "-rests", "-busy", "-done")),
        normalising,
    ),
    Act(("dialog-tracer", "dialog-tracer-filled", "dialog-tracer-fault"), tracer_and_dose),
    Act(("dialog-calibrate-empty", "dialog-calibrate-fault", "dialog-calibrate"), calibrating),
)
