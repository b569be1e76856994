"""Ways of looking: a slab, a light-box, a film, annotations, the magnifier, panels apart."""

from __future__ import annotations

from app.views.layout import ViewLayout
from app.views.slab import Slab
from engine.regions import Annotation
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
    """Leave a distance, an angle and an arrow in the slice on show, and enlarge it."""
    window = shots.window
    regions = window.session.regions
    for each in MARKS:
        notes = (*regions.current.annotations, each)
        regions.put(regions.current.model_copy(update={"annotations": notes}))
    window.session.view.set_cursor((-50.0, 10.0, 21.0))
    window.centre.views.set_layout(ViewLayout("main", "axial"))
    shots.show_tab("Measure")


def show_slab(shots: Photographer) -> None:
    """Show the highest values of 20 mm of two volumes."""
    fuse(shots)
    shots.window.session.view.set_slab(Slab("highest", 20.0))


def show_film(shots: Photographer) -> None:
    """Show the row of the film, which rests."""
    looking = shots.window.centre.looking
    looking.show_film(True)
    looking.cine.play(False)
    shots.window.centre.views.mip.set_degrees(40)


def looking(shots: Photographer) -> None:
    """Every way of looking."""
    show_slab(shots)
    window, views = shots.window, shots.window.centre.views
    shots.shoot("looking-slab")
    window.session.view.toggle_slab()
    views.set_layout(ViewLayout("sheet", "axial", 3, 4))
    shots.shoot("looking-light-box")
    menu = window.centre.looking.layout.menu()
    menu.fill()
    shots.shoot_menu("menu-layout", menu)
    views.set_layout(ViewLayout())
    show_film(shots)
    shots.shoot("looking-film")
    window.centre.looking.show_film(False)
    annotate(shots)
    shots.shoot("looking-annotations")
    window.actions_.results_apart.setChecked(True)
    shots.shoot("looking-apart")
    shots.shoot("looking-results-apart", window.results_dock)
    window.actions_.results_apart.setChecked(False)


LOOKING = (
    Act(
        (
            *("looking-slab", "looking-light-box", "menu-layout", "looking-film"),
            *("looking-annotations", "looking-apart", "looking-results-apart"),
        ),
        looking,
    ),
)
