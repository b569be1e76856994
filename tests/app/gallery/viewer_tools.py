"""Screenshots of viewer tools: slab, light box, film, annotations, magnifier, panels."""

from __future__ import annotations

import math
from dataclasses import replace

from app.views.layout import ViewLayout
from app.views.slices.slab import Slab
from engine.analysis.regions import Annotation
from tests.app.gallery.fusing import fuse
from tests.app.gallery.photographer import Act, Photographer

MARKS = (
    Annotation(kind="distance", points_mm=((-120.0, 0.0, 21.0), (120.0, 0.0, 21.0))),
    Annotation(
        kind="angle", points_mm=((-60.0, 60.0, 21.0), (0.0, 62.0, 21.0), (60.0, -20.0, 21.0))
    ),
    Annotation(kind="arrow", points_mm=((-95.0, -50.0, 21.0), (-58.0, 2.0, 21.0)), text="node"),
)


def annotate(shots: Photographer) -> None:
    """Draw a distance, an angle and an arrow in the current slice, and enlarge it."""
    window = shots.window
    regions = window.session.regions
    for each in MARKS:
        notes = (*regions.current.annotations, each)
        regions.replace(regions.current.model_copy(update={"annotations": notes}))
    window.session.view.set_cursor((-50.0, 10.0, 21.0))
    window.centre.views.set_layout(ViewLayout("main", "axial"))
    shots.show_tab("Measure")


def straighten(shots: Photographer) -> None:
    """Show the CT along a curve through both lungs."""
    window = shots.window
    regions = window.session.regions
    arch = [(-95.0 + 19 * k, -20.0 + 55 * math.sin(math.pi * k / 10), 21.0) for k in range(11)]
    curve = Annotation(kind="curve", points_mm=tuple(arch))
    notes = (*regions.current.annotations, curve)
    regions.replace(regions.current.model_copy(update={"annotations": notes}))
    shots.show_tab("Measure")
    box = window.tabs.currentWidget().annotations
    box.model.choose(len(notes) - 1)
    box.straighten.click()
    shots.wait(shots.is_calm)


def show_slab(shots: Photographer) -> None:
    """Show the maximum of 20 mm of two volumes."""
    fuse(shots)
    shots.window.session.view.set_slab(Slab("highest", 20.0))


def show_film(shots: Photographer) -> None:
    """Show the paused film."""
    viewer_tools = shots.window.centre.viewer_tools
    viewer_tools.show_film(True)
    viewer_tools.cine.play(False)
    shots.window.centre.views.mip.set_degrees(40)


def show_rendering(shots: Photographer) -> None:
    """Show bone and activity as surfaces in a large view, from the front right."""
    views = shots.window.centre.views
    views.show_rendering(True)
    views.rendering.set_mode("surface")
    views.set_layout(replace(views.layout_now, kind="main", main="projection"))
    view = views.rendering_view
    view.set_camera(view.camera.turned(-25, 15))
    shots.wait(lambda: view.is_refined or bool(view.fault))


def viewer_tools(shots: Photographer) -> None:
    """Show every viewer tool."""
    show_slab(shots)
    window, views = shots.window, shots.window.centre.views
    shots.shoot("looking-slab")
    window.session.view.toggle_slab()
    views.set_layout(ViewLayout("sheet", "axial", 3, 4))
    shots.shoot("looking-light-box")
    menu = window.centre.viewer_tools.layout.menu()
    menu.fill()
    shots.shoot_menu("menu-layout", menu)
    views.set_layout(ViewLayout())
    show_film(shots)
    shots.shoot("looking-film")
    window.centre.viewer_tools.show_film(False)
    annotate(shots)
    shots.shoot("looking-annotations")
    straighten(shots)
    shots.shoot("looking-curve")
    shots.shoot("looking-straightened", window.tabs.currentWidget().annotations.curve_window)
    window.tabs.currentWidget().annotations.curve_window.close()
    window.actions_.detach_results.setChecked(True)
    shots.shoot("looking-floating")
    shots.shoot("looking-results-floating", window.results_dock)
    window.actions_.detach_results.setChecked(False)


VIEWER_TOOLS = (
    Act(
        (
            *("looking-slab", "looking-light-box", "menu-layout", "looking-film"),
            *("looking-curve", "looking-straightened"),
            *("looking-annotations", "looking-floating", "looking-results-floating"),
        ),
        viewer_tools,
    ),
)
