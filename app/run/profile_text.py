"""Speed of a run as text: rates and memory traffic of its stages, with explanations."""

from __future__ import annotations

from typing import NamedTuple

from app.language.translation import named, tr
from app.ui.theme.formatting import clock, count
from engine.core.profiling import ON_THE_BUS, Profile, Stage

STAGE_TIPS = {
    "read": tr("The scan is read from the disk."),
    "kernels": tr("The kernels are compiled or loaded from the cache."),
    "response": tr(
        "The system response of the panels is read, or computed and saved for the next run."
    ),
    "correct": tr("The data for each correction are computed from the scan."),
    "sort": tr("Events are sorted so that consecutive events cross the same voxels."),
    "upload": tr("Events are copied from main memory to GPU memory."),
    "scatter": tr(
        "Scatter is simulated from low-resolution images of the scan, in several iterations."
    ),
    "sensitivity": tr(
        "The sensitivity of the scanner is computed for each voxel and saved on disk for the "
        "next run."
    ),
    "forward": tr("The image is summed along the line of each event."),
    "back": tr(
        "The ratio of measured to estimated counts is back-projected along the line of each event."
    ),
    "fused": tr(
        "Forward and back projection in one pass. For each event, the image is summed "
        "along the line of the event and the voxels on this line are updated."
    ),
    "update": tr("The image is updated voxel by voxel from the back-projected values."),
    "filter": tr("The image is smoothed, either between iterations or at the end."),
    "preview": tr("The image is copied for display in the window."),
}
COUNTED_TIPS = {
    ("forward", "rays"): tr("The image is summed along the ray to each pixel."),
    ("back", "rays"): tr(
        "Each pixel is back-projected along its ray. This is the exact transpose of the "
        "forward projection."
    ),
    ("back", tr("voxel updates")): (
        tr(
            "Each voxel reads the value at its projected position in each view. One voxel "
            "in one view counts as one update."
        )
    ),
    ("filter", "pixels"): tr("The rows of the projections are weighted and filtered."),
    ("upload", "pixels"): tr("Projections are copied from main memory to GPU memory."),
}
"""Tips of stages that do not process events, by key and counted unit."""
SPEED_TIP = tr(
    "Events forward- and back-projected per second of projection time. Reading, sorting, "
    "sensitivity, updates, filters and previews are not included."
)
TIME_TIP = tr(
    "Time spent in each stage so far, and its share of the total. Work on a GPU is timed by the "
    "GPU itself."
)
TRAFFIC_TIP = tr(
    "Memory traffic per second, computed from the events and voxels, and its share of the peak "
    "bandwidth of the GPU memory. The caches serve part of the traffic, so the share can exceed "
    "100 %. The share is much lower if the GPU waits for something else."
)
BUS_TIP = tr("Data transferred between main memory and the GPU per second.")


class ProfileRow(NamedTuple):
    """A name, its value with unit, and an explanation."""

    name: str
    value: str
    tip: str = ""


def headline(profile: Profile) -> str:
    """Return the speed of the run so far, or the time if no events were projected.

    Parameters
    ----------
    profile
        profile of a run

    Returns
    -------
    str
        rate of full projections, otherwise of back projections, otherwise the time
    """
    if profile.events_per_s is not None:
        return per_s(profile.events_per_s)
    back = profile.stage("back")
    if back is None or back.events_per_s is None:
        return tr("Computation time: {clock}", clock=clock(profile.seconds))
    return per_s(back.events_per_s, back.unit)


def meaning(profile: Profile) -> str:
    """Return the explanation of the headline, one line."""
    back = profile.stage("back")
    if profile.events_per_s is not None:
        return tr("forward- and back-projected on {name}", name=profile.device.name)
    if back is not None and back.events_per_s is not None:
        return tr("back-projected on {name}", name=profile.device.name)
    return f"on {profile.device.name}"


def per_s(rate: float, unit: str = "events") -> str:
    """Return a rate as text, such as "2.9 M events/s".

    Parameters
    ----------
    rate
        number per second
    unit
        counted unit, plural
    """
    return f"{count(rate)} {unit}/s"


def bytes_per_s(rate: float) -> str:
    """Return a data rate in decimal units, such as "1.23 TB/s".

    Parameters
    ----------
    rate
        bytes per second
    """
    # Decimal units: the peak bandwidth in the data sheets of GPUs is decimal too.
    for step, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if rate >= step:
            return f"{rate / step:.2f} {unit}/s"
    return f"{rate:.0f} B/s"


def rates(profile: Profile) -> list[ProfileRow]:
    """Return the rate of each stage that counts events, rays, pixels or updates.

    Parameters
    ----------
    profile
        profile of a run
    """
    return [
        ProfileRow(named(stage.title), per_s(stage.events_per_s, stage.unit), stage_tip(stage))
        for stage in profile.stages
        if stage.events_per_s is not None
    ]


def stage_tip(stage: Stage) -> str:
    """Return the explanation of a stage; empty if it has none."""
    return COUNTED_TIPS.get((stage.key, stage.unit), STAGE_TIPS.get(stage.key, ""))


def traffic(profile: Profile) -> list[ProfileRow]:
    """Return the data rate of each stage that counts bytes.

    Parameters
    ----------
    profile
        profile of a run
    """
    return [
        ProfileRow(
            named(stage.title), _traffic(stage), BUS_TIP if stage.key in ON_THE_BUS else TRAFFIC_TIP
        )
        for stage in profile.stages
        if stage.bytes_per_s is not None
    ]


def _traffic(stage: Stage) -> str:
    text = bytes_per_s(stage.bytes_per_s or 0.0)
    return (
        tr("{text}, {peak_share} of peak", text=text, peak_share=percent(stage.peak_share))
        # Only GPU memory has a known peak bandwidth.
        if stage.peak_share
        else text
    )


def percent(share: float) -> str:
    """Return a fraction as per cent.

    Parameters
    ----------
    share
        fraction of 1; small values give "<1 %", so that they do not look like 0
    """
    return f"{100 * share:.0f} %" if share >= 0.005 or share == 0 else "<1 %"
