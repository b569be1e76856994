"""The module `engine.phantoms` under the name of the product."""

import sys
from typing import TYPE_CHECKING

import engine.phantoms

if TYPE_CHECKING:
    from engine.phantoms import *

# the same object, so changes are visible under both names
sys.modules[__name__] = engine.phantoms
