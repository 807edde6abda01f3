"""Everything discreet raises on purpose.

    DiscreetError
    ├── SettingError   (also ValueError)    a public setting is wrong: which, what was allowed, what came
    ├── DataError      (also ValueError)    the data cannot be read as asked; shows no value and no position
    ├── BudgetError                         the budget does not allow this: nothing was charged
    ├── LedgerError    (also RuntimeError)  the ledger cannot be opened, read or written
    └── GuardError     (also RuntimeError)  a certified bound did not hold: nothing was released

No message ever carries a score, a count, a probability or a row.
"""

from decimal import Context, Decimal
from fractions import Fraction

MOST_SHOWN = 60


class DiscreetError(Exception):
    """The root: catch this to catch everything discreet raises on purpose.

    >>> issubclass(SettingError, DiscreetError)
    True
    """


class SettingError(DiscreetError, ValueError):
    """A public setting is outside what is allowed.

    >>> str(SettingError.of("k", "a whole number from 1 to 3", 7))
    'k: wanted a whole number from 1 to 3, got 7'
    """

    @classmethod
    def of(cls, name: str, wanted: str, got: object, remedy: str = "") -> "SettingError":
        """Build the message in the one grammar all our errors share: which, allowed, got, what to do."""
        return cls(f"{name}: wanted {wanted}, got {show(got)}" + (f"; {remedy}" if remedy else ""))


def show(value: object) -> str:
    """Write a setting for a message: numbers and short text as they are, all else by its kind alone.

    Whoever puts data where a setting belongs must not find the data in the message.

    >>> show(7), show(Fraction(1, 8)), show("smith"), show({"flu": 812}), show([])
    ('7', '0.125', "'smith'", 'a dict of 1', 'an empty list')
    """
    if isinstance(value, Fraction):
        return _fraction(value)
    if isinstance(value, str | bool | float | None | Decimal):
        shown = str(value) if isinstance(value, Decimal) else repr(value)
        return shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 3]}..."
    if isinstance(value, int):
        return repr(value) if value.bit_length() < 4 * MOST_SHOWN else "a whole number of very many digits"
    kind = type(value).__name__
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    try:
        size = len(value)  # type: ignore[arg-type]
    except TypeError:
        return f"{article} {kind}"
    return f"{article} {kind} of {size}" if size else f"an empty {kind}"


def without_password(where: str) -> str:
    """Return a place as it may be shown: of a URL only how it begins, since the rest may hold a password.

    >>> without_password("budget.db"), without_password("postgresql://ann:secret@host/budgets")
    ('budget.db', 'postgresql://...')
    """
    scheme, found, _ = where.partition("://")
    return f"{scheme}://..." if found else where


def _fraction(value: Fraction) -> str:
    """Write a fraction as a decimal where that is exact and short (``exact.plain`` does, too, but imports us)."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) >= 2 * MOST_SHOWN:
        return "a fraction of very many digits"
    short = f"{Context(prec=18).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():f}"
    return short if Fraction(short) == value and len(short) <= MOST_SHOWN else str(value)


class DataError(DiscreetError, ValueError):
    """The data cannot be read as asked. The message names what is wrong, never a value or a position.

    >>> raise DataError("scores: NaN is not a score")
    Traceback (most recent call last):
    discreet.errors.DataError: scores: NaN is not a score
    """


class BudgetError(DiscreetError):
    """The budget does not allow this charge, and nothing was charged. All it carries is public.

    >>> refused = BudgetError("epsilon: ...", requested=Fraction(2), remaining=Fraction(1), rule="pure")
    >>> refused.requested - refused.remaining, refused.rule
    (Fraction(1, 1), 'pure')
    """

    def __init__(
        self, message: str, *, requested: Fraction = Fraction(0), remaining: Fraction = Fraction(0), rule: str = ""
    ) -> None:
        super().__init__(message)
        self.requested, self.remaining, self.rule = requested, remaining, rule


class LedgerError(DiscreetError, RuntimeError):
    """A ledger cannot be opened, read or written: locked, damaged, full, read-only, or closed.

    >>> issubclass(LedgerError, RuntimeError)
    True
    """


class GuardError(DiscreetError, RuntimeError):
    """A bound that was proved did not hold when it was checked, so nothing was released.

    >>> issubclass(GuardError, RuntimeError)
    True
    """
