"""A ledger under fire: eight processes charge one budget, and a killer ends them at random points.

Run as ``python -m tests.ledger.fire`` with ``Orders`` as JSON; prints what happened as JSON. A round is a budget of its
own. It ends when nothing more fits, however long that takes, so nothing here depends on the clock. What a worker was
told is appended to a file after it was told, and only that is held against the ledger in the end.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from discreet.errors import BudgetError, LedgerError
from discreet.guarantees import Pure
from discreet.ledger import Budget, Ledger, sqlite
from tests.ledger import broken

WORKERS = 8
MENU = [Fraction(number, 100) for number in (1, 1, 1, 2, 3, 7)]
"""What a charge may cost."""
SHORT_LOG = 2**15
"""So that the log is moved into the file many times, under fire too."""
Books = Callable[..., Any]
KINDS: dict[str, Books] = {"ledger": Ledger, "unlocked": broken.Unlocked, "hasty": broken.Hasty}
"""The ledger, and two that are wrong."""


@dataclass(frozen=True)
class Orders:
    """What to do."""

    kind: str
    where: str
    notes: str
    rounds: int
    kills: int
    """In one round."""
    limit: str = "2"
    dataset: str = "round"
    """Each round adds its number."""


@dataclass
class Verdict:
    """What happened; from ``overspent`` on, all must be zero."""

    rounds: int = 0
    kills: int = 0
    charges: int = 0
    found: int = 0
    """Charges whose worker was killed before it was told, and which the next one asked for again."""
    seconds: float = 0
    overspent: int = 0
    missing: int = 0
    """Charges that a worker was told of, and that are not there."""
    doubled: int = 0
    unbalanced: int = 0
    """Rounds in which what is spent is not the sum of the charges."""
    answers: int = 0
    """Answers that a worker was shown, and that are not the recorded ones."""
    unfilled: int = 0
    """Rounds that ended with room left."""
    broken: list[str] = field(default_factory=list)

    @property
    def held(self) -> bool:
        """Whether everything held."""
        return not (self.overspent + self.missing + self.doubled + self.unbalanced + self.answers + self.unfilled)


def run(orders: Orders) -> Verdict:
    """Run all rounds."""
    sqlite.LOG_BYTES = SHORT_LOG
    verdict = Verdict()
    for number in range(orders.rounds):
        notes = Path(orders.notes) / str(number)
        notes.mkdir(parents=True)
        _open(orders, f"{orders.dataset} {number}").close()
        began = time.perf_counter()
        verdict.kills += _round(orders, f"{orders.dataset} {number}", notes)
        verdict.seconds += time.perf_counter() - began
        with _open(orders, f"{orders.dataset} {number}") as book:
            judge(verdict, book, notes, Fraction(orders.limit))
        verdict.rounds += 1
    return verdict


def judge(verdict: Verdict, book: Any, notes: Path, limit: Fraction) -> None:
    """Compare what the workers were told with what the ledger holds."""
    entries = {entry.request: entry for entry in book.history()}
    listed = [entry.request for entry in book.history()]
    told = [line.split(" ", 2) for path in notes.iterdir() for line in path.read_text().splitlines(keepends=True)]
    whole = [line for line in told if line[-1].endswith("\n")]  # a kill may cut a line, and then nothing was said
    charged = {line[1].strip() for line in whole if line[0] == "charged"}
    total = sum((entry.amount for entry in entries.values()), Fraction(0))
    verdict.charges += len(listed)
    verdict.found += sum(line[0] == "found" for line in whole)
    verdict.missing += len(charged - set(listed))
    verdict.doubled += sum(count - 1 for count in Counter(listed).values())
    verdict.overspent += total > limit
    verdict.unbalanced += total != book.spent.epsilon
    verdict.unfilled += limit - total >= min(MENU)
    shown = [(line[1], json.loads(line[2])) for line in whole if line[0] == "answered"]
    verdict.answers += sum(request not in entries or entries[request].answer != answer for request, answer in shown)
    try:
        book.check()
    except LedgerError as error:
        verdict.broken.append(str(error))
        verdict.unbalanced += 1


def _round(orders: Orders, name: str, notes: Path) -> int:
    """Keep eight workers busy until each has seen that nothing fits; kill some on the way; return how many."""
    slots = {_hire(orders, name, notes, slot): slot for slot in range(WORKERS)}
    kills = 0
    while slots:
        if kills < orders.kills:
            time.sleep(random.random() ** 3 / 20)  # noqa: S311 - a killer needs no secrets
            with suppress(ProcessLookupError):
                os.kill(random.choice(list(slots)), signal.SIGKILL)  # noqa: S311
        child, status = os.wait()
        slot = slots.pop(child)
        if os.WIFSIGNALED(status):
            kills += 1
            slots[_hire(orders, name, notes, slot)] = slot
        elif status:
            raise RuntimeError(f"worker {slot} of {name} failed")
    return kills


def _hire(orders: Orders, name: str, notes: Path, slot: int) -> int:
    child = os.fork()
    if not child:
        _work(orders, name, notes / str(slot), slot)
    return child


def _work(orders: Orders, name: str, notes: Path, slot: int) -> NoReturn:
    """Charge until nothing fits; begin with what the killed one before may have left undone."""
    failed = 1
    try:
        chance = random.Random(os.urandom(16))  # noqa: S311 - after a fork all would draw the same
        diary = os.open(notes, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o600)
        with _open(orders, name) as book:
            for request, cost, told in _undone(notes):
                if not told and any(entry.request == request for entry in book.history()):
                    _say(diary, "found", request)
                _charge(book, diary, request, cost)
            while _fits(book, diary, chance, f"{slot}-{os.getpid()}-"):
                pass
        failed = 0
    finally:
        os._exit(failed)


def _undone(notes: Path) -> list[tuple[str, Fraction, bool]]:
    """Return what was begun and not said to be done, and whether it was said to be charged."""
    lines = [line.split() for line in notes.read_text().splitlines(keepends=True) if line.endswith("\n")]
    begun = {line[1]: Fraction(line[2]) for line in lines if line[0] == "begun"}
    done, charged = (
        {line[1] for line in lines if line[0] in words} for words in ({"answered", "refused"}, {"charged"})
    )
    return [(request, cost, request in charged) for request, cost in begun.items() if request not in done]


def _fits(book: Any, diary: int, chance: random.Random, prefix: str) -> bool:
    request, cost = prefix + str(chance.getrandbits(60)), chance.choice(MENU)
    _say(diary, "begun", request, cost)
    return _charge(book, diary, request, cost) or cost > min(MENU)


def _charge(book: Any, diary: int, request: str, cost: Fraction) -> bool:
    """Charge, answer, and say so after each; ask a second time now and then."""
    try:
        for _ in range(1 + (os.urandom(1)[0] < 32)):
            book.charge(Pure(cost), request=request)
    except BudgetError:
        _say(diary, "refused", request)
        return False
    _say(diary, "charged", request)
    answer = book.record(request, {"drawn": os.urandom(4).hex()})
    _say(diary, "answered", request, json.dumps(answer))
    return True


def _say(diary: int, *words: object) -> None:
    os.write(diary, (" ".join(map(str, words)) + "\n").encode())


def _open(orders: Orders, name: str) -> Any:
    return KINDS[orders.kind](orders.where, Budget(epsilon=orders.limit), dataset=name, timeout=120)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(run(Orders(**json.loads(sys.argv[1]))))))
