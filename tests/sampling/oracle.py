"""Laws of small cases by other means than the package's: decimals, all permutations, and numerical integration."""

import json
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, permutations
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "laws.json").read_text(encoding="utf-8"))
DIGITS = 60


def weights(scores: Sequence[Fraction], rate: Fraction) -> list[Fraction]:
    """Return exp(-rate * (best - score)) to sixty digits."""
    return [_exp(rate * (score - max(scores))) for score in scores]


def softmax(scores: Sequence[Fraction], rate: Fraction) -> list[Fraction]:
    """Return the exponential mechanism's law from weights in decimal."""
    each = weights(scores, rate)
    return [weight / sum(each) for weight in each]


def flip_walk(biases: Sequence[Fraction]) -> list[Fraction]:
    """Return permute-and-flip's law by walking every permutation."""
    law = [Fraction(0)] * len(biases)
    for order in permutations(range(len(biases))):
        open_ = Fraction(1)
        for place in order:
            law[place] += open_ * biases[place]
            open_ *= 1 - biases[place]
    return [share / factorial(len(biases)) for share in law]


def laplace_max(scores: Sequence[float], rate: float) -> list[float]:
    """Return Laplace noisy max's law by integrating densities against distribution functions."""
    points = sorted(rate * score for score in scores)
    edges = sorted({points[0] - 50.0, *points, *(points[-1] + far for far in (1, 3, 8, 20, 60))})
    nodes, shares = np.polynomial.legendre.leggauss(80)
    law = np.zeros(len(scores))
    for start, end in pairwise(edges):
        for value, share in zip(start + (end - start) * (nodes + 1) / 2, shares * (end - start) / 2, strict=True):
            below = [_laplace_below(value - rate * score) for score in scores]
            for place, score in enumerate(scores):
                rest = prod(chance for other, chance in enumerate(below) if other != place)
                law[place] += share * np.exp(-abs(value - rate * score)) / 2 * rest
    return [float(chance) for chance in law]


def _laplace_below(value: float) -> float:
    return float(np.exp(value) / 2 if value < 0 else 1 - np.exp(-value) / 2)


def _exp(power: Fraction) -> Fraction:
    with localcontext(prec=DIGITS) as context:
        context.Emin = -(10**9)
        return Fraction((Decimal(power.numerator) / Decimal(power.denominator)).exp())
