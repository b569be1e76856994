"""The module `engine.filters` under the name of the product."""

import sys
from typing import TYPE_CHECKING

import engine.filters

if TYPE_CHECKING:
    from engine.filters import *

# the same object, so changes are visible under both names
sys.modules[__name__] = engine.filters
