"""Random places of emission on lines through solids with positive and negative activity.

A place is drawn from the positive solids, each in proportion to its activity times its chord, and
accepted with the share of this activity that the negative solids leave.
"""

from __future__ import annotations

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit

_KERNEL = cached_njit(error_model="numpy", _nrt=False)


@_KERNEL
def try_places(
    waiting: Array, random: Array, enter: Array, leave: Array, upto: Array, values: Array,
    places: Array,
) -> int:  # fmt: skip
    """Draw a place on each waiting line, once; return the number of lines that wait again.

    Parameters
    ----------
    waiting
        numbers of the lines; those that wait again move to the front
    random
        (3, n_waiting) uniform random numbers, for the solid, the place in it and its acceptance
    enter, leave
        (n_solids, n) fractions of the lines
    upto
        (n_solids, n) sums of positive activity times chord, up to each solid
    values
        (n_solids,) activities
    places
        (n,) fractions of the lines, written where accepted
    """
    last, n_again = len(values) - 1, 0
    for k in range(random.shape[1]):
        line = waiting[k]
        at, solid = random[0, k] * upto[last, line], 0
        while solid < last and upto[solid, line] <= at:
            solid += 1
        start = enter[solid, line]
        place = start + (leave[solid, line] - start) * random[1, k]
        given = left = 0.0
        for each in range(last + 1):
            if enter[each, line] <= place < leave[each, line]:
                given += max(values[each], 0.0)
                left += values[each]
        if random[2, k] * given < left:
            places[line] = place
        else:
            waiting[n_again] = line
            n_again += 1
    return n_again
