"""The module `engine.algorithms` under the name of the product."""

import sys
from typing import TYPE_CHECKING

import engine.algorithms

if TYPE_CHECKING:
    from engine.algorithms import *

# the same object, so changes are visible under both names
sys.modules[__name__] = engine.algorithms
