"""Tune kernels on this machine: find the fastest variant of each with Kernel Tuner.

A session tries variants of one kernel on one problem size. It compares every result with the
reference before the time counts, and stores a variant only if it is significantly faster than the
default.
"""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.jobs.process.side_process import Refused as Refused
    from engine.tools.tuning.choices import KERNELS as KERNELS
    from engine.tools.tuning.choices import MODALITIES as MODALITIES
    from engine.tools.tuning.choices import STRATEGIES as STRATEGIES
    from engine.tools.tuning.choices import TARGETS as TARGETS
    from engine.tools.tuning.choices import why_no_search as why_no_search
    from engine.tools.tuning.comparing import Comparison as Comparison
    from engine.tools.tuning.outcome import Began as Began
    from engine.tools.tuning.outcome import Outcome as Outcome
    from engine.tools.tuning.outcome import TriedVariant as TriedVariant
    from engine.tools.tuning.outcome import Trying as Trying
    from engine.tools.tuning.problem import TuningProblem as TuningProblem
    from engine.tools.tuning.problem import Values as Values
    from engine.tools.tuning.problems import problems_of as problems_of
    from engine.tools.tuning.request import SearchRequest as SearchRequest
    from engine.tools.tuning.search_process import SearchPrepared as SearchPrepared
    from engine.tools.tuning.search_text import SearchEnded as SearchEnded
    from engine.tools.tuning.search_text import form_text as form_text
    from engine.tools.tuning.search_text import gain_text as gain_text
    from engine.tools.tuning.session import TuningSession as TuningSession
    from engine.tools.tuning.storing import StoredForm as StoredForm
    from engine.tools.tuning.storing import forget as forget
    from engine.tools.tuning.storing import forget_stored as forget_stored
    from engine.tools.tuning.storing import keep as keep
    from engine.tools.tuning.storing import stored_forms as stored_forms
    from engine.tools.tuning.worker_process import search_in_processes as search_in_processes

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "engine.jobs.process.side_process": ("Refused",),
            "worker_process": ("search_in_processes",),
            "choices": (
                "KERNELS",
                "MODALITIES",
                "STRATEGIES",
                "TARGETS",
                "why_no_search",
            ),
            "comparing": ("Comparison",),
            "storing": (
                "StoredForm",
                "forget",
                "forget_stored",
                "keep",
                "stored_forms",
            ),
            "outcome": (
                "Began",
                "Outcome",
                "TriedVariant",
                "Trying",
            ),
            "problem": (
                "TuningProblem",
                "Values",
            ),
            "problems": ("problems_of",),
            "request": ("SearchRequest",),
            "search_process": ("SearchPrepared",),
            "session": ("TuningSession",),
            "search_text": (
                "SearchEnded",
                "form_text",
                "gain_text",
            ),
        },
    )
