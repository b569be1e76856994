"""The parts of the benchmark of dual-head PET."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.backend import Backend
from engine.core.errors import SettingsError
from engine.tools.benchmark import figures
from engine.tools.benchmark.dual_head import images, kernels, suite, variants
from engine.tools.benchmark.dual_head.panels import PanelWork

PARTS = ("projection", "forms", "kernels", "images")


def parts_of(devices: Sequence[Backend], system: str) -> list[str]:
    """Return the parts that are measured by default: those that take minutes at most.

    Parameters
    ----------
    devices
        devices to measure
    system
        key of `panels.SYSTEMS`
    """
    on_gpu, on_cpu = (any(on.is_cuda is is_cuda for on in devices) for is_cuda in (True, False))
    chosen = {
        "projection": True,
        "forms": on_cpu,
        "kernels": on_gpu,
        # Images of the full system take long on a CPU
        "images": system != "full" or not on_cpu,
    }
    return [part for part in PARTS if chosen[part]]


def run(
    devices: Sequence[Backend],
    work: PanelWork,
    *,
    parts: Sequence[str],
    repeats: int = 1,
    iterations: int = images.ITERATIONS,
    n_counts: float | None = None,
    log: figures.Log,
) -> figures.Figures:
    """Measure parts one by one.

    Parameters
    ----------
    devices
        devices, the CPU first
    work
        scanner, response and subsets
    parts
        names from `PARTS`
    repeats
        runs of each case; the median counts
    iterations, n_counts
        for the images; None for as many counts per line as in the paper
    log
        called with the name of each part

    Returns
    -------
    figures
        JSON values for the report

    Raises
    ------
    SettingsError
        for an unknown part
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise SettingsError(
            f"--parts: {unknown[0]!r} is not a part of this benchmark; choose from "
            f"{', '.join(PARTS)}."
        )
    first, last = devices[0], devices[-1]
    measures = {
        "projection": ("dual_head", lambda: suite.run(devices, work, repeats)),
        "forms": ("dual_head_forms", lambda: variants.run(first, work, repeats)),
        "kernels": ("dual_head_kernels", lambda: kernels.run(last, work, repeats)),
        "images": (
            "dual_head_images",
            lambda: images.run(devices, work, iterations=iterations, n_counts=n_counts),
        ),
    }
    return figures.collect(figures.DUAL_HEAD, devices, dict(measures[part] for part in parts), log)
