"""The scikit-learn adapter: its conventions, how far one person moves its scores, its law, and what it charges."""

from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
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
    return [adapter._right(model.predict(data), truth, None) for model in models()]


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
    truth = np.array([4.5, 5.5, 6.5] * 20)
    assert adapter._right(near.predict(np.zeros((60, 1))), truth, 0.5) == 40
    assert adapter._right(np.array([np.nan, 4.5]), np.array([4.5, 4.5]), 0.5) == 1
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
