"""`isocenter queue`: many studies, one after the other, through the night."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from engine.cli.console import Console
from engine.cli.device import add_device
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs, add_verb
from engine.errors import DataError, EngineError
from engine.io import WRITERS, existing, files_written, usual_suffixes
from engine.io.formats import writer_of
from engine.jobs.queue import QueuedStudy, run_queue
from engine.modalities.studies import read_study
from engine.paths import made
from engine.privacy.key import ending_of, pseudonym_of


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "queue")
    p.add_argument("studies", nargs="+", type=Path, metavar="STUDY.toml")
    p.add_argument(
        "-o", "--output", type=Path, action=Output, written=_written, required=True, metavar="DIR",
        help="folder for the images; those that are there already are left as they are",
    )  # fmt: skip
    p.add_argument("--format", default=".nii.gz", metavar="END", help=usual_suffixes(WRITERS))
    p.add_argument("--identify", action="store_true", help="name images after the study files")
    add_device(p)
    p.add_argument("--threads", type=int, metavar="N", help="CPU threads (all cores if left out)")
    add_force(p)
    p.set_defaults(act=_queue)


def _written(folder: Path, arguments: argparse.Namespace) -> tuple[Path, ...]:
    """Return the files that will be made or replaced; what is there stays unless it is forced."""
    wanted = [_output_of(study, folder, arguments) for study in arguments.studies]
    made_now = (each for each in wanted if arguments.force or not existing(each))
    return tuple(file for each in made_now for file in files_written(each))


def _output_of(study: Path, folder: Path, arguments: argparse.Namespace) -> Path:
    """Return where the image of a study goes: the same place each time, named by a pseudonym."""
    name = study.name if arguments.identify else pseudonym_of(study)
    return folder / f"{name.removesuffix(ending_of(name))}{arguments.format}"


def _queue(arguments: argparse.Namespace, console: Console) -> None:
    folder = made(arguments.output)
    writer_of(folder / f"image{arguments.format}")
    outputs = {each: _output_of(each, folder, arguments) for each in arguments.studies}
    for study, output in outputs.items():
        console.line(f"{study.name}: {output.name}")
    unread: list[str] = []

    def studies() -> Iterator[QueuedStudy]:
        for path, output in outputs.items():
            console.line(f"Study {path.name}")
            try:
                study = read_study(path)
            except EngineError as e:
                unread.append(f"{path.name}: {e}")
                console.line(f"  not reconstructed: {e}")
                continue
            if arguments.identify:
                study = study.model_copy(update={"identified": True})
            yield QueuedStudy(study, output)

    results = run_queue(
        studies(),
        device=arguments.device,
        threads=arguments.threads,
        force=arguments.force,
        on_event=console.show,
    )
    failed = []
    try:
        with closing(results) as outcomes:
            for outcome in outcomes:
                console.close()
                failed += [outcome.text] if outcome.state == "failed" else []
                why = f": {outcome.text}" if outcome.text else f", {outcome.seconds:,.0f} s"
                console.line(f"  {outcome.state}{why}")
    except KeyboardInterrupt:
        way = "give the same command again, and the queue goes on from the last checkpoint."
        raise KeyboardInterrupt(way) from None
    faults = [*unread, *failed]
    if faults:
        raise DataError(
            f"{len(faults)} of {len(outputs)} studies have no image, the first since: {faults[0]}"
        )
