"""The verbs a person types: read the scores, plan from public settings, draw."""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Unpack

from discreet.errors import SettingError
from discreet.exact import whole
from discreet.mechanisms import NoisyMaxWithGap, Peel
from discreet.sampling.coins import Coins, SystemCoins
from discreet.selection.entries import Entries, read
from discreet.selection.plan import Plan, Settings, plan
from discreet.selection.result import Selection


def select(
    values: object,
    /,
    *,
    candidates: Iterable[Hashable] | None = None,
    maximize: bool = True,
    infinite: str = "refuse",
    coins: Coins | None = None,
    **settings: Unpack[Settings],
) -> Selection:
    """Pick one candidate with a good score, and hide every person behind the scores.

    >>> select({"smith": 310, "jones": 95}, epsilon=1, scores="counts").winner
    'smith'
    >>> select([3.5, 1000.25], epsilon="0.5", sensitivity=2, mechanism="exponential").index
    1

    ``values`` is a list, dict, pandas or Polars Series, NumPy array or ``Scores``; what is given is used exactly.

    * What to spend: ``epsilon`` (pure), ``rho`` (zCDP) or ``guarantee`` (any). A float means the decimal it prints as.
    * How far one person moves the scores: ``scores="counts"`` (or another named family) knows it; else ``sensitivity``
      (one score) or ``range`` (the difference of two). ``monotonic=True``: all scores move one way. ``sensitivity`` may
      hold a number for each candidate. ``normaliser="constant"``: the sum of all weights does not depend on the data.
    * Whom to protect: ``neighbours="add-remove"`` (default) or ``"replace"``.
    * ``mechanism``: ``"auto"`` is permute-and-flip for ``epsilon``, else exponential. Or ``"exponential"``,
      ``"permute-and-flip"``, ``"noisy-max"`` with ``noise="exponential"``, ``"gumbel"`` or ``"laplace"``.
    * ``gap``: release the noisy lead too, on a grid this fine. ``prior``: public weights of the candidates.
    * ``maximize=False`` seeks the least. ``infinite="never"``: infinitely bad scores are public and never chosen.
    """
    entries = read(values, candidates, maximize=maximize, infinite=infinite)
    chosen = plan(entries, **settings)
    flips = door(coins)
    assert not isinstance(chosen.mechanism, Peel)  # noqa: S101 - for the type checkers: one winner needs no rounds
    if isinstance(chosen.mechanism, NoisyMaxWithGap):
        position, lead = chosen.mechanism.draw_with_gap(entries.column, flips)
        return _released(entries, chosen, [position], lead * entries.tick)
    return _released(entries, chosen, [chosen.mechanism.draw(entries.column, flips)])


def top_k(
    values: object,
    /,
    k: int,
    *,
    candidates: Iterable[Hashable] | None = None,
    maximize: bool = True,
    infinite: str = "refuse",
    coins: Coins | None = None,
    **settings: Unpack[Settings],
) -> Selection:
    """Pick ``k`` different candidates with good scores, best first; the words are those of ``select``.

    The guarantee is for all of them together.

    >>> top_k({"a": 900, "b": 10, "c": 500}, 2, epsilon=1, scores="counts").winners
    ('a', 'c')
    """
    entries = read(values, candidates, maximize=maximize, infinite=infinite)
    count = whole(k, "k", most=len(entries))
    chosen = plan(entries, count, **settings)
    assert isinstance(chosen.mechanism, Peel)  # noqa: S101 - for the type checkers: a count asks for rounds
    return _released(entries, chosen, chosen.mechanism.draw(entries.column, door(coins)))


def door(coins: Coins | None) -> Coins:
    """Return the coins given for a test, else those of the operating system.

    >>> type(door(None)).__name__
    'SystemCoins'
    """
    if coins is None:
        return SystemCoins()
    if not all(hasattr(coins, name) for name in ("word", "bits", "below")):
        raise SettingError.of("coins", "nothing, or coins for a test", coins)
    return coins


def _released(entries: Entries, chosen: Plan, positions: Sequence[int], lead: Fraction | None = None) -> Selection:
    places = tuple(int(entries.places[position]) for position in positions)
    return Selection(
        winners=tuple(entries.candidates[place] for place in places),
        indices=places,
        mechanism=chosen.mechanism,
        guarantee=chosen.guarantee,
        neighbours=chosen.sensitivity.neighbours,
        candidates=len(entries),
        tick=entries.tick,
        gap=lead,
    )
