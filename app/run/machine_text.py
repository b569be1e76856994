"""Load of the machine during a run as text: memory, cores, counters and facts of the GPU."""

from __future__ import annotations

from app.language.translation import tr
from app.run.profile_text import ProfileRow, bytes_per_s
from app.ui.theme.formatting import sentence_case, size
from engine.core.profiling import GpuCounters, Profile


def load_rows(profile: Profile) -> list[ProfileRow]:
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


def gpu_counters_note(profile: Profile) -> str:
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
