"""The tables of a ledger, and every statement it makes: one text for all databases.

A charge is a row that never changes; its answer is a row in a table of its own, which never changes either. Only an
account moves, and only up to its limit: amounts are digits of one length, so the database itself compares them. Numbers
of charges and turns in a plan are unique, so even a writer without a lock cannot charge twice in one place.
"""

# ruff: noqa: S608 - statements are put together from names of columns alone
from typing import NamedTuple

from discreet.ledger.units import WIDTH

VERSION = 1
"""Of the tables. A ledger of a newer version is left alone."""

_AMOUNT = f"{{text}} NOT NULL CHECK (length({{name}}) = {WIDTH})"


def _amounts(*names: str) -> str:
    return ",\n".join(f"    {name} " + _AMOUNT.replace("{name}", name) for name in names)


TABLES = (
    """CREATE TABLE discreet_about (
    version INTEGER NOT NULL
){end}""",
    """CREATE TABLE discreet_dataset (
    dataset {text} NOT NULL PRIMARY KEY,
    opened {text} NOT NULL,
    secret {bytes} NOT NULL
){end}""",
    f"""CREATE TABLE discreet_account (
    dataset {{text}} NOT NULL REFERENCES discreet_dataset (dataset),
    analyst {{text}} NOT NULL,
    budget {{text}} NOT NULL,
    whole {{text}} NOT NULL,
{_amounts("most", "most_delta", "spent", "spent_delta")},
    PRIMARY KEY (dataset, analyst),
    CHECK (spent <= most),
    CHECK (spent_delta <= most_delta)
){{end}}""",
    f"""CREATE TABLE discreet_charge (
    dataset {{text}} NOT NULL,
    seq {{integer}} NOT NULL,
    time {{text}} NOT NULL,
    request {{text}} NOT NULL,
    analyst {{text}} NOT NULL,
    content {{text}} NOT NULL,
    question {{text}} NOT NULL,
    memo {{text}} NOT NULL,
    plan {{text}},
    turn {{integer}},
{_amounts("amount", "delta")},
    digest {{text}} NOT NULL,
    PRIMARY KEY (dataset, seq),
    UNIQUE (dataset, request),
    UNIQUE (dataset, plan, turn),
    FOREIGN KEY (dataset, analyst) REFERENCES discreet_account (dataset, analyst)
){{end}}""",
    """CREATE TABLE discreet_answer (
    dataset {text} NOT NULL,
    seq {integer} NOT NULL,
    number {integer} NOT NULL,
    time {text} NOT NULL,
    answer {text} NOT NULL,
    digest {text} NOT NULL,
    PRIMARY KEY (dataset, seq),
    UNIQUE (dataset, number),
    FOREIGN KEY (dataset, seq) REFERENCES discreet_charge (dataset, seq)
){end}""",
)


class Charge(NamedTuple):
    """A row of ``discreet_charge``, as it is stored.

    >>> Charge._fields[:4]
    ('dataset', 'seq', 'time', 'request')
    """

    dataset: str
    seq: int
    time: str
    request: str
    analyst: str
    """Empty for a charge to the whole dataset alone."""
    content: str
    """A guarantee, or a plan that is reserved, as JSON."""
    question: str
    memo: str
    plan: str | None
    """The request that reserved the plan of which this is a release."""
    turn: int | None
    amount: str
    delta: str
    digest: str


_CHARGE = ", ".join(Charge._fields)
_JOINED = ", ".join(f"c.{name}" for name in Charge._fields) + ", a.time, a.answer"

VERSIONS = "SELECT version FROM discreet_about"
SET_VERSION = "INSERT INTO discreet_about (version) VALUES (?)"
DATASETS = "SELECT dataset FROM discreet_dataset ORDER BY dataset"
DATASET = "SELECT opened, secret FROM discreet_dataset WHERE dataset = ?"
ADD_DATASET = "INSERT INTO discreet_dataset (dataset, opened, secret) VALUES (?, ?, ?)"
_ACCOUNT = "SELECT analyst, budget, whole, most, most_delta, spent, spent_delta FROM discreet_account WHERE dataset = ?"
ACCOUNTS = f"{_ACCOUNT} ORDER BY analyst"
ACCOUNTS_OF = f"{_ACCOUNT} AND analyst IN ('', ?) ORDER BY analyst"
ADD_ACCOUNT = (
    "INSERT INTO discreet_account (dataset, analyst, budget, whole, most, most_delta, spent, spent_delta) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
SPEND = "UPDATE discreet_account SET spent = ?, spent_delta = ? WHERE dataset = ? AND analyst = ?"
LAST_CHARGE = "SELECT seq, digest FROM discreet_charge WHERE dataset = ? ORDER BY seq DESC LIMIT 1"
BY_REQUEST = f"SELECT {_CHARGE} FROM discreet_charge WHERE dataset = ? AND request = ?"
TURN = "SELECT max(turn) FROM discreet_charge WHERE dataset = ? AND plan = ?"
ADD_CHARGE = f"INSERT INTO discreet_charge ({_CHARGE}) VALUES ({', '.join('?' * len(Charge._fields))})"
ANSWER = "SELECT answer FROM discreet_answer WHERE dataset = ? AND seq = ?"
ANSWER_TO = (
    "SELECT a.answer FROM discreet_answer a JOIN discreet_charge c ON c.dataset = a.dataset AND c.seq = a.seq "
    "WHERE c.dataset = ? AND c.request = ?"
)
LAST_ANSWER = "SELECT number, digest FROM discreet_answer WHERE dataset = ? ORDER BY number DESC LIMIT 1"
ADD_ANSWER = "INSERT INTO discreet_answer (dataset, seq, number, time, answer, digest) VALUES (?, ?, ?, ?, ?, ?)"
ENTRIES = (
    f"SELECT {_JOINED} FROM discreet_charge c LEFT JOIN discreet_answer a ON a.dataset = c.dataset AND a.seq = c.seq "
    "WHERE c.dataset = ? AND c.seq > ? ORDER BY c.seq LIMIT ?"
)
CHARGES = f"SELECT {_CHARGE} FROM discreet_charge WHERE dataset = ? AND seq > ? ORDER BY seq LIMIT ?"
ANSWERS = (
    "SELECT a.number, a.seq, a.time, a.answer, a.digest, c.digest "
    "FROM discreet_answer a LEFT JOIN discreet_charge c ON c.dataset = a.dataset AND c.seq = a.seq "
    "WHERE a.dataset = ? AND a.number > ? ORDER BY a.number LIMIT ?"
)
