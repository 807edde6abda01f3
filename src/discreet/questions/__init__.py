"""Questions to a table: what to ask, and how to open a table, plan and ask."""

from discreet.questions.answer import Answer
from discreet.questions.choices import Approval, BestSlot, Ranking, TopK, Winner
from discreet.questions.declared import dataset
from discreet.questions.hypotheses import BestHypothesis
from discreet.questions.kinds import QUESTIONS, question_from
from discreet.questions.numbers import BestPrice, LargestTotal, Median, Quantile
from discreet.questions.opening import open  # noqa: A004 - the word a person types: discreet.open
from discreet.questions.plan import Plan
from discreet.questions.several import Quantiles
from discreet.questions.sources import Dataset
from discreet.questions.table import Table

__all__ = [
    "QUESTIONS",
    "Answer",
    "Approval",
    "BestHypothesis",
    "BestPrice",
    "BestSlot",
    "Dataset",
    "LargestTotal",
    "Median",
    "Plan",
    "Quantile",
    "Quantiles",
    "Ranking",
    "Table",
    "TopK",
    "Winner",
    "dataset",
    "open",
    "question_from",
]
