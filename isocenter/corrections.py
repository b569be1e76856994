"""The module `engine.corrections` under the name of the product."""

import sys
from typing import TYPE_CHECKING

import engine.corrections

if TYPE_CHECKING:
    from engine.corrections import *

# the same object, so changes are visible under both names
sys.modules[__name__] = engine.corrections
