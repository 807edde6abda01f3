"""tune: the exact law of what comes out, the order of charge, count and looks, ties, and a caller's mistakes."""
# ruff: noqa: ARG001, ARG002 - a run is given its candidate and its promise, whether it needs them or not
# ruff: noqa: FBT003 - outcomes may be True and False

from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from discreet import tuning
from discreet.balls import at
from discreet.errors import BudgetError, SettingError
from discreet.guarantees import Approx, Guarantee, Pure, Renyi, Zcdp
from discreet.ledger import Budget, Ledger
from discreet.readings import implies
from discreet.sampling.coins import SystemCoins
from discreet.testing import exact_law
from discreet.tuning import FirstPass, NegativeBinomial, Poisson, Tuned, tune

GEOMETRIC, RARE = NegativeBinomial(1, "0.5"), Poisson("0.7")


def named(candidate: Any, promised: Guarantee) -> tuple[Any, str]:
    """Score a candidate by itself."""
    return candidate, f"model {candidate}"


@pytest.mark.parametrize("runs", [GEOMETRIC, NegativeBinomial(0, "0.3"), RARE], ids=str)
def test_the_best_has_its_law(runs: Any) -> None:
    """P(best <= y) = f(Q(<= y)), by walking all coins; the best of a fixed number, or of one run, is rejected."""

    def run(coins: Any) -> Any:
        return tune(named, [1, 2, 3], runs=runs, each=Pure(1), coins=coins).candidate

    walked = exact_law(run, leftover="3e-2", runs=4000)
    reached = at(128, lambda: [runs.generating(Fraction(y, 3)) for y in range(4)])
    claimed: dict[Any, Any] = at(128, lambda: {y: reached[y] - reached[y - 1] for y in (1, 2, 3)})
    claimed |= {} if runs is not RARE else {None: reached[0]}
    assert walked.leftover < Fraction(1, 12)
    assert walked.contains(claimed)
    for fixed in (1, 2):
        assert not walked.contains({y: Fraction(y**fixed - (y - 1) ** fixed, 3**fixed) for y in (1, 2, 3)})


def test_the_first_pass_has_its_law() -> None:
    """Each candidate that passes comes with chance q / (gamma + (1-gamma) p); the best of the runs is another law."""
    runs = FirstPass(2, "0.5")
    walked = exact_law(lambda coins: tune(named, [1, 2, 3], runs=runs, each=Pure(1), coins=coins).candidate, "3e-2")
    share = Fraction(1, 3) / (Fraction(1, 2) + Fraction(1, 2) * Fraction(2, 3))
    assert walked.contains({2: share, 3: share, None: 1 - 2 * share})
    assert not walked.contains({2: share - Fraction(1, 20), 3: share + Fraction(1, 20), None: 1 - 2 * share})


def test_ties_are_broken_at_random() -> None:
    """Among equal scores each run is as likely, whatever its payload and its turn."""

    def run(coins: Any) -> Any:
        script = iter(["first", "second", "third"])

        def same(candidate: Any, promised: Guarantee) -> tuple[int, str]:
            return 0, next(script)

        return tuning._best(lambda: (1, *same(1, Pure(1))), 3, None, coins)[2]  # type: ignore[index]

    third = Fraction(1, 3)
    walked = exact_law(run)
    assert walked.contains({"first": third, "second": third, "third": third})
    assert not walked.contains({"first": Fraction(1)})


class Log:
    """Coins, a ledger and a run that write down in which order they were used."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.word = 64
        self.rule = "pure"

    def bits(self, count: int) -> int:
        """Return system bits."""
        self.seen.append("coins")
        return SystemCoins().bits(count)

    def below(self, bound: int) -> int:
        """Return a system number."""
        self.seen.append("coins")
        return SystemCoins().below(bound)

    def charge(self, guarantee: Guarantee, **about: Any) -> None:
        """Note the charge."""
        self.seen.append("charge")

    def run(self, candidate: Any, promised: Guarantee) -> tuple[int, None]:
        """Note the run."""
        self.seen.append("run")
        return 1, None


def test_charged_then_counted_then_run() -> None:
    """The charge comes first, then the number of runs is drawn in full, and only then anything is looked at."""
    log = Log()
    tune(log.run, [1], runs=GEOMETRIC, epsilon=1, ledger=log, coins=log)  # type: ignore[arg-type]
    assert log.seen[:2] == ["charge", "coins"]
    first = log.seen.index("run")
    count, others = log.seen.count("run"), log.seen[first:].count("coins")
    assert others == (count - 1) + (count - 1)  # a candidate for each further run, and one coin for each tie


def test_the_ledger_gets_the_whole_price(tmp_path: Path) -> None:
    """Pure ledgers are charged (2 + eta) times the base, ledgers of rhos a rho; refused means nothing was run."""
    with Ledger(tmp_path / "pure.db", Budget(epsilon=1)) as ledger:
        best = tune(named, [1, 2], runs=GEOMETRIC, each=Pure("0.3"), ledger=ledger, memo="depth")
        assert best.guarantee == Pure("0.9")
        assert ledger.remaining.epsilon == Fraction(1, 10)
        assert best.receipt is not None
        assert best.receipt.memo == "depth"

        def never(candidate: Any, promised: Guarantee) -> Any:
            raise AssertionError("looked before it was paid for")

        with pytest.raises(BudgetError):
            tune(never, [1], runs=GEOMETRIC, each=Pure("0.3"), ledger=ledger)
        with pytest.raises(SettingError, match="each: wanted one with a pure epsilon"):
            tune(never, [1], runs=GEOMETRIC, each=Zcdp("0.1"), ledger=ledger)
    with Ledger(tmp_path / "rho.db", Budget(rho=1)) as ledger:
        best = tune(named, [1, 2], runs=GEOMETRIC, rho="0.5", ledger=ledger)
        assert isinstance(best.guarantee, Zcdp)
        assert Fraction(1, 2) <= ledger.remaining.amount < Fraction(51, 100)
        tune(named, [1, 2], runs=FirstPass(0, "0.1"), each=Pure("0.1"), ledger=ledger)


def test_each_run_is_told_its_part() -> None:
    """What is asked of all together is kept, and the run hears what it must promise."""
    heard: list[Guarantee] = []

    def run(candidate: Any, promised: Guarantee) -> tuple[int, None]:
        heard.append(promised)
        return 1, None

    best = tune(run, [1], runs=NegativeBinomial(0, "0.5"), epsilon=1)
    assert set(heard) == {Pure("0.5")} == {best.each}
    target = Approx(2, "1e-6")
    deep: Tuned[int, None] = tune(run, [1], guarantee=target)
    assert isinstance(deep.guarantee, Renyi)
    assert implies(deep.guarantee, target)
    assert tune(run, [1], runs=RARE, rho=1).guarantee != deep.guarantee


@pytest.mark.parametrize("bad", [nan, -inf, inf, None, "7", Decimal("NaN"), Decimal("Infinity")])
def test_a_score_that_is_no_number_is_the_worst(bad: Any) -> None:
    """It loses to any number, ties with its like, never passes a threshold, and never fails."""
    assert tuning._height(bad) == tuning._height(nan) < tuning._height(-(10**400))
    script = iter([bad, -5, bad])
    best = tuning._best(lambda: (1, next(script), None), 3, None, SystemCoins())
    assert best is not None
    assert best[1] == -5
    assert tuning._best(lambda: (1, bad, None), 2, Fraction(-(10**9)), SystemCoins()) is None


def test_candidates_may_be_drawn_by_coins() -> None:
    """A public sampler of candidates is as good as a list."""
    best = tune(named, lambda coins: coins.below(5), runs=GEOMETRIC, epsilon=1)
    assert best.found
    assert best.candidate in range(5)
    assert best.payload == f"model {best.candidate}"
    assert "with score" in str(best)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "each"),
        ({"each": Pure(1), "epsilon": 1}, "each"),
        ({"epsilon": 1, "rho": 1}, "epsilon"),
        ({"each": 1}, "each"),
        ({"epsilon": 0}, "epsilon"),
        ({"each": Approx(1, "1e-6")}, "guarantee"),
        ({"epsilon": 1, "candidates": []}, "candidates"),
        ({"epsilon": 1, "candidates": 3}, "candidates"),
        ({"epsilon": 1, "run": lambda _, __: 3}, "run"),
    ],
)
def test_what_a_caller_may_get_wrong(settings: dict[str, Any], name: str) -> None:
    """Each wrong setting is named."""
    words = {"run": named, "candidates": [1], "runs": GEOMETRIC, **settings}
    with pytest.raises(SettingError, match=f"^{name}: "):
        tune(words.pop("run"), words.pop("candidates"), **words)


def test_nothing_may_come_out() -> None:
    """With a Poisson number of runs there may be none; with a threshold none may pass."""
    assert not tune(named, [1], runs=FirstPass(2, "0.9"), epsilon=1).found
    runs = Poisson("0.001")
    assert exact_law(lambda coins: tune(named, [1], runs=runs, each=Pure(1), coins=coins).found, "0.1").mass(False) > 0
