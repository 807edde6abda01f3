"""A survey whose collector need not be trusted: each person's device randomises the answer before it leaves."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from discreet.counts import Labels, labels, say
from discreet.errors import DataError, SettingError
from discreet.exact import Number, chance, nonnegative, plain, whole
from discreet.guarantees import Guarantee, to_dict
from discreet.local.channels import Channel, facts, promise
from discreet.local.choice import Mechanism, channel, local_epsilon
from discreet.local.coding import BLOCK, Rows, Support
from discreet.local.estimates import Estimate, estimated
from discreet.local.places import Finder
from discreet.local.subset import Subset
from discreet.sampling.coins import Coins, SystemCoins
from discreet.sampling.column import is_array

Reports: TypeAlias = Rows | Iterable[str]
"""Rows as ``encode_all`` returns them, or single reports as ``encode`` writes them."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Survey:
    """Public settings of one question, the same on every device and at the collector.

    >>> survey = Survey(["zoo", "lake", "museum"], epsilon=1)
    >>> report = survey.encode("zoo")  # on a person's device; the report may leave it
    >>> report in ("0", "1", "2")
    True
    >>> print(survey)
    a survey of 3 candidates by k-ary response; each report: 1-local differential privacy (any two values of one person)

    ``mechanism="auto"`` takes the family with the least summed variance of all shares: public numbers decide.
    """

    candidates: Labels
    channel: Channel
    other: Hashable | None
    _finder: Finder = field(compare=False)

    def __init__(
        self,
        among: Iterable[Hashable],
        epsilon: Number,
        *,
        mechanism: Mechanism = "auto",
        names: int | None = None,
        other: Hashable | None = None,
    ) -> None:
        candidates = labels(among, "among")
        if len(candidates) < 2:
            raise SettingError.of("among", "two candidates or more", candidates)
        chosen = channel(len(candidates), local_epsilon(epsilon), mechanism, names)
        object.__setattr__(self, "candidates", candidates)
        object.__setattr__(self, "channel", chosen)
        object.__setattr__(self, "other", other)
        object.__setattr__(self, "_finder", Finder(candidates, other))

    @property
    def epsilon(self) -> Fraction:
        """The greatest log of odds between any two values of one person, attained exactly."""
        return self.channel.epsilon

    @property
    def guarantee(self) -> Guarantee:
        """What one report guarantees its person against everybody, for any two values: the local promise."""
        return promise(self.channel)

    def place(self, value: object) -> int:
        """Return the position of a person's value among the candidates, or that of ``other``: private.

        >>> Survey(["zoo", "lake"], epsilon=1, other="lake").place("moon")
        1
        """
        return self._finder.place(value)

    def encode(self, value: object, coins: Coins | None = None) -> str:
        """Return one person's report, randomised with exact coins: a short text, fit for JSON.

        Two reports about one value together cost twice the epsilon; ``Memo`` keeps the first.

        >>> Survey(["zoo", "lake"], epsilon=10**6).encode("lake")
        '1'
        """
        drawn = self.channel.draw(self.place(value), SystemCoins() if coins is None else coins)
        return self.channel.coding.text(drawn)

    def encode_all(self, values: Iterable[object], coins: Coins | None = None) -> Rows:
        """Return a report for each of many people, one a row: for simulations, and where one machine holds them all.

        >>> Survey(range(300), epsilon=10**6, mechanism="response").encode_all(np.array([7, 299]))
        array([  7, 299], dtype=uint16)
        """
        places, door = self._finder.places(values), SystemCoins() if coins is None else coins
        rows = self.channel.coding.empty(len(places))
        for start in range(0, len(places), BLOCK):
            part = slice(start, start + BLOCK)
            rows[part] = self.channel.draw_all(places[part], door)
        return rows

    def accepts(self, report: object) -> bool:
        """Return whether a device could have written this.

        >>> Survey(["zoo", "lake"], epsilon=1).accepts("2")
        False
        """
        try:
            self._rows([report])
        except DataError:
            return False
        return True

    def named(self, report: str) -> tuple[Hashable, ...]:
        """Return the candidates that a report names: some true, some made up.

        >>> Survey(["zoo", "lake"], epsilon=1).named("1")
        ('lake',)
        """
        return tuple(self.candidates[place] for place in self.channel.coding.named(self._rows([report])[0]))

    def support(self, reports: Reports) -> Support:
        """Return how many reports name each candidate. Those of several batches may be added up.

        >>> Survey(["zoo", "lake"], epsilon=1).support(["1", "1", "0"])
        array([1, 2])
        """
        return self.channel.coding.support(self._rows(reports))

    def estimate(self, reports: Reports) -> Estimate:
        """Return the share of people who hold each candidate, unbiased, with standard errors.

        >>> print(Survey(["zoo", "lake"], epsilon=10**6).estimate(["1", "1", "0"]))
        lake 66.7 % (± 0.0), zoo 33.3 % (± 0.0), from 3 reports: each 1000000-locally differentially private
        """
        rows = self._rows(reports)
        return self.estimate_from(self.channel.coding.support(rows), len(rows))

    def estimate_from(self, support: Any, reports: int) -> Estimate:
        """Return the same from added up supports of so many reports."""
        counts = np.asarray(support)
        if counts.shape != (len(self.candidates),) or counts.dtype.kind not in "iu":
            raise SettingError.of("support", f"a count for each of {say(len(self.candidates))}", support)
        if not reports:
            raise DataError("reports: wanted one or more, got none")
        many = whole(reports, "reports")
        return estimated(self.candidates, counts, many, facts(self.channel), self.epsilon)

    def standard_error(self, reports: int, share: Number = 0) -> float:
        """Return the standard error of a share with so many reports: exact where ``share`` is the true one. Public.

        >>> round(Survey(range(32), epsilon=1).standard_error(100_000), 4)
        0.0058
        """
        true = nonnegative(share, "share", "a number from 0 to 1")
        if true > 1:
            raise SettingError.of("share", "a number from 0 to 1", share)
        return math.sqrt(facts(self.channel).variance(float(true)) / whole(reports, "reports"))

    def error_bound(self, reports: int, probability: Number = "0.05") -> float:
        """Return how far off every share at once stays, but for this chance, whatever people hold (Hoeffding). Public.

        >>> Survey(["zoo", "lake"], epsilon=1).error_bound(100_000) < 0.011
        True
        """
        known, rare = facts(self.channel), float(chance(probability, "probability"))
        each = math.log(2 * len(self.candidates) / rare) / (2 * whole(reports, "reports"))
        return math.sqrt(each) / (known.own - known.other)

    def to_dict(self) -> dict[str, Any]:
        """Return what a device needs to know, as JSON-ready values."""
        if not all(isinstance(name, str | int) for name in self.candidates):
            raise SettingError("among: wanted texts and whole numbers, which JSON keeps as they are, got other labels")
        named = {"names": self.channel.names} if isinstance(self.channel, Subset) else {}
        settings = {"epsilon": str(self.epsilon), "mechanism": self.channel.word, **named, "other": self.other}
        return {"among": list(self.candidates), **settings, "guarantee": to_dict(self.guarantee)}

    @classmethod
    def from_dict(cls, written: dict[str, Any]) -> "Survey":
        """Read what ``to_dict`` wrote. What it says it guarantees is worked out anew and must be the same.

        >>> Survey.from_dict(Survey(["zoo", "lake"], epsilon="0.1").to_dict())
        Survey(2 candidates, epsilon=0.1, k-ary response)
        """
        settings = {key: value for key, value in written.items() if key != "guarantee"}
        if set(settings) - {"names"} != {"among", "epsilon", "mechanism", "other"}:
            raise SettingError.of("survey", "what to_dict() wrote", ", ".join(map(str, written)))
        survey = cls(settings.pop("among"), settings.pop("epsilon"), **settings)
        if written.get("guarantee") != to_dict(survey.guarantee):
            raise SettingError("guarantee: wanted the one that follows from the settings, got another")
        return survey

    def __repr__(self) -> str:
        how = f"epsilon={plain(self.epsilon)}, {self.channel}"
        return f"Survey({say(len(self.candidates))}, {how})"

    def __str__(self) -> str:
        kept = f"{plain(self.epsilon)}-local differential privacy (any two values of one person)"
        return f"a survey of {say(len(self.candidates))} by {self.channel}; each report: {kept}"

    def _rows(self, reports: Any) -> Rows:
        coding = self.channel.coding
        if is_array(reports) and reports.dtype.kind not in "OU":
            return coding.checked(reports)
        if isinstance(reports, (str, bytes)):
            raise SettingError.of("reports", "a list of reports", "a single text", "put it in a list")
        texts = list(reports)
        if not all(isinstance(text, str) for text in texts):
            raise DataError("reports: wanted texts as encode() writes them, or the rows of encode_all()")
        return coding.rows(texts)
