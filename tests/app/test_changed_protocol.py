"""Test that every text that names a protocol marks content that differs from the saved one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.output.results.result_text import lines_of, made_with
from app.state.models.run_record import RunRecord
from app.workspace.queue.queue_text import tip_of as queue_tip
from app.workspace.study_list.study_text import cells_of
from engine.cli.main import main
from engine.core.backend import cpu
from engine.data.runs.events import Finished
from engine.io.dicom.general import general_attributes
from engine.io.dicom.series import digest_of
from engine.io.dicom.subject import subject_of
from engine.jobs.checkpoint import Job, keep
from engine.jobs.queue import StudyQueue
from engine.jobs.reconstruction import run
from engine.jobs.study_index import known_studies
from engine.modalities import Study, write_study
from engine.modalities.protocol_identity import identified
from engine.modalities.studies import find_protocol, read_study
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.stored_protocol import identity_of, label_of
from engine.results import Results
from engine.results.reports.building import report_of
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.web_page import to_html

MARK = "(changed)"
CHANGES = ("algorithm.iterations=2", "algorithm.subsets=2", "finishing=[]", "fit_to_scan=false")


@pytest.fixture
def changed(small_study) -> Study:
    """Return a built-in protocol with other content under its name, as if its file was edited."""
    protocol = with_settings(find_protocol("small-animal"), CHANGES)
    return Study(data=small_study.data, protocol=protocol)


def stored_result(study: Study):
    """Reconstruct like the program, and return the result and its provenance."""
    job = Job.create(study)
    for event in keep(run(job.study, on=cpu(2), folder=job.folder), job):
        if isinstance(event, Finished):
            provenance = event.provenance
    return Results().newest_first()[0], provenance


def on_screen(window, opened, study, result) -> dict[str, str]:
    """Return the text of each part of the window."""
    opened(study)
    record = RunRecord(study=result.study, run=result.record.run_record)
    found = {
        "protocol box": window.header.choice.protocols.currentText(),
        "card of the protocol": window.workflow.protocol.summary,
        "caption": record.local_title,
        "made with": made_with(record, None)[0],
    }
    return found


def in_lists(result) -> dict[str, str]:
    """Return the texts in the lists of results, studies and the queue."""
    entry = StudyQueue().add(result.study)
    studies = {each.id: " ".join(cells_of(each)) for each in known_studies()}
    found = {
        "results": " ".join(lines_of(result, "Image")),
        "studies": studies[result.id],
        "queue": f"{queue_tip(entry, 'Image')}",
    }
    StudyQueue().remove(entry.id)
    return found


def in_files(result, provenance) -> dict[str, str]:
    """Return the texts in report, DICOM, provenance and record of the result."""
    subject = ReportSubject.read(result, Site())
    volume = result.volume()
    image_subject = subject_of(provenance, digest_of(volume))
    dicom = general_attributes(volume, provenance, image_subject)
    return {
        "report": to_html(report_of(subject)).decode(),
        "DICOM": dicom["SeriesDescription"],
        "provenance": json.dumps(provenance["protocol_identity"]),
        "result.json": (result.folder / "result.json").read_text("utf-8"),
    }


def on_command_line(study: Study, folder: Path, capsys) -> dict[str, str]:
    """Return the output of the command line."""
    write_study(study, folder / "study.toml")
    found = {}
    image = ["-o", str(folder / "image.h5"), "--device", "cpu"]
    for name, words in (
        ("reconstruct", ["reconstruct", str(folder / "study.toml"), *image]),
        ("inspect", ["inspect", str(folder / "study.toml")]),
        ("results verb", ["results"]),
    ):
        assert main(words) == 0
        output = capsys.readouterr()
        found[name] = output.out + output.err
    return found


@pytest.mark.essential
def test_changed_protocol_is_marked_in_every_place(window, opened, changed, tmp_path, capsys):
    result, provenance = stored_result(changed)
    places = {
        **on_screen(window, opened, changed, result),
        **in_lists(result),
        **in_files(result, provenance),
        **on_command_line(changed, tmp_path, capsys),
    }
    assert len(places) >= 12
    assert {name for name, text in places.items() if f"Small animal {MARK}" not in text} == set()
    assert len(provenance["protocol_identity"]["changed"]) == len(CHANGES)
    assert provenance["protocol_identity"]["saved_sha256"] is not None


def test_unchanged_protocol_is_not_marked(window, opened, changed, tmp_path):
    result, provenance = stored_result(changed.model_copy(update={"protocol": quick()}))
    study = result.study.model_copy(update={"protocol": quick()})
    places = {**on_screen(window, opened, study, result), **in_lists(result)}
    places |= in_files(result, provenance)
    assert {name for name, text in places.items() if MARK in text} == set()


def quick():
    """Return an unchanged built-in protocol."""
    return find_protocol("demo")


@pytest.mark.parametrize("method", ["study file", "--set", "form", "script"])
def test_every_kind_of_change_is_marked(method, window, opened, changed, tmp_path):
    base, now = find_protocol("small-animal"), changed.protocol
    if method == "study file":
        write_study(changed, tmp_path / "study.toml")
        protocol = identified(read_study(tmp_path / "study.toml").protocol)
    elif method == "--set":
        protocol = identified(with_settings(identified(base), CHANGES))
    elif method == "form":
        opened(changed.model_copy(update={"protocol": base}))
        window.session.study.set_protocol(now)
        protocol = window.session.study.to_study().protocol
    else:
        protocol = Job.create(changed).study.protocol
    expected = identity_of(identified(now))
    assert identity_of(protocol) == expected and label_of(protocol) == f"Small animal {MARK}"
