"""The cards and steps of a study: scan, inputs, corrections, algorithm, volume, finishing."""
