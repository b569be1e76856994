"""Random numbers with one stream for each decay, so that results do not depend on threads.

A stream is Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): a counter in steps of the golden
ratio, mixed. It starts at a mix of the seed and the number of its decay.
"""

from __future__ import annotations

import math

import numpy as np

from tests.judge.compiled import inner

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


@inner
def mixed(z):
    """Return 64 bits that depend on all 64 bits of z."""
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@inner
def start(stream, seed, index):
    """Set the stream, (1,) uint64, to the start of the stream of a decay."""
    stream[0] = mixed(mixed(np.uint64(seed) + GOLDEN) ^ mixed(np.uint64(index)))


@inner
def uniform(stream):
    """Return a number from [0, 1)."""
    stream[0] += GOLDEN
    return np.float64(mixed(stream[0]) >> S11) * UNIT


@inner
def exponential(stream):
    """Return an exponential random number with mean 1."""
    return -math.log(1.0 - uniform(stream))


@inner
def gauss(stream):
    """Return a normal random number (Box and Muller 1958)."""
    radius = math.sqrt(2.0 * exponential(stream))
    return radius * math.cos(2.0 * math.pi * uniform(stream))
