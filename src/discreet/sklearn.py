"""Choose a model privately, with the conventions of scikit-learn. The one file that imports it.

**Whose data is protected: the people in the validation set alone**, the ``X, y`` given to ``fit``. What the models were
trained on must be other people's data, or public, or the training private by itself: the chosen model is released
whole, and nothing here hides who trained it.
"""
# pyright: reportMissingTypeStubs=false, reportUntypedBaseClass=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUntypedFunctionDecorator=false
# (scikit-learn ships no types)

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np

try:
    from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
    from sklearn.utils import get_tags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted, column_or_1d
except ImportError:  # pragma: no cover - the tests have it
    message = "scikit-learn 1.6 or later: wanted the package, got none; run: pip install 'discreet[sklearn]'"
    raise ImportError(message) from None

from discreet.errors import SettingError
from discreet.exact import nonnegative, positive
from discreet.guarantees import Pure
from discreet.ledger import Ledger, Receipt
from discreet.mechanisms import Exponential
from discreet.selection import select
from discreet.sensitivity import Sensitivity

__all__ = ["PrivateChoice", "PrivateSearch"]


def _has(name: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(self._model(), name)


class _Chosen(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """What both ways of choosing share: the choice, and the model that was chosen."""

    epsilon: Any
    neighbours: Any
    within: Any
    classes_: Any
    n_features_in_: Any
    feature_names_in_: Any
    receipt_: Receipt | None

    def _model(self) -> Any:
        return self.best_estimator_

    def _choose(self, models: list[Any], X: Any, y: Any, ledger: Ledger | None, memo: str) -> None:  # noqa: N803
        target, facts = Pure(positive(self.epsilon, "epsilon")), _moves(self.neighbours)
        promise = Exponential.calibrate(target, facts).promise(facts)
        within = None if self.within is None else float(nonnegative(self.within, "within"))
        truth = column_or_1d(y, warn=True)
        self.receipt_ = None
        if ledger is not None:
            self.receipt_ = ledger.charge(promise, memo=memo, neighbours=facts.neighbours)
        rights = [_right(model.predict(X), truth, within) for model in models]
        self.selection_ = select(
            rights, guarantee=target, range=facts.gap, neighbours=facts.neighbours, mechanism="exponential"
        )
        self.guarantee_ = self.selection_.guarantee
        self.best_index_ = self.selection_.index
        self.best_estimator_ = models[self.best_index_]
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Predict with the chosen model."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        """Give the chosen model's probabilities."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_proba(X)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:  # noqa: N803
        """Give the chosen model's decision values."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(X)

    def score(self, X: Any, y: Any) -> Any:  # noqa: N803
        """Score the chosen model on these data, which this does not protect: give public ones."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.score(X, y)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self._model())
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = deepcopy(inner.classifier_tags)
        tags.regressor_tags = deepcopy(inner.regressor_tags)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.target_tags.required = True
        tags.non_deterministic = True
        return tags


class PrivateSearch(_Chosen):
    """Choose hyper-parameters by the number of right predictions on a validation set, privately.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(600, random_state=0)
    >>> search = PrivateSearch(LogisticRegression(), [{"C": 0.01}, {"C": 1}, {"C": 100}], epsilon=1)
    >>> search = search.fit(X[300:], y[300:], training=(X[:300], y[:300]))
    >>> search.best_params_ in search.candidates
    True
    >>> print(search.guarantee_)
    1-bounded range (so 1-differential privacy)

    Each candidate is fitted on ``training`` and predicts for the people in ``X, y``. One more person raises the number
    of right predictions by 0 or 1 for every model: a gap of 1, and with ``neighbours="replace"`` of 2. So the
    exponential mechanism takes the full ``epsilon``, however many candidates. This rests on models that predict each
    row by itself. **Only the people in X, y are protected, not those in training.** ``within`` counts a prediction as
    right if it is no further off than this, for regression.
    """

    def __init__(
        self,
        estimator: Any,
        candidates: Any,
        *,
        epsilon: Any = 1,
        neighbours: str = "add-remove",
        within: Any = None,
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.within = within

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        *,
        training: tuple[Any, Any] | None = None,
        ledger: Ledger | None = None,
        memo: str = "",
    ) -> Self:
        """Fit every candidate on ``training``, charge the ledger, and choose by the validation people ``X, y``."""
        if training is None:
            remedy = "fit(X, y, training=(X_train, y_train)), which are other people than X, y, or public"
            raise SettingError(f"training: wanted the data the candidates are fitted on, got none; {remedy}")
        candidates = [dict(candidate) for candidate in self.candidates]
        if not candidates:
            raise SettingError.of("candidates", "one or more dicts of parameters", candidates)
        copies: list[Any] = [clone(self.estimator) for _ in candidates]
        models = [
            copy.set_params(**candidate).fit(*training) for copy, candidate in zip(copies, candidates, strict=True)
        ]
        self._choose(models, X, y, ledger, memo)
        self.best_params_ = candidates[self.best_index_]
        return self

    def _model(self) -> Any:
        return getattr(self, "best_estimator_", self.estimator)


class PrivateChoice(_Chosen):
    """Choose one of several fitted models by the number of right predictions on a validation set, privately.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(600, random_state=0)
    >>> models = [model.fit(X[:300], y[:300]) for model in (DummyClassifier(), LogisticRegression())]
    >>> type(PrivateChoice(models, epsilon=1).fit(X[300:], y[300:]).best_estimator_).__name__
    'LogisticRegression'

    All that is said of ``PrivateSearch`` holds here: the people in ``X, y`` are protected, those the models were
    trained on are not.
    """

    def __init__(self, models: Any, *, epsilon: Any = 1, neighbours: str = "add-remove", within: Any = None) -> None:
        self.models = models
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.within = within

    def fit(self, X: Any, y: Any, *, ledger: Ledger | None = None, memo: str = "") -> Self:  # noqa: N803
        """Charge the ledger, and choose by the validation people ``X, y``."""
        models = list(self.models)
        if not models:
            raise SettingError.of("models", "one or more fitted models", models)
        for model in models:
            check_is_fitted(model)
        self._choose(models, X, y, ledger, memo)
        return self

    def _model(self) -> Any:
        return getattr(self, "best_estimator_", self.models[0])


def _moves(neighbours: Any) -> Sensitivity:
    return Sensitivity.of(sensitivity=1, range=2 if neighbours == "replace" else 1, neighbours=neighbours)


def _right(predicted: Any, truth: Any, within: float | None) -> int:
    """Count right predictions; what cannot be compared, such as NaN, is wrong."""
    if within is None:
        return int(np.count_nonzero(np.asarray(predicted) == truth))
    return int(np.count_nonzero(np.abs(np.asarray(predicted, dtype=float) - truth) <= within))
