"""Tests of the tuning dialog: its start values, the search, and its result."""

from __future__ import annotations

import pytest

from app.run.tuning.request_row import OF_STUDY, STANDARD, RequestRow
from app.run.tuning.tuning_dialog import TuningDialog
from app.state.models.inputs import DATA
from app.state.models.tuning_model import Phase
from app.views.plots.tuning_view import FormTimes, TuningView
from engine.core import paths
from engine.modalities.studies import study_of_json
from engine.tools.tuning import Began, Comparison, SearchPrepared, SearchRequest, TriedVariant
from tests.app.conftest import PATIENCE_MS
from tests.engine.tools.tuning.planted import wrong


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def dialog(qtbot, controls):
    new_dialog = TuningDialog(None, controls.context)
    qtbot.addWidget(new_dialog)
    new_dialog.show()
    return new_dialog


def test_row_starts_with_the_open_study_and_its_size(qtbot, controls, small_study):
    row = RequestRow(controls.session)
    qtbot.addWidget(row)
    assert row.of.currentText() == STANDARD and row.request() == SearchRequest("cone", "cpu", 2)
    controls.commands.open_study(small_study)
    opened = lambda: DATA in controls.session.study.inputs and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    row = RequestRow(controls.session)
    qtbot.addWidget(row)
    request = row.request()
    assert row.of.currentText() == OF_STUDY and request.target == "listmode"
    assert study_of_json(request.study).data == small_study.data
    row.kernel.setCurrentIndex(row.kernel.findData("cone"))
    assert row.of.currentText() == STANDARD and row.request().study == ""
    row.budget.show_number(2)
    assert "a whole number of seconds from 5" in row.fault


def test_search_progress_is_shown(dialog, tmp_path):
    dialog.model.begin(60)
    tell = dialog.job.event_received.emit
    tell(SearchPrepared("update", "CPU", "9 events", was_stored=False, trials=tmp_path, facts={}))
    tell(Began(shipped_seconds=0.1, seconds_left=50))
    tell(
        TriedVariant({"rows": 8}, 0.08, 0.8, "", 40, Comparison(0.8, 0.78, 0.82, 15), is_best=True)
    )
    assert (
        dialog.plot.times.tried == ((1, 80.0),)
        and "rows 8. Speed relative to the default: 1.25" in dialog.best.text()
    )
    dialog.job.failed.emit("the search stopped: it was killed.")
    assert dialog.state.text() == "The search stopped: it was killed."
    assert dialog.best.isHidden()


@pytest.mark.slow
def test_search_result_is_shown_stored_and_discarded(qtbot, dialog, monkeypatch):
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")
    request = SearchRequest("listmode", strategy="brute_force", problem=wrong)
    monkeypatch.setattr(dialog.row, "request", lambda: request)
    dialog.act.click()
    assert dialog.act.text() == "Stop and save" and not dialog.row.isEnabled()
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    assert dialog.model.phase is Phase.ENDED and "width 8" in dialog.state.text()
    times = dialog.plot.times
    assert times.n == 11 and len(times.faulty) == 5 and times.best[-1] < times.shipped
    qtbot.waitUntil(lambda: bool(dialog.stored.forms), timeout=PATIENCE_MS)
    assert not dialog.stored.forget.isEnabled()
    dialog.stored.tree.topLevelItem(0).setSelected(True)
    dialog.stored.forget.click()
    qtbot.waitUntil(lambda: not dialog.stored.forms, timeout=PATIENCE_MS)
    assert "No variants are saved" in dialog.stored.text.text()


def test_missing_kernel_tuner_names_the_remedy(qtbot, controls, monkeypatch):
    monkeypatch.setattr("engine.tools.tuning.choices.find_spec", lambda name: None)
    dialog = TuningDialog(None, controls.context)
    qtbot.addWidget(dialog)
    assert "pip install kernel-tuner" in dialog.state.text()
    dialog.act.click()
    assert not dialog.job.is_busy and dialog.model.phase is Phase.REFUSED


def test_plot_clamps_slow_and_wrong_variants_to_its_edge(qtbot):
    view = TuningView()
    qtbot.addWidget(view)
    view.show_times(
        FormTimes(tried=((1, 90.0), (3, 900.0)), faulty=(2,), best=(90.0,) * 3, shipped=100)
    )
    plot = view.plot
    x, y = plot.dots["tried"].getData()
    assert list(x) == [1] and list(y) == [90]
    assert [*plot.dots["slow"].getData()[0], *plot.dots["faulty"].getData()[0]] == [3, 2]
    assert plot.dots["slow"].getData()[1][0] == pytest.approx(150)
