"""Read many files at once: find the scans among them, and the questions that each leaves open.

All functions run in a thread. A question is a result here, not an error: the scan waits until the
user answers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.language.translation import tr
from app.state.models.inputs import Inputs
from app.state.models.scanner_inputs import RememberedInputs
from app.state.services.outcomes import NewStudy, Wanted
from app.state.services.raw_projections import UndescribedError, undescribed
from app.state.services.reading import StudyReader
from engine.core.errors import (
    CutOffError,
    EngineError,
    ReadingStoppedError,
    ScannerMissingError,
    SeveralItemsError,
    UnknownFormatError,
)
from engine.jobs import InputFile, Question
from engine.modalities import Study, all_roles

if TYPE_CHECKING:  # the loader is not needed to open the window
    from engine.jobs import ForeignFiles


@dataclass(frozen=True)
class SortedFiles:
    """Files by their purpose.

    Attributes
    ----------
    scans : files or folders of scans and studies, without duplicates
    inputs : auxiliary files of unknown scans
    skipped : a sentence for each other file
    """

    scans: tuple[Path, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass
class _Sorting:
    """Files found so far."""

    scans: list[Path] = field(default_factory=list)
    raw: list[Path] = field(default_factory=list)
    inputs: list[InputFile] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def sort_files(files: ForeignFiles, paths: Iterable[Path]) -> SortedFiles:
    """Find the scans among files and folders; a folder may contain many.

    Parameters
    ----------
    files
        reader of foreign files
    paths
        files and folders

    Raises
    ------
    ReadingStoppedError
        the user stopped the reading
    """
    found = _Sorting()
    for path in paths:
        _sort(files, path, found)
    scans = dict.fromkeys((*found.scans, *_stacks(files, found.raw)))
    inputs = {each.path: each for each in found.inputs}
    return SortedFiles(tuple(scans), tuple(inputs.values()), tuple(found.skipped))


def _sort(files: ForeignFiles, path: Path, found: _Sorting) -> None:
    try:
        known = files.recognise(path)
    except ReadingStoppedError:
        raise
    except SeveralItemsError as e:
        for item in e.items:
            _sort(files, item.path, found)
        return
    except EngineError as e:
        fault = undescribed(e, path, files)
        if isinstance(fault, UndescribedError):
            found.raw.append(path)
        elif isinstance(e, UnknownFormatError) or not path.is_file():
            found.skipped.append(str(e))
        else:
            found.scans.append(path)  # damaged, and its entry says so
        return
    if known.files is not None:
        # All files of a folder lead to one scan, whichever of them was dropped.
        found.scans.append(known.files.data)
    elif known.purpose in ("scan", "study"):
        found.scans.append(path)
    elif known.purpose == "input" and known.role is not None:
        found.inputs.append(InputFile(role=known.role.key, path=path))
    elif known.purpose == "volume" and (role := _role_of_volume(files, path)):
        found.inputs.append(InputFile(role=role, path=path))
    else:
        found.skipped.append(tr("{name} is not a scan.", name=path.name))


def _role_of_volume(files: ForeignFiles, path: Path) -> str:
    """Return the input role of a volume such as a μ-map; empty for an image."""
    try:
        found = files.volume(path, tuple(role.key for role in all_roles()))
    except ReadingStoppedError:
        raise
    except EngineError:
        return ""
    return found if isinstance(found, str) else ""


def _stacks(files: ForeignFiles, raw: list[Path]) -> Iterator[Path]:
    """Yield raw projections; several images of one folder are one scan."""
    folders: dict[Path, list[Path]] = {}
    for path in raw:
        folders.setdefault(path.parent, []).append(path)
    for folder, inside in folders.items():
        if len(inside) > 1 and files.may_import(folder):
            yield folder
        else:
            yield from inside


@dataclass(frozen=True)
class Unread:
    """A scan that cannot be read without an answer.

    Attributes
    ----------
    question : the question
    study : study of a study file; None for a scan alone
    """

    question: Question
    study: Study | None = None


def read_scan(
    files: ForeignFiles, remembered: RememberedInputs, wanted: Wanted
) -> NewStudy | Unread:
    """Read a scan, or return the question that it leaves open.

    Parameters
    ----------
    files
        reader of foreign files
    remembered
        inputs saved for scanners
    wanted
        the scan and the answers so far; with `is_whole` exactly the files that it names

    Raises
    ------
    ReadingStoppedError
        the user stopped the reading
    """
    reader = StudyReader(files, remembered, Inputs(), (), "")
    study: Study | None = None
    try:
        if wanted.is_whole:
            return reader.wanted(wanted)
        if files.recognise(wanted.data).purpose == "study":
            study = files.study(wanted.data)
            return reader.study(study, wanted.data)
        return reader.scan(wanted)
    except ReadingStoppedError:
        raise
    except EngineError as e:
        has_protocol = study is not None or wanted.is_whole
        question = _question(e, wanted.data, files)
        return Unread(question.model_copy(update={"has_protocol": has_protocol}), study)


def _question(fault: EngineError, path: Path, files: ForeignFiles) -> Question:
    if isinstance(fault, ScannerMissingError):
        return Question(kind="scanner", text=str(fault), format=fault.format)
    if isinstance(fault, CutOffError) and fault.n_events:
        text = tr("{what}. The file may be incomplete.", what=fault.what)
        return Question(kind="complete_events", text=text, n_events=fault.n_events)
    why = undescribed(fault, path, files)
    kind = "import" if isinstance(why, UndescribedError) else "unreadable"
    return Question.model_validate({"kind": kind, "text": str(why)})
