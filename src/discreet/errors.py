"""Everything discreet raises on purpose.

    DiscreetError
    ├── SettingError   (also ValueError)    a public setting is wrong: which, what was allowed, what came
    ├── DataError      (also ValueError)    the data cannot be read as asked; shows no value and no position
    └── GuardError     (also RuntimeError)  a certified bound did not hold: nothing was released

No message ever carries a score, a count, a probability or a row.
"""


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
        shown = repr(got)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        return cls(f"{name}: wanted {wanted}, got {shown}" + (f"; {remedy}" if remedy else ""))


class DataError(DiscreetError, ValueError):
    """The data cannot be read as asked. The message names what is wrong, never a value or a position.

    >>> raise DataError("scores: NaN is not a score")
    Traceback (most recent call last):
    discreet.errors.DataError: scores: NaN is not a score
    """


class GuardError(DiscreetError, RuntimeError):
    """A bound that was proved did not hold when it was checked, so nothing was released.

    >>> issubclass(GuardError, RuntimeError)
    True
    """
