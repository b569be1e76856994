"""The mathematics of a reconstruction: models, algorithms, priors, filtering."""
