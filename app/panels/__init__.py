"""The panels of the window: five steps on the left, tabs on the right, the log below."""

from app.panels.algorithm import AlgorithmStep
from app.panels.corrections import CorrectionsStep
from app.panels.facts import FactsTab
from app.panels.finishing import FinishingStep
from app.panels.log import LogPanel
from app.panels.measure import MeasureTab
from app.panels.preview import PreviewTab
from app.panels.profile import ProfileTab
from app.panels.progress import ProgressTab
from app.panels.study import StudyStep
from app.panels.volume import VolumeStep

STEPS = (StudyStep, CorrectionsStep, AlgorithmStep, VolumeStep, FinishingStep)
TABS = (ProgressTab, ProfileTab, FactsTab, MeasureTab, PreviewTab)
PANELS = (*STEPS, *TABS, LogPanel)

__all__ = ["PANELS", "STEPS", "TABS", "LogPanel", "MeasureTab", "PreviewTab"]
