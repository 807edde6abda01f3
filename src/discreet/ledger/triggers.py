"""What a ledger's database refuses whoever asks: changed or deleted rows, holes in a sequence, money back.

They stop a slip of the hand. Who owns the database can take them away; that is what ``check`` is for.
"""

# ruff: noqa: S608 - statements are put together from names of tables and columns alone

KEYS = {
    "discreet_about": "1 = 1",
    "discreet_dataset": "dataset = NEW.dataset",
    "discreet_account": "dataset = NEW.dataset AND analyst = NEW.analyst",
    "discreet_charge": "dataset = NEW.dataset AND (seq = NEW.seq OR request = NEW.request)",
    "discreet_answer": "dataset = NEW.dataset AND (seq = NEW.seq OR number = NEW.number)",
}
"""Which rows of a table a new one would replace."""
FIXED = [table for table in KEYS if table != "discreet_account"]
"""Tables whose rows never change."""
FALLS = (
    "NEW.dataset <> OLD.dataset OR NEW.analyst <> OLD.analyst OR NEW.budget <> OLD.budget OR NEW.whole <> OLD.whole "
    "OR NEW.most <> OLD.most OR NEW.most_delta <> OLD.most_delta "
    "OR NEW.spent < OLD.spent OR NEW.spent_delta < OLD.spent_delta"
)
"""When an account does anything but spend."""
HOLES = {
    table: f"NEW.{column} <> (SELECT coalesce(max({column}), 0) + 1 FROM {table} WHERE dataset = NEW.dataset)"
    for table, column in (("discreet_charge", "seq"), ("discreet_answer", "number"))
}
"""When a row is not the next."""
WHY = "rows are never changed or deleted, numbers follow one another, and what is spent only rises"

FUNCTIONS = (
    f"""CREATE FUNCTION discreet_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%: {WHY}', TG_TABLE_NAME; END $$""",
    *(
        f"""CREATE FUNCTION {table}_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF {hole} THEN RAISE EXCEPTION '%: {WHY}', TG_TABLE_NAME; END IF; RETURN NEW; END $$"""
        for table, hole in HOLES.items()
    ),
)


def in_sqlite(name: str, event: str, when: str = "1 = 1") -> str:
    """Return a trigger that refuses.

    >>> print(in_sqlite("example", "DELETE ON discreet_charge")[:71])
    CREATE TRIGGER example BEFORE DELETE ON discreet_charge WHEN 1 = 1
    BEGI
    """
    return f"CREATE TRIGGER {name} BEFORE {event} WHEN {when}\nBEGIN SELECT RAISE(ABORT, '{WHY}'); END"


def in_postgres(name: str, event: str, when: str = "true", each: str = "ROW", call: str = "discreet_refuse") -> str:
    """Return the same for PostgreSQL, where a function refuses.

    >>> print(in_postgres("example", "DELETE ON discreet_charge"))
    CREATE TRIGGER example BEFORE DELETE ON discreet_charge
    FOR EACH ROW WHEN (true) EXECUTE FUNCTION discreet_refuse()
    """
    return f"CREATE TRIGGER {name} BEFORE {event}\nFOR EACH {each} WHEN ({when}) EXECUTE FUNCTION {call}()"


SQLITE = (
    *(in_sqlite(f"{table}_kept", f"DELETE ON {table}") for table in KEYS),
    *(in_sqlite(f"{table}_fixed", f"UPDATE ON {table}") for table in FIXED),
    # INSERT OR REPLACE would delete the row that is there without asking the first of these.
    *(
        in_sqlite(f"{table}_once", f"INSERT ON {table}", f"EXISTS (SELECT 1 FROM {table} WHERE {same})")
        for table, same in KEYS.items()
    ),
    *(in_sqlite(f"{table}_next", f"INSERT ON {table}", hole) for table, hole in HOLES.items()),
    in_sqlite("discreet_account_rises", "UPDATE ON discreet_account", FALLS),
)
POSTGRES = (
    *FUNCTIONS,
    *(in_postgres(f"{table}_kept", f"DELETE ON {table}") for table in KEYS),
    *(in_postgres(f"{table}_whole", f"TRUNCATE ON {table}", each="STATEMENT") for table in KEYS),
    *(in_postgres(f"{table}_fixed", f"UPDATE ON {table}") for table in FIXED),
    *(in_postgres(f"{table}_next", f"INSERT ON {table}", call=f"{table}_follows") for table in HOLES),
    in_postgres("discreet_account_rises", "UPDATE ON discreet_account", FALLS),
)
