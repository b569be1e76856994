"""The module `engine.preprocessing` under the name of the product."""

import sys
from typing import TYPE_CHECKING

import engine.preprocessing

if TYPE_CHECKING:
    from engine.preprocessing import *

# the same object, so changes are visible under both names
sys.modules[__name__] = engine.preprocessing
