"""Small replacements for `engine.jobs.reconstruction.run`, which a spawned process can import.

They have the real parameters and send the same events, in a time that the test sets. The real
run is imported only if needed: its import takes as long as all other work of a test process.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace

import numpy as np

from engine.core import backend
from engine.core.errors import DataError, DeviceError
from engine.data.runs.events import (
    EarlyPreview,
    Finished,
    Loaded,
    Planned,
    Preview,
    Progressed,
    StageStarted,
    Warned,
)
from engine.data.storage import volume_file
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.protocols.run_context.provenance import with_run
from tests.engine.run_records import recorded

GRID = ImageGrid((4, 5, 6), (1.0, 2.0, 3.0))


def image_after(update):
    """Return the image of the replacements after `update` updates."""
    return np.random.default_rng(update).random(GRID.shape, np.float32)


def steady(study, *, on, resume, on_progress, finish_early, folder=None, pause_s=0.0, grid=GRID):
    """Send one image after another, without waiting."""
    algorithm = study.protocol.algorithm
    yield StageStarted("reconstruct", algorithm.describe())
    n_iterations, n_subsets = algorithm.n_iterations, algorithm.n_subsets
    done = 0 if resume is None else resume.done
    while done < n_iterations * n_subsets:
        time.sleep(pause_s)
        done += 1
        on_progress(Progressed("reconstruct", done, n_iterations * n_subsets))
        iteration, subset = divmod(done - 1, n_subsets)
        image = image_after(done) if grid is GRID else np.full(grid.shape, done, np.float32)
        volume = Volume(image, grid, "counts/mm")
        yield Preview(volume, iteration + 1, n_iterations, subset + 1, n_subsets, 0.0)
        if subset + 1 == n_subsets and finish_early():
            break
    info = {"updates": done}
    yield Finished(Volume(volume.values * 2, grid, "counts/mm", info), info)


def early(study, *, on_progress, **options):
    """Send an image before the first update, and no other: a newer one could replace it."""
    yield EarlyPreview(Volume(image_after(0), GRID, "counts/mm"), "one step")
    for done in range(600):  # each step asks if the run should end
        time.sleep(0.05)
        on_progress(Progressed("reconstruct", done, 600))


def slow(study, **options):
    """Send a new image every 50 ms."""
    yield from steady(study, pause_s=0.05, **options)


def large(study, **options):
    """Send images of 8 MB, faster than a test draws them."""
    grid = ImageGrid((128, 128, 128), (1.0, 1.0, 1.0))
    yield from steady(study, pause_s=0.01, grid=grid, **options)


def stuck(study, **options):
    """Send one image, then a step that never ends and never responds."""
    events = steady(study, **options)
    yield next(events)
    yield next(events)
    time.sleep(600)


def faulty_input(study, **options):
    """Refuse the scan."""
    yield StageStarted("read", "Reading the scan")
    raise DataError("scan.l: 0 events; nothing to reconstruct.")


def faulty_code(study, **options):
    """Raise an unexpected error."""
    yield StageStarted("read", "Reading the scan")
    raise ZeroDivisionError("division by zero")


ASSUMED = "The axis was not found and stays at column 3.00."


def assuming(study, **options):
    """Assume a value of the scan, and finish before any request can stop the run."""
    yield Warned(ASSUMED, about="axis", is_assumption=True)
    yield from steady(study, **options)


def assuming_late(study, **options):
    """Assume a value after three images, and continue until stopped."""
    events = slow(study, **options)
    for _ in range(4):  # a stage and its first images
        yield next(events)
    yield Warned(ASSUMED, about="axis", is_assumption=True)
    yield from events


def assuming_on_record(study, **options):
    """Like `assuming`, with a record of the run."""
    for event in assuming(study, **options):
        known = isinstance(event, Finished)
        yield replace(event, provenance=with_run({}, recorded())) if known else event


def report_modules(study, **options):
    """Send the modules that the process has imported."""
    yield Loaded("modules", {"modules": sorted(sys.modules)})
    yield from steady(study, **options)


UPDATES_BEFORE_FAULT = 3
"""Number of images of `failing_gpu` before its GPU fails."""


def failing_gpu(study, *, on, resume, **options):
    """Run the real reconstruction on an emulated GPU; its driver fails after three updates.

    A resumed run uses the requested device.
    """
    from engine.jobs.reconstruction import run

    if resume is not None:
        yield from run(study, on=on, resume=resume, **options)
        return
    yield from _until_the_gpu_fails(study, None, UPDATES_BEFORE_FAULT, options)


UPDATES_BEFORE_NEXT_FAULT = 2
"""Number of images of `gpu_failing_again` in each process after the first."""


def gpu_failing_again(study, *, on, resume, **options):
    """Run on an emulated GPU with a driver that fails in every process."""
    n_images = UPDATES_BEFORE_FAULT if resume is None else UPDATES_BEFORE_NEXT_FAULT
    yield from _until_the_gpu_fails(study, resume, n_images, options)


def _until_the_gpu_fails(study, resume, max_images, options):
    from engine.jobs.reconstruction import run
    from tests.emulator import EmulatedGpu

    gpu, n_images = EmulatedGpu(), 0
    for event in run(study, on=backend.cuda(gpu), resume=resume, **options):
        yield event
        n_images += isinstance(event, Preview)
        if n_images == max_images:  # work for the next image may already be queued
            gpu.fail_at_launch = gpu.fail_at_launch or gpu.n_launches + 1


def breaking_card(study, **options):
    """Run on the CPU like on a GPU that fails after three updates."""
    from engine.jobs.reconstruction import run

    n_images = 0
    for event in run(study, **options):
        yield event
        n_images += isinstance(event, Preview)
        if n_images == UPDATES_BEFORE_FAULT:
            raise DeviceError(
                "kernel em_update: the GPU reports cudaErrorIllegalAddress: an illegal memory "
                "access was encountered."
            )


def killed_gpu(study, **options):
    """Kill the process like a failing driver."""
    yield Planned("cuda", "Device: Emulated GPU. Memory needed: 1.0 GiB.")
    for n_events, event in enumerate(steady(study, **options)):
        yield event
        if n_events == UPDATES_BEFORE_FAULT:
            os.kill(os.getpid(), signal.SIGSEGV)


def dead_at_once(study, **options):
    """Kill the process before it has an image."""
    yield StageStarted("read", "Reading the scan")
    os.kill(os.getpid(), signal.SIGSEGV)


def faulty_code_on_gpu(study, **options):
    """Raise an unexpected GPU error without a message of ours."""
    yield Planned("cuda", "Device: Emulated GPU. Memory needed: 1.0 GiB.")
    yield from faulty_code(study, **options)


def faulty_input_on_gpu(study, **options):
    """Refuse the scan on any device."""
    yield Planned("cuda", "Device: Emulated GPU. Memory needed: 1.0 GiB.")
    yield from faulty_input(study, **options)


def in_slabs(study, *, on, resume, on_progress, finish_early, folder):
    """Write a volume into the file of its job, one slice after the other."""
    if resume is None:
        values, done = volume_file.made(folder / volume_file.NAME, GRID.shape), 0
    else:
        values, done = resume.image, resume.slices
    for k in range(done, len(values)):
        time.sleep(0.05)
        values[k] = image_after(1)[k]
        volume_file.to_disk(values)
        yield Preview(Volume(values, GRID, "1/mm"), 1, 1, k + 1, len(values), 0.05, slices=k + 1)
    yield Finished(Volume(values, GRID, "1/mm", {"updates": 1}), {"updates": 1})
