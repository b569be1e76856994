"""The panels of the window: five steps on the left, tabs on the right, the log below."""

from app.inspect.preview_panel import PreviewTab
from app.measure.measure_panel import MeasureTab
from app.results.results_panel import ResultsTab
from app.run.facts_panel import FactsTab
from app.run.log_panel import LogPanel
from app.run.profile_panel import ProfileTab
from app.run.progress_panel import ProgressTab
from app.study.algorithm_step import AlgorithmStep
from app.study.corrections_step import CorrectionsStep
from app.study.finishing_step import FinishingStep
from app.study.study_step import StudyStep
from app.study.volume_step import VolumeStep

STEPS = (StudyStep, CorrectionsStep, AlgorithmStep, VolumeStep, FinishingStep)
TABS = (ProgressTab, ProfileTab, FactsTab, MeasureTab, ResultsTab, PreviewTab)
PANELS = (*STEPS, *TABS, LogPanel)

__all__ = ["PANELS", "STEPS", "TABS", "LogPanel", "MeasureTab", "PreviewTab", "ResultsTab"]
