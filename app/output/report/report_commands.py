"""What the user can do with a result on show: judge it, sign it off, report it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.language.translation import tr
from app.state.models.run_record import RunRecord
from app.state.services.context import AppContext
from engine.analysis.regions import (
    RegionSet,
    marks_of,
    read_regions,
    regions_file_of,
    write_regions,
)
from engine.core.errors import EngineError
from engine.io import exports_folder
from engine.results import VOLUME, Result, Results, default_export_name
from engine.results.reports import (
    Judgement,
    ReportSubject,
    Signature,
    Site,
    login_name,
    report_of,
    sign,
    signatures_of,
    write_report,
)

NO_RESULT = tr("There is no result yet. It is saved at the end of a run.")


@dataclass(frozen=True)
class ImageJudgement:
    """How somebody judged an image."""

    who: str
    judgement: Judgement
    remark: str = ""


@dataclass(frozen=True)
class Reported:
    """What was done: the file that was written, and who signed the result off."""

    path: Path
    signatures: tuple[Signature, ...]


def people_of(site: Site) -> tuple[str, ...]:
    """Return who may sign: the people of the settings, else the login."""
    return site.people or (login_name() or tr("not known"),)


def obstacle(record: RunRecord) -> str:
    """Return why the image on show cannot be reported, empty if it can."""
    return "" if record.result_id else NO_RESULT


def kept_signatures(record: RunRecord) -> tuple[Signature, ...]:
    """Return who has signed the result on show off; nobody if it cannot be read."""
    try:
        return signatures_of(Results().open(record.result_id)) if record.result_id else ()
    except EngineError:
        return ()  # signing and reporting show the reason


def sign_and_report(
    context: AppContext,
    verdict: ImageJudgement | None,
    done: Callable[[Reported], object],
    *,
    path: Path | None = None,
    full: bool = False,
    id: str = "",
) -> None:
    """Sign the result on show off, if a verdict is given, and write its report; in a thread.

    Without a path it goes into the folder of the settings, under a name that is free; `id` is
    another result than that on show.
    """
    site, id = context.preferences.site, id or context.session.run.record.result_id

    def work(_: object) -> Reported:
        result = Results().open(id)
        subject = read_subject(context, id)  # no fault of reading comes after the signing
        target = path or free_path(result, site)
        if verdict is not None:
            sign(result, verdict.who, verdict.judgement, verdict.remark)
            subject = read_subject(context, id)
        write_report(report_of(subject, full=full), subject, target)
        return Reported(target, signatures_of(result))

    context.commands.run_task(
        work,
        lambda found: _tell(context, found, done),
        busy=tr("Saving the report"),
        failed=tr("The report was not saved."),
    )


def read_subject(context: AppContext, id: str) -> ReportSubject:
    """Read a result for its report: of the one on show with the regions and the position.

    The position of the patient is the one that the user stated in the views.
    """
    result, own = Results().open(id), regions_on_show(context, id)
    if own is not None:
        _put_beside(own, result)
    subject = ReportSubject.read(result, context.preferences.site)
    if context.session.run.record.result_id != id:
        return subject
    return replace(subject, volume=context.session.view.positioned(subject.volume))


def regions_on_show(context: AppContext, id: str) -> RegionSet | None:
    """Return the regions of the result on show; None of another one, or where there are none."""
    session, base = context.session, context.session.volumes.base
    is_shown = base is not None and base.kind in ("image", "iterate")
    if not is_shown or session.run.record.result_id != id or session.regions.current.is_empty:
        return None
    return session.regions.current


def _put_beside(own: RegionSet, result: Result) -> None:
    """Keep regions where a report looks for them: they may have been drawn before the run ended."""
    path = regions_file_of(result.folder / VOLUME)
    kept = read_regions(path) if path.exists() else RegionSet()
    if (kept.regions, kept.annotations) != (own.regions, own.annotations):
        write_regions(own.bound_to(marks_of(result.volume())), path, private=True)


def free_path(result: Result, site: Site) -> Path:
    """Return where the report of a result goes: no file that exists is replaced."""
    folder = Path(site.reports).expanduser() if site.reports else exports_folder()
    scan, protocol = result.record.title.partition(",")[0], result.record.protocol
    stem = f"{default_export_name(scan, protocol, result.created)}-report"
    tries = (folder / f"{stem}{n}.pdf" for n in ("", *(f"-{k}" for k in range(2, 10_000))))
    return next(each for each in tries if not each.exists())


def _tell(context: AppContext, reported: Reported, done: Callable[[Reported], object]) -> None:
    context.session.add_log("info", tr("Report: {path}", path=reported.path))
    context.results.refresh()
    done(reported)
