"""Compare two results: both next to each other with their difference, with one window."""

from __future__ import annotations

from app.language.translation import tr
from app.state.models.images.open_volume import IMAGE, OpenVolume
from app.state.models.images.volume_origin import Origin
from app.state.services.context import AppContext
from app.views.volume_facts import looked_through
from engine.data import Volume
from engine.modalities import Study
from engine.results import Result

NOT_COMPARED = tr("The results are not compared, because another image was opened meanwhile.")


def compare_results(context: AppContext, lower: Result, upper: Result) -> None:
    """Show two results of a scan with their difference. They are read in a thread.

    Parameters
    ----------
    context
        context with the open volumes
    lower
        first volume; the displayed image of the run is used if it is this result
    upper
        second volume
    """
    session, volumes = context.session, context.session.volumes
    record = session.run.record
    is_shown = record.result_id == lower.id and volumes.image is not None

    def read() -> list[tuple[Result, Volume, Study]]:
        wanted = (upper,) if is_shown else (lower, upper)
        return [(each, looked_through(each.volume()), each.study) for each in wanted]

    def take(found: list[tuple[Result, Volume, Study]]) -> None:
        # The image of the run would be that of another result, perhaps of another patient.
        if session.run.record is not record:
            session.add_log("info", NOT_COMPARED)
            return
        for result, volume, study in found:
            name = session.results.names.get(result.id, result.scan)
            origin = Origin.of(volume, study, result.record.inputs)
            volumes.add(OpenVolume(key_of(result), name, "result", volume, origin))
        volumes.set_base(IMAGE if is_shown else key_of(lower))
        # With their difference, one window and one colour map.
        context.volumes.place(key_of(upper), "compare")

    context.commands.run_task(
        lambda _: read(),
        take,
        busy=tr("Reading the results"),
        failed=tr("The results cannot be compared."),
    )


def key_of(result: Result) -> str:
    """Return the key under which a result is open."""
    return f"result:{result.id}"
