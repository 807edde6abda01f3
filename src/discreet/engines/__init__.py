"""From tables to counts: each engine is one file with one verb, ``tally``, imported only when a table is read."""
