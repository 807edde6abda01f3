"""Known answers from real files, where they are on this machine; and the bands they are held to."""

from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb

from benchmarks.experiments import EXPERIMENTS, band, banded, softmax

DATA = Path(__file__).parents[3] / "shared" / "data"
FILES = {"adult": DATA / "adult.csv", "approval": DATA / "french_approval_2002.csv"}


@pytest.mark.stats
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_known_experiment_comes_out(name: str) -> None:
    """What is drawn through a table lies in the band of the law worked out beside it."""
    if not FILES[name].is_file():
        pytest.skip("the file is not on this machine")
    assert all(line.inside for line in EXPERIMENTS[name](str(FILES[name]), 200))


def test_a_band_holds_what_it_says() -> None:
    """The mass outside each end is below the tail, and one count further in it is not."""
    chance, tail = Fraction(1, 4), Fraction(1, 1000)
    low, high = band(arb(1) / 4, 12, tail)

    def mass(counts: range) -> Fraction:
        ways = [1]
        for n in range(12):
            ways.append(ways[-1] * (12 - n) // (n + 1))
        return sum((ways[n] * chance**n * (1 - chance) ** (12 - n) for n in counts), Fraction(0))

    assert mass(range(low)) < tail <= mass(range(low + 1))
    assert mass(range(high + 1, 13)) < tail <= mass(range(high, 13))


def test_another_law_falls_out_of_the_band() -> None:
    """The best every time, and draws at twice the rate, are not the law."""
    law = softmax({"zoo": Fraction(2), "lake": Fraction(0)})
    assert all(line.inside for line in banded("", law, {"zoo": 176, "lake": 24}, 200, cells=2))
    assert not all(line.inside for line in banded("", law, {"zoo": 200}, 200, cells=2))
    assert not all(line.inside for line in banded("", law, {"zoo": 100, "lake": 100}, 200, cells=2))
