"""Single-scatter simulation for rings, with scaling to the tails."""
