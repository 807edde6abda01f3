"""One guarantee read as another: what follows from what, exactly or rounded towards privacy.

``kinds`` reads one statement as a simpler one, ``profiles`` as delta at an epsilon, ``curves`` as a Renyi divergence at
an order, and ``within`` goes the other way: what is the most that surely gives a target?
"""

from discreet.readings.curves import divergence
from discreet.readings.kinds import as_pure, as_range, as_zcdp
from discreet.readings.profiles import delta_at
from discreet.readings.within import as_approx, edge, implies, largest

__all__ = ["as_approx", "as_pure", "as_range", "as_zcdp", "delta_at", "divergence", "edge", "implies", "largest"]
