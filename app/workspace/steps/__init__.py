"""The five steps: scan, corrections, algorithm, volume, finishing."""
