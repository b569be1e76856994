"""Screenshots of the page Judge after two runs of one scan: menus, comparison, report."""

from __future__ import annotations

from app.output.report.report_dialog import ReportDialog
from app.output.results.comparing_results import compare_results
from app.shell.dialogs.settings_dialog import SettingsDialog
from app.state.services.key_images import add_key_image
from engine.analysis.regions import SphereRegion
from tests.app.gallery.photographer import Act, Photographer
from tests.app.gallery.systems import PET

REGIONS = {"Middle": ((0.0, 0.0, 0.0), 60.0), "Lesion": ((-40.0, 20.0, 10.0), 30.0)}
"""Centre (x, y, z) and diameter of spheres [mm] by name."""
NODE = "archive.example:104"


def run(shots: Photographer, quality: str) -> None:
    """Reconstruct the open scan at a quality level, and show the page Judge."""
    shots.window.session.study.use_quality(quality)
    shots.start()
    shots.finish()
    shots.window.pages.show("judge")


def judging(shots: Photographer) -> None:
    """Show two runs, the menu between them, the comparison and the report."""
    window = shots.window
    session = window.session
    shots.shoot_dialog("dialog-settings", SettingsDialog(window, window.context))
    shots.open(shots.make(PET))
    run(shots, "standard")
    shots.shoot("judge-finished")
    window.header.judging.again.fill()
    shots.shoot_menu("menu-again", window.header.judging.again.menu())
    window.header.judging.warnings.toggle.click()
    shots.shoot("judge-warnings")
    window.header.judging.warnings.toggle.click()
    run(shots, "fast")
    window.status.succeed(f"{NODE} accepted image and report.")
    shots.shoot("judge-two-results")
    shots.wait(lambda: len(session.results.items) >= 2 and shots.is_calm())
    for name, (centre, diameter) in REGIONS.items():
        session.regions.add(SphereRegion(centre_mm=centre, diameter_mm=diameter), name)
    newest, older = session.results.items[:2]
    compare_results(window.context, newest, older)
    shots.wait(lambda: session.view.fusion.has_values and shots.is_calm())
    shots.shoot("judge-compare")
    shots.show_tab("Regions")
    regions_tab = window.tabs.currentWidget()
    shots.wait(lambda: bool(regions_tab.live.found.measured) and shots.is_calm())
    shots.shoot("judge-regions-two")
    session.volumes.set_overlay("")
    for view in window.centre.views.slices:
        add_key_image(window.context, view)
    shots.show_tab("Report")
    report = window.tabs.currentWidget()
    shots.wait(lambda: bool(report.pages) and shots.is_calm())
    shots.shoot("judge-report")
    window.page_panels.show_panel(-1)
    dialog = ReportDialog(window, window.context)
    dialog.show()
    shots.wait(shots.is_calm)
    shots.shoot("dialog-report", dialog)
    dialog.close()


JUDGING = (
    Act(
        (
            *("dialog-settings", "judge-finished", "menu-again", "judge-warnings"),
            *("judge-two-results", "judge-compare", "judge-regions-two", "judge-report"),
            "dialog-report",
        ),
        judging,
    ),
)
