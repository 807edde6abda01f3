"""What every test shares: a Hypothesis profile that never judges by the clock."""

from hypothesis import HealthCheck, settings

# A slow or busy machine is not a bug: no deadline, and no complaint about slow examples. Every run tries new examples,
# with CI=true as well, where Hypothesis would repeat the same ones; a failure prints the blob that repeats it.
settings.register_profile(
    "house", deadline=None, derandomize=False, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")
