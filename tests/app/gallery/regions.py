"""Draw regions on the image of a demo."""

from __future__ import annotations

from engine.analysis.regions import EllipsoidRegion, SphereRegion
from tests.app.gallery.photographer import Photographer


def draw_regions(shots: Photographer, name: str) -> None:
    """Draw a ball, a shell around it and a contour on the displayed image; select the ball."""
    window = shots.window
    view, model = window.session.view, window.session.regions
    shots.show_tab("Regions")
    x, y, z = view.cursor_mm
    model.add(SphereRegion(centre_mm=(x, y, z), diameter_mm=24), "Ball")
    around = EllipsoidRegion(centre_mm=(x + 30, y, z), size_mm=(28, 40, 24))
    model.add(around, "Background")
    contour = model.add(SphereRegion(centre_mm=(x - 36, y, z), diameter_mm=34), "Contour")
    model.contour(contour, rule="percent_of_max", level=60.0)
    model.choose("Ball")
    tab = window.tabs.currentWidget()
    shots.wait(lambda: len(tab.live.found.measured) == len(model.regions) and shots.is_calm())
    shots.shoot(name)
    model.remove(*(region.name for region in model.regions))
    shots.show_tab("Progress")
