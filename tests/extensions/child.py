"""Run commands in a trial copy of the program, then collect facts about its window."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn


def run_job(job: dict[str, Any]) -> dict[str, Any]:
    """Run the commands of a job, then call its functions."""
    import engine
    from app.__main__ import main

    answers: dict[str, Any] = {"engine": engine.__file__, "printed": []}
    for command in job["commands"]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = main(command)
        if code:
            raise SystemExit(f"{command}: exit code {code}: {printed.getvalue()}")
        answers["printed"].append(printed.getvalue())
    for name, arguments in job["ask"].items():
        answers[name] = FUNCTIONS[name](**arguments)
    return answers


def offered_texts() -> dict[str, list[str]]:
    """Return all texts of the form and the ledger of each default protocol, by kind of scan."""
    from PySide6.QtWidgets import QApplication

    from app.ui.forms.forms import Form
    from app.ui.theme.theme import Theme
    from app.workspace.steps.corrections_step import Ledger
    from engine.modalities import MODALITIES

    application = QApplication.instance() or QApplication([])
    plans = {modality.key: modality.standard() for modality in MODALITIES}
    forms = {key: Form(type(plan), plan) for key, plan in plans.items()}
    for form in forms.values():
        form.set_expert(True)
    theme = Theme(application, "dark")
    ledgers = {modality.key: Ledger(modality, theme) for modality in MODALITIES}
    application.processEvents()
    return {key: _words(form) + _words(ledgers[key]) for key, form in forms.items()}


def _words(form: Any) -> list[str]:
    from PySide6.QtWidgets import QCheckBox, QComboBox, QGroupBox, QLabel, QMenu

    found = [box.itemText(i) for box in form.findChildren(QComboBox) for i in range(box.count())]
    found += [action.text() for menu in form.findChildren(QMenu) for action in menu.actions()]
    found += [each.text() for kind in (QLabel, QCheckBox) for each in form.findChildren(kind)]
    return found + [each.title() for each in form.findChildren(QGroupBox)]


def settings_pages() -> str:
    """Return the lists of settings of all kinds of scans."""
    from engine.modalities import settings_text

    return settings_text()


def plug_in_problems() -> list[str]:
    """Return a sentence for each feature of a plug-in that was skipped."""
    from engine.core.plugins import problems

    return list(problems())


def planned_grids(scan: str, settings: list[list[str]]) -> list[dict[str, Any]]:
    """Return the grid that the window shows for an X-ray scan, for each choice of settings."""
    from engine.corrections.preprocess import STEPS
    from engine.io import read_projections
    from engine.modalities import CtProtocol, ProjectionsSummary
    from engine.protocols.study.assignments import with_settings

    found, summary = [], ProjectionsSummary.of(read_projections(scan), Path(scan))
    for assignments in settings:
        protocol = with_settings(CtProtocol(), tuple(assignments))
        steps = tuple(getattr(protocol.steps, step.kind) for step in STEPS)
        grid = protocol.grid.grid_for(summary.prepared(steps).geometry)
        found.append({"shape": grid.shape, "voxel_mm": grid.voxel_mm, "centre_mm": grid.centre_mm})
    return found


def dialogs(volume: str) -> dict[str, Any]:
    """Return the filter of each file dialog, and the texts of the export of a volume."""
    from PySide6.QtWidgets import QApplication

    from app.output.export.export_dialog import ExportDialog
    from app.shell.dialogs.file_choice import choice_of
    from app.state.models.run_images import StoredImage
    from engine.io import read_volume

    application = QApplication.instance() or QApplication([])
    export = ExportDialog(None, [StoredImage("image", read_volume(volume))], 0, Path.cwd())
    formats, targets = [], []
    for index in range(export.format.count()):
        export.use_format(index)
        formats.append(f"{export.format.currentText()}: {export.detail.text()}")
        application.processEvents()
        targets.append(export.target.name if export.save.isEnabled() else "")
    filters = {role: choice_of(role)[1] for role in ("data", "attenuation")}
    return {"filters": filters, "formats": formats, "targets": targets}


def roles(path: str) -> dict[str, str]:
    """Return the role that a file would have in a study if the user dropped it on the window."""
    from engine.modalities.recognise import purpose_of

    found = purpose_of(Path(path))
    return {"purpose": found.purpose, "recognised": found.role.key if found.role else ""}


def refusal(command: list[str]) -> str:
    """Return the message with which the program refuses a command."""
    from app.__main__ import main

    printed = io.StringIO()
    with contextlib.redirect_stderr(printed):
        code = main(command)
    return printed.getvalue() if code == 2 else f"exit code {code}"


def window(paths: list[str], tab: str) -> list[dict[str, Any]]:
    """Open files in the window, one after the other, and return the displayed texts for each.

    tab : title of the tab with the texts
    """
    from PySide6.QtWidgets import QApplication

    from app.shell.application import make_window
    from app.state.models.preferences import Preferences

    application = QApplication.instance() or QApplication([])
    window_ = make_window(application, Preferences(Path.cwd() / "home"))
    window_.show()
    titles = [window_.tabs.tabText(i) for i in range(window_.tabs.count())]
    texts = [_shown(window_, titles, tab)]
    for path in paths:
        _open(window_, Path(path))
        texts.append(_shown(window_, titles, tab))
        view = window_.session.view
        if view.volume is not None:  # as a run does after each update
            view.set_volume(replace(view.volume, values=2 * view.volume.values))
            texts[-1]["doubled"] = _visible_words(window_.tabs.currentWidget())
    window_.close()
    return texts


def _shown(window_: Any, titles: list[str], name: str) -> dict[str, Any]:
    window_.rail.chosen.emit(titles.index(name))  # like its button, which may be hidden in a menu
    study, grid = window_.session.study, window_.session.study.grid()
    return {
        "tabs": titles,
        "words": _visible_words(window_.tabs.currentWidget()),
        "protocol": study.protocol.name,
        "grid": None if grid is None else grid.describe(),
        "needs": None if study.requirements() is None else study.requirements().describe(),
    }


def _visible_words(tab: Any) -> list[str]:
    from PySide6.QtWidgets import QLabel

    return [each.text() for each in tab.findChildren(QLabel) if each.isVisible()]


def _open(window_: Any, path: Path) -> None:
    """Open a file in a window; wait until it shows its image or its scan."""
    from PySide6.QtTest import QTest

    before = window_.session.view.volume, window_.session.study.inputs.scan
    window_.open_path(path)
    for _ in range(600):
        QTest.qWait(50)
        if before != (window_.session.view.volume, window_.session.study.inputs.scan):
            return
    raise TimeoutError(f"{path} was not opened: {[line.text for line in window_.session.log]}")


def run_in_window(study: str, report: str) -> dict[str, str]:
    """Reconstruct a study in the window and write the report of its result, like the buttons.

    Returns
    -------
    digest of the image's values, and the ID of the result
    """
    from hashlib import sha256

    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from app.output.report.report_commands import sign_and_report
    from app.shell.application import make_window
    from app.state.models.preferences import Preferences
    from app.state.models.run_record import RunState

    application = QApplication.instance() or QApplication([])
    window_ = make_window(application, Preferences(Path.cwd() / "home"))
    window_.show()
    _open(window_, Path(study))
    run, written = window_.session.run, Path(report)

    def wait(holds: Any) -> None:
        for _ in range(2400):
            if holds():
                return
            QTest.qWait(50)
        raise TimeoutError([line.text for line in window_.session.log])

    wait(lambda: not window_.session.obstacle() and not window_.commands.is_busy)
    window_.actions_.start.trigger()
    wait(lambda: bool(run.record.result_id) or run.state is RunState.FAILED)
    wait(lambda: not window_.commands.is_busy)
    values = run.record.result.values
    sign_and_report(window_.context, None, lambda reported: None, path=written.absolute())
    wait(written.exists)
    wait(lambda: not window_.commands.is_busy)
    result = run.record.result_id
    window_.close()
    return {"sha256": sha256(values.tobytes()).hexdigest(), "result": result}


def adjoint(scan: str, subsets: int) -> list[list[float]]:
    """Return <A x, y> and <x, A'y> of the gamma camera, for all views and for each subset."""
    import numpy as np

    from engine.modalities.gamma_camera.model import projector
    from engine.modalities.gamma_camera.scan import read_scan

    whole, random = projector(read_scan(Path(scan))), np.random.default_rng(1)
    x = random.random(whole.in_shape, dtype=np.float32)
    found = []
    for A in (whole, *(whole.subset(k, subsets) for k in range(subsets))):
        y = random.random(A.out_shape, dtype=np.float32)
        found.append([float(np.vdot(A(x), y)), float(np.vdot(x, A.T(y)))])
    return found


def view_of_disc(n_bins: int, radius: float, angle: float) -> list[float]:
    """Return the gamma camera's view of a disc of value 1 in the centre; lengths in pixels."""
    import numpy as np

    from engine.modalities.gamma_camera.model import _view

    fine = (np.arange(8 * n_bins) + 0.5) / 8 - n_bins / 2
    inside = np.hypot(*np.meshgrid(fine, fine)) < radius
    disc = inside.reshape(n_bins, 8, n_bins, 8).mean(axis=(1, 3))
    return [float(each) for each in _view(angle, n_bins) @ disc.ravel()]


def refusals(names: list[str]) -> list[str]:
    """Return the message with which the program refuses to reconstruct each scan."""
    return [refusal(["reconstruct", name, "-o", "refused.h5"]) for name in names]


FUNCTIONS = {
    "offered_texts": offered_texts,
    "planned_grids": planned_grids,
    "settings_pages": settings_pages,
    "plug_in_problems": plug_in_problems,
    "dialogs": dialogs,
    "refusal": refusal,
    "refusals": refusals,
    "roles": roles,
    "window": window,
    "run_in_window": run_in_window,
    "adjoint": adjoint,
    "view_of_disc": view_of_disc,
}


def serve() -> None:
    """Do jobs in forks of this process, which has loaded the libraries but not our code."""
    import nibabel  # noqa: F401
    import numba  # noqa: F401
    import pyqtgraph  # noqa: F401
    import scipy.ndimage
    import scipy.optimize  # noqa: F401
    from PySide6 import QtWidgets  # noqa: F401

    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if not child:
            run_job_and_exit(job)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def run_job_and_exit(job: dict[str, Any]) -> NoReturn:
    """Do a job in its copy of the program, and end this process."""
    code = 1
    try:
        os.chdir(job["work"])
        os.environ.clear()
        os.environ.update(job["environment"])
        sys.path.insert(0, job["root"])
        output = os.open(job["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        answers = run_job(job)
        Path(job["answers"]).write_text(json.dumps(answers), encoding="utf-8")
        code = 0
    except BaseException:  # noqa: BLE001  the parent reports it
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    if "--once" in sys.argv:
        run_job_and_exit(json.loads(sys.stdin.readline()))
    serve()
