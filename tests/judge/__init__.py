"""A photon Monte Carlo of positron emission tomography that knows nothing of the product.

It judges what the engine reconstructs, so it shares no code, table or formula with it: it imports
numpy, numba and the standard library alone (`tests/architecture.py` keeps it so), and what writes
its events into the product's files stands outside, in `tests/judge_scans.py`.

Followed are the two photons of every decay: through a phantom of solids or voxels, by delta
tracking (Woodcock et al. 1965) with NIST's cross sections, and through the crystals of a ring or of
two panels, until each is absorbed or gone. Left out, everywhere: Rayleigh scattering, the motion
of bound electrons, fluorescence, electrons' ranges, light, photons below 20 keV.
"""
