"""Panels of the window: steps on the left, panels of results on the right, the log below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QTabWidget, QWidget

from app.analysis.measure.measure_panel import MeasureTab
from app.analysis.regions.regions_tab import RegionsTab
from app.output.report.report_panel import ReportTab
from app.output.results.results_panel import ResultsTab
from app.run.facts_panel import FactsTab
from app.run.log_panel import LogPanel
from app.run.profile_panel import ProfileTab
from app.run.progress_panel import ProgressTab
from app.state.services.context import AppContext
from app.workspace.ct_inspection.preview_panel import PreviewTab
from app.workspace.steps.algorithm_step import AlgorithmStep
from app.workspace.steps.corrections_step import CorrectionsStep
from app.workspace.steps.finishing_step import FinishingStep
from app.workspace.steps.study_step import StudyStep
from app.workspace.steps.volume_step import VolumeStep
from engine.core.plugins import skip_class, with_added

SETTING_STEPS = (AlgorithmStep, VolumeStep, FinishingStep)
"""Steps without a number, inside the card of the protocol."""
STEPS = (StudyStep, CorrectionsStep, *SETTING_STEPS)
TABS = with_added(
    (ProgressTab, ProfileTab, FactsTab, MeasureTab, RegionsTab, ReportTab, ResultsTab, PreviewTab),
    "panels",
    QWidget,
)
"""Tabs of results; those of plug-ins are last."""
PANELS = (*STEPS, *TABS, LogPanel)

__all__ = [
    "PANELS",
    "SETTING_STEPS",
    "STEPS",
    "TABS",
    "LogPanel",
    "MeasureTab",
    "PreviewTab",
    "RegionsTab",
    "ResultsTab",
    "tabs_of",
]

MIN_TABS_PX = 240


def tabs_of(context: AppContext) -> QTabWidget:
    """Return the tabs of the right panel; the preview is hidden at first."""
    tabs = QTabWidget()
    tabs.setObjectName("Results")
    # Without a frame around the pages, which would cost width.
    tabs.setDocumentMode(True)
    tabs.setMinimumWidth(MIN_TABS_PX)
    for kind in TABS:
        make: Callable[[AppContext], QWidget] = kind
        try:
            panel = make(context)
        except Exception as e:
            # Our own panels must not hide an error; one of a plug-in must not stop the window.
            if not skip_class(kind, f"it cannot be shown ({type(e).__name__}: {e})"):
                raise
            continue
        tabs.addTab(panel, str(vars(kind)["title"]))
    tabs.setTabVisible(TABS.index(PreviewTab), False)
    # The rail at the edge of the window shows the names.
    tabs.tabBar().hide()
    return tabs
