"""Many draws at once are exact: every byte is played, and words that fall on the edge go to certified arithmetic."""

import itertools
import math
from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet.balls import ball
from discreet.local import Kary, Subset, Unary
from discreet.local.bulk import Die, below
from discreet.testing import exact_law
from tests.local.tape import Tape, padded

EVERY = bytes(range(256))
LOOKS = np.arange(1 << 16, dtype="<u2").tobytes()
FULL = 2**64 - 1


def coin() -> Die:
    """Return a coin whose face 1 has chance 1 - exp(-1)."""
    return Die(lambda: [ball(-1).exp(), 1 - ball(-1).exp()])


def edge(bits: int) -> int:
    """Return the whole part of exp(-1) * 2**bits: the one cell where so many bits decide nothing."""
    return int(Context(prec=60).exp(Decimal(-1)) * 2**bits)


def words(*numbers: int) -> bytes:
    """Return whole words as they lie on a tape."""
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def first_look(word: int) -> bytes:
    """Return the first 16 bits of a word, and a word that begins with the other 48."""
    return words(word >> 48, word << 16 & FULL)


def test_every_first_look_is_settled_but_one() -> None:
    """All 65536 first looks once: those below the edge are face 0, those above face 1; the one on it looks further."""
    for further, zeros in ((0, edge(16) + 1), (FULL, edge(16))):
        thrown = coin().throws(1 << 16, tape := Tape(LOOKS + words(further)))
        assert np.bincount(thrown).tolist() == [zeros, 2**16 - zeros]
        assert not tape.left


def test_every_first_look_of_a_die_with_many_faces() -> None:
    """Each of 256 faces takes its chance, to within the cells on its two edges; none is lost and none is drawn in."""
    weights = [math.exp(-face / 40) for face in range(256)]
    chances = [weight / sum(weights) for weight in weights]
    total = 1 / (1 - ball(Fraction(-1, 40)).exp()) * (1 - ball(Fraction(-256, 40)).exp())
    die = Die(lambda: [ball(Fraction(-face, 40)).exp() / total for face in range(256)])
    undecided = sum(first <= last for first, last in zip(*die.edges(16), strict=True))
    low, high = (
        np.bincount(die.throws(1 << 16, Tape(LOOKS + words(*[more] * 300))), minlength=256) for more in (0, FULL)
    )
    assert 0 < undecided <= 255
    for seen in (low, high):
        assert all(abs(int(count) - chance * 2**16) <= 1 for count, chance in zip(seen, chances, strict=True))
    assert abs(low - high).sum() > 0


@pytest.mark.parametrize(("next_word", "face"), [(0, 0), (FULL, 1)])
def test_a_word_on_the_edge_draws_more_bits(next_word: int, face: int) -> None:
    """64 bits that agree with the edge leave it open; the next helping decides, either way, for many and for one."""
    word = edge(64)
    tape = Tape(first_look(word) + words(next_word))
    assert coin().throws(1, tape).tolist() == [face]
    assert not tape.left
    single = Tape(words(word, next_word))
    assert coin().throw(single) == face
    assert not single.left


@pytest.mark.parametrize("off", [-1, 1])
def test_a_word_next_to_the_edge_is_settled(off: int) -> None:
    """One cell of 2**64 further no more bits are asked for."""
    word = edge(64) + off
    tape = Tape(first_look(word))
    assert coin().throws(1, tape).tolist() == [int(off > 0)]
    assert not tape.left
    assert coin().throw(Tape(words(word))) == int(off > 0)


def test_one_throw_has_its_chances_on_the_tree() -> None:
    """The law of a single throw is the chances; one 2 % off does not fit, nor do two faces exchanged."""
    shares = [ball(-1).exp(), ball(-2).exp(), 1 - ball(-1).exp() - ball(-2).exp()]
    law = exact_law(Die(lambda: shares).throw, leftover="1e-5")
    assert law.contains(dict(enumerate(shares)))
    assert not law.contains({0: shares[0] * 51 / 50, 1: shares[1], 2: shares[2] - shares[0] / 50})
    assert not law.contains({0: shares[1], 1: shares[0], 2: shares[2]})


def test_a_fair_coin_is_never_undecided() -> None:
    """An edge on the border of two cells lies in neither."""
    fair = Die(lambda: [ball(Fraction(1, 2))] * 2)
    assert np.bincount(fair.throws(1 << 16, Tape(LOOKS))).tolist() == [2**15, 2**15]


def test_a_chance_nearer_to_0_than_any_word_can_tell_is_not_0() -> None:
    """The very first and the very last word stay open, and the other bits decide."""
    tiny = Die(lambda: [ball(-1000).exp(), 1 - 2 * ball(-1000).exp(), ball(-1000).exp()])
    assert tiny.edges(64) == ([0, FULL], [0, FULL])
    for word, face in ((0, 0), (FULL, 2)):
        assert tiny.throws(1, Tape(first_look(word) + words(*[word] * 30, 1))).tolist() == [face]
        assert tiny.throw(Tape(words(*[word] * 31, 1))) == face
        assert tiny.throw(Tape(words(word, FULL - word))) == 1


@pytest.mark.parametrize("bound", [1, 3, 7, 8])
def test_every_number_comes_equally_often(bound: int) -> None:
    """Of all 256 bytes each number takes the same share, and bytes beyond the last whole round are thrown away."""
    share = 256 // bound
    drawn = below(bound, share * bound, Tape(EVERY * 2 + bytes(64)))
    assert Counter(drawn.tolist()) == dict.fromkeys(range(bound), share)


def test_numbers_below_a_wide_bound_use_wider_words() -> None:
    """A bound of a thousand reads 16 bits, a million 32, and a large one 64; remainders are theirs."""
    word = 2**64 - 2**61
    assert below(1000, 1, Tape((12_345).to_bytes(8, "little"))).tolist() == [345]
    assert below(10**6, 1, Tape((12_345_678).to_bytes(8, "little"))).tolist() == [345_678]
    assert below(10**12, 1, Tape(word.to_bytes(16, "little"))).tolist() == [word % 10**12]


def test_all_sets_come_equally_often() -> None:
    """Two of four others, from all twelve pairs of draws: each set twice, whatever the own place; own in or out."""
    pairs = list(itertools.product(range(3), range(4)))
    for own_in, size, count in ((False, 2, 2), (True, 3, 2)):
        channel = Subset(5, Fraction(1), size)
        for own in range(5):
            tape = b"".join(padded(bytes(pair[round_] for pair in pairs)) for round_ in range(2))
            masks = channel._sets(np.full(12, own), own=own_in, coins=Tape(tape)).ravel().tolist()
            others = [place for place in range(5) if place != own]
            wanted = [sum(1 << place for place in chosen) for chosen in itertools.combinations(others, count)]
            assert Counter(masks) == {mask | own_in << own: 2 for mask in wanted}


def looks(*numbers: int) -> bytes:
    """Return first looks of 16 bits, filled up to whole words."""
    return padded(b"".join(number.to_bytes(2, "little") for number in numbers))


def test_k_ary_rows_from_a_script() -> None:
    """Few candidates: one look says how far past the own place, around the circle; here 0, 1 and 2 past it."""
    rows = Kary(3, Fraction(1)).draw_all(np.array([2, 2, 2, 0, 1]), Tape(looks(0, 65535 - 16384, 65535, 65535, 65535)))
    assert rows.tolist() == [2, 0, 1, 2, 0]


def test_k_ary_rows_of_many_candidates_from_a_script() -> None:
    """Many candidates: face 1 tells the truth; others move to one of the rest, in order, past the own place."""
    tape = Tape(looks(65535, 0, 0, 0) + looks(7, 8, 8, 0))
    rows = Kary(300, Fraction(1)).draw_all(np.array([8, 8, 8, 9]), tape)
    assert rows.tolist() == [8, 7, 9, 8]


def test_one_k_ary_report_of_many_candidates_has_its_law() -> None:
    """On the tree, each of three hundred candidates has its chance; from another own place the law is another."""
    channel = Kary(300, Fraction(6))
    law = exact_law(lambda coins: channel.draw(5, coins), leftover="1e-3")
    true = {place: channel.own() if place == 5 else channel.other() for place in range(300)}
    assert law.contains(true)
    assert not law.contains(true | {5: true[4], 4: true[5]})


def test_unary_rows_from_a_script() -> None:
    """Eight bits come at one look and the last few at another, and the own bit is tossed in their place."""
    channel = Unary(11, Fraction(1), "asymmetric")
    script = looks(0, 65535) + looks(0, 65535) + looks(65535, 0)
    rows = channel.draw_all(np.array([0, 9]), Tape(script))
    assert rows.tolist() == [[0b0000_0001, 0b000], [0b1111_1111, 0b101]]
