"""Kernels tuned on this machine: which form of each is fastest here, found with Kernel Tuner.

A session tries forms of one kernel on one size of work, holds every result against the reference
before its time counts, and keeps a form only if it is faster than the shipped one beyond the noise.
"""

from engine.faces import face

__getattr__, __dir__ = face(
    __name__,
    {
        "engine.tuning.problem": ("TuningProblem", "Values"),
        "engine.tuning.choices": ("STRATEGIES", "TARGETS"),
        "engine.tuning.problems": ("problems_of",),
        "engine.tuning.session": ("Outcome", "TuningSession", "TriedForm"),
        "engine.tuning.keeping": ("forget", "keep"),
    },
)
