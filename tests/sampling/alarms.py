"""The false-alarm budget: the chance that each sampled test fails although nothing is wrong. At most 1e-9 in all."""

BUDGET: dict[str, tuple[float, int]] = {
    "below": (3e-11, 3),
    "threads": (3e-11, 1),
    "samplers": (1e-11, 11),
    "prepared": (3e-11, 5),
    "prepared wrong": (3e-11, 1),
    "long": (1e-11, 7),
    "many equal": (3e-11, 5),
    "levels": (1e-11, 6),
    "quantiles": (1e-11, 12),
    "local": (1e-11, 5),
    "envelope": (1e-11, 1),
    "in place": (1e-11, 2),
}
"""For each family of tests, the level of one test and how many there are."""

ALARMS: dict[str, float] = {name: level for name, (level, _) in BUDGET.items()}
