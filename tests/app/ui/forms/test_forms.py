"""Tests of the forms, which show every settings class and return the same value."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLabel

from app.ui.forms.choices import ListEditor, UnionEditor
from app.ui.forms.fields import ChoiceEditor, QuietCombo
from app.ui.forms.forms import MAX_CAPTION_PX, Form
from app.ui.forms.number_box import NumberBox
from app.ui.theme.theme import Theme
from engine.corrections import CORRECTIONS
from engine.data import Tracer
from engine.geometry.ring import RingSettings
from engine.geometry.tof import TofSettings
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.listmode_pet.protocol import (
    ListModeGrid,
    ListModeProtocol,
    SensitivitySettings,
)
from engine.recon.algorithms import ALGORITHMS, Mlem, Osem, Svrg
from engine.recon.algorithms.map_algorithms import STRENGTHS
from engine.recon.algorithms.prior_choices import PRIORS
from engine.recon.postprocess import FILTERS, Gaussian, Median

RING = RingSettings(
    name="Ring",
    n_rings=3,
    n_crystals_per_ring=16,
    radius_mm=100.25,
    ring_pitch_mm=4.0625,
    max_ring_difference=2,
    n_tangential=8,
    gap_places=(1, 9),
    tof=TofSettings(fwhm_ps=214.5, bin_ps=20, n_bins=33),
    fov_mm=(120, 12.5),
)
GRID = ListModeGrid(voxel_mm=(2.08626, 2.08626, 2.03125), length_mm=100, centre_mm=(0.1, -3, 1e-7))
PROTOCOL = ListModeProtocol(
    name="Brain",
    grid=GRID,
    time_of_flight=False,
    sensitivity=SensitivitySettings(method="sampled", error_percent=0.3, seed=2**31),
    algorithm=Osem(iterations=7, subsets=21),
    between=(Median(size=5),),
    finishing=(Gaussian(fwhm_mm=4.2), Median(), Gaussian(fwhm_mm=1 / 3)),
    reproducible=True,
)
VALUES = [
    *(kind() for kind in (*ALGORITHMS, *FILTERS, *CORRECTIONS)),
    *(kind(use=use) for kind in CORRECTIONS for use in ("on", "off")),
    Osem(iterations=1000, subsets=1),
    Mlem(iterations=1),
    ListModeProtocol(),
    PROTOCOL,
    GRID,
    ListModeGrid(),
    RING,
    RING.model_copy(update={"tof": None, "gap_places": ()}),
]


def form_of(qtbot, kind, value=None, **options):
    form = Form(kind, value, **options)
    qtbot.addWidget(form)
    return form


def faults(form):
    labels = form.findChildren(QLabel)
    return [x.text() for x in labels if x.property("role") == "fault" and not x.isHidden()]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_form_returns_the_value_it_shows(qtbot, value):
    form = form_of(qtbot, type(value), value)
    assert type(value).model_validate(form.raw()) == value


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_form_of_defaults_accepts_any_value(qtbot, value):
    form = form_of(qtbot, type(value))
    form.show_value(value)
    assert type(value).model_validate(form.raw()) == value
    assert form.value() == value


def type_into(qtbot, box, text):
    box.lineEdit().setText("")
    qtbot.keyClicks(box.lineEdit(), text)
    qtbot.keyClick(box.lineEdit(), Qt.Key.Key_Return)


def test_typing_a_valid_number_signals_a_change(qtbot):
    form = form_of(qtbot, Osem, Osem())
    box = form.findChildren(NumberBox)[0]
    with qtbot.waitSignal(form.changed) as signal:
        type_into(qtbot, box, "12")
    assert signal.args == [Osem(iterations=12)]


def test_decimal_comma_is_accepted(qtbot):
    form = form_of(qtbot, Gaussian, Gaussian())
    with qtbot.waitSignal(form.changed) as signal:
        type_into(qtbot, form.findChildren(NumberBox)[0], "4,5")
    assert signal.args == [Gaussian(fwhm_mm=4.5)]


def test_number_box_shows_a_minus_and_accepts_a_hyphen(qtbot):
    """A value that is shown and left, or stepped, is read back exactly."""
    box = NumberBox(False, None, None)
    qtbot.addWidget(box)
    for value in (-26.0, -0.1, -1e-7, 4.0, -1 / 3):
        box.show_number(value)
        assert "-" not in box.text() and box.raw() == value
    box.show_number(-26.0)
    assert box.text() == "−26"
    box.stepBy(-1)
    assert box.text() == "−27" and box.raw() == -27
    for typed in ("-3.5", "−3.5", "-3,5"):
        box.lineEdit().setText(typed)
        assert box.raw() == -3.5
    for typed in ("nan", "inf", "-inf", "1e999"):
        box.lineEdit().setText(typed)
        assert box.raw() == typed, "no setting may have this value"


@pytest.mark.parametrize("text", ["0", "1001", "2.5", "many", ""])
def test_invalid_number_is_reported_below_its_field_and_changes_nothing(qtbot, text):
    form = form_of(qtbot, Mlem, Mlem())
    form.show()
    with qtbot.assertNotEmitted(form.changed):
        type_into(qtbot, form.findChildren(NumberBox)[0], text)
    (fault,) = faults(form)
    assert fault.startswith("Must be")
    assert form.value() == Mlem()
    type_into(qtbot, form.findChildren(NumberBox)[0], "5")
    assert faults(form) == []
    assert form.value() == Mlem(iterations=5)


def test_error_of_the_complete_form_is_shown(qtbot):
    form = form_of(qtbot, AnalyticResponse, AnalyticResponse())
    form.show()
    type_into(qtbot, form.findChildren(NumberBox)[0], "300")
    assert faults(form) == ["N_points is 300, expected a power of two such as 4096."]


def test_error_of_three_numbers_is_shown_below_them(qtbot):
    form = form_of(qtbot, ListModeGrid, ListModeGrid())
    form.show()
    boxes = form.findChildren(NumberBox)[:3]
    for box in boxes:
        type_into(qtbot, box, "0.001")
    (fault,) = (x for x in form.findChildren(QLabel) if x.text() in faults(form))
    assert fault.text() == "Voxel edges must be between 0.05 and 100 mm."
    assert fault.parentWidget() is not form
    assert all(fault.parentWidget().isAncestorOf(box) for box in boxes)


def test_arrows_stay_within_the_bounds(qtbot):
    form = form_of(qtbot, Osem, Osem(iterations=1, subsets=1000))
    iterations, subsets, _ = form.findChildren(NumberBox)
    iterations.stepBy(-5)
    subsets.stepBy(5)
    assert form.value() == Osem(iterations=1, subsets=1000)
    iterations.stepBy(1)
    assert form.value() == Osem(iterations=2, subsets=1000)


def test_labels_have_units_and_tips_have_bounds(qtbot):
    form = form_of(qtbot, Gaussian, Gaussian())
    captions = [x.text() for x in form.findChildren(QLabel) if x.property("role") == "caption"]
    assert captions == ["Width (FWHM) (mm)"]
    assert all("0" in x.toolTip() for x in form.findChildren(QLabel) if x.text() in captions)


def test_expert_fields_are_hidden_by_default(qtbot):
    form = form_of(qtbot, SensitivitySettings, SensitivitySettings())
    form.show()
    seed = next(x for x in form.findChildren(QLabel) if x.text() == "Seed")
    assert form.has_expert
    assert not seed.isVisible()
    form.set_expert(True)
    assert seed.isVisible()


def test_switching_the_kind_restores_earlier_entries(qtbot):
    form = form_of(qtbot, ListModeProtocol, PROTOCOL, only=("algorithm",))
    box = form.findChild(UnionEditor).findChild(QComboBox)
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert form.value() == PROTOCOL.model_copy(update={"algorithm": Mlem()})
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert form.value() == PROTOCOL


def test_filters_are_added_removed_and_moved(qtbot):
    form = form_of(qtbot, ListModeProtocol, ListModeProtocol(finishing=()), only=("finishing",))
    editor = form.findChild(ListEditor)
    editor.add(Gaussian())
    editor.add(Median())
    assert form.value().finishing == (Gaussian(), Median())
    editor.shift(1, -1)
    assert form.value().finishing == (Median(), Gaussian())
    editor.remove(0)
    assert form.value().finishing == (Gaussian(),)


def test_error_in_a_list_item_is_shown_below_its_field(qtbot):
    form = form_of(qtbot, ListModeProtocol, PROTOCOL, only=("finishing",))
    form.show()
    type_into(qtbot, form.findChildren(NumberBox)[0], "99")
    assert faults(form) == ["Must be less than or equal to 50. You entered 99.0."]


def test_hidden_fields_keep_their_value(qtbot):
    form = form_of(qtbot, ListModeProtocol, PROTOCOL, only=("algorithm",))
    type_into(qtbot, form.findChildren(NumberBox)[0], "9")
    assert form.value() == PROTOCOL.model_copy(update={"algorithm": Osem(iterations=9, subsets=21)})


def test_empty_optional_field_shows_its_default(qtbot):
    form = form_of(qtbot, ListModeGrid, ListModeGrid())
    form.set_hints({"voxel_mm": "1 × 2 × 3", "diameter_mm": "300, as the scanner"})
    hints = [box.lineEdit().placeholderText() for box in form.findChildren(NumberBox)]
    assert hints[:4] == ["1", "2", "3", "300, as the scanner"]


def test_default_filter_width_is_shown_in_mm(qtbot):
    form = form_of(qtbot, ListModeProtocol, PROTOCOL, only=("finishing",))
    form.show_value(PROTOCOL.model_copy(update={"finishing": (Gaussian(),)}))
    form.show_voxels((2.0, 2.0, 3.0))
    hint = lambda: form.findChild(NumberBox).lineEdit().placeholderText()  # noqa: E731
    assert hint() == "4.5, 1.5 voxels" and Gaussian().width_mm((2.0, 2.0, 3.0)) == 4.5
    form.findChild(ListEditor).add(Gaussian())
    hints = [box.lineEdit().placeholderText() for box in form.findChildren(NumberBox)]
    assert hints == ["4.5, 1.5 voxels"] * 2
    form.show_voxels((1.0, 1.0, 1.0))
    assert hint() == "1.5, 1.5 voxels"


def test_long_choice_is_elided(qtbot):
    box = QuietCombo()
    qtbot.addWidget(box)
    box.addItem("Protocol_" + "w" * 71)
    box.resize(190, 28)
    box.show()
    assert "…" in box.shown_text() and box.shown_text().startswith("Protocol_")
    box.resize(1200, 28)
    assert box.shown_text() == box.currentText()


def test_wheel_does_not_change_fields_without_focus(qtbot):
    editor = ChoiceEditor(("auto", "on", "off"))
    qtbot.addWidget(editor)
    editor.show_value("on")
    editor.show()
    box = editor.findChild(QComboBox)
    box.clearFocus()
    roll(box)
    assert editor.raw() == "on"
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    roll(box)
    assert editor.raw() != "on"


def roll(widget):
    """Turn the wheel by one notch over a widget."""
    at = QPointF(widget.rect().center())
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QCoreApplication.sendEvent(widget, event)


def test_form_is_deleted_completely(qtbot, qapp):
    gc.collect()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # widgets of other tests
    before = len(qapp.allWidgets())
    forms = [Form(Osem, bare=True), Form(ListModeProtocol, PROTOCOL)]
    for form in forms:
        form.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(qapp.allWidgets()) == before


def test_each_smoothness_shows_its_number(qtbot):
    form = Form(Svrg)
    qtbot.addWidget(form)
    form.show_value(Svrg())
    smoothness, prior = (
        [box.itemText(k) for k in range(box.count())] for box in form.findChildren(QComboBox)
    )
    assert smoothness == [f"{name.title()} ({number:g})" for name, number in STRENGTHS.items()]
    assert prior == [each.title for each in PRIORS]


def test_fields_of_a_column_are_aligned(qtbot, qapp):
    Theme(qapp, "dark")  # the theme sets the font, which determines the widths
    form = form_of(qtbot, Tracer)
    form.resize(500, 900)
    form.show()
    rows = [row for row in form._rows.values() if row.isVisible() and row.caption_px]
    widths = {row.caption_px for row in rows}
    assert len(rows) > 8 and min(widths) < max(widths) <= MAX_CAPTION_PX, (
        "the captions do not have several widths within the limit"
    )
    assert len({row.editor.x() for row in rows}) == 1


def test_field_without_effect_is_hidden_and_keeps_its_value(qtbot, qapp) -> None:
    """Edge preservation applies only to the relative difference prior."""
    relative, quadratic, huber = PRIORS[:3]
    form = Form(Svrg, Svrg(edges=3))
    qtbot.addWidget(form)
    form.set_expert(True)
    form.show()
    row = form._rows["edges"]
    assert row.isVisible()
    for prior in (quadratic, huber):
        form.show_value(Svrg(edges=3, prior=prior()))
        assert not row.isVisible() and form.raw()["edges"] == 3
        form.set_expert(False)
        form.set_expert(True)
        assert not row.isVisible(), "the expert switch shows a field without effect"
    form._rows["prior"].editor.show_value(relative())
    form._edited()  # like a choice of the user
    assert row.isVisible() and form.value() == Svrg(edges=3)
