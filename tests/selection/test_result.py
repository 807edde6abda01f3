"""What a selection shows: its answer and its public settings, in words, as JSON and in a notebook."""

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet import Selection, SettingError, error_bound, select, top_k
from discreet.exact import plain
from discreet.guarantees import Pure, to_dict
from discreet.mechanisms import NoisyMaxWithGap, PermuteAndFlip
from discreet.scores import Scores
from discreet.scores.base import one_each

FAR = 10**6
SETTINGS: list[dict[str, Any]] = [
    {},
    {"mechanism": "exponential"},
    {"mechanism": "noisy-max"},
    {"mechanism": "noisy-max", "noise": "gumbel"},
    {"mechanism": "noisy-max", "noise": "laplace"},
    {"gap": "0.25"},
    {"prior": [1, 2, 3]},
    {"sensitivity": [1, 2, 3]},
    {"epsilon": None, "rho": "1/8"},
]
USUAL: dict[str, Any] = {"epsilon": 1, "sensitivity": 1}


def made_with(**words: Any) -> Selection:
    """Select from three scores with a clear best."""
    verb: Any = select
    made: Selection = verb({"a": 0, "b": FAR, "c": 1}, **(USUAL | words))
    return made


def ticked(tick: Fraction) -> Selection:
    """Select from scores kept in such ticks."""
    return select(Scores(("a", "b"), [FAR, 0], one_each("add-remove"), tick), epsilon=1)


def test_winner_and_index_are_the_first_of_all() -> None:
    """The plain words are the first of the tuples."""
    several = top_k({"a": FAR, "b": 0, "c": 2 * FAR}, 2, epsilon=1, scores="counts")
    assert (several.winner, several.index) == ("c", 2)
    assert (several.winners, several.indices) == (("c", "a"), (2, 0))


def test_rate_and_error_are_in_points() -> None:
    """A tick of 1/4 makes the rate four times as large in points, and the error a quarter."""
    whole, quarters = ticked(Fraction(1)), ticked(Fraction(1, 4))
    assert [whole.rate, quarters.rate] == [1, 4]
    bound, small = whole.error_bound(), quarters.error_bound()
    assert bound is not None
    assert small == pytest.approx(bound / 4, rel=1e-12)


def test_the_error_bound_is_that_of_planning() -> None:
    """A result promises what planning with the same settings promised; several winners share the chance."""
    for words in SETTINGS[:5]:
        verb: Any = error_bound
        assert made_with(**words).error_bound("0.01") == verb(3, probability="0.01", **(USUAL | words))
    several = top_k(range(5), 2, epsilon=1, sensitivity=1, mechanism="exponential")
    assert several.error_bound("0.1") == pytest.approx(
        error_bound(5, probability="0.05", epsilon="0.5", sensitivity=1, mechanism="exponential"), rel=1e-12
    )
    assert made_with(gap=1).error_bound() == made_with(mechanism="noisy-max").error_bound()


def test_no_error_bound_where_none_holds() -> None:
    """A prior and unequal sensitivities have no bound that holds for all scores; a bad chance is refused."""
    assert made_with(prior=[1, 2, 3]).error_bound() is None
    assert made_with(sensitivity=[1, 2, 3]).error_bound() is None
    for wrong in (0, 1, -1, math.nan, "x"):
        with pytest.raises(SettingError, match="probability"):
            made_with().error_bound(wrong)


@pytest.mark.parametrize("words", SETTINGS, ids=str)
def test_every_selection_becomes_json(words: dict[str, Any]) -> None:
    """The dictionary passes the strictest writer, and says what was released and how."""
    made = made_with(**words)
    read = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert (read["winners"], read["indices"], read["candidates"]) == (["b"], [1], 3)
    assert Fraction(read["rate"]) == made.rate
    assert read["guarantee"] == to_dict(made.guarantee)
    assert read["neighbours"] == "add-remove"
    assert ("gap" in read) == ("gap" in words)
    if made.gap is not None:
        assert Fraction(read["gap"]) == made.gap


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("b", "b"),
        (7, 7),
        (1.5, 1.5),
        (True, True),
        (np.int64(7), 7),
        (np.str_("b"), "b"),
        (np.float64(0.5), 0.5),
        (("x", 1), "('x', 1)"),
        (Fraction(1, 3), "1/3"),
        (pd.Timestamp("2020-02-29"), "2020-02-29 00:00:00"),
        (b"b", "b'b'"),
    ],
    ids=repr,
)
def test_labels_of_any_kind_become_json(label: Any, written: Any) -> None:
    """Text, numbers and NumPy scalars stay what they are; every other label is written as text."""
    made = select({"a": 0, label: FAR}, **USUAL)
    assert json.loads(json.dumps(made.to_dict(), allow_nan=False))["winners"] == [written]
    assert type(made.to_dict()["winners"][0]) is type(written)


@pytest.mark.parametrize("label", [math.inf, -math.inf, np.float64(math.inf)])
def test_infinite_labels_become_json(label: float) -> None:
    """The last edge of a histogram may be infinite; the strictest writer takes it too."""
    json.dumps(select({0.0: 0, label: FAR}, **USUAL).to_dict(), allow_nan=False)


def test_a_bound_too_large_for_a_float_is_left_out_of_json() -> None:
    """At an epsilon of 10 to the -320 the bound is no float, so JSON holds null."""
    made = select([0, 1], epsilon="1e-320", sensitivity=1)
    assert json.loads(json.dumps(made.to_dict(), allow_nan=False))["error_bound_95"] is None


def test_in_words() -> None:
    """The text names winner, number of candidates, mechanism, promise and whom it protects."""
    assert str(made_with()) == (
        "b, out of 3 candidates, by permute-and-flip: 1-differential privacy (one person more or less)"
    )
    replaced = str(made_with(neighbours="replace"))
    assert replaced.endswith("(one person's data changed)")
    several = str(top_k({"a": FAR, "b": 0, "c": 2 * FAR}, 2, epsilon=1, scores="counts"))
    assert several.startswith("c, a, out of 3 candidates, by 2 rounds of permute-and-flip")
    lead = made_with(gap="0.25")
    assert lead.gap is not None
    assert str(lead).startswith(f"b with a noisy lead of {plain(lead.gap)}, out of 3 candidates")


@pytest.mark.parametrize("words", SETTINGS, ids=str)
def test_words_never_show_a_score(words: dict[str, Any]) -> None:
    """Beyond the lead, nothing shown depends on the scores: others with the same winner read the same."""
    twin: Any = select
    other = twin({"a": 5, "b": 3 * FAR, "c": 77}, **(USUAL | words))
    made = made_with(**words)
    if made.gap is None:
        assert str(other) == str(made)
        assert repr(other) == repr(made)
        assert other.to_dict() == made.to_dict()
        assert other._repr_html_() == made._repr_html_()
    assert str(3 * FAR) not in repr(other) + str(other) + str(other.to_dict()) + other._repr_html_()


def test_labels_are_escaped_in_notebooks() -> None:
    """A label that is markup is shown and not run."""
    hostile = "<script>alert('x')</script> & \"q\""
    shown = select({"a": 0, hostile: FAR}, **USUAL)._repr_html_()
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;q&quot;" in shown
    assert "<script" not in shown
    assert shown.startswith("<table><tr>")
    assert "noisy lead" not in shown
    assert "noisy lead" in made_with(gap=1)._repr_html_()


def test_selections_are_plain_values() -> None:
    """Equal selections are equal, and none can be changed."""
    one = Selection(("a",), (0,), PermuteAndFlip(Fraction(1)), Pure(1), "add-remove", 2)
    assert one == Selection(("a",), (0,), PermuteAndFlip(Fraction(1)), Pure(1), "add-remove", 2)
    with pytest.raises(AttributeError):
        one.gap = Fraction(1)  # type: ignore[misc]


@pytest.mark.parametrize("scores", [[0, 0], [0, 3], [0, 0, 0, 0], [5, 1, 0], [0, 9, 9]])
@pytest.mark.parametrize("beta", [0.01, 0.05, 0.5])
def test_certainty_is_rarely_too_high(scores: list[int], beta: float) -> None:
    """Over the exact law of winner and lead, in whole ticks, it is so as said; without its allowance it is not."""
    rate, tick = 1.0, 0.125
    weights = [math.exp(rate * score) for score in scores]
    chances = [weight / sum(weights) for weight in weights]

    def too_high(of: Any) -> float:
        total = 0.0
        for own in chances:
            h = math.log(own / (1 - own))
            beyond = [1 / (1 + math.exp(rate * ticks * tick - h)) for ticks in range(400)]
            wrong = (ticks for ticks in range(399) if of(ticks * tick) > own)
            total += sum(beyond[ticks] - beyond[ticks + 1] for ticks in wrong)
        return total

    def told(lead: float) -> float:
        made = Selection(
            ("a",), (0,), NoisyMaxWithGap(Fraction(1), "gumbel", Fraction(tick)), Pure(1), "add-remove", len(scores),
            gap=Fraction(lead),
        )  # fmt: skip
        bound = made.certainty(beta)
        assert bound is not None
        return bound

    assert too_high(told) <= beta
    assert too_high(lambda lead: told(lead + math.log(len(scores) / beta))) > beta


def test_certainty_needs_a_gumbel_lead() -> None:
    """No lead, and a lead of exponential noise, say nothing of it."""
    assert made_with().certainty() is None
    assert made_with(gap=1).certainty() is None
    far = made_with(gap=1, mechanism="noisy-max", noise="gumbel")
    assert far.certainty() == pytest.approx(1)
    assert made_with(gap=1, mechanism="noisy-max", noise="gumbel", epsilon="1e-9").certainty() < 0.5  # type: ignore[operator]
