"""The step Finishing offers only settings that have an effect with the chosen algorithm."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from app.workspace.steps.algorithm_step import AlgorithmStep
from app.workspace.steps.finishing_step import FinishingStep
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.recon.postprocess import Gaussian


def shown(step: QWidget) -> set[str]:
    kinds = (QLabel, QPushButton, QToolButton)
    found = [each for kind in kinds for each in step.findChildren(kind)]
    return {each.text() for each in found if each.isVisibleTo(step)}


def test_filtered_back_projection_has_no_setting_of_iterations(qtbot, controls) -> None:
    study = controls.session.study
    step, algorithm = FinishingStep(controls.context), AlgorithmStep(controls.context)
    for each in (step, algorithm):
        qtbot.addWidget(each)
        each.set_open(True)
    algorithm.expert.setChecked(True)
    slider, between, matched = "iteration slider", "Between iterations", "Back projection"
    for protocol, iterates in (
        (CtProtocol(algorithm={"kind": "sirt", "iterations": 2, "subsets": 1}), True),
        (CtProtocol(), False),
    ):
        study.set_protocol(protocol)
        assert any(slider in text for text in shown(step)) == iterates
        assert (between in shown(step)) == iterates
        assert (matched in shown(algorithm)) == iterates
    # A filter that is set can be removed.
    study.set_protocol(CtProtocol(between=[Gaussian(fwhm_mm=2.0)]))
    assert between in shown(step)
