"""Shipped test tools: scripted coins, exact laws by walking the coin tree, honest goodness of fit, contracts."""

from discreet.testing.coins import ScriptedCoins
from discreet.testing.fit import fits
from discreet.testing.scores import check_family
from discreet.testing.tree import ExactLaw, exact_law

__all__ = ["ExactLaw", "ScriptedCoins", "check_family", "exact_law", "fits"]
