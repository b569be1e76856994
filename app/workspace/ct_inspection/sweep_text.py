"""Describe candidates: value, score and recommendation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.language.translation import tr

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import Candidate, Estimate, Sweep

ALIKE = 0.05
"""Relative difference below which scores are not conclusive."""


def score_text(one: Candidate, among: Estimate) -> str:
    """Describe a score as a comparable number.

    Parameters
    ----------
    one
        the candidate
    among
        all candidates with the kind of score
    """
    if among.score == "sharpness":
        # Sharpness is stored as a negative score, so that the lowest is best for every method.
        best = min(other.score for other in among.candidates)
        return tr("sharpness {score:.2f} %", score=100 * one.score / best) if best else ""
    if among.score == "negativity":
        return tr("{score:.2f} % below zero", score=100 * one.score)
    return tr("entropy {score:.3f} bits", score=one.score)


def is_best(one: Candidate, among: Estimate) -> bool:
    """Return True if a candidate is the best.

    Parameters
    ----------
    one
        the candidate
    among
        all candidates

    Returns
    -------
    False for all of them if the value of a run was not tried
    """
    tried = [other.value for other in among.candidates]
    step = (tried[-1] - tried[0]) / (len(tried) - 1)
    return one is among.best and abs(one.value - among.value) <= step


def best_text(sweep: Sweep, found: Estimate) -> str:
    """Describe the best value and its method.

    Parameters
    ----------
    sweep
        the parameter that was varied
    found
        all candidates
    """
    # Adding 0.0 turns −0.0 into 0.0.
    value, best = sweep.describe(round(found.value, 3) + 0.0), found.best
    if not is_best(best, found):
        return tr(
            "With the current settings, a run would use this value: {value}. Method: {method}.",
            value=value,
            method=found.method,
        )
    text = tr("★ Best value: {value}. Method: {method}.", value=value, method=found.method)
    if _scores_are_equal(found):
        advice = tr("The scores hardly differ. Compare the slices by eye.")
    # The true optimum may be outside the range that was tried.
    elif best in (found.candidates[0], found.candidates[-1]):
        advice = tr("The best value is at one end of the range. Try values beyond it.")
    else:
        return text
    return f"{text} {advice}"


def _scores_are_equal(found: Estimate) -> bool:
    """Return True if all scores are about equal."""
    from engine.modalities import BEST

    scores = [one.score for one in found.candidates]
    spread = max(scores) - min(scores)
    return found.method in BEST.values() and spread < ALIKE * max(map(abs, scores))
