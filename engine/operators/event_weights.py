"""Counts of rows in bootstrap replicates, for models (`engine.kernels.rays.event_weights`)."""

from engine.kernels.rays.event_weights import Draws as Draws
from engine.kernels.rays.event_weights import draws_of as draws_of
from engine.kernels.rays.event_weights import weights_of as weights_of
