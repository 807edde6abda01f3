"""What reports say together: a share and its standard error for each candidate. All of it may be published."""

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.counts import Labels
from discreet.exact import plain
from discreet.local.channels import Facts
from discreet.local.coding import Support

MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated shares of the people, unbiased, so some may be below 0 and they need not add up to 1.

    Errors are standard errors for these very people, whoever they are a sample of. The formula is exact for the true
    share; the estimated one, held within 0 and 1, is put in its place.

    >>> made = Estimate(("zoo", "lake"), (0.62, 0.38), (0.01, 0.01), 10_000, Fraction(1))
    >>> print(made)
    zoo 62.0 % (± 1.0), lake 38.0 % (± 1.0), from 10000 reports: each 1-locally differentially private
    >>> made["lake"]
    (0.38, 0.01)
    """

    candidates: Labels
    shares: tuple[float, ...]
    errors: tuple[float, ...]
    reports: int
    epsilon: Fraction

    def __iter__(self) -> Iterator[tuple[Hashable, float, float]]:
        """Yield candidate, share and standard error, in the order of the candidates."""
        return iter(zip(self.candidates, self.shares, self.errors, strict=True))

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, candidate: Hashable) -> tuple[float, float]:
        """Return share and standard error of one candidate."""
        place = self.candidates.index(candidate)
        return self.shares[place], self.errors[place]

    def top(self, count: int = 1) -> tuple[Hashable, ...]:
        """Return the candidates with the largest shares, largest first; of equal ones the earlier."""
        return tuple(self.candidates[place] for place in self._order()[:count])

    def on_simplex(self) -> Mapping[Hashable, float]:
        """Return the nearest shares that are not negative and add up to 1. They err less, but they are biased."""
        shares = np.array(self.shares)
        falling = np.sort(shares)[::-1]
        surplus = (falling.cumsum() - 1) / np.arange(1, len(shares) + 1)
        level = surplus[np.flatnonzero(falling > surplus)[-1]]
        return dict(zip(self.candidates, np.maximum(shares - level, 0).tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        return {
            "candidates": list(self.candidates),
            "shares": list(self.shares),
            "standard_errors": list(self.errors),
            "reports": self.reports,
            "local_epsilon": str(self.epsilon),
        }

    def __str__(self) -> str:
        cells = [
            f"{self.candidates[place]} {100 * self.shares[place]:.1f} % (± {100 * self.errors[place]:.1f})"
            for place in self._order()[:MOST_SHOWN]
        ]
        cells += [f"{len(self) - MOST_SHOWN} more"] if len(self) > MOST_SHOWN else []
        people = f"{self.reports} report" + ("" if self.reports == 1 else "s")
        return f"{', '.join(cells)}, from {people}: each {plain(self.epsilon)}-locally differentially private"

    def _repr_html_(self) -> str:
        import html  # noqa: PLC0415 - only notebooks ask

        rows = "".join(
            f"<tr><td>{html.escape(str(self.candidates[place]))}</td><td>{100 * self.shares[place]:.1f} %</td>"
            f"<td>± {100 * self.errors[place]:.1f}</td></tr>"
            for place in self._order()
        )
        return f"<table><tr><th>candidate</th><th>share</th><th>standard error</th></tr>{rows}</table>"

    def _order(self) -> list[int]:
        return sorted(range(len(self)), key=lambda place: -self.shares[place])


def estimated(candidates: Labels, support: Support, reports: int, facts: Facts, epsilon: Fraction) -> Estimate:
    """Return the estimate from how many of so many reports name each candidate: share = (named/reports - q) / (p - q).

    A report names a candidate with chance p if it is the person's own and else q, so the mean is right whatever the
    people hold.

    >>> facts = Facts(own=0.75, other=0.25, summed=4.0)
    >>> estimated(("zoo", "lake"), np.array([50, 50]), 100, facts, Fraction(1)).shares
    (0.5, 0.5)
    """
    shares = (support / reports - facts.other) / (facts.own - facts.other)
    held = shares.clip(0, 1).tolist()
    errors = tuple(math.sqrt(facts.variance(share) / reports) for share in held)
    return Estimate(candidates, tuple(shares.tolist()), errors, reports, epsilon)
