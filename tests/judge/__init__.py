"""A photon Monte Carlo simulation of positron emission tomography, independent of the product.

It checks the results of the engine, so it shares no code, table or formula with it. It imports only
numpy, numba and the standard library (`tests/architecture.py` checks this). The code that writes
its events into the product's files is outside, in `tests/judge_scans.py`.

It follows the two photons of every decay through a phantom of solids or voxels, by delta tracking
(Woodcock et al. 1965) with NIST's cross sections, and through the crystals of a ring or of two
panels, until each is absorbed or lost. It omits Rayleigh scattering, the motion of bound electrons,
fluorescence, electron ranges, light, and photons below 20 keV.
"""
