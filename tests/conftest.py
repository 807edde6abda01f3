"""What every test shares: a Hypothesis profile that never judges by the clock."""

from hypothesis import HealthCheck, settings

# A slow or busy machine is not a bug: no deadline, and no complaint about slow examples.
settings.register_profile("house", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
