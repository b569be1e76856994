"""Commands for the displayed result: judge, sign off, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.language.translation import tr
from app.state.models.run_record import RunRecord
from app.state.services.context import AppContext
from engine.analysis.regions import (
    RegionSet,
    marks_of,
    regions_at,
    regions_file_of,
    replace_regions,
)
from engine.core.errors import EngineError
from engine.io import exports_folder
from engine.jobs.study_index import Node, call_node, send_files
from engine.results import VOLUME, Result, Results, default_export_name
from engine.results.reports import (
    Judgement,
    ReportSubject,
    Signature,
    Site,
    login_name,
    report_of,
    send_report,
    send_to_archive,
    sign,
    signature_warnings,
    signatures_of,
    write_report,
)

MAX_S = 600.0
"""Time after which sending is ended in any case. A report has two small files."""
NO_NODE = tr("No DICOM node is configured; add one in the settings.")
NO_RESULT = tr("There is no result yet. A result is saved at the end of each run.")


@dataclass(frozen=True)
class ImageJudgement:
    """Judgement of an image by a reader."""

    who: str
    judgement: Judgement
    remark: str = ""


@dataclass(frozen=True)
class Reported:
    """Written report, and the signatures of the result."""

    path: Path
    signatures: tuple[Signature, ...]


def people_of(site: Site) -> tuple[str, ...]:
    """Return the names that can sign: the people of the settings, otherwise the login."""
    return site.people or (login_name() or tr("unknown"),)


def obstacle(record: RunRecord) -> str:
    """Return the reason why the displayed image cannot be reported; empty if it can."""
    return "" if record.result_id else NO_RESULT


def signatures_of_run(record: RunRecord) -> tuple[tuple[Signature, ...], str]:
    """Return the signatures of the displayed result, and the faults that it must show.

    Parameters
    ----------
    record
        record of the displayed run

    Returns
    -------
    signatures
        empty if there are none, or if they were changed
    fault
        sentences about changed or missing signatures; empty if there are none
    """
    if not record.result_id:
        return (), ""
    try:
        result = Results().open(record.result_id)
        made = signatures_of(result)
        return made, " ".join(signature_warnings(result, made))
    except EngineError as e:
        return (), str(e)


def sign_and_report(
    context: AppContext,
    verdict: ImageJudgement | None,
    done: Callable[[Reported], object],
    *,
    path: Path | None = None,
    full: bool = False,
    id: str = "",
    on_signed: Callable[[], object] = lambda: None,
) -> None:
    """Sign a result off and write its report, in a thread.

    Parameters
    ----------
    context
        context with the displayed result
    verdict
        judgement to sign; None: only write the report
    done
        called with the report and the signatures
    path
        file of the report; None: an unused name in the folder of the settings
    full
        True for the full report
    id
        result to report; empty: the displayed one
    on_signed
        called in the thread after the signature, before the report is written
    """
    context.session.unlock_key()
    site, id = context.preferences.site, id or context.session.run.record.result_id

    def work(_: object) -> Reported:
        result = Results().open(id)
        subject = read_subject(context, id)  # before the signature, because reading can fail
        target = path or free_path(result, site)
        if verdict is not None:
            sign(result, verdict.who, verdict.judgement, verdict.remark)
            on_signed()
            subject = read_subject(context, id)
        write_report(report_of(subject, full=full), subject, target)
        return Reported(target, signatures_of(result))

    context.commands.run_task(
        work,
        lambda found: _log_report(context, found, done),
        busy=tr("Saving the report"),
        failed=tr("The report was not saved."),
    )


def send_result(
    context: AppContext,
    done: Callable[[str], object],
    *,
    full: bool = False,
    with_regions: bool = False,
    with_image: bool = False,
    id: str = "",
) -> None:
    """Send the report of a result to the DICOM node of the site, in a thread.

    Parameters
    ----------
    context
        context with the displayed result
    done
        called with a sentence about the objects that the node accepted
    full
        True for the full report
    with_regions
        True to send the regions too
    with_image
        True to send image and regions too; refused if the scan names no patient
    id
        result to send; empty: the displayed one
    """
    context.session.unlock_key()
    id = id or context.session.run.record.result_id

    def work(_: object) -> str:
        subject = read_subject(context, id)
        report = report_of(subject, full=full)
        if with_image:
            node = send_to_archive(report, subject, _send_in_child)
            accepted = tr("{node} accepted image and report.", node=node)
        else:
            node = send_report(report, subject, _send_in_child, with_regions=with_regions)
            accepted = tr("{node} accepted the report.", node=node)
        # In the thread, because a closing window receives no callbacks.
        context.session.outbox.finish(id, with_image=with_image)
        return accepted

    def tell(accepted: str) -> None:
        context.session.add_log("info", accepted)
        context.session.outbox.sent.emit(id, accepted)
        done(accepted)

    context.commands.run_task(
        work,
        tell,
        busy=tr("Sending image and report") if with_image else tr("Sending the report"),
        failed=tr("The image was not sent.") if with_image else tr("The report was not sent."),
    )


def _send_in_child(paths: Sequence[Path], node: Node) -> int:
    return call_node(send_files, list(paths), node, name=node.name, seconds=MAX_S)


def read_subject(context: AppContext, id: str) -> ReportSubject:
    """Read a result for its report.

    The displayed result includes the current regions and key images, and the patient position that
    the user stated in the views.

    Parameters
    ----------
    context
        context with the displayed result
    id
        result to read

    Raises
    ------
    EngineError
        if a file of the result is damaged or was changed
    """
    result, own = Results().open(id), regions_on_show(context, id)
    if own is not None:
        _store_regions(own, result)
    subject = ReportSubject.read(result, context.preferences.site)
    if context.session.run.record.result_id != id:
        return subject
    return as_shown(context, subject)


def as_shown(context: AppContext, subject: ReportSubject) -> ReportSubject:
    """Return the displayed result with its patient position and key images in the window.

    Parameters
    ----------
    context
        context with the displayed result
    subject
        this result as it is stored
    """
    session = context.session
    volume, chosen = session.view.positioned(subject.volume), session.key_images
    # A change may not be stored yet.
    is_known = chosen.is_ready and chosen.result_id == subject.result.id
    images = chosen.images if is_known else subject.key_images
    return replace(subject, volume=volume, key_images=images)


def regions_on_show(context: AppContext, id: str) -> RegionSet | None:
    """Return the regions of the displayed result; None for another result, or without regions."""
    session, base = context.session, context.session.volumes.base
    is_shown = base is not None and base.kind in ("image", "iterate")
    if not is_shown or session.run.record.result_id != id or session.regions.current.is_empty:
        return None
    return session.regions.current


def _store_regions(own: RegionSet, result: Result) -> None:
    """Store regions where a report reads them; they may have been drawn before the run ended."""
    path = regions_file_of(result.folder / VOLUME)
    stored = regions_at(path, own.scans).regions
    if stored is None or (stored.regions, stored.annotations) != (own.regions, own.annotations):
        replace_regions(own.bound_to(marks_of(result.volume())), path)


def free_path(result: Result, site: Site) -> Path:
    """Return an unused file name for the report of a result.

    Parameters
    ----------
    result
        result to report
    site
        settings with the folder of reports; if empty, reports go to the exports
    """
    folder = Path(site.reports).expanduser() if site.reports else exports_folder()
    scan, protocol = result.record.title.partition(",")[0], result.record.protocol
    # The pseudonym of the title, not the file name of the scan.
    stem = f"{default_export_name(scan, protocol, result.created)}-report"
    tries = (folder / f"{stem}{n}.pdf" for n in ("", *(f"-{k}" for k in range(2, 10_000))))
    return next(each for each in tries if not each.exists())


def _log_report(
    context: AppContext, reported: Reported, done: Callable[[Reported], object]
) -> None:
    context.session.add_log("info", tr("Report: {path}", path=reported.path))
    # A signed result is pinned, which the list must show.
    context.results.refresh()
    done(reported)
