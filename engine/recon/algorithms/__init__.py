"""Reconstruction algorithms: each has settings and yields images."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.recon.algorithms.base import Algorithm as Algorithm
    from engine.recon.algorithms.base import Iterate as Iterate
    from engine.recon.algorithms.cgls import Cgls as Cgls
    from engine.recon.algorithms.driver import Step as Step
    from engine.recon.algorithms.driver import solve as solve
    from engine.recon.algorithms.fdk import Fdk as Fdk
    from engine.recon.algorithms.fista_tv import FistaTv as FistaTv
    from engine.recon.algorithms.for_counts import ALGORITHMS as ALGORITHMS
    from engine.recon.algorithms.for_line_integrals import LINEAR_ALGORITHMS as LINEAR_ALGORITHMS
    from engine.recon.algorithms.map_algorithms import Bsrem as Bsrem
    from engine.recon.algorithms.map_algorithms import Svrg as Svrg
    from engine.recon.algorithms.osem import Mlem as Mlem
    from engine.recon.algorithms.osem import Osem as Osem
    from engine.recon.algorithms.sirt import Sirt as Sirt

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "base": (
                "Algorithm",
                "Iterate",
            ),
            "cgls": ("Cgls",),
            "driver": (
                "Step",
                "solve",
            ),
            "fdk": ("Fdk",),
            "fista_tv": ("FistaTv",),
            "for_counts": ("ALGORITHMS",),
            "for_line_integrals": ("LINEAR_ALGORITHMS",),
            "map_algorithms": ("Bsrem", "Svrg"),
            "osem": (
                "Mlem",
                "Osem",
            ),
            "sirt": ("Sirt",),
        },
    )
