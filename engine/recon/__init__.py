"""Mathematics of a reconstruction: models, algorithms, priors, filtering."""
