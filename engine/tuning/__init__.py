"""Kernels tuned on this machine: which form of each is fastest here, found with Kernel Tuner.

A session tries forms of one kernel on one size of work, holds every result against the reference
before its time counts, and keeps a form only if it is faster than the shipped one beyond the noise.
"""

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.jobs.process.side_process import Refused as Refused
    from engine.tuning.apart import search_apart as search_apart
    from engine.tuning.choices import KERNELS as KERNELS
    from engine.tuning.choices import MODALITIES as MODALITIES
    from engine.tuning.choices import STRATEGIES as STRATEGIES
    from engine.tuning.choices import TARGETS as TARGETS
    from engine.tuning.choices import why_no_search as why_no_search
    from engine.tuning.comparing import Comparison as Comparison
    from engine.tuning.keeping import StoredForm as StoredForm
    from engine.tuning.keeping import forget as forget
    from engine.tuning.keeping import forget_stored as forget_stored
    from engine.tuning.keeping import keep as keep
    from engine.tuning.keeping import stored_forms as stored_forms
    from engine.tuning.outcome import Began as Began
    from engine.tuning.outcome import Outcome as Outcome
    from engine.tuning.outcome import TriedForm as TriedForm
    from engine.tuning.outcome import Trying as Trying
    from engine.tuning.problem import TuningProblem as TuningProblem
    from engine.tuning.problem import Values as Values
    from engine.tuning.problems import problems_of as problems_of
    from engine.tuning.request import SearchRequest as SearchRequest
    from engine.tuning.search_process import SearchPrepared as SearchPrepared
    from engine.tuning.session import TuningSession as TuningSession
    from engine.tuning.words import SearchEnded as SearchEnded
    from engine.tuning.words import form_words as form_words
    from engine.tuning.words import gain_words as gain_words

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.jobs.process.side_process": ("Refused",),
            "engine.tuning.apart": ("search_apart",),
            "engine.tuning.choices": (
                "KERNELS",
                "MODALITIES",
                "STRATEGIES",
                "TARGETS",
                "why_no_search",
            ),
            "engine.tuning.comparing": ("Comparison",),
            "engine.tuning.keeping": (
                "StoredForm",
                "forget",
                "forget_stored",
                "keep",
                "stored_forms",
            ),
            "engine.tuning.outcome": (
                "Began",
                "Outcome",
                "TriedForm",
                "Trying",
            ),
            "engine.tuning.problem": (
                "TuningProblem",
                "Values",
            ),
            "engine.tuning.problems": ("problems_of",),
            "engine.tuning.request": ("SearchRequest",),
            "engine.tuning.search_process": ("SearchPrepared",),
            "engine.tuning.session": ("TuningSession",),
            "engine.tuning.words": (
                "SearchEnded",
                "form_words",
                "gain_words",
            ),
        },
    )
