"""Normalisation measured with a source of known shape, by maximum likelihood."""
