"""Single scatter of annihilation photons in rings: simulated, scaled by the tails, told of."""
