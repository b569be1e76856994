"""Test that caption, lists, report, provenance and JSON describe each run alike.

The expected numbers come from the test case, not from the record of the run.
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import dataclass
from html import unescape

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.output.results.image_caption import ImageCaption
from app.output.results.results_panel import ResultsTab
from app.state.models.queue_model import QueueModel
from app.workspace.queue.queue_text import title_of
from app.workspace.study_list.study_table import StudyTable
from engine.core import paths
from engine.core.backend import cpu
from engine.core.errors import NumericalError
from engine.data.projections import Projections
from engine.data.runs.events import Preview
from engine.data.runs.record import RecordedRun
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import parallel
from engine.io import write_projections
from engine.jobs.checkpoint import Job, keep
from engine.jobs.queue import StudyQueue
from engine.jobs.reconstruction import run
from engine.jobs.study_index import known_studies
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.xray.transform import XrayTransform
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.stored_protocol import SavedAs, digest_of
from engine.results import Results
from engine.results.reports import ReportSubject, Site, report_of
from engine.results.reports.web_page import to_html
from tests.app.conftest import PATIENCE_MS

ON = cpu(2)


@dataclass(frozen=True)
class Case:
    """A kind of end of a run, and its expected record: done, planned, and how it ended.

    The number of iterations is 0 if it depends on the counts or the noise. All places must then
    state the same number.
    """

    settings: tuple[str, ...] = ()
    changed: tuple[str, ...] | None = None
    aborts_at: int = 0
    fails_at: int = 0
    stops: bool = False
    resumes: bool = False
    is_xray: bool = False
    done: float = 3
    planned: int = 3
    ending: str = "finished"
    quality: str = "Standard"


FRAMES = ("frames='2x0.5'", "algorithm.iterations=1")
CASES = {
    "all done": Case(),
    "fine": Case(("algorithm.iterations=6",), ("at Fine: x",), done=6, planned=6, quality="Fine"),
    "fast": Case(("algorithm.iterations=2",), ("at Fast: x",), done=2, planned=2, quality="Fast"),
    "changed": Case(("algorithm.iterations=4",), ("x 3, now 4",), done=4, planned=4,
                    quality="Changed"),
    "few counts": Case(("algorithm={kind='osem', subsets=8}",), done=0, planned=0),
    "stopped": Case(stops=True, done=1, ending="stopped by the user at iteration 1 of 3"),
    "aborted": Case(aborts_at=3, done=1.5, ending="aborted at iteration 1.5 of 3"),
    "failed": Case(fails_at=4, done=2, ending="stopped by an error at iteration 2 of 3"),
    "resumed": Case(aborts_at=2, resumes=True),
    "converged": Case(("algorithm.kind='cgls'",), is_xray=True, done=0, planned=20,
                      ending="converged at iteration"),
    "direct": Case(is_xray=True, done=1, planned=1),
    "one subset": Case(("algorithm={kind='mlem', iterations=5}",), done=5, planned=5),
}  # fmt: skip


def failing(events, at: int):
    """Pass events on, and fail after an update."""
    for event in events:
        yield event
        if isinstance(event, Preview) and event.update == at:
            raise NumericalError("no numbers.")


def reconstruct(study: Study, case: Case) -> str:
    """Reconstruct as a case describes; return the name of its result."""
    job = Job.create(study)

    def events(resume=None):
        started = run(study, on=ON, resume=resume, finish_early=lambda: case.stops)
        return keep(failing(started, case.fails_at), job)

    try:
        with closing(events()) as making:
            for event in making:
                if isinstance(event, Preview) and event.update == case.aborts_at:
                    break
    except NumericalError:
        assert case.fails_at
    if case.resumes:
        list(events(job.latest()))
    return job.record.result


def noisy_scan(path) -> None:
    """Write a water disc with 1000 photons per pixel: its residual reaches the noise."""
    grid = ImageGrid((2, 48, 48), (1.0, 1.0, 1.0))
    _, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    disc = np.where(x**2 + y**2 < 15**2, 0.02, 0.0).astype(np.float32)
    geometry = parallel(np.linspace(0, np.pi, 40), shape=(2, 64), pixel_mm=1.0)
    integrals = XrayTransform(geometry, grid, on=ON)(disc)
    counts = np.random.default_rng(3).poisson(1000 * np.exp(-integrals)).astype(np.float32)
    flats = np.full((2, *geometry.shape), 1000, np.float32)
    write_projections(Projections(counts, geometry, "counts", flats=flats), path)


def study_of(case: Case, small: Study, scan) -> Study:
    if case.is_xray:
        settings = (
            "name='Small CT'",
            "grid.voxel_mm=[1.0, 1.0, 1.0]",
            "grid.diameter_mm=48",
            *case.settings,
        )
        protocol = with_settings(CtProtocol(), settings)
        study = Study(data=scan, protocol=protocol)
    else:
        study = small.model_copy(update={"protocol": with_settings(small.protocol, case.settings)})
    # No saved protocol has this name
    protocol = study.protocol.model_copy(update={"name": "Twelve runs"})
    digest = "a" * 64 if case.changed else digest_of(protocol)
    level = case.quality.lower() if case.quality in ("Fine", "Fast") else None
    saved = SavedAs(sha256=digest, changed=case.changed or (), quality=level)
    protocol = protocol.model_copy(update={"saved": saved})
    return study.model_copy(update={"protocol": protocol})


@pytest.fixture(scope="module")
def stored_runs(small_study, tmp_path_factory):
    """Return the home folder, and the results by case."""
    home = tmp_path_factory.mktemp("home")
    noisy_scan(home / "noisy.h5")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.HOME_VARIABLE, str(home / "isocenter"))
        ids = {
            name: reconstruct(study_of(case, small_study, home / "noisy.h5"), case)
            for name, case in CASES.items()
        }
    return home / "isocenter", ids


@pytest.fixture
def results(stored_runs, monkeypatch):
    home, ids = stored_runs
    monkeypatch.setenv(paths.HOME_VARIABLE, str(home))
    return {name: Results().open(id) for name, id in ids.items()}


def settle(qtbot, controls) -> None:
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)


def page_of(result) -> str:
    subject = ReportSubject.read(result, Site())
    return " ".join(unescape(to_html(report_of(subject, full=True)).decode()).split())


def statements(qtbot, controls, results) -> dict[str, dict[str, str]]:
    """Return the text of each place about each result, by place and case."""
    tab, caption = ResultsTab(controls.context), ImageCaption(controls.context)
    for each in (tab, caption):
        qtbot.addWidget(each)
    controls.context.results.refresh()
    settle(qtbot, controls)
    found: dict[str, dict[str, str]] = {}
    listed = [each.id for each in controls.session.results.items]
    table = StudyTable(controls.context.theme)
    studies = [each for each in known_studies() if each.result is not None]
    table.take(studies)
    rows = {each.id: n for n, each in enumerate(studies)}
    menu = {each.key: each.title for each in controls.context.volumes.results()}
    for name, result in results.items():
        controls.context.results.open(result)
        settle(qtbot, controls)
        item = tab.list.model().index(listed.index(result.id))
        row = table.index(rows[result.id], 0)
        found[name] = {
            "caption": caption.full_text,
            "tip": bare(item.data(Qt.ItemDataRole.ToolTipRole)),
            "list": item.data(),
            "study": " ".join(
                str(table.data(table.index(row.row(), k))) for k in range(table.columnCount())
            ),
            "study tip": bare(str(table.data(row, Qt.ItemDataRole.ToolTipRole))),
            "menu": menu[f"result:{result.id}"],
            "name on show": controls.session.volumes.image.name,
            "queue": queue_title(controls, result),
            "scrubber": " ".join(controls.session.run.images),
            "report": page_of(result),
        }
    return found


def bare(tip: str) -> str:
    """Return the text of a tip without markup and line break marks."""
    return unescape(unescape(re.sub("<[^>]*>", " ", tip))).replace("\u200b", "")


def queue_title(controls, result) -> str:
    queue = StudyQueue()
    added = queue.add(result.study)
    ended = {"state": "finished", "result": result.id}
    queue.change(added.id, lambda entry: entry.model_copy(update=ended))
    (entry,) = [each for each in queue.entries() if each.id == added.id]
    model = QueueModel()
    model.take_results(controls.session.results.items)
    model.take(tuple(queue.entries()), queue.settings, runs=False)
    queue.remove(added.id)
    return title_of(entry, model.names[entry.id])


def test_twelve_runs_are_tested():
    assert len(CASES) == 12


@pytest.mark.essential
def test_every_view_describes_each_run_alike(qtbot, controls, results):
    texts = statements(qtbot, controls, results)
    differences = [fault for name in CASES for fault in faults_of(CASES[name], texts[name],
                                                                  results[name])]  # fmt: skip
    assert differences == [], "\n".join(differences)


def faults_of(case: Case, texts: dict[str, str], result) -> list[str]:
    """Return one line for each text that differs from the expected record."""
    stored = json.loads((result.folder / "result.json").read_text())
    record = RecordedRun.model_validate(stored["run"])
    done = case.done or record.iterations_done
    planned = case.planned or done
    iterations = f"{done:g} iteration{'' if done == 1 else 's'}"
    short = f"{done:g} it." if record.iterates else "FDK"
    faults = []

    def expect(place: str, *words: str) -> None:
        faults.extend(f"{place}: no {each!r} in {texts[place]!r}" for each in words
                      if each.casefold() not in texts[place].casefold())  # fmt: skip

    how = iterations if record.iterates else record.algorithm
    for place in ("caption", "tip", "study tip", "report"):
        expect(place, how, case.ending)
        others = set(re.findall(r"([\d.]+) iterations?\b", texts[place])) - {f"{done:g}"}
        if others and place != "report":
            faults.append(f"{place}: {others} iterations, too")
    for place in ("caption", "tip", "list", "study", "menu", "name on show", "queue"):
        expect(place, case.quality, short)
    expect("report", case.quality)
    if record.is_partial:
        expect("list", case.ending)
        expect("scrubber", case.ending)
    provenance = json.loads((result.folder / "provenance.json").read_text())
    numbers = {
        "result.json": (stored["iteration"], stored["iterations"]),
        "its record": (record.iterations_done, record.iterations_planned),
        "provenance": (provenance["iterations_done"], provenance["run"]["iterations_planned"]),
    }
    faults += [f"{place}: {pair}" for place, pair in numbers.items() if pair != (done, planned)]
    if RecordedRun.of(provenance) != record or stored["outcome"] != record.outcome:
        faults.append("provenance, result.json: two records")
    return faults


def test_resumed_run_states_that_it_was_resumed(results):
    assert results["resumed"].record.run.resumed == 1
    assert "resumed once" in page_of(results["resumed"])


def test_few_counts_are_stated_as_the_reason_for_fewer_iterations(results):
    run = results["few counts"].record.run
    assert "counts" in run.fitted and run.fitted in page_of(results["few counts"])
    assert "defaults" in {row.kind for row in run.corrections}


def test_report_provenance_and_record_have_the_same_warnings(results):
    for result in results.values():
        run, page = result.record.run, page_of(result)
        assert [each.text for each in run.warnings] == result.provenance["warnings"]
        assert all(" ".join(each.text.split()) in page for each in run.warnings)
        missing = [row for row in run.corrections if row.level == "warning"]
        assert run.n_warnings == len(run.warnings) + len(missing)
        assert all(run.is_in_doubt(row.kind) for row in missing)
    assert any(result.record.run.n_warnings for result in results.values())
