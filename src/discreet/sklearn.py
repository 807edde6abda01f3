"""Choose a model privately, with the conventions of scikit-learn. The one file that imports it.

**Whose data is protected: the people in the validation set alone**, the ``X, y`` given to ``fit``. What the models were
trained on must be other people's data, or public, or the training private by itself: the chosen model is released
whole, and nothing here hides who trained it.
"""
# pyright: reportMissingTypeStubs=false, reportUntypedBaseClass=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUntypedFunctionDecorator=false
# (scikit-learn ships no types)

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Self

import numpy as np

try:
    from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
    from sklearn.model_selection import ParameterGrid
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

    def _choose(self, models: list[Any], X: Any, y: Any, ledger: Ledger | None, **about: str) -> None:  # noqa: N803
        target, facts = Pure(positive(self.epsilon, "epsilon")), _moves(self.neighbours)
        promise = Exponential.calibrate(target, facts).promise(facts)
        within = None if self.within is None else float(nonnegative(self.within, "within"))
        data, truth = _read(X, y, models)
        self.receipt_ = None
        if ledger is not None:
            self.receipt_ = ledger.charge(promise, neighbours=facts.neighbours, **about)
        rights = [_right(model, data, truth, within) for model in models]
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

    ``candidates`` are dicts of parameters, or a dict of lists, which stands for all their combinations. No row of X, y
    is refused: one that a model cannot predict, such as a NaN or a text, is wrong for that model.
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
        per: str = "person",
    ) -> Self:
        """Fit every candidate on ``training``, charge the ledger, and choose by the validation people ``X, y``."""
        if training is None:
            remedy = "fit(X, y, training=(X_train, y_train)), which are other people than X, y, or public"
            raise SettingError(f"training: wanted the data the candidates are fitted on, got none; {remedy}")
        candidates = _combinations(self.candidates)
        copies: list[Any] = [clone(self.estimator) for _ in candidates]
        models = [
            copy.set_params(**candidate).fit(*training) for copy, candidate in zip(copies, candidates, strict=True)
        ]
        self._choose(models, X, y, ledger, memo=memo, per=per)
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

    def fit(self, X: Any, y: Any, *, ledger: Ledger | None = None, memo: str = "", per: str = "person") -> Self:  # noqa: N803
        """Charge the ledger, and choose by the validation people ``X, y``."""
        models = list(self.models)
        if not models:
            raise SettingError.of("models", "one or more fitted models", models)
        for model in models:
            check_is_fitted(model)
        self._choose(models, X, y, ledger, memo=memo, per=per)
        return self

    def _model(self) -> Any:
        return getattr(self, "best_estimator_", self.models[0])


def _moves(neighbours: Any) -> Sensitivity:
    return Sensitivity.of(sensitivity=1, range=2 if neighbours == "replace" else 1, neighbours=neighbours)


def _combinations(candidates: Any) -> list[dict[str, Any]]:
    """Return the parameters of each candidate; a dict of lists stands for all combinations."""
    wanted = "dicts of parameters, or one dict of lists such as {'C': [1, 10]}"
    try:
        listed = ParameterGrid(candidates) if isinstance(candidates, Mapping) else candidates
        found = [dict(candidate) for candidate in listed]
    except (TypeError, ValueError):
        found = []
    if not found:
        raise SettingError.of("candidates", wanted, candidates)
    return found


def _read(X: Any, y: Any, models: list[Any]) -> tuple[Any, list[Any]]:  # noqa: N803
    """Return rows that can be sliced and one label for each; refuse only what columns and the number of labels show."""
    data, truth = _sliceable(X), _labels(y)
    shape: tuple[int, ...] = getattr(data, "shape", ())
    if len(shape) not in {1, 2} and not (not shape and isinstance(data, list | tuple)):
        wanted = "rows: a two-dimensional array, a frame, or a list of rows"
        raise SettingError(f"X: wanted {wanted}, got another shape or type")
    for model in models:
        width = getattr(model, "n_features_in_", None)
        if width is not None and len(shape) == 2 and shape[1] != width:
            raise SettingError.of("X", f"{width} columns, as the models have", shape[1])
        if not hasattr(model, "predict"):
            raise SettingError.of("models", "models that predict", type(model).__name__)
    if truth is None or len(truth) != (shape[0] if shape else len(data) if hasattr(data, "__len__") else None):
        raise SettingError("y: wanted one label for each row of X, got another number or shape")
    return data, truth


def _sliceable(X: Any) -> Any:  # noqa: N803
    if hasattr(X, "tocsr"):
        return X.tocsr()
    data = np.asarray(X) if hasattr(X, "__array__") and not hasattr(X, "shape") else X
    if isinstance(data, np.ndarray) and data.dtype.kind in "US":
        remedy = "one text in it makes texts of everybody's numbers; use an array of objects, a list or a frame"
        raise SettingError(f"X: wanted no array of texts, since {remedy}")
    return data


def _labels(y: Any) -> list[Any] | None:
    """Return each person's label as it is, whatever the others are; None where they are no column."""
    if isinstance(y, list | tuple):
        return [item[0] if isinstance(item, list | tuple) and len(item) == 1 else item for item in y]
    try:
        return column_or_1d(np.asarray(y, dtype=object), warn=True).tolist()  # type: ignore[no-any-return]
    except (TypeError, ValueError):
        return None


def _right(model: Any, data: Any, truth: list[Any], within: float | None) -> int:
    """Count right predictions; a part that a model cannot predict is halved, down to one row, which is wrong.

    So what one row holds decides on that row alone, for a model that predicts each row by itself.
    """
    parts, right = [(0, len(truth))], 0
    while parts:
        start, end = parts.pop()
        found = _predicted(model, data, start, end) if end > start else []
        if found is not None:
            right += sum(_agree(*pair, within) for pair in zip(found, truth[start:end], strict=True))
        elif end - start > 1:
            middle = (start + end) // 2
            parts += [(start, middle), (middle, end)]
    return right


def _predicted(model: Any, data: Any, start: int, end: int) -> list[Any] | None:
    """Predict a part of the rows; None where that fails. Why it fails is private, and so is any warning."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.asarray(model.predict(_rows(data, start, end)))
    except Exception:  # noqa: BLE001 - whatever a model raises may tell of a row
        return None
    return found.ravel().tolist() if found.size == end - start else None


def _rows(data: Any, start: int, end: int) -> Any:
    if isinstance(data, list | tuple):  # as objects: one row's text or None makes nothing else of another's numbers
        return np.array(list(data[start:end]), dtype=object)
    return data.iloc[start:end] if hasattr(data, "iloc") else data[start:end]


def _agree(predicted: Any, label: Any, within: float | None) -> bool:
    """Return whether a prediction is right; what cannot be compared, such as NaN, is wrong.

    A text that says a number is that number, on either side: in an array one person's text makes texts of all labels.
    """
    try:
        if within is not None:
            return abs(float(predicted) - float(label)) <= within
        return bool(_said(predicted) == _said(label))
    except Exception:  # noqa: BLE001 - a label may be anything
        return False


def _said(value: Any) -> Any:
    """Return a label as it is compared, whatever the type of the array it came in."""
    if not isinstance(value, str):
        return value
    try:
        return value == "True" if value in {"True", "False"} else float(value)
    except ValueError:
        return value
