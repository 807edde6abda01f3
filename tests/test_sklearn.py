"""The scikit-learn adapter: its conventions, how far one person moves its scores, its law, and what it charges."""

from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix, csr_matrix
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from discreet import sklearn as adapter
from discreet.errors import BudgetError, SettingError
from discreet.guarantees import Range
from discreet.ledger import Budget, Ledger
from discreet.sklearn import PrivateChoice, PrivateSearch

X, y = make_classification(400, n_features=6, random_state=1)
SMOOTHINGS = [{"var_smoothing": 1e-9}, {"var_smoothing": 10.0}]


class Searched(PrivateSearch):
    """A search that trains on what it validates on, so that the checks, which know one X and y, can call it."""

    def fit(self, X: Any, y: Any, **about: Any) -> Any:  # noqa: N803
        """Fit with the same data twice."""
        return super().fit(X, y, training=(X, y), **about)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        Searched(GaussianNB(), [{"var_smoothing": 1e-9}] * 2),
        Searched(Ridge(), [{"alpha": 1.0}] * 2, within=1),
    ],
    ids=["classifier", "regressor"],
)
def test_scikit_learns_own_checks_pass(estimator: Any) -> None:
    """Every check passes, two equal candidates making the choice repeatable; those it skips say why."""
    found = check_estimator(estimator, on_skip=None)
    assert {check["status"] for check in found} <= {"passed", "skipped"}
    assert len([check for check in found if check["status"] == "passed"]) > 40


def test_a_search_has_scikit_learns_manners() -> None:
    """Parameters in and out, clones unfitted, learned names end in _, and the kind is the inner estimator's."""
    search = PrivateSearch(GaussianNB(), SMOOTHINGS, epsilon="0.5", neighbours="replace")
    assert search.get_params()["epsilon"] == "0.5"
    assert is_classifier(search)
    assert is_regressor(PrivateSearch(Ridge(), [{}]))
    with pytest.raises(NotFittedError):
        search.predict(X)
    fitted = search.fit(X[:200], y[:200], training=(X[200:], y[200:]))
    assert fitted is search
    assert search.n_features_in_ == 6
    assert set(search.classes_) == {0, 1}
    assert search.best_params_ == SMOOTHINGS[search.best_index_]
    assert search.predict_proba(X).shape == (400, 2)
    assert not hasattr(search, "decision_function")
    assert 0 <= search.score(X, y) <= 1
    assert not hasattr(clone(search), "best_estimator_")
    assert search.guarantee_ == Range("0.5")
    assert not any(str(count) in repr(search.selection_) for count in range(60, 201))


@cache
def models() -> tuple[Any, ...]:
    """Return three models that say 0, 1, and the sign of the only feature."""
    zeros = DummyClassifier(strategy="constant", constant=0).fit([[0], [0]], [0, 1])
    ones = DummyClassifier(strategy="constant", constant=1).fit([[0], [0]], [0, 1])
    return zeros, ones, LogisticRegression().fit([[-9.0], [9.0]], [0, 1])


def counts(people: list[tuple[float, int]]) -> list[int]:
    """Return the number of right predictions of each model."""
    if not people:
        return [0, 0, 0]
    data, truth = np.array([[x] for x, _ in people]), np.array([label for _, label in people])
    return [adapter._right(model, data, truth.tolist(), None) for model in models()]


def test_one_person_moves_the_counts_by_the_gap() -> None:
    """Over all worlds of two people and one more: adding moves all one way by at most 1, replacing by a gap of 2."""
    kinds = list(product((-1.0, 1.0), (0, 1)))
    widest = 0
    for people in product(kinds, repeat=2):
        before = counts(list(people))
        moves = [[new - old for new, old in zip(counts([*people, one]), before, strict=True)] for one in kinds]
        assert all(set(move) <= {0, 1} for move in moves)
        widest = max(widest, *(abs(a - b) for one, other in product(moves, repeat=2) for a, b in [_ends(one, other)]))
    assert widest == adapter._moves("replace").gap == 2
    assert adapter._moves("add-remove").gap == 1


def _ends(one: list[int], other: list[int]) -> tuple[int, int]:
    change = [a - b for a, b in zip(one, other, strict=True)]
    return max(change), min(change)


def test_the_choice_is_the_exponential_mechanisms() -> None:
    """Rate epsilon under add-remove and half of it under replace; large epsilons find the best model."""
    people = np.array([[-1.0]] * 30 + [[1.0]] * 30)
    truth = np.array([0] * 30 + [1] * 30)
    for neighbours, rate in (("add-remove", Fraction(8)), ("replace", Fraction(4))):
        choice = PrivateChoice(models(), epsilon=8, neighbours=neighbours).fit(people, truth)
        assert choice.selection_.rate == rate
        assert choice.best_index_ == 2
        assert list(choice.predict([[-5.0], [5.0]])) == [0, 1]
        assert choice.decision_function([[5.0]])[0] > 0


def test_regressors_are_right_within_a_distance() -> None:
    """A prediction no further off than ``within`` counts, and one that is no number does not."""
    near, far = (DummyRegressor(strategy="constant", constant=c).fit([[0]], [c]) for c in (5.0, 50.0))
    truth = [4.5, 5.5, 6.5] * 20
    assert adapter._right(near, np.zeros((60, 1)), truth, 0.5) == 40
    assert [adapter._agree(np.nan, 4.5, 0.5), adapter._agree(4.5, np.nan, 0.5), adapter._agree(5, "4.5", 0.5)] == [
        False,
        False,
        True,
    ]
    choice = PrivateChoice([far, near], epsilon=9, within="0.5").fit(np.zeros((60, 1)), truth)
    assert choice.best_index_ == 1


def test_the_ledger_is_charged_before_anyone_predicts(tmp_path: Path) -> None:
    """One range of epsilon a choice; what is over budget is refused before a model sees the validation people."""

    class Never(GaussianNB):  # type: ignore[misc]
        def predict(self, X: Any) -> Any:  # noqa: ARG002, N803
            raise AssertionError("looked before it was paid for")

    with Ledger(tmp_path / "b.db", Budget(epsilon=1)) as ledger:
        choice = PrivateChoice(models(), epsilon="0.75").fit(
            np.zeros((4, 1)), np.zeros(4), ledger=ledger, memo="choice"
        )
        assert choice.receipt_ is not None
        assert choice.receipt_.memo == "choice"
        assert ledger.remaining.epsilon == Fraction(1, 4)
        with pytest.raises(BudgetError):
            PrivateChoice([Never().fit([[0], [1]], [0, 1])], epsilon="0.75").fit([[0]], [0], ledger=ledger)


def test_what_a_caller_may_get_wrong() -> None:
    """No training data, no candidates, no models, unfitted models, no epsilon."""
    with pytest.raises(SettingError, match="training: wanted the data"):
        PrivateSearch(GaussianNB(), SMOOTHINGS).fit(X, y)
    with pytest.raises(SettingError, match="candidates"):
        PrivateSearch(GaussianNB(), []).fit(X, y, training=(X, y))
    with pytest.raises(SettingError, match="models"):
        PrivateChoice([]).fit(X, y)
    with pytest.raises(NotFittedError):
        PrivateChoice([GaussianNB()]).fit(X, y)
    with pytest.raises(SettingError, match="epsilon"):
        PrivateChoice(models(), epsilon=0).fit([[0.0]], [0])
    with pytest.raises(SettingError, match="neighbours"):
        PrivateChoice(models(), neighbours="both").fit([[0.0]], [0])
    with pytest.raises(SettingError, match="X: wanted 1 columns, as the models have, got 2"):
        PrivateChoice(models()).fit(np.zeros((3, 2)), [0, 0, 0])
    with pytest.raises(SettingError, match="models: wanted models that predict, got 'StandardScaler'"):
        PrivateChoice([StandardScaler().fit([[0.0]])]).fit(np.zeros((3, 1)), [0, 0, 0])
    wrong: list[Any] = [{"C": 1}, {"C": []}, ["C"], 7]
    for candidates in wrong:
        with pytest.raises(SettingError, match="candidates: wanted dicts of parameters, or one dict of lists"):
            PrivateSearch(LogisticRegression(), candidates).fit(X, y, training=(X, y))


def test_a_dict_of_lists_stands_for_all_combinations() -> None:
    """As in scikit-learn's own searches."""
    grid = {"C": [0.1, 10], "fit_intercept": [True, False]}
    search = PrivateSearch(LogisticRegression(), grid).fit(X[:200], y[:200], training=(X[200:], y[200:]))
    assert search.selection_.candidates == 4
    assert set(search.best_params_) == set(grid)


SMITH = "Mrs Smith HIV"
AWKWARD: list[tuple[list[Any], Any]] = [
    ([SMITH], 1),
    ([np.nan], 1),
    ([None], 0),
    ([np.inf], 0),
    ([1.0, 2.0], 1),
    ([], 1),
    ([10**400], 1),
    ([1.0], SMITH),
    ([1.0], None),
    ([1.0], np.nan),
    ([1.0], [1, 0]),
    ([1.0], [1]),
    (["1.0"], "1"),
]
CROWD: list[tuple[list[Any], Any]] = [([-2.0], 0), ([3.0], 1), ([4.0], 0)]


def held(people: list[tuple[list[Any], Any]], form: str) -> tuple[Any, Any]:
    """Return the same people as lists, as NumPy makes arrays of them, as arrays of objects, or as a pandas frame."""
    rows, labels = [row for row, _ in people], [label for _, label in people]
    if form == "lists":
        return rows, labels
    if form == "array":
        return np.array(rows), np.array(labels)
    if form == "objects":
        return np.array(rows, dtype=object), np.array(labels, dtype=object)
    return pd.DataFrame(rows), pd.Series(labels)


def rights(people: list[tuple[list[Any], Any]], form: str, within: float | None = None) -> list[int]:
    """Return each model's count, read as a choice reads it."""
    data, truth = adapter._read(*held(people, form), list(models()))
    return [adapter._right(model, data, truth, within) for model in models()]


def moves(form: str, within: float | None = None) -> set[int]:
    """Return how far one awkward person more moves any model's count, wherever the person stands."""
    found = set[int]()
    for one in AWKWARD:
        for place in (0, 2, 3) if form == "lists" or fits(one, form) else ():
            crowd = [*CROWD[:place], one, *CROWD[place:]]
            pairs = zip(rights(crowd, form, within), rights(CROWD, form, within), strict=True)
            found |= {new - old for new, old in pairs}
    return found


def fits(person: tuple[list[Any], Any], form: str) -> bool:
    """Return whether a person has the columns and one label, as those in an array must, and no text among numbers."""
    texts = form == "array" and any(isinstance(cell, str) for cell in person[0])
    return len(person[0]) == 1 and not isinstance(person[1], list) and not texts


def test_arrays_of_texts_are_refused() -> None:
    """One text in an array makes texts of everybody's numbers, and so would decide how all are read."""
    with pytest.raises(SettingError, match="array of objects"):
        adapter._read(np.array([[1], ["x"]]), [0, 1], list(models()))
    for X in ({1: 2}, "rows", {3}, np.zeros((1, 1, 1))):  # noqa: N806 - as everywhere
        with pytest.raises(SettingError, match="X: wanted rows"):
            adapter._read(X, [0], list(models()))


@pytest.mark.parametrize("other", [0, "a", None, 2.5, True])
def test_labels_are_compared_whatever_array_they_came_in(other: Any) -> None:
    """A model that says numbers and one that says their texts: another label moves neither's count of the others."""
    told = [adapter._labels(np.array(labels)) for labels in ([0, 1, 1], [0, 1, 1, other])]
    for says in ([0, 1, 1], ["0", "1", "1"], [0.0, 1.0, 1.0]):
        before, after = (
            sum(adapter._agree(one, label, None) for one, label in zip(says, labels or (), strict=False))
            for labels in told
        )
        assert before == after == 3


@pytest.mark.parametrize("within", [None, 0.5])
@pytest.mark.parametrize("form", ["lists", "array", "objects", "frame"])
def test_a_row_that_cannot_be_predicted_moves_counts_by_one_at_most(form: str, within: float | None) -> None:
    """A text, a NaN, an infinity, another length or a label of another kind: the others count as they did."""
    assert moves(form, within) == {0, 1}


def test_planted_rules_that_let_one_row_decide_on_others_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting a part that fails as wrong, and labels as NumPy reads them together, move counts by more."""
    once, labels = adapter._predicted, adapter._labels
    with monkeypatch.context() as patch:
        patch.setattr(adapter, "_predicted", lambda *of: once(*of) or [None] * (of[3] - of[2]))
        assert min(moves("lists")) < 0
    with monkeypatch.context() as patch:
        patch.setattr(adapter, "_labels", lambda y: labels(np.array(y)))
        patch.setattr(adapter, "_agree", lambda predicted, label, _: predicted == label)
        assert min(moves("array")) < 0


@pytest.mark.filterwarnings("error")
def test_no_row_fails_or_shows(tmp_path: Path) -> None:
    """Nobody at all, and rows that no model can predict, are answered; what is malformed is refused and not charged."""
    searched = PrivateSearch(LogisticRegression(), {"C": [1, 10]})
    training = (np.array([[-1.0], [1.0]]), [0, 1])
    with Ledger(tmp_path / "b.db", Budget(epsilon=9)) as ledger:
        for people in ([], [([SMITH], SMITH)] * 3, [*CROWD, *AWKWARD]):
            data, truth = held(people, "lists")
            assert searched.fit(data, truth, training=training, ledger=ledger).best_index_ in {0, 1}
        spent = ledger.spent
        for data, truth in (([[1.0]], [0, 1]), ([[1.0]], np.zeros((1, 2))), ([[1.0]], None)):
            with pytest.raises(SettingError) as caught:
                searched.fit(data, truth, training=training, ledger=ledger)
            assert str(caught.value) == "y: wanted one label for each row of X, got another number or shape"
            assert caught.value.__cause__ is caught.value.__context__ is None
        assert ledger.spent == spent


def test_sparse_rows_and_texts_are_read_as_they_are() -> None:
    """Sparse matrices of any kind, and pipelines that take texts."""
    data = np.array([[-2.0], [3.0], [4.0]])
    for kind in (coo_matrix, csr_matrix):
        assert adapter._right(models()[2], adapter._read(kind(data), [0, 1, 1], [])[0], [0, 1, 1], None) == 3
    words = make_pipeline(CountVectorizer(), LogisticRegression()).fit(["good day", "bad day"], [1, 0])
    people = ["good", "bad", None, 7, "good good"]
    assert adapter._right(words, people, [1, 0, 1, 1, 1], None) == 3
