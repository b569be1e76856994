"""Tests of the number of replicates of an error map in the step Finishing."""

from __future__ import annotations

import pytest

from app.ui.forms.number_box import NumberBox
from app.workspace.steps.finishing_step import FinishingStep
from engine.modalities import Protocol, modality_of
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.xray_ct.protocol import CtProtocol

WITH_ERRORS = (ListModeProtocol, RingSinogramProtocol, DualHeadProtocol)


@pytest.mark.parametrize("kind", WITH_ERRORS)
def test_step_5_sets_the_error_map(qtbot, controls, kind: type[Protocol]) -> None:
    study = controls.session.study
    study.set_protocol(kind())
    step = FinishingStep(controls.context)
    qtbot.addWidget(step)
    assert "error map" not in step.summary
    box = next(b for b in step.findChildren(NumberBox) if b.accessibleName() == "Error map")
    box.show_number(20)
    box.edited.emit()
    assert study.protocol.error_replicates == 20
    assert step.summary.endswith("error map from 20 replicates")


@pytest.mark.parametrize("kind", [*WITH_ERRORS, CtProtocol])
def test_window_has_the_error_map_settings_of_each_protocol(kind) -> None:
    modality, fields = modality_of(kind()), kind.model_fields
    shown = (*modality.finishing, *modality.expert)
    for name in ("error_replicates", "error_method", "error_seed"):
        assert (name in shown) == (name in fields) == (kind in WITH_ERRORS)
