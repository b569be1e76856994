"""Test that earlier scans do not change the starting settings of a scan; only a pin does."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from app.state.models.protocols.pins import ProtocolPins
from app.state.models.study_model import StudyModel
from engine.core.backend import cpu
from engine.data.runs.events import Finished
from engine.geometry.sinogram_layout import SinogramLayout
from engine.jobs.reconstruction import run
from engine.modalities import MODALITIES, Study
from engine.modalities.protocol_choice import protocol_for
from engine.modalities.studies import find_protocol
from tests.app.conftest import PATIENCE_MS
from tests.app.test_dual_head import take
from tests.farm.scans import Sample, make_scans

N_SCANS = 10
DEMOS = ("demo", "demo-ct", "demo-dual-head", "demo-sinograms")


@pytest.fixture(scope="module")
def scans(tmp_path_factory) -> list[Sample]:
    """Return ten scans of five scanner models."""
    return make_scans(tmp_path_factory.mktemp("scans"), N_SCANS)


@pytest.fixture(scope="module")
def demo_studies(scans, tmp_path_factory) -> dict[str, Study]:
    """Return the studies of the four demos: a scan of their kind, and the demo's protocol."""
    from engine.io.interfile.sinogram_writer import write_sinogram
    from tests.engine.io.interfile.test_sinogram_interfile import RING, random_sinogram

    bins = tmp_path_factory.mktemp("bins") / "demo.hs"
    write_sinogram(random_sinogram(SinogramLayout.of(RING)), bins)
    ring, *_, panels, beams = scans[:5]
    data = {"demo": ring.path, "demo-ct": beams.path, "demo-dual-head": panels.path}
    found = data | {"demo-sinograms": bins}
    return {key: Study(data=path, protocol=find_protocol(key)) for key, path in found.items()}


def disturb(study: StudyModel, rng: np.random.Generator) -> None:
    """Change quality, grid, axis and filter of the demo, like a user."""
    grid = study.protocol.grid.model_copy(update={"voxel_mm": (7.0, 7.0, 7.0)})
    acts = [
        lambda: study.use_quality("fine"),
        lambda: study.set_protocol(study.protocol.model_copy(update={"grid": grid})),
        lambda: study.set_protocol(study.protocol.model_copy(update={"finishing": ()})),
        lambda: None,
    ]
    if study.xray is not None:
        acts.append(lambda: take_axis(study, 3.5))
    acts[int(rng.integers(len(acts)))]()


def take_axis(study: StudyModel, column: float) -> None:
    """Set the axis of rotation like the dialog *Candidates*."""
    from engine.modalities import with_value

    study.set_protocol(with_value(study.protocol, "axis", column))


class ScanOpener:
    """A window and the files that are opened in it."""

    def __init__(self, qtbot, window) -> None:
        self._qtbot, self._window = qtbot, window
        self.study = window.session.study

    def open(self, sample: Sample) -> Study:
        """Open a scan; return the study that Start would run."""
        self._window.open_path(sample.path)
        self._settle()
        if "scanner" in sample.aids:  # without a scanner name, choosing the scanner opens it
            self._window.open_path(sample.aids["scanner"])
            self._settle()
        assert self.study.inputs["data"].value == str(sample.path)
        assert self._window.session.obstacle() == ""
        return self.study.to_study()

    def open_demo(self, study: Study) -> None:
        """Open a demo's study."""
        self._window.commands.open_study(study)
        self._settle()
        assert self.study.base == study.protocol, "the demo did not open with its protocol"

    def _settle(self) -> None:
        commands = self._window.commands
        quiet = lambda: not commands.is_busy and not self.study.reading  # noqa: E731
        self._qtbot.waitUntil(quiet, timeout=PATIENCE_MS)


@pytest.fixture
def opener(qtbot, window) -> ScanOpener:
    return ScanOpener(qtbot, window)


def fresh(opener, samples) -> dict[str, Study]:
    """Return the study of each scan, opened after all others were cleared."""
    found = {}
    for sample in samples:
        found[str(sample.path)] = opener.open(sample)
        opener.study.set_input("data", None)
    return found


def compared(opener, demos, pairs, expected, rng) -> list[str]:
    """Open demos and scans in random order; return the scans with other starting settings."""
    wrong = []
    for k in rng.permutation(len(pairs)):
        demo, sample = pairs[k]
        opener.open_demo(demos[demo])
        disturb(opener.study, rng)
        if opener.open(sample) != expected[str(sample.path)]:
            wrong.append(f"{sample.path} after {demo}")
    return wrong


@pytest.mark.essential
def test_scan_starts_after_a_demo_as_in_a_fresh_installation(opener, demo_studies, scans, rng):
    expected = fresh(opener, scans[:5])
    for study in expected.values():
        assert (study.protocol.saved.origin, study.protocol.saved.changed) == ("program", ())
    names = {study.protocol.name for study in expected.values()}
    assert names == {"Standard", "Standard CT", "Standard dual-head"}
    some = [(demo, scans[k % 5]) for k, demo in enumerate((*DEMOS, *DEMOS))]
    assert compared(opener, demo_studies, some, expected, rng) == []
    assert "the previous scan used" in opener.study.note, "no note states that the protocol changed"


@pytest.mark.slow
def test_forty_scans_start_alike_with_the_same_bits(opener, demo_studies, scans, rng):
    expected = fresh(opener, scans)
    pairs = [(demo, sample) for demo in DEMOS for sample in scans]
    assert len(pairs) == 40 and compared(opener, demo_studies, pairs, expected, rng) == []
    for sample in scans[:5]:
        opener.open_demo(demo_studies["demo-ct"])
        disturb(opener.study, rng)
        one, other = (image(each) for each in (opener.open(sample), expected[str(sample.path)]))
        assert np.array_equal(one, other), sample.path


def image(study: Study) -> np.ndarray:
    return next(e.volume.values for e in run(study, on=cpu(2)) if isinstance(e, Finished))


def test_only_a_study_file_changes_the_starting_settings(opener, demo_studies, scans):
    ring = scans[0]
    opener.open_demo(demo_studies["demo"])
    changed = find_protocol("brain-fdg").model_copy(update={"time_of_flight": False})
    opener._window.commands.open_study(Study(data=ring.path, protocol=changed))
    opener._settle()
    study = opener.study
    assert study.base == find_protocol("brain-fdg"), (
        "changes are not relative to the built-in protocol"
    )
    assert [str(each.difference) for each in study.changes] == ["time of flight on, now off"]
    assert study.label == "Brain FDG (changed)"
    opener.open(ring)
    assert study.label == "Standard" and "Brain FDG (changed)" in study.note


# the axis of the scan


def test_new_protocol_of_the_same_scan_keeps_the_chosen_axis(opener, scans):
    beams, study = scans[4], opener.study
    opener.open(beams)
    take_axis(study, 10.5)
    for protocol in ("ct-micro", "ct-few-views"):
        study.use_protocol(find_protocol(protocol))
        assert study.protocol.steps.centre.column == 10.5
        assert study.quality == "standard" and len(study.changes) > 0
        study.use_quality("fast")
        assert study.protocol.steps.centre.column == 10.5 and study.quality == "fast"
    opener.open(scans[9])
    assert study.protocol.steps.centre.column is None and study.quality == "standard"


# pins


def test_pin_applies_only_to_its_kind_of_scanner(opener, scans):
    small, large, *_, beams = scans[:5]
    opener.open(small)
    opener.study.use_protocol(find_protocol("small-animal"))
    pin = opener._window.header.choice.pin
    assert pin.isEnabled() and not pin.isChecked()
    pin.click()
    assert pin.isChecked() and "Small animal" in pin.toolTip()
    opener.study.use_quality("fine")
    for sample, expected in ((beams, "Standard CT"), (large, "Standard"), (small, "Small animal")):
        opener.open(sample)
        assert opener.study.label == expected, "the pin changed more than the protocol"
        assert pin.isChecked() is (sample is small)
    pin.click()
    opener.open(small)
    assert opener.study.label == "Standard"


def test_pin_ends_with_the_day_and_the_login():
    today, login, protocol = [date(2026, 11, 28)], ["anna"], find_protocol("small-animal")
    pins = ProtocolPins(lambda: today[0], lambda: login[0])
    pins.pin("mMR", protocol)
    assert pins.of("mMR") == protocol and pins.of("SAFIR") is None
    login[0] = "bert"
    assert pins.of("mMR") is None
    login[0] = "anna"
    assert pins.of("mMR") is None, "an expired pin is active again"
    pins.pin("mMR", protocol)
    today[0] = date(2026, 11, 29)
    assert pins.of("mMR") is None


def test_pin_ends_when_the_user_changes(opener, scans):
    opener.open(scans[0])
    opener.study.use_protocol(find_protocol("small-animal"))
    opener.study.pin(on=True)
    opener._window.technician.toggle()
    assert not opener.study.is_pinned and opener.study.label == "Standard"
    opener._window.technician.toggle()


def test_unsuitable_pinned_protocol_is_replaced(opener, scans):
    opener.open(scans[4])
    cone = find_protocol("ct-cone-beam")
    opener.study.use_protocol(cone)
    assert "is for cone beams" in opener.study.misfit, (
        "an unsuitable protocol is used without a note"
    )
    assert protocol_for(opener.study.known, pinned=cone) == MODALITIES[1].standard()
    assert protocol_for(opener.study.known, offered=[cone]) == cone, (
        "the only offered protocol was not used"
    )
    micro = find_protocol("ct-micro")
    assert protocol_for(opener.study.known, offered=[cone, micro]) == micro


def test_technician_starts_with_the_first_suitable_approved_protocol(opener, scans):
    library, window = opener._window.context.preferences.library, opener._window
    for key in ("ct-cone-beam", "ct-micro"):
        saved = library.save(find_protocol(key), f"Site {key}")
        library.lock(library.find(saved), on=True)
    window.commands.protocols_changed.emit()
    window.technician.toggle()
    opener.open(scans[4])
    assert opener.study.base.name == "Site ct-micro", "the protocol is not for parallel beams"
    opener.study.use_quality("fine")
    opener.open(scans[9])
    assert opener.study.quality == "standard", "the next patient's scan took over the quality Fine"
    window.technician.toggle()


def test_protocol_box_marks_a_changed_protocol(opener, scans):
    study, box = opener.study, opener._window.header.choice.protocols
    opener.open(scans[0])
    assert box.currentText() == "Standard"
    study.set_protocol(study.protocol.model_copy(update={"finishing": ()}))
    assert box.currentText() == "Standard (changed)" and "Changed: finishing" in box.toolTip()
    study.undo()
    study.use_quality("fast")
    assert box.currentText() == "Standard (Fast)"


def test_deleted_protocol_is_no_longer_a_saved_one(opener, scans):
    library, commands = opener._window.context.preferences.library, opener._window.commands
    opener.open(scans[0])
    commands.save_protocol("Mine")
    assert opener.study.identified().saved.origin == "own"
    library.delete(library.find(opener.study.base))
    commands.protocols_changed.emit()
    assert opener.study.identified().saved.origin == "earlier", (
        "the deleted protocol is not recognised as an earlier version"
    )


def test_scan_read_from_a_file_starts_with_the_same_protocol(qapp, scans, opener):
    for sample in (scans[3], scans[4]):
        expected = opener.open(sample).protocol
        assert take(opener._window.session, sample.path).study.identified() == expected
