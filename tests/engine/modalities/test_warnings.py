"""The engine decides which messages of a run are warnings."""

import numpy as np
import pytest

from engine.cli.console import Console
from engine.core.backend import cpu
from engine.corrections.preprocess.rotation_axis import MIN_VIEWS, CentreOfRotation
from engine.data.projections import Projections
from engine.data.runs.events import Corrected, Level, Warned
from engine.geometry.orbits import circle, parallel
from engine.io import write_projections
from engine.jobs.reconstruction import run
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol

ON = cpu(2)


def few_views(**changes):
    """Return projections with too few views to find the axis."""
    geometry = parallel(circle(MIN_VIEWS - 1), shape=(4, 24), pixel_mm=1.0)
    values = np.ones((geometry.n_views, 4, 24), np.float32)
    values[:, :, :4] = values[:, :, -4:] = 0
    fields = {"values": values, "geometry": geometry, "kind": "integrals"} | changes
    return Projections(**fields)


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    """Return the messages of a run that cannot detect the axis."""
    path = tmp_path_factory.mktemp("few") / "scan.h5"
    write_projections(few_views(), path)
    return list(run(Study(data=path, protocol=CtProtocol()), on=ON))


def rows(events):
    return {event.kind: event for event in events if isinstance(event, Corrected)}


def test_missing_correction_is_a_warning():
    assert Corrected("attenuation", "unavailable", "no map").level is Level.WARNING


@pytest.mark.parametrize("state", ["applied", "off"])
def test_correction_that_follows_its_setting_is_a_note(state):
    assert Corrected("attenuation", state, "as requested").level is Level.NOTE


def test_undetected_axis_is_applied_with_a_warning(events):
    (warning,) = [e for e in events if isinstance(e, Warned) and e.about == CentreOfRotation.kind]
    assert rows(events)["centre"].state == "applied"
    assert warning.level is Level.WARNING and "The axis was not found" in warning.text
    assert f"{MIN_VIEWS - 1}" in warning.text


def test_unnecessary_steps_are_not_warnings(events):
    # The file contains line integrals; crop, binning and roll are not set.
    needless = {"flat_field", "logarithm", "crop", "binning", "roll", "hardening"}
    found = {kind: event for kind, event in rows(events).items() if event.state == "unavailable"}
    assert needless <= set(found)
    assert all(found[kind].level is Level.NOTE for kind in needless)


def test_counts_without_flat_fields_are_a_warning(tmp_path):
    step = CtProtocol().steps.flat_field
    scan = few_views(kind="counts")
    assert step.obstacle(scan) and not step.is_needless(scan)
    assert step.is_needless(few_views(kind="transmission"))


def test_command_marks_only_warnings(events, capsys):
    console = Console()
    for event in events:
        console.show(event)
    lines = capsys.readouterr().err.splitlines()
    marked = [line for line in lines if line.strip().startswith("warning: ")]
    warnings = [e for e in events if getattr(e, "level", None) is Level.WARNING]
    assert len(marked) == len(warnings) > 0
