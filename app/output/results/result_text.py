"""Texts of results: lines of the list, tooltips, and provenance of the displayed image."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.language.translation import tr
from app.state.models.protocols.text import marked
from app.state.models.run_record import RunRecord
from app.state.models.run_text import algorithm_of, ending_of, run_of
from app.ui.theme.formatting import clock, sentence_case, size
from engine.core.visible_text import visible_line, visible_text
from engine.modalities import Study
from engine.results import Difference, Result, differences
from engine.results.reports import Judgement

SIGNED: dict[Judgement, str] = {
    "acceptable": tr("Accepted"),
    "acceptable with remarks": tr("Accepted with remarks"),
    "not acceptable": tr("Rejected"),
}
OTHER_SCAN = tr("This image is from {0.then}, but the open scan is {0.now}.")


def lines_of(result: Result, name: str) -> tuple[str, str, str]:
    """Return the three lines of the list: scan; name and protocol; date and size.

    Parameters
    ----------
    result
        result to describe
    name
        short name that differs from others of the scan
    """
    run = result.record.run_record
    how = f"{name}, {marked(run.protocol.label)}"
    if run.is_partial:
        how = f"{how}, {ending_of(run)}"
    when = f"{result.created:%d %b %Y %H:%M}"
    return result.scan, how, f"{when}, {size(result.n_bytes)}"


def tip_of(result: Result, name: str) -> str:
    """Return the facts of a result without opening it, as rich text.

    Parameters
    ----------
    result
        result to describe
    name
        short name that differs from others of the scan
    """
    record = result.record
    run = record.run_record
    rows = [
        f"{name}, {result.scan} ({record.title.partition(',')[0]})",
        f"{marked(run.protocol.describe())}: {algorithm_of(run)}, {run_of(run)}",
        f"{record.voxels}, {record.unit or tr('no unit')}",
        tr(
            "{created:%A, %d %B %Y %H:%M}, {clock} on {device}",
            created=result.created,
            clock=clock(record.seconds),
            device=run.device,
        ),
        f"{size(result.n_bytes)} in {result.folder}",
    ]
    if run.n_warnings:
        rows.insert(2, tr("Warnings: {n}", n=run.n_warnings))
    if result.pinned:
        rows.append(tr("Pinned: kept until you delete it"))
    if result.exported:
        rows.append(tr("Exported"))
    # Names of scans and protocols can contain "<", which Qt would read as markup.
    return "<br>".join(escape(visible_text(row)) for row in rows)


def made_with(
    record: RunRecord, now: Study | None, name: str = "", at: int | None = None
) -> tuple[str, bool]:
    """Return the provenance of an image as text, and True if scan or settings have changed.

    Parameters
    ----------
    record
        record of the run
    now
        current study; None if no scan is open
    name
        name of the image
    at
        index of the stored image; None: the newest
    """
    study, run = record.study, record.run_at(at)
    if study is None or run is None:
        return "", False
    made = tr(
        "Protocol: {name}. Algorithm: {describe}.",
        name=marked(run.protocol.describe()),
        describe=algorithm_of(run),
    )
    ending = "" if run.ending == "running" else f"{sentence_case(run_of(run))}."
    # Without an open scan there is nothing to compare with.
    changed = [] if now is None else differences(study, now)
    other = [visible_line(OTHER_SCAN.format(each)) for each in changed if each.label == "scan"]
    since = "" if other or not changed else _changes(changed)  # another scan may differ in all
    # First, because the end of a long text is cut.
    begin = name and f"{name.rstrip('.')}."
    parts = (*other, since, begin, record.opened, made, ending)
    return " ".join(filter(None, parts)), bool(changed)


def _changes(changed: Sequence[Difference]) -> str:
    return tr("Changed since this image: {value}.", value="; ".join(str(each) for each in changed))
