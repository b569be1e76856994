"""Texts of a profile: rows of name, value and an explanation."""

from __future__ import annotations

from typing import NamedTuple

from app.language.translation import named, tr
from app.ui.theme.formatting import clock, count, sentence_case, size
from engine.core.profiling import ON_THE_BUS, GpuCounters, Profile, Stage

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


def machine(profile: Profile) -> list[ProfileRow]:
    """Return the current load of the machine.

    Parameters
    ----------
    profile
        profile of a run

    Returns
    -------
    list of ProfileRow
        rows of the GPU only if its counters can be read
    """
    counters = profile.counters
    rows: list[ProfileRow] = []
    if counters.gpu is not None:
        rows += _gpu_rows(counters.gpu)
    rows.append(
        ProfileRow(
            tr("Process memory"),
            f"{size(counters.process_bytes)} of {size(counters.machine_bytes)}",
            tr("Main memory used by the engine process."),
        )
    )
    if counters.cpu_percent is not None:
        rows.append(
            ProfileRow(
                tr("Processor"),
                # The counter adds all cores: 400 % are four busy cores.
                tr("{cpu_percent:.1f} cores busy", cpu_percent=counters.cpu_percent / 100),
                tr("Average number of processor cores recently used by the engine."),
            )
        )
    return rows


def device_tip(profile: Profile) -> str:
    """Return the facts of the device as a sentence."""
    device = profile.device
    if device.kind == "cpu":
        return tr("The reconstruction runs on the processor with this number of threads.")
    facts = []
    if device.compute_capability is not None:
        facts.append(
            tr(
                "compute capability {compute_capability:.1f}",
                # The engine states it as a whole number: 90 is 9.0.
                compute_capability=device.compute_capability / 10,
            )
        )
    if device.memory_bytes is not None:
        facts.append(tr("{size} memory", size=size(device.memory_bytes)))
    if device.peak_bytes_per_s is not None:
        facts.append(
            tr(
                "peak bandwidth {bytes_per_s}",
                bytes_per_s=bytes_per_s(device.peak_bytes_per_s),
            )
        )
    if device.driver is not None:
        facts.append(tr("CUDA driver {driver}", driver=device.driver))
    return f"{device.name}: {', '.join(facts)}."


def _gpu_rows(gpu: GpuCounters) -> list[ProfileRow]:
    rows = []
    if gpu.memory_used_bytes is not None and gpu.memory_total_bytes is not None:
        used, total = size(gpu.memory_used_bytes), size(gpu.memory_total_bytes)
        tip = tr("GPU memory used by all programs.")
        memory = tr("{used} of {total}", used=used, total=total)
        rows.append(ProfileRow(tr("GPU memory"), memory, tip))
    if gpu.utilisation_percent is not None:
        tip = tr("GPU utilisation over the last sampling period.")
        rows.append(ProfileRow(tr("GPU load"), f"{gpu.utilisation_percent:.0f} %", tip))
    if gpu.power_w is not None:
        # Not every driver states the limit.
        power = f"{gpu.power_w:.0f} W"
        if gpu.power_limit_w:
            limit = f"{gpu.power_limit_w:.0f} W"
            power = tr("{used} of {total}", used=power, total=limit)
        tip = tr("Power drawn by the GPU, and its power limit.")
        rows.append(ProfileRow(tr("Power"), power, tip))
    if gpu.temperature_c is not None:
        tip = tr("Temperature of the GPU. Near 90 °C, the GPU reduces its clock rate.")
        rows.append(ProfileRow(tr("Temperature"), f"{gpu.temperature_c:.0f} °C", tip))
    if gpu.clock_mhz is not None:
        tip = tr("Clock rate of the GPU. It drops when the GPU is hot or idle.")
        rows.append(
            ProfileRow(tr("Clock"), tr("{clock_mhz:,.0f} MHz", clock_mhz=gpu.clock_mhz), tip)
        )
    return rows


def missing(profile: Profile) -> str:
    """Return the reason why load, power and temperature are not shown.

    Parameters
    ----------
    profile
        profile of a run

    Returns
    -------
    str
        empty if they are shown
    """
    reason = profile.counters.gpu_reason
    return (
        tr(
            "Load, power and temperature of the GPU are not available. {reason}.",
            reason=sentence_case(reason),
        )
        if reason
        else ""
    )


def percent(share: float) -> str:
    """Return a fraction as per cent.

    Parameters
    ----------
    share
        fraction of 1; small values give "<1 %", so that they do not look like 0
    """
    return f"{100 * share:.0f} %" if share >= 0.005 or share == 0 else "<1 %"
