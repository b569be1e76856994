"""`isocenter queue`: studies that wait for their turn, through the night."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.console import Console
from engine.cli.machine.device import add_device
from engine.cli.outputs import Output, add_force
from engine.cli.shards import n_shards, source_of
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.core.paths import made
from engine.io import WRITERS, files_written, usual_suffixes
from engine.io.dicom.order import ImagingOrder
from engine.io.formats import writer_of
from engine.jobs.queue import QueueEntry, StudyQueue
from engine.modalities.studies import read_study
from engine.protocols.privacy.key import ending_of, pseudonym_of

if TYPE_CHECKING:  # what runs studies is not needed to list them
    from engine.jobs.queue.executor import Executor

ALL = "all of them if none is named"


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    group = add_verb(verbs, "queue")
    kinds = group.add_subparsers(dest="what", metavar="WHAT", required=True)
    _add_add(kinds)
    p = kinds.add_parser("list", help="say what waits, runs and ended, and why a study failed")
    p.set_defaults(act=_list)
    p = kinds.add_parser("run", help="work through the queue until nothing is left")
    p.add_argument(
        "--at-once", type=_number, metavar="N",
        help="studies at a time (1), or `fit`: as many as the memory is estimated to hold",
    )  # fmt: skip
    p.add_argument(
        "--scheduler", metavar="tcp://HOST:PORT",
        help="let the workers of a Dask cluster do it, one study for each of their threads",
    )  # fmt: skip
    p.add_argument(
        "--split", type=n_shards, metavar="N",
        help="share each study of list mode or FDK out over those workers instead, in N parts",
    )  # fmt: skip
    p.set_defaults(act=_run)
    for word, text, act in (
        ("pause", f"hold studies back; at work, they keep a checkpoint; {ALL}", _pause),
        ("resume", f"let paused studies wait for their turn again; {ALL}", _resume),
        ("retry", f"let studies that failed wait for their turn again; {ALL}", _retry),
    ):
        p = kinds.add_parser(word, help=text)
        p.add_argument("studies", nargs="*", metavar="ID", help="names as `queue list` gives them")
        p.set_defaults(act=act)
    p = kinds.add_parser("remove", help="take studies out; their results stay")
    p.add_argument("studies", nargs="+", metavar="ID")
    p.set_defaults(act=_remove)
    p = kinds.add_parser("move", help="put a study at another place")
    p.add_argument("study", metavar="ID")
    p.add_argument("to", type=int, metavar="PLACE", help="1 is the first")
    p.set_defaults(act=_move)


def _add_add(kinds: Verbs) -> None:
    p = kinds.add_parser("add", help="put studies at the end of the queue")
    p.add_argument("studies", nargs="+", type=Path, metavar="STUDY.toml")
    p.add_argument(
        "-o", "--output", type=Path, action=Output, written=_written, metavar="DIR",
        help="folder for the images, which are among the results in any case",
    )  # fmt: skip
    p.add_argument("--format", default=".nii.gz", metavar="END", help=usual_suffixes(WRITERS))
    p.add_argument("--identify", action="store_true", help="name images after the study files")
    p.add_argument(
        "--order", type=Path, metavar="ORDER.json",
        help="whose scans they are, as `dicom worklist` kept it",
    )  # fmt: skip
    add_device(p)
    p.add_argument("--threads", type=int, metavar="N", help="CPU threads (all cores if left out)")
    add_force(p)
    p.set_defaults(act=_add)


def _number(text: str) -> int:
    if text == "fit":
        return 0
    if text.isdecimal() and 1 <= int(text) <= 64:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is neither 1 to 64 nor `fit`")


def _written(folder: Path, arguments: argparse.Namespace) -> tuple[Path, ...]:
    """Return the files that will be made or replaced."""
    wanted = [_output_of(study, folder, arguments) for study in arguments.studies]
    return tuple(file for each in wanted for file in files_written(each))


def _output_of(study: Path, folder: Path, arguments: argparse.Namespace) -> Path:
    """Return where the image of a study goes: the same place each time, named by a pseudonym."""
    name = study.name if arguments.identify else pseudonym_of(study)
    return folder / f"{name.removesuffix(ending_of(name))}{arguments.format}"


def _add(arguments: argparse.Namespace, console: Console) -> None:
    folder = arguments.output
    if folder is not None:
        writer_of(made(folder) / f"image{arguments.format}")
    studies = [(path, read_study(path)) for path in arguments.studies]  # all of them or none
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
    if not queue.settings.has_runner:
        console.line("`isocenter queue run` works through it.")


def _list(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    entries, settings = queue.entries(), queue.settings
    for place, entry in enumerate(entries, 1):
        console.line(f"{place:3d}  {entry.id}  {said_of(entry):10s}  {entry.title}")
        if entry.text:
            console.line(f"     {entry.text}")
    n = "1 study" if len(entries) == 1 else f"{len(entries):,} studies"
    way = "one at a time" if settings.at_once == 1 else f"{settings.at_once} at a time"
    way = way if settings.at_once else "as many at a time as the memory holds"
    running = "runs" if settings.runs and settings.has_runner else "rests"
    console.line(f"{n}; the queue {running}, {way}")


def said_of(entry: QueueEntry) -> str:
    """Return how a study stands, in a word."""
    if entry.is_abandoned:
        return "waiting"
    share = f" {100 * entry.done:.0f} %" if entry.state == "running" else ""
    return f"{entry.state}{share}"


def _run(arguments: argparse.Namespace, console: Console) -> None:
    from engine.jobs.queue.runner import QueueRunner

    queue = StudyQueue()
    executor = _executor(queue, arguments.scheduler, arguments.split)
    queue.set_running(True, arguments.at_once)
    before = {entry.id for entry in _given_up(queue)}
    try:
        QueueRunner(queue, executor, console.line).run()
    except KeyboardInterrupt:
        queue.change_settings(runs=False)
        way = "`isocenter queue run` goes on from the last checkpoints."
        raise KeyboardInterrupt(way) from None
    failed = [entry for entry in _given_up(queue) if entry.id not in before]
    if failed:
        n = "1 study has" if len(failed) == 1 else f"{len(failed)} studies have"
        raise DataError(f"{n} no image, the first since: {failed[0].text}")


def _given_up(queue: StudyQueue) -> list[QueueEntry]:
    """Return what has failed, or rests although nobody asked for that."""
    entries = queue.entries()
    return [e for e in entries if e.state == "failed" or (e.state == "paused" and e.text)]


def _executor(queue: StudyQueue, scheduler: str | None, split: int | None) -> Executor:
    """Return what works on studies: processes of this machine, or workers of a cluster."""
    if scheduler is None or split is not None:
        from engine.jobs.queue.executor import LocalExecutor

        return LocalExecutor(queue, source=source_of(scheduler, split, or_whole=True))
    from engine.jobs.queue.dask_executor import DaskExecutor

    return DaskExecutor(queue, scheduler)


def _pause(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    if not arguments.studies:
        queue.set_running(False)
        console.line("The queue rests; `isocenter queue run` goes on.")
    _each(arguments.studies, queue.pause, "paused", console)


def _resume(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    _each(arguments.studies or _in_state(queue, "paused"), queue.resume, "waiting", console)


def _retry(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    _each(arguments.studies or _in_state(queue, "failed"), queue.retry, "waiting", console)


def _remove(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    for id in arguments.studies:
        title = queue.get(id).title
        queue.remove(id)
        console.line(f"{id}  taken out: {title}")


def _move(arguments: argparse.Namespace, console: Console) -> None:
    queue = StudyQueue()
    queue.move(arguments.study, arguments.to - 1)
    _list(arguments, console)


def _in_state(queue: StudyQueue, state: str) -> list[str]:
    return [entry.id for entry in queue.entries() if entry.state == state]


def _each(ids: list[str], act: Callable[[str], QueueEntry], wanted: str, console: Console) -> None:
    for id in ids:
        entry = act(id)
        is_asked = entry.state == "running" and entry.wish != ""
        if entry.state != wanted and not is_asked:
            raise SettingsError(f"{id}: is {entry.state}, so it cannot be {wanted} now.")
        console.line(f"{id}  {f'ends, then {wanted}' if is_asked else wanted}: {entry.title}")
