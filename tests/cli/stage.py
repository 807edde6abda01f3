"""Invented files for the verbs, in which one answer is so far ahead that another has no chance a test would see."""

from pathlib import Path

import polars as pl

SURE = {
    "winner": "smith",
    "top": "Blue Hour",
    "rank": "smith",
    "approve": "smith",
    "slot": "wed",
    "quantile": "50000",
    "total": "north",
    "hypothesis": "model",
}
"""The first line each verb's example answers; for the others the lead is in the tests."""

TABLES = {
    "votes.csv": ["teacher", *["smith"] * 9000, *["jones"] * 900, *["lee"] * 3],
    "approvals.csv": ["smith,jones,lee", *["yes,no,no"] * 900, "no,yes,yes"],
    "calendar.csv": ["person,busy", *(f"{person},{day}" for person in range(900) for day in ("mon", "tue"))],
    "wages.csv": ["wage", *["50000.00"] * 900],
    "bids.csv": ["bid", *["1.00"] * 2000],
    "sales.csv": ["customer,shop,paid", *(f"{buyer},north,900.5" for buyer in range(900)), "x,south,7"],
    "people.csv": ["bought,model,age", *["yes,yes,20"] * 900],
}
SONGS = {"Blue Hour": 9000, "Tall Ships": 3000, "Paper Moon": 1000}


def build(folder: Path) -> None:
    """Write the files of the examples that the verbs' help shows."""
    for name, lines in TABLES.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "songs.txt").write_text("\n".join([*SONGS, "Nobody's Song"]), encoding="utf-8")
    plays = [song for song, count in SONGS.items() for _ in range(count)]
    pl.DataFrame({"listener": range(len(plays)), "song": plays}).write_parquet(folder / "plays.parquet")
