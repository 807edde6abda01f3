"""Which rule is wrong least often: private learning from a table of predictions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast, get_args

from discreet.counts import Labels, labels
from discreet.engines.ask import Ask, Comparison, Differs, Fails, Flag, Tally, Wide
from discreet.errors import SettingError
from discreet.exact import number
from discreet.questions.base import Grouped, column, fine, listed
from discreet.scores.base import Scores, one_each
from discreet.scores.hypotheses import Errors
from discreet.sensitivity import Neighbours, one_of


@dataclass(frozen=True, slots=True)
class BestHypothesis(Grouped):
    """Ask which hypothesis misjudges the fewest people.

    >>> rules = {"model": "predicted", "over forty": ("age", ">=", 40)}
    >>> BestHypothesis("bought", rules).sentence()
    'Which of model, over forty is wrong about bought for the fewest people?'

    A hypothesis is a column of predictions, wrong where its text is not that of the truth; or a comparison
    ``(column, "<", 3)``, wrong where it does not agree with whether the truth says yes. A person with several rows is
    misjudged if any of them is. A list of columns is a hypothesis each.
    """

    kind: ClassVar[str] = "hypothesis"
    truth: str
    hypotheses: Mapping[str, Any] | Iterable[str]

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        column(self.truth, "truth")
        given = self.hypotheses
        rules: dict[Any, Any] = (
            dict(given)  # pyright: ignore[reportUnknownArgumentType]
            if isinstance(given, Mapping)
            else {name: name for name in labels(given, "hypotheses")}
        )
        labels(rules, "hypotheses")
        self._keep(hypotheses=rules)
        self.ask()

    @property
    def candidates(self) -> Labels:
        """The names of the hypotheses."""
        return tuple(cast("Mapping[str, Any]", self.hypotheses))

    def ask(self) -> Ask:
        """Count the people each hypothesis misjudges."""
        rules = cast("Mapping[str, Any]", self.hypotheses)
        return Wide(tuple(_flag(rule, self.truth) for rule in rules.values()), by=self.home())

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score each hypothesis by minus its errors: step 1; gap 1 or, replace, 2."""
        return Scores(self.candidates, -tally, one_each(neighbours), family=Errors.name)

    def sentence(self) -> str:
        """Say what is asked."""
        which = f"Which of {listed(self.candidates)}"
        return f"{which} is wrong about {self.truth} for the fewest people{self.for_each()}?"


def _flag(rule: Any, truth: str) -> Flag:
    if isinstance(rule, str):
        return Differs(column(rule, "hypotheses"), truth)
    parts = _parts(rule)
    if len(parts) != 3:
        raise SettingError.of("hypotheses", "columns, or comparisons such as ('age', '>=', 40)", rule)
    name, comparison, value = parts
    word: Comparison = one_of(comparison, "hypotheses", get_args(Comparison))
    if isinstance(value, str) and word in {"==", "!="}:
        return Fails(column(name, "hypotheses"), word, value, truth)
    return Fails(column(name, "hypotheses"), word, fine(number(value, "hypotheses"), "hypotheses"), truth)


def _parts(rule: Any) -> list[Any]:
    return [*rule] if isinstance(rule, tuple) or type(rule) is list else []
