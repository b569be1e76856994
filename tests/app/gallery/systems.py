"""Screenshots of each kind of scan: opened, running, paused, failed, and finished."""

from __future__ import annotations

from collections.abc import Callable

from app.state.models.run_record import RunState
from app.views.scan.detector_state import UNITS
from engine.modalities.demo import Demo
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.studies import Study
from engine.modalities.xray_ct.demo import CtDemo
from engine.recon.algorithms.sirt import Sirt
from tests.app.gallery.photographer import Act, Photographer
from tests.engine import engine_sources

PET, CT, DUAL = PetDemo(n_prompts=400_000), CtDemo(n_views=120), DualHeadDemo(n_points=1 << 11)
MANY = 500
"""Enough iterations to pause the run before it ends."""


def states(kind: str, *more: str) -> tuple[str, ...]:
    """Return the names of the common screenshots of a kind of scan, and of additional ones."""
    steps = tuple(f"step-{n}" for n in range(1, 6))
    runs = ("preparing", "running", "paused", "closing", "aborted", "failed", "finished")
    tabs = ("profile", "facts", "results", "log")
    return tuple(f"{kind}-{name}" for name in ("opened", *steps, "expert", *runs, *tabs, *more))


def show_steps(shots: Photographer, kind: str) -> None:
    """Show each step with its form, and the forms with all fields."""
    for number in range(5):
        shots.show_step(number)
        shots.shoot(f"{kind}-step-{number + 1}")
    shots.show_step(None)
    for step in shots.window.steps[2:4]:
        step.set_open(True)
        step.expert.setChecked(True)
    shots.shoot(f"{kind}-expert")
    shots.window.steps[2].expert.setChecked(False)
    shots.window.steps[3].expert.setChecked(False)
    shots.show_step(0)


def show_run(shots: Photographer, kind: str, study: Study) -> None:
    """Show a long run that is paused and aborted, and the offer to resume it."""
    window, algorithm = shots.window, study.protocol.algorithm
    long = algorithm.model_copy(update={"iterations": MANY})
    protocol = study.protocol.model_copy(update={"algorithm": long})
    shots.open(study.model_copy(update={"protocol": protocol}))
    window.runner.start()
    shots.wait(lambda: bool(window.session.run.record.stage))
    shots.shoot(f"{kind}-preparing")
    record = window.session.run.record
    shots.wait(lambda: len(record.images.items) >= 2)
    shots.shoot(f"{kind}-running")
    window.runner.pause()
    shots.wait(lambda: window.session.run.state is RunState.PAUSED)
    shots.shoot(f"{kind}-paused")
    shots.show_tab("Profile")
    shots.shoot(f"{kind}-profile")
    shots.show_tab("Progress")
    shots.shoot_modal(f"{kind}-closing", window.close)
    window.runner.abort()
    shots.wait(lambda: shots.has_ended() and shots.is_calm())
    shots.shoot(f"{kind}-aborted")
    window.centre.message_bar.clear()


def show_failure(shots: Photographer, kind: str, source: Callable[..., object]) -> None:
    """Show a run that ends with an error."""
    window = shots.window
    window.runner.source = source
    window.runner.start()
    shots.wait(lambda: window.centre.message_bar.problem is not None and shots.has_ended())
    shots.wait(lambda: shots.has_ended() and shots.is_calm())
    shots.shoot(f"{kind}-failed")
    window.runner.source = None


def show_end(shots: Photographer, kind: str, study: Study) -> None:
    """Show the finished image and its description."""
    window = shots.window
    shots.open(study)
    shots.start()
    shots.finish()
    shots.show_step(1)
    shots.shoot(f"{kind}-finished")
    for tab in ("Facts", "Results"):
        shots.show_tab(tab)
        if tab == "Results":
            window.tabs.currentWidget().select(0)
        shots.shoot(f"{kind}-{tab.lower()}")
    shots.show_tab("Progress")
    window.actions_.log.setChecked(True)
    shots.shoot(f"{kind}-log")
    window.actions_.log.setChecked(False)


def opened(shots: Photographer, demo: Demo) -> Study:
    """Open a demo; return its study."""
    study = shots.make(demo)
    shots.open(study)
    return study


def ring_pet(shots: Photographer) -> None:
    """Show list mode of a ring."""
    window, study = shots.window, opened(shots, PET)
    shots.shoot("pet-opened")
    show_steps(shots, "pet")
    show_run(shots, "pet", study)
    show_failure(shots, "pet", engine_sources.faulty_input)
    show_end(shots, "pet", study)
    window.session.study.use_quality("fast")
    shots.shoot("pet-changed")
    window.centre.views.toggle_enlarged(window.centre.views.mip)
    shots.shoot("pet-enlarged")


def cone_beam(shots: Photographer) -> None:
    """Show X-ray projections."""
    window, study = shots.window, opened(shots, CT)
    previews, pages = window.context.previews, window.centre.scan
    shots.wait(lambda: previews.is_current and shots.is_calm())
    pages.state.go_to_view(40)
    shots.wait(shots.is_calm)
    shots.shoot("ct-opened")
    pages.projections.stage.setCurrentIndex(1)
    shots.wait(lambda: pages.state.unit == UNITS["integrals"] and shots.is_calm())
    shots.shoot("ct-prepared")
    window.centre.show_page(2)
    shots.shoot("ct-geometry")
    window.centre.show_page(0)
    show_steps(shots, "ct")
    shots.show_tab("Preview")
    modality, protocol = window.session.study.modality, window.session.study.protocol
    axis = modality.choices(protocol)["centre"].model_copy(update={"column": 118.0})
    window.session.study.set_protocol(modality.with_choice(protocol, "centre", axis))
    shots.wait(lambda: previews.is_current and shots.is_calm())
    shots.shoot("ct-preview")
    # A direct algorithm ends too soon.
    slow = study.protocol.model_copy(update={"algorithm": Sirt()})
    show_run(shots, "ct", study.model_copy(update={"protocol": slow}))
    show_failure(shots, "ct", engine_sources.faulty_code)
    show_end(shots, "ct", study)


def two_panels(shots: Photographer) -> None:
    """Show a histogram of two panels with a stored response."""
    study = opened(shots, DUAL)
    shots.shoot("dual-opened")
    show_steps(shots, "dual")
    show_run(shots, "dual", study)
    show_failure(shots, "dual", engine_sources.killed_gpu)
    show_end(shots, "dual", study)


SYSTEMS = (
    Act(states("pet", "changed", "enlarged"), ring_pet),
    Act(states("ct", "prepared", "geometry", "preview"), cone_beam),
    Act(states("dual"), two_panels),
)
