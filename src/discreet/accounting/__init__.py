"""Composition: what many releases together promise. Each rule is one file, with what is proved of it and for what.

* a batch: releases fixed in advance that do not see each other's answers;
* fixed: parameters fixed in advance, releases that may depend on earlier answers;
* adaptive: parameters that may depend on earlier answers, too. Only ``basic``, ``zcdp`` and ``filters`` hold here.

``compose`` takes the least bound that is proved for the plan, ``how_many`` and ``each_of`` go the other way.
"""

from discreet.accounting.calibration import each_of, how_many
from discreet.accounting.composition import Bound, Composition, compose
from discreet.accounting.filters import PlanFilter, PureFilter, RenyiFilter, ZcdpFilter
from discreet.accounting.rules import RULES
from discreet.accounting.uses import repeat

__all__ = [
    "RULES",
    "Bound",
    "Composition",
    "PlanFilter",
    "PureFilter",
    "RenyiFilter",
    "ZcdpFilter",
    "compose",
    "each_of",
    "how_many",
    "repeat",
]
