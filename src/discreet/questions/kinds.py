"""Every kind of question there is, and a question read back from JSON."""

from collections.abc import Mapping
from typing import Any

from discreet.errors import SettingError
from discreet.questions.base import Question
from discreet.questions.choices import Approval, BestSlot, Ranking, TopK, Winner
from discreet.questions.hypotheses import BestHypothesis
from discreet.questions.numbers import BestPrice, LargestTotal, Median, Quantile
from discreet.questions.several import Quantiles

QUESTIONS: tuple[type[Any], ...] = (
    Winner,
    TopK,
    Ranking,
    Approval,
    BestSlot,
    Median,
    Quantile,
    Quantiles,
    BestPrice,
    LargestTotal,
    BestHypothesis,
)
"""Every kind of question."""


def question_from(written: Mapping[str, Any]) -> Question:
    """Read what a question's ``to_dict`` wrote. Candidates that were dates or decimals come back as their text.

    >>> question_from(Winner("trip", among=["zoo", "lake"]).to_dict()).candidates
    ('zoo', 'lake')
    """
    kinds = {kind.kind: kind for kind in QUESTIONS}
    given = dict(written)
    kind = given.pop("question", None)
    if kind not in kinds:
        raise SettingError.of("question", " or ".join(map(repr, kinds)), kind)
    try:
        made: Question = kinds[kind](**given)
    except TypeError:
        raise SettingError.of("question", f"the words of {kinds[kind].__name__}", ", ".join(given)) from None
    return made
