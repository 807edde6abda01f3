"""The verb ``hypothesis``: which rule is wrong about the fewest people."""

import re
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.asking import Verb
from discreet.errors import SettingError
from discreet.exact import number

if TYPE_CHECKING:
    from discreet.cli.words import Words
    from discreet.questions.base import Question

TRUTH = click.option("--truth", metavar="NAME", help="The column that says what is true.")
PREDICTED = click.option("--predicted", multiple=True, metavar="NAME", help="A column of predictions; may be repeated.")
RULE = click.option("--rule", multiple=True, metavar="TEXT", help="A comparison such as 'age >= 40'; may be repeated.")

COMPARED = re.compile(r"(?P<column>.+) (?P<comparison><|<=|>|>=|==|!=) (?P<value>.+)", re.DOTALL)


def rule(text: str) -> tuple[str, str, Any]:
    """Read a comparison: a column, how, and a number or a text; the last comparison in it, with a blank on each side.

    >>> rule("age >= 40"), rule("x < y != north"), rule("code == '7'")
    (('age', '>=', Fraction(40, 1)), ('x < y', '!=', 'north'), ('code', '==', '7'))
    """
    read = COMPARED.fullmatch(text)
    if read is None:
        raise SettingError.of("rule", "a column, one of < <= > >= == !=, and a value, such as 'age >= 40'", text)
    column, comparison, value = read.groups()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return column, comparison, value[1:-1]
    try:
        return column, comparison, number(value)
    except SettingError:
        return column, comparison, value


def _hypothesis(said: "Words") -> "Question":
    from discreet.questions import BestHypothesis

    if not said["truth"]:
        raise SettingError("truth: wanted --truth, the column that says what is true, got none")
    predicted: tuple[str, ...] = tuple(said["predicted"] or ())
    rules: tuple[str, ...] = tuple(said["rule"] or ())
    if len({*predicted, *rules}) < len(predicted) + len(rules) or not (predicted or rules):
        wanted = "one or more of --predicted and --rule, each once"
        raise SettingError(f"hypotheses: wanted {wanted}, got {len(predicted) + len(rules)}")
    given: dict[str, Any] = {**{name: name for name in predicted}, **{text: rule(text) for text in rules}}
    return BestHypothesis(said["truth"], given, **said.groups)


HYPOTHESIS = Verb(
    "hypothesis",
    "Name the rule that misjudges the fewest people. Rules are columns of predictions, and comparisons.",
    "people.csv --truth bought --predicted model --rule 'age >= 40' --epsilon 1",
    (TRUTH, PREDICTED, RULE),
    _hypothesis,
)
