"""Tests of the Profile tab: empty, CPU, GPU, units of all numbers, and export."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from app.run import profile_text as words
from app.run.machine_text import load_rows
from app.run.profile_panel import ProfileTab
from app.shell.main_window import RIGHT_PX
from app.state.models.run_record import RunState
from engine.core.profiling import Span, trace_of
from engine.core.profiling.profile import (
    ON_THE_BUS,
    TITLES,
    Counters,
    Device,
    GpuCounters,
    Kernel,
    Profile,
    Stage,
)
from engine.data.runs.events import Profiled
from tests.app.conftest import PATIENCE_MS

GIB = 1 << 30
PEAK = 4.9e12


def stage(key: str, seconds: float, events: int = 0, n_bytes: int = 0) -> Stage:
    rate = n_bytes / seconds if n_bytes else None
    peak = rate / PEAK if rate and key not in ON_THE_BUS else None
    per_s = events / seconds if events else None
    return Stage(key, TITLES[key], seconds, 4, seconds / 20, events, per_s, n_bytes, rate, peak)


CPU = Profile(
    Device("cpu", "CPU, 2 threads", 2),
    (stage("read", 2, 4_000_000), stage("sensitivity", 8), stage("fused", 10, 29_000_000)),
    (),
    Counters(3 * GIB, 24 * GIB, 190.0),
)
CARD = Profile(
    Device("cuda", "NVIDIA H200", 16, 90, PEAK, 140 * GIB, "13.0"),
    (
        stage("upload", 2, 400_000_000, 4_800_000_000),
        stage("fused", 16, 4_000_000_000, 28_000_000_000_000),
        stage("update", 2, 0, 12_000_000_000_000),
    ),
    (Kernel("update", 128, 48, 2048, 0, 0.75), Kernel("advance", 256, 72, 0, 16, 1.0)),
    Counters(3 * GIB, 125 * GIB, 99.0, GpuCounters(20 * GIB, 140 * GIB, 97, 612.3, 700, 61, 1980)),
)


SCAN = Profile(
    CPU.device,
    (
        replace(stage("forward", 5, 24_000_000), unit="rays"),
        replace(stage("back", 5, 6_000_000_000), unit="voxel updates"),
        replace(stage("filter", 1, 24_000_000), unit="pixels"),
    ),
    (),
    CPU.counters,
)


@pytest.fixture
def tab(qtbot, controls) -> ProfileTab:
    """Return the tab without a window, at the width of the window's panel."""
    new_tab = ProfileTab(controls.context)
    qtbot.addWidget(new_tab)
    new_tab.resize(RIGHT_PX, 800)
    new_tab.show()
    return new_tab


@pytest.fixture
def tab_of_window(window) -> ProfileTab:
    """Return the tab of the window after selecting it."""
    found = window.tabs.findChild(ProfileTab)
    assert found is not None
    window.page_panels.show_panel(window.tabs.indexOf(found))
    return found


def show(controls, profile: Profile) -> None:
    controls.session.run.take(Profiled(profile))


def shown(tab) -> dict[str, str]:
    """Return all visible rows."""
    parts = (tab.rates, tab.traffic, tab.machine)
    return {
        f"{number} {row.name}": row.value
        for number, part in enumerate(parts)
        if part.isVisible()
        for row in part.rows
    }


def test_profile_tab_is_between_progress_and_facts(window):
    titles = [window.tabs.tabText(i) for i in range(window.tabs.count())]
    assert titles[:3] == ["Progress", "Profile", "Facts"]


def test_tab_without_a_run_shows_no_numbers(tab):
    assert tab.headline.text() == "No profile yet"
    texts = [each.text() for each in tab.findChildren(QLabel) if each.isVisible()]
    assert not any(character.isdigit() for text in texts for character in text)
    assert not tab.bars.isVisible() and shown(tab) == {}
    assert not tab.save.isEnabled() and "no profile" in tab.save.toolTip()


def test_cpu_profile_shows_only_applicable_rows(controls, tab):
    show(controls, CPU)
    assert tab.headline.text() == "2.9 M events/s"
    assert "CPU, 2 threads" in tab.meaning.text()
    assert shown(tab) == {
        "0 Read": "2.0 M events/s",
        "0 Forward/back": "2.9 M events/s",
        "2 Process memory": "3.0 GiB of 24.0 GiB",
        "2 Processor": "1.9 cores busy",
    }
    assert not tab.kernels.isVisible() and not tab.note.isVisible()
    assert tab.save.isEnabled()


def test_gpu_profile_shows_traffic_kernels_and_counters(controls, tab):
    show(controls, CARD)
    assert tab.headline.text() == "250.0 M events/s"
    rows = shown(tab)
    assert rows["1 Upload"] == "2.40 GB/s", "an upload has no share of the memory's peak bandwidth"
    assert rows["1 Forward/back"] == "1.75 TB/s, 36 % of peak"
    assert rows["1 Update"] == "6.00 TB/s, 122 % of peak", "caches can exceed the memory bandwidth"
    assert rows["2 GPU memory"] == "20.0 GiB of 140.0 GiB"
    assert rows["2 GPU load"] == "97 %"
    assert rows["2 Power"] == "612 W of 700 W"
    assert rows["2 Temperature"] == "61 °C"
    assert rows["2 Clock"] == "1,980 MHz"
    texts = [each.text() for each in tab.kernels.findChildren(QLabel) if each.isVisible()]
    assert texts == [
        *("Kernel", "Threads", "Registers", "Occupancy"),
        *("Forward/back", "128", "48", "75 %"),
        *("advance", "256", "72", "100 %"),
    ]
    assert not tab.note.isVisible()


def test_register_spills_are_highlighted(controls, tab):
    show(controls, CARD)
    fits, spills = (line[2] for line in tab.kernels._lines)
    assert (fits.property("tone"), spills.property("tone")) == ("", "warning")
    assert "16 bytes of slow memory" in spills.toolTip()
    assert "slow memory" not in fits.toolTip()


def test_missing_counters_are_explained_without_a_warning(controls, tab):
    silent = replace(CARD.counters, gpu=None, gpu_reason="the package nvidia-ml-py is missing")
    show(controls, replace(CARD, counters=silent))
    assert "nvidia-ml-py is missing" in tab.note.text() and tab.note.isVisible()
    assert "2 Power" not in shown(tab)
    some = replace(CARD.counters, gpu=GpuCounters(temperature_c=50))
    show(controls, replace(CARD, counters=some))
    rows = shown(tab)
    assert rows["2 Temperature"] == "50 °C" and "2 Power" not in rows and "2 Clock" not in rows
    assert not tab.note.isVisible()


def test_rows_missing_in_a_new_profile_disappear(controls, tab):
    show(controls, CARD)
    show(controls, CPU)
    assert not tab.traffic.isVisible() and not tab.kernels.isVisible()
    assert set(shown(tab)) == {"0 Read", "0 Forward/back", "2 Process memory", "2 Processor"}
    controls.session.run.begin("another")
    assert tab.headline.text() == "No profile yet" and shown(tab) == {}


def test_every_number_has_a_tooltip(controls, tab):
    show(controls, CARD)
    rows = words.rates(CARD) + words.traffic(CARD) + load_rows(CARD)
    assert all(len(row.tip) > 20 and row.tip.endswith(".") for row in rows)
    assert set(words.STAGE_TIPS) == set(TITLES)
    assert "100 %" in words.TRAFFIC_TIP and "caches" in words.TRAFFIC_TIP
    assert "H200" in tab.meaning.toolTip() and "compute capability 9.0" in tab.meaning.toolTip()
    assert tab.headline.toolTip() and tab.bars.toolTip()


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.4e3, "400 B/s"), (21e6, "21.00 MB/s"), (2.44e9, "2.44 GB/s"), (1.754e12, "1.75 TB/s")],
)
def test_byte_rate_has_a_suitable_unit(rate, text):
    assert words.bytes_per_s(rate) == text


def test_no_label_is_wider_than_the_panel(qtbot, window, tab_of_window):
    show(window, CARD)
    qtbot.waitUntil(lambda: tab_of_window.kernels.isVisible())
    for each in tab_of_window.findChildren(QLabel):
        if each.isVisible():
            right = each.mapTo(tab_of_window, each.rect().topRight()).x()
            assert right <= tab_of_window.width(), each.text()
            assert each.wordWrap() or each.width() >= each.sizeHint().width(), each.text()


def test_displayed_profile_is_exported_completely(qtbot, controls, tab, tmp_path, choose_file):
    show(controls, CARD)
    target = tmp_path / "mine.json"
    choose_file(target.with_suffix(""))
    tab.save.click()
    qtbot.waitUntil(lambda: target.exists() and not controls.commands.is_busy)
    written = json.loads(target.read_text())
    assert written.pop("run") == controls.session.run.record.title
    assert written == json.loads(json.dumps(CARD.as_dict()))
    assert str(target) in controls.session.log[-1].text
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_timeline_is_shown_and_exported_as_a_trace(qtbot, controls, tab, tmp_path, choose_file):
    assert not tab.save_trace.isEnabled()
    spans = (Span("upload", 1.0, 0.5, bytes=10**9), Span("fused", 2.0, 1.0))
    profile = replace(CARD, timeline=spans, n_calls=2)
    show(controls, profile)
    calls = tab.timeline._calls
    assert [(c.lane, c.start_s) for c in calls] == [("Copies", 1), ("Kernels", 2)]
    assert calls[0].text == words.bytes_per_s(2e9)
    target = tmp_path / "mine.json"
    choose_file(target)
    tab.save_trace.click()
    qtbot.waitUntil(lambda: target.exists() and not controls.commands.is_busy)
    title = controls.session.run.record.title
    assert json.loads(target.read_text()) == json.loads(json.dumps(trace_of(profile, title)))


def test_failed_export_is_reported(qtbot, controls, tab, tmp_path):
    show(controls, CARD)
    problems = []
    controls.session.problem_raised.connect(problems.append)
    tab.export(tmp_path / "nowhere" / "mine.json")
    qtbot.waitUntil(lambda: bool(problems))
    assert "does not exist" in problems[0].text


@pytest.mark.slow
def test_profile_is_live_during_a_run_and_complete_afterwards(
    qtbot, window, tab_of_window, opened, long_study
):
    opened(long_study)
    window.runner.start()
    window.page_panels.show_panel(window.tabs.indexOf(tab_of_window))
    qtbot.waitUntil(lambda: "events/s" in tab_of_window.headline.text(), timeout=PATIENCE_MS)
    assert window.session.run.state is RunState.RUNNING
    first = tab_of_window.machine.rows
    qtbot.waitUntil(lambda: tab_of_window.machine.rows != first, timeout=PATIENCE_MS)
    window.runner.finish()
    qtbot.waitUntil(lambda: window.session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
    assert window.session.run.record.profile.stage("filter") is not None
    assert (
        window.session.run.record.provenance["profile"]
        == window.session.run.record.profile.as_dict()
    )


def test_ct_has_its_own_rates():
    rates = {row.name: row.value for row in words.rates(SCAN)}
    assert rates == {
        "Forward": "4.8 M rays/s", "Back": "1.2 G voxel updates/s", "Filter": "24.0 M pixels/s",
    }  # fmt: skip
    assert words.headline(SCAN) == "1.2 G voxel updates/s"
    assert words.meaning(SCAN) == "back-projected on CPU, 2 threads"
    assert not any("event" in row.tip for row in words.rates(SCAN))
    assert words.headline(replace(SCAN, stages=())) == "Computation time: 0.0 s"
