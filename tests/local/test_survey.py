"""What people call: values of any kind in, texts out, estimates back; refusals show nothing of a person."""

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet.errors import DataError, SettingError
from discreet.exact import Number
from discreet.guarantees import LaplacePair, Pure
from discreet.local import Estimate, Subset, Survey
from discreet.local.places import Finder

WORDS = ("response", "symmetric", "asymmetric", "subset")
SURE = 10**6
"""An epsilon at which k-ary and symmetric reports are surely true."""


@pytest.mark.parametrize("mechanism", WORDS)
@pytest.mark.parametrize("size", [2, 7, 8, 9, 65, 300])
def test_texts_rows_and_names_agree(mechanism: Any, size: int) -> None:
    """Reports one by one and all at once are read alike, name what they name, and none is refused."""
    survey = Survey(range(size), 1, mechanism=mechanism, names=min(3, size - 1) if mechanism == "subset" else None)
    texts = [survey.encode(value % size) for value in range(40)]
    rows = survey.encode_all(np.arange(40) % size)
    named = [survey.named(text) for text in texts]
    support = survey.support(texts)
    assert support.tolist() == [sum(value in one for one in named) for value in range(size)]
    assert all(survey.accepts(json.loads(json.dumps(text))) for text in texts)
    both = survey.estimate_from(support + survey.support(rows), 80)
    halves = np.array(survey.estimate(texts).shares) + np.array(survey.estimate(rows).shares)
    assert np.allclose(np.array(both.shares) * 2, halves)


@pytest.mark.parametrize("mechanism", ["response", "symmetric"])
def test_at_a_huge_epsilon_the_truth_is_told(mechanism: Any) -> None:
    """With next to no noise, estimates are the shares themselves, in the order of the candidates."""
    survey = Survey(["a", "b", "c"], SURE, mechanism=mechanism)
    made = survey.estimate(survey.encode_all(["c", "a", "c", "c"]))
    assert made.shares == pytest.approx((0.25, 0, 0.75))
    assert made.top(2) == ("c", "a")
    assert survey.estimate([survey.encode("b")])["b"] == (1.0, 0.0)


TEXTS = some.lists(some.text(max_size=3), min_size=2, max_size=6, unique=True)
NUMBERS = some.lists(some.integers(-5, 5), min_size=2, max_size=6, unique=True)
STEPS = some.builds(range, some.integers(-5, 5), some.integers(6, 20), some.integers(1, 4)).filter(lambda r: len(r) > 1)
MIXED = some.just(["a", 1, 2.5, ("b", 3)])


@given(some.one_of(TEXTS, NUMBERS, STEPS, STEPS.map(lambda r: r[::-1]), MIXED), some.data())
def test_a_column_is_found_as_its_values_are(candidates: Any, data: some.DataObject) -> None:
    """Arrays of all kinds find what a walk through the list finds, and all else is ``other``."""
    names = list(candidates)
    strangers = ["zz", 99, -99, 7, 0.5]
    values = data.draw(some.lists(some.sampled_from([*names, *strangers]), max_size=8))
    finder = Finder(candidates if isinstance(candidates, range) else tuple(names), other=names[-1])
    found = [names.index(value) if value in names else len(names) - 1 for value in values]
    assert finder.places(values).tolist() == finder.places(iter(values)).tolist() == found
    assert [finder.place(value) for value in values] == found
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    assert finder.places(objects).tolist() == found
    for kinds, dtype in ((str, None), (int, np.int64), (int, np.int8), (float, None)):
        same = [value for value in values if type(value) is kinds]
        if not any(isinstance(value, str) and value.endswith("\0") for value in same):
            array = np.array(same, dtype=str if kinds is str else dtype)
            assert finder.places(array).tolist() == finder.places(same).tolist()


def test_a_column_of_large_unsigned_numbers_is_not_rounded() -> None:
    """Whole numbers that no float tells apart are told apart."""
    names = (2**63 + 1, 2**63 + 2, 2**63 + 3)
    finder = Finder(names)
    assert finder.places(np.array(names[::-1], dtype=np.uint64)).tolist() == [2, 1, 0]
    assert Finder(range(2**63, 2**63 + 3)).places(np.array(names[:2], dtype=np.uint64)).tolist() == [1, 2]
    assert Finder(range(2**62, 2**62 + 3)).places(np.array([2**62 + 2])).tolist() == [2]


@pytest.mark.parametrize("value", ["smith-4711", None, float("nan"), ["smith-4711"]])
def test_what_is_no_candidate_is_refused_silently(value: Any) -> None:
    """The refusal shows neither the value nor where it stood; a candidate called ``other`` takes it in."""
    survey = Survey(["zoo", "lake"], 1)
    refused: tuple[Callable[[], object], ...] = (
        lambda: survey.encode(value),
        lambda: survey.encode_all(["zoo", value]),
    )
    for refuse in refused:
        with pytest.raises(DataError) as caught:
            refuse()
        assert "4711" not in str(caught.value)
    assert Survey(["zoo", "rest"], SURE, mechanism="response", other="rest").encode(value) == "1"


WRONG: list[tuple[str, Callable[[], object]]] = [
    ("among", lambda: Survey(["one"], 1)),
    ("among", lambda: Survey("zoo", 1)),
    ("epsilon", lambda: Survey(["a", "b"], 0)),
    ("epsilon", lambda: Survey(["a", "b"], "1e-10")),
    ("mechanism", lambda: Survey(["a", "b"], 1, mechanism="rappor")),  # type: ignore[arg-type]
    ("names", lambda: Survey(["a", "b"], 1, names=1)),
    ("names", lambda: Survey(["a", "b"], 1, mechanism="subset", names=2)),
    ("other", lambda: Survey(["a", "b"], 1, other="c")),
    ("reports", lambda: Survey(["a", "b"], 1).estimate("01")),
    ("reports", lambda: Survey(["a", "b"], 1).standard_error(0)),
    ("share", lambda: Survey(["a", "b"], 1).standard_error(1, 2)),
    ("support", lambda: Survey(["a", "b"], 1).estimate_from([1, 2, 3], 6)),
    ("values", lambda: Survey(["a", "b"], 1).encode_all("ab")),
    ("values", lambda: Survey(["a", "b"], 1).encode_all(np.zeros((2, 2)))),
    ("survey", lambda: Survey.from_dict({"among": ["a", "b"]})),
    ("among", lambda: Survey([("a", 1), ("b", 2)], 1).to_dict()),
]


def test_settings_are_refused_with_a_reason() -> None:
    """Each wrong setting names itself."""
    for name, make in WRONG:
        with pytest.raises(SettingError, match=rf"^{name}: wanted"):
            make()


FOREIGN: dict[str, list[Any]] = {
    "response": ["10", "-1", "", "x", " 1", "٣", 3, None, "00000001", np.array([10]), np.array([-1]), np.array([[1]])],
    "symmetric": [
        "ff",
        "0004",
        "00 0",
        "zzzz",
        "000",
        "é000",
        0,
        np.zeros((1, 3), dtype=np.uint8),
        np.zeros(2),
        b"0000",
    ],
    "subset": ["0000", "0100", "ff03", np.array([[255, 0]], dtype=np.uint8)],
}


@pytest.mark.parametrize(("mechanism", "report"), [(word, one) for word, many in FOREIGN.items() for one in many])
def test_reports_that_no_device_writes_are_refused(mechanism: Any, report: Any) -> None:
    """A position too far, a bit too many, a set too small: refused without being shown, and not accepted."""
    survey = Survey(range(10), 1, mechanism=mechanism, names=3 if mechanism == "subset" else None)
    given_ = report if isinstance(report, np.ndarray) else [report]
    with pytest.raises(DataError, match=r"^reports: wanted"):
        survey.estimate(given_)
    assert not survey.accepts(report)


def test_no_reports_are_no_estimate() -> None:
    """Nothing comes of nothing."""
    for mechanism in WORDS:
        with pytest.raises(DataError, match=r"^reports: wanted one or more"):
            Survey(range(9), 1, mechanism=mechanism).estimate([])  # type: ignore[arg-type]


@pytest.mark.parametrize("mechanism", WORDS)
def test_settings_travel_as_json(mechanism: Any) -> None:
    """What a device reads is the same survey; a guarantee that does not follow is refused."""
    survey = Survey(["zoo", 3, "lake"], "0.3", mechanism=mechanism, other=3)
    written = json.loads(json.dumps(survey.to_dict()))
    assert Survey.from_dict(written) == survey
    assert Survey(["zoo", 3], "0.3") != survey
    with pytest.raises(SettingError, match=r"^guarantee"):
        Survey.from_dict(written | {"epsilon": "3"})


def test_guarantees() -> None:
    """Pure where truth is likelier than not, else the stronger Laplace pair."""
    assert Survey(["a", "b"], 1).guarantee == Pure(1)
    assert Survey(range(100), 1).guarantee == LaplacePair(1)
    assert Survey(range(100), 2, mechanism="symmetric").guarantee == Pure(2)


@pytest.mark.parametrize("epsilon", ["1e-9", "0.01", 20, 1000])
@pytest.mark.parametrize("mechanism", WORDS)
def test_extreme_epsilons_work(mechanism: Any, epsilon: Number) -> None:
    """Whatever the epsilon, the public numbers are numbers and reports come."""
    survey = Survey(range(70), epsilon, mechanism=mechanism)
    assert 0 < survey.error_bound(1000) < 1e15
    assert survey.standard_error(1000) >= 0
    assert len(survey.encode_all(np.arange(70))) == 70
    assert survey.accepts(survey.encode(69))


def test_the_error_bound_holds_for_every_outcome() -> None:
    """For four people, the chance that some share is further off than the bound is below what is stated."""
    survey = Survey(["a", "b"], 1)
    p = 1 / (1 + np.exp(-1.0))
    bad = 0.0
    for lies in itertools.product((False, True), repeat=4):
        reports = [str(int(lie)) for lie in lies]  # everybody holds "a"
        far = max(abs(share - (place == 0)) for place, share in enumerate(survey.estimate(reports).shares))
        bad += float(np.prod([1 - p if lie else p for lie in lies])) * (far > survey.error_bound(4, "0.3"))
    assert 0 < bad <= 0.3
    spread = 2 * p - 1
    assert survey.error_bound(4, "0.3") == pytest.approx(np.sqrt(np.log(2 * 2 / 0.3) / 8) / spread)


@given(some.lists(some.floats(-0.5, 1.5), min_size=2, max_size=6))
def test_the_projection_is_the_nearest_point_of_the_simplex(shares: list[float]) -> None:
    """It is on the simplex, and no other point seen is nearer: moving weight between two places only goes away."""
    made = Estimate(range(len(shares)), tuple(shares), tuple(shares), 10, Fraction(1))
    near = np.array(list(made.on_simplex().values()))
    assert abs(near.sum() - 1) < 1e-9
    assert (near >= 0).all()
    distance = float(((near - shares) ** 2).sum())
    for one, two in itertools.permutations(range(len(shares)), 2):
        moved = near.copy()
        step = min(0.01, float(moved[one]))
        moved[one] -= step
        moved[two] += step
        assert float(((moved - shares) ** 2).sum()) >= distance - 1e-9


def test_estimates_are_told_in_words_tables_and_json() -> None:
    """A sentence names the largest first; a notebook table escapes labels; JSON has everything."""
    made = Estimate(("a", "<b>", *range(5)), (0.1, 0.9, *[0.0] * 5), (0.01,) * 7, 1, Fraction(1, 2))
    assert str(made).startswith("<b> 90.0 % (± 1.0), a 10.0 % (± 1.0), 0 0.0 %")
    assert str(made).endswith("2 more, from 1 report: each 0.5-locally differentially private")
    assert "&lt;b&gt;" in made._repr_html_()
    assert json.loads(json.dumps(made.to_dict()))["local_epsilon"] == "1/2"
    assert [label for label, _, _ in made] == ["a", "<b>", 0, 1, 2, 3, 4]
    assert len(made) == 7
    assert repr(Survey(["smith", "jones"], 1)) == "Survey(2 candidates, epsilon=1, k-ary response)"
    assert str(Survey(range(3), 1, mechanism="asymmetric")).startswith("a survey of 3 candidates by asymmetric unary")
    assert isinstance(Survey(range(32), 1).channel, Subset)
