"""A ledger against a model of a few lines, in exact fractions: whatever is done in whatever order, they agree."""

import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as some
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from discreet.errors import BudgetError, SettingError
from discreet.guarantees import Pure
from discreet.ledger import Budget, Ledger
from tests.ledger.server import swift

WHOLE, SHARES = Fraction(2), {"ann": Fraction(1), "bob": Fraction(3, 2)}
COSTS = some.sampled_from([Fraction(0), *(Fraction(1, part) for part in (1, 2, 3, 7, 10, 97))])
WHO = some.sampled_from([None, *SHARES])


class AgainstAModel(RuleBasedStateMachine):
    """Charge, ask again, answer, close and open."""

    requests = Bundle("requests")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir=swift())
        self.path = Path(self.folder.name) / "budget.db"
        shares = {name: Budget(epsilon=share) for name, share in SHARES.items()}
        self.ledger = Ledger(self.path, Budget(epsilon=WHOLE), analysts=shares)
        self.charged: dict[str, tuple[Fraction, str | None]] = {}
        self.answers: dict[str, int] = {}

    def left(self, who: str | None) -> Fraction:
        """What the model says is left."""
        mine = (cost for cost, other in self.charged.values() if who in {None, other})
        return (SHARES[who] if who else WHOLE) - sum(mine, Fraction(0))

    @rule(target=requests, cost=COSTS, who=WHO)
    def charge(self, cost: Fraction, who: str | None) -> str:
        """A new request is charged exactly if both accounts have room."""
        request = f"request {len(self.charged)}"
        fits = cost <= min(self.left(None), self.left(who))
        assert self.ledger.admits(Pure(cost), analyst=who) == fits
        if fits:
            receipt = self.ledger.charge(Pure(cost), request=request, analyst=who)
            self.charged[request] = cost, who
            assert (receipt.seq, receipt.amount, receipt.analyst) == (len(self.charged), cost, who)
            return request
        with pytest.raises(BudgetError) as refused:
            self.ledger.charge(Pure(cost), request=request, analyst=who)
        assert refused.value.requested == cost > refused.value.remaining
        assert refused.value.remaining in {self.left(None), self.left(who)}
        return request

    @rule(request=requests, cost=COSTS)
    def again(self, request: str, cost: Fraction) -> None:
        """A request that was charged is charged once, and is no other."""
        if request not in self.charged:
            return
        known, who = self.charged[request]
        try:
            receipt = self.ledger.charge(Pure(cost), request=request, analyst=who)
        except SettingError:
            assert cost != known
        else:
            assert receipt.amount == cost == known

    @rule(request=requests, answer=some.integers(0, 9))
    def answer(self, request: str, answer: int) -> None:
        """The first answer stays."""
        if request in self.charged:
            first = self.answers.setdefault(request, answer)
            assert self.ledger.record(request, {"drawn": answer}) == {"drawn": first}

    @rule()
    def reopen(self) -> None:
        """Closing loses nothing."""
        self.ledger.close()
        self.ledger = Ledger(self.path)

    @invariant()
    def agrees(self) -> None:
        """Balances, history and answers are the model's."""
        for who in (None, *SHARES):
            assert self.ledger.account(who).remaining.epsilon == self.left(who) >= 0
        history = {entry.request: entry for entry in self.ledger.history()}
        assert {name: (entry.amount, entry.analyst) for name, entry in history.items()} == self.charged
        answers = {name: entry.answer["drawn"] for name, entry in history.items() if entry.answer}
        assert answers == self.answers

    def teardown(self) -> None:
        """It is whole in the end."""
        assert self.ledger.check() == len(self.charged)
        self.ledger.close()
        self.folder.cleanup()


TestAgainstAModel = AgainstAModel.TestCase
TestAgainstAModel.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
