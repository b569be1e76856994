"""`isocenter studies`: list results, interrupted runs and the queue together."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_json, write_json, writes_json
from engine.cli.verbs import Verbs, add_verb
from engine.core.json_types import Plain
from engine.io.text.json_text import to_json
from engine.jobs.study_index import FILTERS, KnownStudy, known_studies

MIB = 2**20


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter studies`.

    The list has the patients' names from the worklist, unlike files that the program exports.
    """
    p = add_verb(verbs, "studies")
    p.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="show only studies that contain all words: names, IDs, dates (default: all)",
    )
    p.add_argument("--show", choices=FILTERS, default="all", help="kind of studies (default: all)")
    add_json(p, "write the list as JSON, with patient names")
    add_force(p)
    p.set_defaults(act=_studies)


def _studies(arguments: argparse.Namespace, console: Console) -> None:
    words, wanted = " ".join(arguments.words), FILTERS[arguments.show]
    found = [each for each in known_studies() if wanted(each) and each.matches(words)]
    for each in found:
        console.line(_line(each))
        if each.note:
            console.line(f"    {each.note}")
    n = "1 study" if len(found) == 1 else f"{len(found):,} studies"
    console.line(f"{n}, {sum(each.n_bytes for each in found) / MIB:,.0f} MiB")
    if arguments.json is not None:
        write_list(found, arguments.json)
        if not writes_json(arguments):
            console.line(f"List: {arguments.json}")


def write_list(studies: Sequence[KnownStudy], path: Path) -> None:
    """Write a list of studies as JSON, atomically and readable only by its owner.

    Parameters
    ----------
    studies
        studies in the order of the file
    path
        output file; contains patient names
    """
    text = to_json({"studies": [facts_of(each) for each in studies]}, indent=2)
    write_json(text, path, private=True)


def facts_of(study: KnownStudy) -> Plain:
    """Return a study as JSON values.

    Parameters
    ----------
    study
        study from the index

    Returns
    -------
    values
        texts and numbers; "when" is a local time in ISO 8601, "bytes" the size on disk
    """
    order = study.order
    return {
        "id": study.id,
        "patient": study.patient,
        "patient_id": study.patient_id,
        "accession": order.accession if order is not None else "",
        "scan": study.scan,
        "protocol": study.protocol,
        "state": study.state,
        "standing": study.standing,
        "when": study.when.isoformat(timespec="seconds"),
        "bytes": study.n_bytes,
    }


def _line(study: KnownStudy) -> str:
    patient = f"{study.patient} ({study.patient_id}), " if study.order is not None else ""
    size = f", {study.n_bytes / MIB:,.1f} MiB" if study.n_bytes else ""
    return (
        f"{study.id}  {study.when:%Y-%m-%d %H:%M}  {study.state:11s}  "
        f"{patient}{study.scan}, {study.protocol}: {study.standing}{size}"
    )
