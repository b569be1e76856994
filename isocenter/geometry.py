"""The module `engine.geometry` under the name of the product."""

import sys
from typing import TYPE_CHECKING

import engine.geometry

if TYPE_CHECKING:
    from engine.geometry import *

# the same object, so changes are visible under both names
sys.modules[__name__] = engine.geometry
