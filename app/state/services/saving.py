"""Ask for files to write: never an input of the study, others only after a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.language.translation import Lines, tr
from app.state.models.session import Session
from app.ui.theme.file_dialogs import ask_save, with_ending
from app.ui.theme.questions import ask, show_reason
from engine.core.errors import EngineError
from engine.modalities import files_of_study

REPLACE = tr("Replace")
PATTERN = re.compile(r"\*(\.[\w.]+)")
"""A suffix in the name filters of Qt."""


def ask_target(
    parent: QWidget,
    session: Session,
    title: str,
    start: Path,
    kinds: str,
    others: Sequence[Path] = (),
) -> Path | None:
    """Ask for a file to write, with a suffix of its format; inputs are refused as by `may_write`.

    Parameters
    ----------
    parent
        parent of the dialogs
    session
        the open study provides the inputs
    title
        title of the file dialog
    start
        suggested file; its suffix is added to a name without one of the format
    kinds
        name filters of Qt
    others
        further files that must not be replaced

    Returns
    -------
    None if the user cancelled, or the file must not be written
    """
    chosen = ask_save(parent, title, start, kinds)
    if chosen is None:
        return None
    target = with_ending(chosen, (start.suffix, *PATTERN.findall(kinds)))
    return target if may_write(parent, target, session, others) else None


def may_write(parent: QWidget, target: Path, session: Session, others: Sequence[Path] = ()) -> bool:
    """Ask before a file is replaced, and refuse an input of the study.

    Files are compared by identity, so a link or another spelling of a path is recognised.

    Parameters
    ----------
    parent
        parent of the dialogs
    target
        file to write
    session
        the open study provides the inputs
    others
        further files that must not be replaced

    Returns
    -------
    True if it may be written
    """
    return may_write_all(parent, (target,), session, others)


def may_write_all(
    parent: QWidget, targets: Sequence[Path], session: Session, others: Sequence[Path] = ()
) -> bool:
    """Ask once before files are replaced, and refuse inputs of the study.

    Parameters
    ----------
    parent
        parent of the dialogs
    targets
        files to write
    session
        the open study provides the inputs
    others
        further files that must not be replaced

    Returns
    -------
    True if all may be written
    """
    # Raw data cannot be measured again, so no question offers to replace an input.
    inputs = [*inputs_of(session), *others]
    fault = next((found for target in targets if (found := refusal(target, inputs))), "")
    if fault:
        show_reason(parent, tr("Not saved"), fault)
        return False
    question = question_of(*targets)
    return not question or ask(parent, tr("Replace existing files"), question, REPLACE)


def inputs_of(session: Session) -> Sequence[Path]:
    """Return all files that the open study reads.

    Parameters
    ----------
    session
        state of the window
    """
    study = session.study
    if not study.inputs:
        return ()
    # Files that a header refers to are inputs too. The reading process has found the links of HDF5.
    linked = study.inputs.scan.linked if study.inputs.scan is not None else ()
    return (*files_of_study(study.to_study(), by_library=False), *linked)


def refusal(target: Path, inputs: Sequence[Path]) -> str:
    """Return the reason why a file must not be written.

    Parameters
    ----------
    target
        file to write
    inputs
        files that must not be replaced

    Returns
    -------
    a sentence; empty if it may be written
    """
    from engine.io import files_written, refuse_inputs

    try:
        # Some formats write a second file, such as the raw data of an Interfile header.
        refuse_inputs(files_written(target), inputs)
    except EngineError as e:
        return str(e)
    return ""


def question_of(*targets: Path) -> str:
    """Return the question to ask before existing files are replaced.

    Parameters
    ----------
    targets
        files to write; formats with several files count each of them

    Returns
    -------
    empty if none of them exists
    """
    from engine.io import existing, files_written

    # Qt's own dialog only asks about the one file that the user typed.
    written = [path for target in targets for path in files_written(target)]
    found = [(path.name, was) for path in written if (was := existing(path))]
    if not found:
        return ""
    listed = Lines(f"{name}: {was}" for name, was in found)
    folder = targets[0].parent
    if len(found) > 1:
        return tr(
            "These files already exist in {folder}:\n\n{listed}\n\nDo you want to replace them?",
            folder=folder,
            listed=listed,
        )
    return tr(
        "This file already exists in {folder}:\n\n{listed}\n\nDo you want to replace it?",
        folder=folder,
        listed=listed,
    )
