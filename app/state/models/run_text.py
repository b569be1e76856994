"""Summary of a run in the language of the window. In English, it equals the engine's words."""

from __future__ import annotations

from app.language.translation import tr
from engine.data import RecordedRun

ENDINGS = {
    "running": tr("running"),
    "done": tr("finished"),
    "converged": tr("converged"),
    "stopped": tr("stopped by the user"),
    "aborted": tr("aborted"),
    "failed": tr("stopped by an error"),
}
"""Words for each ending of a run."""


def algorithm_of(run: RecordedRun) -> str:
    """Return the algorithm with its iterations and subsets: "OSEM, 6 iterations × 8 subsets".

    Parameters
    ----------
    run
        record of a run
    """
    if not run.iterates:
        return run.algorithm
    n, used = iterations_of(run), run.subsets
    done = tr("1 iteration") if n == "1" else tr("{n} iterations", n=n)
    if used and max(used) > 1:
        low, high = min(used), max(used)
        span = str(low) if low == high else tr("{low} to {high}", low=low, high=high)
        done = tr("{iterations} × {subsets} subsets", iterations=done, subsets=span)
    # Older results do not name their algorithm.
    return f"{run.algorithm or tr('algorithm not recorded')}, {done}"


def ending_of(run: RecordedRun) -> str:
    """Return the ending: "finished", "aborted at iteration 12 of 40".

    Parameters
    ----------
    run
        record of a run
    """
    word = ENDINGS[run.ending]
    # Frames come before iterations: a missing frame matters more than an unfinished one.
    if run.frames_planned and run.frames_done < run.frames_planned:
        at = {"n": run.frames_done, "of": run.frames_planned}
        return tr("{ending} after frame {n} of {of}", ending=word, **at)
    if not run.is_cut_short:
        return word
    steps = {"ending": word, "n": iterations_of(run), "of": run.iterations_planned}
    if run.may_end_early:
        return tr("{ending} at iteration {n} of at most {of}", **steps)
    return tr("{ending} at iteration {n} of {of}", **steps)


def run_of(run: RecordedRun) -> str:
    """Return the ending with interruptions and the reason: "finished, resumed once".

    Parameters
    ----------
    run
        record of a run. Its reason is in English, as in the report
    """
    parts = [ending_of(run)]
    if run.resumed == 1:
        parts.append(tr("resumed once"))
    elif run.resumed:
        parts.append(tr("resumed {n} times", n=run.resumed))
    reason = f": {run.reason.rstrip('.')}" if run.reason else ""
    return ", ".join(parts) + reason


def iterations_of(run: RecordedRun) -> str:
    """Return the completed iterations with at most one decimal.

    Parameters
    ----------
    run
        record of a run
    """
    return f"{run.iterations_done:.1f}".removesuffix(".0")
