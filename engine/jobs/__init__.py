"""Reconstructions: a study in, events out, with checkpoints and in a process of their own."""
