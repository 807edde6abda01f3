"""Which rule is wrong least often: private learning from a table of predictions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias, cast, get_args

from discreet.counts import Labels, labels
from discreet.engines.ask import Ask, Comparison, Differs, Fails, Flag, Tally, Wide
from discreet.errors import SettingError
from discreet.exact import number
from discreet.questions.base import Grouped, column, fine, listed, texts, written
from discreet.scores.base import Scores, one_each
from discreet.scores.hypotheses import Errors
from discreet.sensitivity import Neighbours, one_of

Rule: TypeAlias = str | tuple[str, Comparison, Fraction | str]
"""A column of predictions, or a comparison of a column with a number or a text."""

PAIRS = "columns, or pairs of a name and a rule"


@dataclass(frozen=True, slots=True)
class BestHypothesis(Grouped):
    """Ask which hypothesis misjudges the fewest people.

    >>> rules = {"model": "predicted", "over forty": ("age", ">=", 40)}
    >>> BestHypothesis("bought", rules).sentence()
    'Which of model, over forty is wrong about bought for the fewest people?'

    A hypothesis is a column of predictions, wrong where its text is not that of the truth; or a comparison
    ``(column, "<", 3)``, wrong where it does not agree with whether the truth says yes. A person with several rows is
    misjudged if any of them is. A list of columns is a hypothesis each. ``"=="`` and ``"!="`` compare with a text by
    text, and with a number by number.
    """

    kind: ClassVar[str] = "hypothesis"
    truth: str
    hypotheses: Mapping[str, Any] | Iterable[Any]
    """Names and rules; kept as pairs, in the order given."""

    def __post_init__(self) -> None:
        Grouped.__post_init__(self)
        column(self.truth, "truth")
        pairs = _pairs(self.hypotheses)
        labels([name for name, _ in pairs], "hypotheses")
        self._keep(hypotheses=tuple((name, _rule(rule)) for name, rule in pairs))

    @property
    def candidates(self) -> Labels:
        """The names of the hypotheses."""
        return tuple(name for name, _ in self._rules())

    def ask(self) -> Ask:
        """Count the people each hypothesis misjudges."""
        return Wide(tuple(_flag(rule, self.truth) for _, rule in self._rules()), by=self.home())

    def to_dict(self) -> dict[str, Any]:
        """Return the question as JSON-ready values; a number that is compared with is told from a text."""
        return Grouped.to_dict(self) | {"hypotheses": [[name, _written(rule)] for name, rule in self._rules()]}

    def scores(self, tally: Tally, neighbours: Neighbours) -> Scores:
        """Score each hypothesis by minus its errors: step 1; gap 1 or, replace, 2."""
        return Scores(self.candidates, -tally, one_each(neighbours), family=Errors.name)

    def sentence(self) -> str:
        """Say what is asked."""
        which = f"Which of {listed(self.candidates)}"
        return f"{which} is wrong about {self.truth} for the fewest people{self.for_each()}?"

    def _rules(self) -> tuple[tuple[str, Rule], ...]:
        return cast("tuple[tuple[str, Rule], ...]", self.hypotheses)


def _pairs(given: Any) -> list[tuple[Any, Any]]:
    if isinstance(given, Mapping):
        return list(dict(given).items())  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise SettingError.of("hypotheses", PAIRS, given)
    return list(map(_pair, given))


def _pair(given: Any) -> tuple[Any, Any]:
    if isinstance(given, str):
        return given, given
    parts = _parts(given)
    if len(parts) != 2:
        raise SettingError.of("hypotheses", PAIRS, given)
    return parts[0], parts[1]


def _rule(given: Any) -> Rule:
    if isinstance(given, str):
        return column(given, "hypotheses")
    parts = _parts(given)
    if len(parts) != 3:
        raise SettingError.of("hypotheses", "columns, or comparisons such as ('age', '>=', 40)", given)
    name, comparison, value = column(parts[0], "hypotheses"), parts[1], parts[2]
    word: Comparison = one_of(comparison, "hypotheses", get_args(Comparison))
    if isinstance(value, str) and word in {"==", "!="}:
        return name, word, texts([value], "hypotheses")[0]
    if isinstance(value, Mapping):
        value = cast("Mapping[str, Any]", value).get("number")
    return name, word, fine(number(value, "hypotheses"), "hypotheses")


def _flag(rule: Rule, truth: str) -> Flag:
    return Differs(rule, truth) if isinstance(rule, str) else Fails(*rule, truth)


def _written(rule: Rule) -> Any:
    if isinstance(rule, str) or isinstance(rule[2], str):
        return rule if isinstance(rule, str) else list(rule)
    return [rule[0], rule[1], {"number": written(rule[2])}]


def _parts(given: Any) -> list[Any]:
    return [*given] if isinstance(given, tuple) or type(given) is list else []
