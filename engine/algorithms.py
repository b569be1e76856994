"""Reconstruction algorithms for counts and for line integrals.

The settings of an algorithm are its fields. `solve` runs one on a model and yields the image after
each update.

Examples
--------
>>> import engine
>>> engine.algorithms.Osem(iterations=2, subsets=8).describe()
'OSEM, 2 iterations × 8 subsets'
>>> len(engine.algorithms.LINEAR_ALGORITHMS)
4
"""

# Programs from before version 0.2.0 import modules of this name, such as engine.algorithms.osem.
# Python looks for them only in a module with a path; `engine.core.old_names` finds them.
__path__: list[str] = []

from engine.recon.algorithms.base import Algorithm, Iterate
from engine.recon.algorithms.cgls import Cgls
from engine.recon.algorithms.driver import Step, solve
from engine.recon.algorithms.fdk import Fdk
from engine.recon.algorithms.fista_tv import FistaTv
from engine.recon.algorithms.for_counts import ALGORITHMS
from engine.recon.algorithms.for_line_integrals import LINEAR_ALGORITHMS
from engine.recon.algorithms.map_algorithms import Bsrem, Svrg
from engine.recon.algorithms.optimality import Optimality
from engine.recon.algorithms.osem import Mlem, Osem
from engine.recon.algorithms.sirt import Sirt

__all__ = [
    "ALGORITHMS",
    "LINEAR_ALGORITHMS",
    "Algorithm",
    "Bsrem",
    "Cgls",
    "Fdk",
    "FistaTv",
    "Iterate",
    "Mlem",
    "Optimality",
    "Osem",
    "Sirt",
    "Step",
    "Svrg",
    "solve",
]
