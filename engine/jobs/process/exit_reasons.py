"""Explain to the user the end of an engine process, the saved data and the remedy."""

from __future__ import annotations

import signal

from engine.core.errors import EngineError
from engine.data.runs.events import Preview
from engine.jobs.checkpoint import Job


def exit_text(exit_code: int | None) -> str:
    """Return a sentence about the end of a process.

    Parameters
    ----------
    exit_code
        0 or more from the process itself, negative for a signal; None if it is not known
    """
    if exit_code is None:
        return "The process closed the connection."
    if exit_code >= 0:
        return f"The process ended with exit code {exit_code}."
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = "unknown"
    killed = f"The process was killed by signal {-exit_code} ({name})."
    # Linux kills a process without a message when memory runs out
    return f"{killed} Perhaps memory ran out." if name == "SIGKILL" else killed


def saved_state_text(image: Preview | None, job: Job | None, *, on_gpu: bool = False) -> str:
    """Return sentences about the saved images and the ways to continue.

    Parameters
    ----------
    image
        last image received, None if there was none
    job
        job with the checkpoints, None without one
    on_gpu
        True after a run on a GPU, to offer the CPU too
    """
    saved = None if job is None else job.slabs.record()
    if saved is not None:
        n, total = saved.slices, saved.head.shape[0]
        return f"Slices saved on disk: {n:,} of {total:,}. Press Resume to continue from there."
    done, n_subsets = _checkpoint(job)
    sentences = []
    if image is not None and image.slices is None:
        sentences.append(
            f"The image of iteration {image.iteration}, subset {image.subset} is saved."
        )
    if done:
        # `done` counts updates from 1, so the last one of an iteration belongs to that iteration
        iteration, subset = divmod(done - 1, n_subsets)
        sentences.append(
            f"A checkpoint of iteration {iteration + 1}, subset {subset + 1} is saved on disk."
        )
        sentences.append(
            "Press Resume to continue on the GPU, or Continue on the CPU."
            if on_gpu
            else "Press Resume to continue from there."
        )
    else:
        sentences.append("No checkpoint was saved.")
        sentences.append(
            "Press Start to try again on the GPU, or Start on the CPU."
            if on_gpu
            else "Press Start to start again."
        )
    return " ".join(sentences)


def _checkpoint(job: Job | None) -> tuple[int, int]:
    """Return the updates before the newest checkpoint (or 0), and those per iteration."""
    if job is None:
        return 0, 1
    try:
        n_subsets = job.record.subsets or job.study.protocol.algorithm.n_subsets
        return job.info.done or 0, n_subsets
    # A damaged job has no checkpoint to offer
    except EngineError:
        return 0, 1
