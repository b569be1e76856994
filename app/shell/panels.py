"""Panels of the window: five steps on the left, tabs on the right, the log at the bottom."""

from __future__ import annotations

from PySide6.QtWidgets import QTabWidget, QToolButton

from app.analysis.measure.measure_panel import MeasureTab
from app.analysis.regions.regions_tab import RegionsTab
from app.language.translation import tr
from app.output.results.results_panel import ResultsTab
from app.run.facts_panel import FactsTab
from app.run.log_panel import LogPanel
from app.run.profile_panel import ProfileTab
from app.run.progress_panel import ProgressTab
from app.state.services.context import AppContext
from app.views.literal_text import literal_tip
from app.workspace.ct_inspection.preview_panel import PreviewTab
from app.workspace.steps.algorithm_step import AlgorithmStep
from app.workspace.steps.corrections_step import CorrectionsStep
from app.workspace.steps.finishing_step import FinishingStep
from app.workspace.steps.study_step import StudyStep
from app.workspace.steps.volume_step import VolumeStep

STEPS = (StudyStep, CorrectionsStep, AlgorithmStep, VolumeStep, FinishingStep)
TABS = (ProgressTab, ProfileTab, FactsTab, MeasureTab, RegionsTab, ResultsTab, PreviewTab)
PANELS = (*STEPS, *TABS, LogPanel)

__all__ = [
    "PANELS",
    "STEPS",
    "TABS",
    "LogPanel",
    "MeasureTab",
    "PreviewTab",
    "RegionsTab",
    "ResultsTab",
    "tabs_of",
]

LEAST_TABS_PX = 240


def tabs_of(context: AppContext) -> QTabWidget:
    """Return the tabs of the right panel; the preview is hidden at first."""
    tabs = QTabWidget()
    tabs.setObjectName("Results")
    # Without a frame around the pages, which would cost width.
    tabs.setDocumentMode(True)
    tabs.setMinimumWidth(LEAST_TABS_PX)
    for kind in TABS:
        tabs.addTab(kind(context), kind.title)
    tabs.setTabVisible(TABS.index(PreviewTab), False)
    # Qt shows these two buttons if the tabs do not fit.
    tips = tr("Previous tabs"), tr("Next tabs")
    for button, tip in zip(tabs.tabBar().findChildren(QToolButton), tips, strict=True):
        button.setToolTip(literal_tip(tip))
    return tabs
