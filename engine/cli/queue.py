"""`isocenter queue`: run a queue of studies."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.device import add_device
from engine.cli.outputs import Output, add_complete_events, add_force, add_threads, count
from engine.cli.parser import needs
from engine.cli.shards import SCHEDULER, address, n_shards, source_of
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.core.paths import made
from engine.io import WRITERS, default_suffixes, files_written
from engine.io.dicom.order import ImagingOrder
from engine.io.formats import writer_of
from engine.jobs.queue import QueueEntry, StudyQueue
from engine.jobs.queue.question import options_of
from engine.modalities.studies import find_protocol, read_study
from engine.protocols.privacy.key import ending_of, pseudonym_of

if TYPE_CHECKING:  # imported only by `queue run`, so that `queue list` starts fast
    from engine.jobs.queue.executor import Executor

ALL = "default: all"


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter queue` with its actions.

    Every action works on the files of the queue, so the window may be open at the same time.
    """
    group = add_verb(verbs, "queue")
    kinds = group.add_subparsers(dest="what", metavar="ACTION", required=True)
    _add_add(kinds)
    p = kinds.add_parser("list", help="list waiting, running and finished studies, with errors")
    p.set_defaults(act=_list)
    p = kinds.add_parser("run", help="run all studies in the queue")
    p.add_argument(
        "--at-once", type=_number, metavar="N",
        help="number of studies at a time (default: 1), or `fit`: as many as fit in memory",
    )  # fmt: skip
    p.add_argument(
        "--scheduler", type=address, metavar=SCHEDULER,
        help="run on the workers of a Dask cluster, one study per worker thread (default: "
        "this machine)",
    )  # fmt: skip
    p.add_argument(
        "--split", type=n_shards, metavar="N",
        help="with --scheduler: split each list-mode or FDK study into N parts for the "
        "workers (default: one study per worker)",
    )  # fmt: skip
    p.set_defaults(act=_run)
    for word, text, act in (
        ("pause", f"pause studies ({ALL}); running ones save a checkpoint", _pause),
        ("resume", f"resume paused studies ({ALL})", _resume),
        ("retry", f"retry failed studies ({ALL})", _retry),
    ):
        p = kinds.add_parser(word, help=text)
        _add_studies(p, nargs="*")
        p.set_defaults(act=act)
    _add_answer(kinds)
    p = kinds.add_parser("remove", help="remove studies from the queue; their results stay")
    _add_studies(p)
    p.set_defaults(act=_remove)
    p = kinds.add_parser("move", help="move a study to another position")
    p.add_argument("study", metavar="ID", help="study ID, see `queue list`")
    p.add_argument("to", type=count, metavar="POSITION", help="new position, from 1")
    p.set_defaults(act=_move)


def _add_studies(p: argparse.ArgumentParser, nargs: str = "+") -> None:
    default = f" ({ALL})" if nargs == "*" else ""
    text = f"study IDs, see `queue list`{default}"
    p.add_argument("studies", nargs=nargs, metavar="ID", help=text)


def _add_add(kinds: Verbs) -> None:
    p = kinds.add_parser("add", help="add studies to the end of the queue")
    p.add_argument("studies", nargs="+", type=Path, metavar="STUDY.toml", help="study files")
    p.add_argument(
        "-o", "--output", type=Path, action=Output, written=_written, metavar="DIR",
        help="also write the images to this folder; they are always stored with the results "
        "(default: none)",
    )  # fmt: skip
    p.add_argument(
        "--format",
        default=".nii.gz",
        metavar="SUFFIX",
        help=f"image format: {default_suffixes(WRITERS)}",
    )
    p.add_argument(
        "--identify",
        action="store_true",
        help="name the images after the study files, not by pseudonyms",
    )
    p.add_argument(
        "--order", type=Path, metavar="ORDER.json",
        help="order with the patient of the scans, saved by `dicom worklist --keep` "
        "(default: none)",
    )  # fmt: skip
    add_device(p)
    add_threads(p)
    add_force(p)
    needs(p, "--format", "-o")
    needs(p, "--force", "-o")
    p.set_defaults(act=_add)


def _add_answer(kinds: Verbs) -> None:
    p = kinds.add_parser("answer", help="answer the questions of studies, see `queue list`")
    _add_studies(p)
    p.add_argument(
        "--accept", action="store_true",
        help="accept the assumed values, a protocol that does not fit, or a scan without the "
        "offered files",
    )  # fmt: skip
    p.add_argument(
        "--scanner", metavar="NAME",
        help="scanner or its file, see `isocenter scanners` (default: as before)",
    )  # fmt: skip
    add_complete_events(p)
    p.add_argument(
        "--data", type=Path, metavar="FILE",
        help="description of raw projections, written by `isocenter import` (default: none)",
    )  # fmt: skip
    p.add_argument(
        "--protocol", metavar="P",
        help="protocol name or file (default: as before, or the standard protocol of the scan)",
    )  # fmt: skip
    p.add_argument(
        "--input", action="append", default=[], type=_input, metavar="ROLE=FILE", dest="inputs",
        help="auxiliary file, such as attenuation=mu.nii.gz; can be repeated (default: none)",
    )  # fmt: skip
    p.set_defaults(act=_answer)


def _input(text: str) -> tuple[str, Path]:
    role, equals, file = text.partition("=")
    if not (role and equals and file):
        raise argparse.ArgumentTypeError(f"{text!r} is not valid; expected ROLE=FILE")
    return role.replace("-", "_"), Path(file)


def _number(text: str) -> int:
    if text == "fit":
        return 0
    if text.isdecimal() and 1 <= int(text) <= 64:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not valid; expected 1 to 64 or `fit`")


def _written(folder: Path, arguments: argparse.Namespace) -> tuple[Path, ...]:
    """Return the image files that the studies will write."""
    # The same names as later in the run: a conflict is found before anything is queued
    wanted = [_output_of(study, folder, arguments) for study in arguments.studies]
    return tuple(file for each in wanted for file in files_written(each))


def _output_of(study: Path, folder: Path, arguments: argparse.Namespace) -> Path:
    """Return the image file of a study. The name is the same each time."""
    name = study.name if arguments.identify else pseudonym_of(study)
    return folder / f"{name.removesuffix(ending_of(name))}{arguments.format}"


def _add(arguments: argparse.Namespace, console: Console) -> None:
    folder = arguments.output
    if folder is not None:
        # Tests the format now, not after the first reconstruction
        writer_of(made(folder) / f"image{arguments.format}")
    studies = [
        (path, read_study(path)) for path in arguments.studies
    ]  # read all first, so that one bad file adds no study
    order = None if arguments.order is None else ImagingOrder.read(arguments.order)
    queue = StudyQueue()
    for path, study in studies:
        if arguments.identify:
            study = study.model_copy(update={"identified": True})
        output = None if folder is None else _output_of(path, folder, arguments)
        entry = queue.add(
            study,
            output=output,
            replaces=arguments.force,
            device=arguments.device,
            threads=arguments.threads,
            order=order,
        )
        console.line(f"{entry.id}  {path.name}{f': {output.name}' if output else ''}")
    _show_how_to_start(queue, console)


def _show_how_to_start(queue: StudyQueue, console: Console) -> None:
    # Without a runner nothing happens until someone starts one
    if not queue.settings.has_runner:
        console.line("Start it with `isocenter queue run`.")


def _list(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    entries, settings = queue.entries(), queue.settings
    for place, entry in enumerate(entries, 1):
        console.line(f"{place:3d}  {entry.id}  {state_text(entry):10s}  {entry.title}")
        if entry.text:
            console.line(f"     {entry.text}")
        if (question := entry.open_question) is not None:
            console.line(f"     Answer: isocenter queue answer {entry.id} {options_of(question)}")
    n = "1 study" if len(entries) == 1 else f"{len(entries):,} studies"
    limit = "one at a time" if settings.at_once == 1 else f"{settings.at_once} at a time"
    limit = limit if settings.at_once else "as many at a time as fit in memory"
    running = "running" if settings.runs and settings.has_runner else "paused"
    console.line(f"{n}; queue {running}, {limit}")


def state_text(entry: QueueEntry) -> str:
    """Return the state of a study, with its progress while it runs.

    Parameters
    ----------
    entry
        entry of the queue

    Returns
    -------
    text
        "waiting", "asking", "paused", "running 12 %", "finished" or "failed"
    """
    if entry.is_abandoned:
        # Its process has died; the next runner continues it
        return "waiting"
    share = f" {100 * entry.done:.0f} %" if entry.state == "running" else ""
    return f"{entry.state}{share}"


def _run(arguments: argparse.Namespace, console: Console) -> None:
    from engine.jobs.queue.runner import QueueRunner

    queue = StudyQueue()
    executor = _executor(queue, arguments.scheduler, arguments.split)
    queue.set_running(True, arguments.at_once)
    # Failures of earlier runs are not errors of this command
    before = {entry.id for entry in _given_up(queue)}
    try:
        QueueRunner(queue, executor, console.line).run()
    except KeyboardInterrupt:
        # Otherwise another runner, or the next start of the window, would continue at once
        queue.change_settings(runs=False)
        message = "`isocenter queue run` continues from the last checkpoints."
        raise KeyboardInterrupt(message) from None
    failed = [entry for entry in _given_up(queue) if entry.id not in before]
    if failed:
        raise DataError(f"Failed studies: {len(failed)}. First error: {failed[0].text}")


def _given_up(queue: StudyQueue) -> list[QueueEntry]:
    """Return the studies that failed or were paused by an error."""
    entries = queue.entries()
    return [e for e in entries if e.state == "failed" or (e.state == "paused" and e.text)]


def _executor(queue: StudyQueue, scheduler: str | None, split: int | None) -> Executor:
    """Return the executor: processes on this machine, or workers of a cluster."""
    # With --split the workers share each study, and its main process runs here
    if scheduler is None or split is not None:
        from engine.jobs.queue.executor import LocalExecutor

        return LocalExecutor(queue, source=source_of(scheduler, split, or_whole=True))
    from engine.jobs.queue.dask_executor import DaskExecutor

    return DaskExecutor(queue, scheduler)


def _pause(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    # Pausing the queue itself stops running studies too
    if not arguments.studies:
        queue.set_running(False)
        console.line("Queue paused. `isocenter queue run` continues.")
    _apply_to_each(_known(queue, arguments.studies), queue.pause, "paused", console)


def _resume(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    ids = _known(queue, arguments.studies) or _in_state(queue, "paused")
    if not ids:
        console.line("There are no paused studies.")
    _apply_to_each(ids, queue.resume, "waiting", console)


def _retry(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    ids = _known(queue, arguments.studies) or _in_state(queue, "failed")
    if not ids:
        console.line("There are no failed studies.")
    _apply_to_each(ids, queue.retry, "waiting", console)


def _remove(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    for id in _known(queue, arguments.studies):
        title = queue.get(id).title
        queue.remove(id)
        console.line(f"{id}  removed: {title}")


def _move(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    # Positions count from 1 for users, and from 0 in the store
    queue.move(arguments.study, arguments.to - 1)
    _list(arguments, console)


def _answer(arguments: argparse.Namespace, console: Console) -> None:
    from engine.jobs.queue.answering import StudyAnswer, answer_question

    answer = StudyAnswer(
        arguments.scanner,
        arguments.complete_events,
        arguments.data,
        find_protocol(arguments.protocol) if arguments.protocol else None,
        dict(arguments.inputs),
        arguments.accept,
    )
    queue = StudyQueue()
    for id in _known(queue, arguments.studies):
        entry = answer_question(queue, id, answer)
        console.line(f"{id}  {state_text(entry)}: {entry.title}")
        if (question := entry.open_question) is not None:
            console.line(f"     {question.text}")
            console.line(f"     Answer: isocenter queue answer {id} {options_of(question)}")
    _show_how_to_start(queue, console)


def _known(queue: StudyQueue, ids: list[str]) -> list[str]:
    """Return the IDs once each, after testing all, so that a wrong one changes no study."""
    once = list(dict.fromkeys(ids))
    for id in once:
        queue.get(id)
    return once


def _in_state(queue: StudyQueue, state: str) -> list[str]:
    return [entry.id for entry in queue.entries() if entry.state == state]


def _apply_to_each(
    ids: list[str], act: Callable[[str], QueueEntry], wanted: str, console: Console
) -> None:
    for id in ids:
        entry = act(id)
        is_asked = entry.state == "running" and entry.wish != ""
        # Only reached for states from which the action is impossible
        if entry.state != wanted and not is_asked:
            raise SettingsError(
                f"study {id}: its state is {entry.state!r} and cannot change to {wanted!r}. "
                "`isocenter queue list` shows all states."
            )
        console.line(f"{id}  {f'stopping, then {wanted}' if is_asked else wanted}: {entry.title}")
