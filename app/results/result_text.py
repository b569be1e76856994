"""Results in words: the lines of the list, its tips, and what made the image on show."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.language.translation import tr
from app.look.formatting import clock, size
from app.models.run_record import RunRecord
from engine.modalities import Study
from engine.results import Difference, Result, differences

OTHER_SCAN = tr("This image is of {0.then}, not of the scan that is open, {0.now}.")


def lines_of(result: Result) -> tuple[str, str, str]:
    """Return what a line of the list says: the scan, how it was made, when and how large."""
    record = result.record
    how = record.protocol
    if record.is_partial:
        how = f"{how}, {record.ending}"
    when = f"{result.created:%d %b %Y %H:%M}"
    return result.scan, how, f"{when}, {size(result.n_bytes)}"


def tip_of(result: Result) -> str:
    """Return all that is known of a result without opening it, as rich text."""
    record = result.record
    rows = [
        f"{result.scan} ({record.title.partition(',')[0]})",
        f"{record.protocol}, {record.ending}",
        f"{record.voxels}, {record.unit or tr('no unit')}",
        tr(
            "{created:%A, %d %B %Y %H:%M}, {clock} on {device}",
            created=result.created,
            clock=clock(record.seconds),
            device=record.device,
        ),
        f"{size(result.n_bytes)} in {result.folder}",
    ]
    if result.pinned:
        rows.append(tr("Pinned: kept until you delete it"))
    if result.exported:
        rows.append(tr("Exported"))
    return "<br>".join(escape(row) for row in rows)


def made_with(record: RunRecord, now: Study | None) -> tuple[str, bool]:
    """Return what made an image, and whether scan or settings have changed since.

    `now` is the study at hand; None while no scan is open.
    """
    study = record.study
    if study is None:
        return "", False
    made = tr(
        "Made with {name}: {describe}.",
        name=study.protocol.name,
        describe=study.protocol.algorithm.describe(),
    )
    ending = f"{record.ending}." if record.ending else ""
    changed = [] if now is None else differences(study, now)
    other = [OTHER_SCAN.format(each) for each in changed if each.label == "scan"]
    since = "" if other or not changed else _changes(changed)  # of another scan all may differ
    return " ".join(filter(None, (*other, ending, made, since))), bool(changed)


def _changes(changed: Sequence[Difference]) -> str:
    return tr("Changed since: {value}.", value="; ".join(str(each) for each in changed))
