"""The one text that counts, in the SQL that DuckDB and Spark share.

``people`` has one row a person with the column ``item``; ``wanted`` has the public candidates, each with its place.
"""

TALLY = """
SELECT wanted.place AS place, COUNT(*) AS score
FROM (SELECT CAST(item AS STRING) AS item FROM people) AS named
JOIN wanted ON named.item = wanted.item
GROUP BY wanted.place
"""
"""Count the rows that name each candidate. What is missing, or names nobody, joins nothing and so drops."""

PRINTS_ALIKE = frozenset(
    {
        "BIGINT",
        "BOOLEAN",
        "DATE",
        "HUGEINT",
        "INTEGER",
        "SMALLINT",
        "TIME",
        "TIMESTAMP",
        "TINYINT",
        "UBIGINT",
        "UHUGEINT",
        "UINTEGER",
        "USMALLINT",
        "UTINYINT",
        "UUID",
        "VARCHAR",
        '"NULL"',
    }
)
"""Types whose text is the same in every engine; decimals too. Floating-point numbers and binary data are not."""


def quoted(identifier: str) -> str:
    """Return a column's name as SQL reads it, whatever it holds.

    >>> print(quoted('x"; DROP TABLE people'))
    "x""; DROP TABLE people"
    """
    return '"' + identifier.replace('"', '""') + '"'


def prints_alike(kind: str) -> bool:
    """Return whether values of this type can be compared by their text.

    >>> prints_alike("DECIMAL(10,2)"), prints_alike("DOUBLE")
    (True, False)
    """
    return kind in PRINTS_ALIKE or kind.startswith(("DECIMAL(", "ENUM("))
