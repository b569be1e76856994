"""Tests of the button that prepares the displayed scan again at another quality."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.state.models.run_record import RunRecord, RunState
from engine.modalities.protocol_library import EARLIER
from tests.app.conftest import PATIENCE_MS


@pytest.fixture
def judged(qtbot, opened, window, small_study, tmp_path):
    """Return the window after a run of a scan that only this test uses."""
    scan = Path(shutil.copy(small_study.data, tmp_path / f"{tmp_path.name}.h5"))
    opened(small_study.model_copy(update={"data": scan}))
    window.runner.start()
    done = lambda: window.session.run.state is RunState.FINISHED and not window.commands.is_busy  # noqa: E731
    qtbot.waitUntil(done, timeout=PATIENCE_MS)
    return window


def offers(again) -> list[str]:
    again.fill()
    return [each.text().partition(" (")[0] for each in again.menu().actions()]


def test_click_prepares_the_same_scan_with_another_quality(qtbot, judged):
    again, study = judged.header.judging.again, judged.session.study
    assert again.isEnabled() and offers(again) == ["Fast", "Fine"], (
        "the menu offers the quality of the displayed image"
    )
    iterations = study.protocol.algorithm.iterations
    again.menu().actions()[1].trigger()
    assert judged.pages.current == "prepare" and study.quality == "fine"
    assert study.protocol.algorithm.iterations == 2 * iterations
    assert judged.header.choice.start.isEnabled()
    assert again.quality == "standard" and judged.session.run.record.images.items, (
        "the displayed image was removed"
    )


def test_button_uses_the_protocol_of_the_image(judged):
    again, study = judged.header.judging.again, judged.session.study
    name = study.base.name
    other = next(each for each in judged.header.choice.offered if each.name != name)
    study.use_protocol(other)
    again.fill()
    again.menu().actions()[0].trigger()
    assert study.base.name == name and study.quality == "fast"


@pytest.mark.parametrize("is_saved", [True, False])
def test_button_uses_the_version_of_the_protocol_that_made_the_image(qtbot, judged, is_saved):
    again, study = judged.header.judging.again, judged.session.study
    problems = []
    judged.session.problem_raised.connect(problems.append)

    def save_with(iterations: int) -> None:
        algorithm = study.protocol.algorithm.model_copy(update={"iterations": iterations})
        study.set_protocol(study.protocol.model_copy(update={"algorithm": algorithm}))
        judged.commands.save_protocol("Own protocol")

    save_with(4)
    judged.runner.start()
    done = lambda: judged.session.run.state is RunState.FINISHED and not judged.commands.is_busy  # noqa: E731
    qtbot.waitUntil(done, timeout=PATIENCE_MS)
    save_with(10)
    earlier = [*judged.context.preferences.folder.rglob(f"{EARLIER}/*.toml")]
    assert earlier
    for path in earlier:
        if not is_saved:
            path.unlink()
    again.fill()
    again.menu().actions()[1].trigger()
    expected = 2 * 4 if is_saved else 4
    assert study.protocol.algorithm.iterations == expected, (
        "the settings are those of another version"
    )
    assert [each.title for each in problems] == (
        [] if is_saved else ["The quality was not changed."]
    )


def test_button_states_why_a_scan_cannot_be_prepared_again(judged):
    again, session = judged.header.judging.again, judged.session
    study, image = session.run.record.study, session.image
    elsewhere = study.model_copy(update={"data": study.data.with_name("other.h5")})
    # A result of an earlier version, and a file replaced by another patient's scan.
    by_path = elsewhere.model_copy(update={"fingerprints": {}})
    replaced = study.model_copy(update={"fingerprints": {"data": "another scan"}})
    for other in (by_path, replaced):
        session.show_result(RunRecord("other", other), "final", image)
        assert not again.isEnabled() and again.toolTip() == "Open the scan of this image first."
    session.show_result(RunRecord("moved", elsewhere), "final", image)
    assert again.toolTip() != "Open the scan of this image first.", (
        "a moved scan with the same content was not recognised"
    )
    assert "fingerprint" not in again.toolTip()
    earlier = study.model_copy(update={"fingerprints": {}})
    session.show_result(RunRecord("earlier", earlier), "final", image)
    assert again.isEnabled() and "no fingerprint of its scan" in again.toolTip()
    algorithm = study.protocol.algorithm.model_copy(update={"iterations": 17})
    changed = study.protocol.model_copy(update={"algorithm": algorithm})
    changed_study = study.model_copy(update={"protocol": changed})
    session.show_result(RunRecord("changed", changed_study), "final", image)
    assert not again.isEnabled() and "was changed" in again.toolTip()
    session.study.set_input("data", None)
    assert again.toolTip() == "There is no image yet."


def test_film_strip_replaces_the_button_with_two_results(qtbot, judged):
    again, results = judged.header.judging.again, judged.session.results
    scan = judged.session.run.record.study.data.name
    own = lambda: [each for each in results.items if each.scan == scan]  # noqa: E731
    judged.resize(1280, 720)
    qtbot.waitUntil(lambda: len(own()) == 1, timeout=PATIENCE_MS)
    assert again.isVisible() and not judged.centre.strip.isVisible()
    again.fill()
    again.menu().actions()[0].trigger()
    judged.runner.start()
    qtbot.waitUntil(lambda: len(own()) == 2, timeout=PATIENCE_MS)
    assert judged.pages.current == "judge"
    assert judged.centre.strip.isVisible() and not again.isVisible()


def test_narrow_header_hides_the_button(qapp, judged):
    judged.resize(1280, 720)
    qapp.processEvents()
    assert judged.header.judging.again.isVisible()
    judged.resize(judged.minimumSize())
    qapp.processEvents()
    assert not judged.header.judging.again.isVisible()
    assert judged.header.judging.next.isVisible()
